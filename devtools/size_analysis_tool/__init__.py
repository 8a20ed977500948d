"""What takes the space in a program, see :mod:`executorch.devtools.size_analysis_tool.size_analysis_tool`."""
