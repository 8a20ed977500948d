"""The runtime for C++ as CMake finds it: headers, libraries and the package `executorch` below one prefix.

    cmake -DCMAKE_PREFIX_PATH="$(python -m executorch.cpp)" ...

`find_package(executorch CONFIG REQUIRED)` then has all targets that the C++ distributions have.
"""

from __future__ import annotations

import pathlib

__all__ = ["cmake_prefix_path"]

#: For CMAKE_PREFIX_PATH: `include`, `lib` and `share` lie below.
cmake_prefix_path = str(pathlib.Path(__file__).absolute().parent)
