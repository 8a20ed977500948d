"""The package for compilers with GCC's C++ library, g++ among them: the documented names, and a warning where the libraries do not match."""

import os
import pathlib
import re

import pytest

from executorch.tests.consume.cmake.native_tools import (
    ROOT,
    build_with_cmake,
    compiler_with_libstdcxx,
    install_wheel,
    run,
    tool,
)

HERE = pathlib.Path(__file__).absolute().parent
PROGRAMS = HERE.parent / "programs"
DISTRIBUTION = ROOT / "bazel" / "distribution"

pytestmark = pytest.mark.skipif(
    "CONSUME_LIBSTDCXX" not in os.environ,
    reason="needs what Bazel builds: ./bazelw test //tests/consume/cmake:libstdcxx_test",
)


def installed(wheel, directory):
    (path,) = (DISTRIBUTION / wheel).glob("*.whl")
    return install_wheel(path, directory / "environment")


def test_documented_names(tmp_path):
    prefix = installed("cpp_wheel_libstdcxx", tmp_path)
    build = tmp_path / "build"
    build_with_cmake(
        HERE / "documented", build, compiler_with_libstdcxx(tmp_path), prefix, PROGRAMS=str(PROGRAMS)
    )
    assert re.match("backends_xnnpack: available", run([build / "grouped"]))
    assert re.match("backends_xnnpack: available", run([build / "wheel"]))
    assert re.match("kernels: 21 42", run([build / "single"]))
    assert run([build / "llm"]) == "llama::custom_sdpa.out: 1, aten::add.out: 1\n"
    assert run([build / "threads"]) == "threads: 2, sum 45\n"


@pytest.mark.parametrize(("wheel", "warns"), [("cpp_wheel", True), ("cpp_wheel_libstdcxx", False)])
def test_a_prefix_for_another_library_is_said_to_be_one(wheel, warns, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.24)\nproject(one CXX)\nfind_package(executorch CONFIG REQUIRED)\n"
    )
    settings = [
        f"-DCMAKE_CXX_COMPILER={compiler_with_libstdcxx(tmp_path)}",
        f"-DCMAKE_MAKE_PROGRAM={tool('NINJA')}",
        f"-DCMAKE_PREFIX_PATH={installed(wheel, tmp_path)}",
    ]
    command = [tool("CMAKE"), "-S", project, "-B", tmp_path / "build", "-G", "Ninja", *settings]
    said = run(["sh", "-c", 'exec "$@" 2>&1', "sh", *command])
    assert ("was built against LLVM's libc++" in said) == warns
    assert ("--config=libstdcxx" in said) == warns
