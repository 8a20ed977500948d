"""One package with the documented names: found, linked without flags, its kernels and its backend registered."""

import os
import pathlib
import re
import tarfile

import pytest

from executorch.tests.consume.cmake.native_tools import ROOT, build_with_cmake, compiler, run

HERE = pathlib.Path(__file__).absolute().parent
PROGRAMS = HERE.parent / "programs"

pytestmark = pytest.mark.skipif(
    "CONSUME_CMAKE" not in os.environ,
    reason="needs what Bazel builds: ./bazelw test //tests/consume/cmake:all",
)


def test_documented_names(tmp_path):
    with tarfile.open(ROOT / "bazel" / "distribution" / "dist.tar.gz") as packed:
        packed.extractall(tmp_path / "a prefix")  # users have blanks in paths
    build = tmp_path / "build"
    build_with_cmake(
        HERE / "documented", build, compiler(tmp_path), tmp_path / "a prefix", PROGRAMS=str(PROGRAMS)
    )
    assert re.match("backends_xnnpack: available", run([build / "grouped"]))
    assert re.match("kernels: 21 42", run([build / "single"]))
    assert run([build / "threads"]) == "threads: 2, sum 45\n"
