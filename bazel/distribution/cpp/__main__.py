"""Prints what CMAKE_PREFIX_PATH has to be."""

from . import cmake_prefix_path

print(cmake_prefix_path)
