"""Documented path of the example calls of operators, :data:`executorch.dialects.dtype_runner.SAMPLE_INPUT`."""

from executorch.dialects.dtype_runner import SAMPLE_INPUT

__all__ = ["SAMPLE_INPUT"]
