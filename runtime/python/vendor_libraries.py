"""Where installed packages of vendors keep the libraries that backends load when they are used."""

import importlib.util
import os
import pathlib

#: The OpenVINO backend asks this variable first (backends/openvino/runtime/library.h).
_OPENVINO = "OPENVINO_LIB_PATH"


def point_at_installed_libraries() -> None:
    """Says where OpenVINO's package has its C library, unless somebody said so already. Nothing is imported or loaded."""
    if os.environ.get(_OPENVINO):
        return
    try:
        found = importlib.util.find_spec("openvino")
    except (ImportError, ValueError):
        return
    for place in found.submodule_search_locations or () if found is not None else ():
        libraries = sorted(pathlib.Path(place, "libs").glob("libopenvino_c.so*"))
        if libraries:
            os.environ[_OPENVINO] = str(libraries[-1])
            return
