"""Tools for ``.pte`` files, see :mod:`executorch.devtools.pte_tool.diff_pte`."""
