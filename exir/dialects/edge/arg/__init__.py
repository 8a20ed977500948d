"""Example arguments of operators; see :mod:`executorch.dialects.sample_args`."""
