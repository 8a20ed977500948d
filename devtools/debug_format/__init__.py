"""Graphs for viewers and tables, see :mod:`executorch.devtools.debug_format.et_schema`."""
