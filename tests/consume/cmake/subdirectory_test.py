"""The checkout as a directory of a CMake project: Bazel builds it with the options, and a program links what it built."""

import os
import pathlib
import shutil
import subprocess

import pytest

from executorch.tests.consume.cmake.native_tools import build_with_cmake, compiler, run, tool

# Not where the links of Bazel's sandbox stand: the checkout itself.
HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parents[2]

pytestmark = pytest.mark.skipif(
    "CONSUME_CMAKE" not in os.environ,
    reason="needs what Bazel builds: ./bazelw test //tests/consume/cmake:subdirectory_test",
)


@pytest.fixture(scope="module")
def output_base():
    """Of a Bazel of its own, since the one that runs this test is busy; stopped and removed at the end."""
    cache = pathlib.Path(os.environ.get("HOME", "/var/tmp")) / ".cache" / "executorch-bazel"
    base = cache / f"subdirectory-{os.getpid()}"
    yield base
    subprocess.run([CHECKOUT / "bazelw", f"--output_base={base}", "shutdown"], cwd=CHECKOUT, check=True)
    run(["chmod", "-R", "u+w", base])
    shutil.rmtree(base)


def test_a_project_has_the_checkout_as_a_directory(output_base, tmp_path):
    build_with_cmake(
        HERE / "subdirectory",
        tmp_path / "build",
        compiler(tmp_path),
        tmp_path / "none",
        EXECUTORCH=str(CHECKOUT),
        EXECUTORCH_BAZEL_OPTIONS="--jobs=2",
        EXECUTORCH_BAZEL_STARTUP_OPTIONS=f"--output_base={output_base}",
        PROGRAMS=str(HERE.parent / "programs"),
    )
    assert run([tmp_path / "build" / "my_target"]) == "kernels: 21 42\n"


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("EXECUTORCH_BUILD_VULKAN=ON", "the Vulkan backend is built by Bazel only"),
        ("EXECUTORCH_LOG_LEVEL=loud", "one of debug, info, error, fatal"),
    ],
)
def test_what_is_not_here_is_said(setting, said, tmp_path):
    asked = subprocess.run(
        [tool("CMAKE"), "-S", CHECKOUT, "-B", tmp_path, f"-D{setting}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode and said in " ".join(asked.stderr.split())
