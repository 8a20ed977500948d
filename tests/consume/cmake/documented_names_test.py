"""One package with the documented names, out of pip: found, linked without flags, its kernels and its backend registered."""

import os
import pathlib
import re
import subprocess
import sys
import tarfile
import venv

import pytest

from executorch.tests.consume.cmake.native_tools import ROOT, build_with_cmake, compiler, run

HERE = pathlib.Path(__file__).absolute().parent
PROGRAMS = HERE.parent / "programs"
DISTRIBUTION = ROOT / "bazel" / "distribution"

pytestmark = pytest.mark.skipif(
    "CONSUME_CMAKE" not in os.environ,
    reason="needs what Bazel builds: ./bazelw test //tests/consume/cmake:all",
)


@pytest.fixture
def prefix(tmp_path):
    """Where the wheel `executorch-cpp` says that it lies, in an environment that has nothing else."""
    (wheel,) = (DISTRIBUTION / "cpp_wheel").glob("*.whl")
    venv.EnvBuilder(with_pip=False, symlinks=True).create(
        tmp_path / "an environment"
    )  # users have blanks in paths
    (site,) = (tmp_path / "an environment").glob("lib/python3.*/site-packages")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile"]
    command += ["--disable-pip-version-check", "--no-cache-dir", "--root-user-action=ignore"]
    subprocess.run([*command, "--target", site, wheel], check=True, capture_output=True, text=True)
    python = tmp_path / "an environment" / "bin" / "python"
    said = pathlib.Path(run([python, "-m", "executorch.cpp"], PYTHONPATH="").strip())
    assert said.is_relative_to(site)
    return said


def test_documented_names(prefix, tmp_path):
    build = tmp_path / "build"
    build_with_cmake(HERE / "documented", build, compiler(tmp_path), prefix, PROGRAMS=str(PROGRAMS))
    assert re.match("backends_xnnpack: available", run([build / "grouped"]))
    assert re.match("backends_xnnpack: available", run([build / "wheel"]))
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
