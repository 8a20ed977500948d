"""One package with the documented names, out of pip: found, linked without flags, its kernels and its backend registered."""

import os
import pathlib
import re
import tarfile

import pytest

from executorch.tests.consume.cmake.native_tools import ROOT, build_with_cmake, compiler, install_wheel, run

HERE = pathlib.Path(__file__).absolute().parent
PROGRAMS = HERE.parent / "programs"
DISTRIBUTION = ROOT / "bazel" / "distribution"

pytestmark = pytest.mark.skipif(
    "CONSUME_CMAKE" not in os.environ,
    reason="needs what Bazel builds: ./bazelw test //tests/consume/cmake:all",
)


@pytest.fixture
def prefix(tmp_path):
    (wheel,) = (DISTRIBUTION / "cpp_wheel").glob("*.whl")
    return install_wheel(wheel, tmp_path / "an environment")  # users have blanks in paths


def test_documented_names(prefix, tmp_path):
    build = tmp_path / "build"
    build_with_cmake(HERE / "documented", build, compiler(tmp_path), prefix, PROGRAMS=str(PROGRAMS))
    assert re.match("backends_xnnpack: available", run([build / "grouped"]))
    assert re.match("backends_xnnpack: available", run([build / "wheel"]))
    assert re.match("backends_xnnpack: available", run([build / "listed"]))
    assert re.match("kernels: 21 42", run([build / "single"]))
    assert run([build / "llm"]) == "llama::custom_sdpa.out: 1, aten::add.out: 1\n"
    assert run([build / "threads"]) == "threads: 2, sum 45\n"


def test_the_tar_has_the_same_files(prefix):
    with tarfile.open(DISTRIBUTION / "dist.tar.gz") as packed:
        names = [entry.name for entry in packed if entry.isfile()]
        assert len(names) > 100
        for name in names:
            content = packed.extractfile(name)
            assert content is not None and content.read() == (prefix / name).read_bytes(), name
