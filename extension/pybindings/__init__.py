"""The lower-level Python bindings; see :mod:`executorch.extension.pybindings.portable_lib`."""
