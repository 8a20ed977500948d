"""The version that C++ sources ask for in the preprocessor is the one that Python scripts print."""

import re
from pathlib import Path

from executorch.version import __version__

HEADER = Path(__file__).absolute().parents[2] / "runtime" / "core" / "version.h"


def test_the_header_and_the_package_name_one_release():
    numbers = [
        re.search(rf"#define ET_VERSION_{part} (\d+)", HEADER.read_text())
        for part in ("MAJOR", "MINOR", "PATCH")
    ]
    assert [number and number[1] for number in numbers] == __version__.split(".")
