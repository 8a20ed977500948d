"""Each preset as it is used by itself, configured and installed, with a stand-in for Bazel: what it asks for, and where it lands."""

import os
import shutil
import tarfile

import pytest

from executorch.tests.consume.cmake.native_tools import ROOT, run, tool
from executorch.version import __version__

FILES = (
    "CMakeLists.txt",
    "CMakePresets.json",
    "bazel/distribution/executorch-config.cmake",
    "bazel/distribution/executorch-config-version.cmake.in",
    "kernels/portable/functions.yaml",
    "version/__init__.py",
)
BASE = ["//runtime:dist", "//kernels:dist"]
LIBRARIES = [*BASE, "//extension:dist"]
PRESETS = {
    "android-arm64-v8a": (["--config=android"], [*LIBRARIES, "//backends/xnnpack:dist"]),
    "android-x86_64": (["--config=android_x86_64"], [*LIBRARIES, "//backends/xnnpack:dist"]),
    "arm-baremetal": (["--config=cortex_m55"], BASE),
    "ios": (["--config=ios"], LIBRARIES),
    "linux": ([], [*LIBRARIES, "//backends/xnnpack:dist", "//extension/executor_runner"]),
    "llm": ([], [*LIBRARIES, "//extension/llm/custom_ops:dist", "//backends/xnnpack:dist"]),
    "macos": (["--config=macos"], LIBRARIES),
    "profiling": (
        [],
        [*LIBRARIES, "//backends/xnnpack:dist", "//devtools:dist", "//extension/executor_runner"],
    ),
    "zephyr": (["--config=cortex_m55"], BASE),
}

#: Notes how it is called, and knows where its outputs are. Users have blanks in paths.
BAZELW = """\
#!/bin/sh
case $1 in
  build) shift; printf '%s\\n' "$@" >'{asked}' ;;
  info) echo '{built}' ;;
esac
"""

pytestmark = pytest.mark.skipif(
    "CONSUME_CMAKE" not in os.environ,
    reason="needs the pinned CMake: ./bazelw test //tests/consume/cmake:presets_test",
)


@pytest.fixture
def checkout(tmp_path):
    place = tmp_path / "a checkout"
    for name in FILES:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, place / name)
    shutil.copytree(ROOT / "tools" / "cmake", place / "tools" / "cmake")
    built = tmp_path / "outputs"
    libraries = (
        "runtime",
        "kernels",
        "extension",
        "extension/llm/custom_ops",
        "backends/cortex_m/kernels",
        "backends/xnnpack",
        "devtools",
    )
    for library in libraries:
        (built / library).mkdir(parents=True)
        archive = tmp_path / f"lib{library.rpartition('/')[2]}.a"
        archive.write_text(library)
        with tarfile.open(built / library / "dist.tar.gz", "w:gz") as packed:
            packed.add(archive, f"lib/{archive.name}")
    runner = built / "extension" / "executor_runner" / "executor_runner"
    runner.parent.mkdir()
    runner.write_text("runner")
    (place / "bazelw").write_text(BAZELW.format(asked=tmp_path / "asked", built=built))
    (place / "bazelw").chmod(0o755)
    return place


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_asks_for_its_libraries_and_installs_them(name, checkout, tmp_path):
    flags, targets = PRESETS[name]
    out, prefix = tmp_path / "cmake out", tmp_path / "some prefix"
    settings = [f"-DCMAKE_INSTALL_PREFIX={prefix}", f"-DCMAKE_MAKE_PROGRAM={tool('NINJA')}"]
    command = [tool("CMAKE"), "-S", checkout, "-B", out, "-G", "Ninja", "--preset", name, *settings]
    run(command, CXX=str(tmp_path / "no compiler"))
    run([tool("CMAKE"), "--build", out, "--target", "install"])
    asked = (tmp_path / "asked").read_text().split("\n")[:-1]
    assert [word for word in asked if word.startswith("--config")] == flags
    assert [word for word in asked if not word.startswith("--")] == targets
    tracer = "True" if name == "profiling" else "False"
    assert f"--//runtime/core:enable_event_tracer={tracer}" in asked
    archives = sorted(path.name for path in (prefix / "lib").glob("*.a"))
    dists = [
        target.removesuffix(":dist").rpartition("/")[2] for target in targets if target.endswith(":dist")
    ]
    assert archives == sorted(f"lib{library}.a" for library in dists)
    assert (prefix / "lib/cmake/executorch/executorch-config.cmake").exists()
    release = (prefix / "lib/cmake/executorch/executorch-config-version.cmake").read_text()
    assert f'set(PACKAGE_VERSION "{__version__}")' in release
    assert (prefix / "bin/executor_runner").exists() == ("//extension/executor_runner" in targets)


def test_kernels_for_microcontrollers_come_when_asked_for(checkout, tmp_path):
    project, out = tmp_path / "project", tmp_path / "out"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(f"""\
cmake_minimum_required(VERSION 3.24)
project(firmware NONE)
add_subdirectory("{checkout}" executorch)
get_target_property(links cortex_m_ops_lib INTERFACE_LINK_LIBRARIES)
message(STATUS "linked: ${{links}}")
""")
    # As the distributions have them.
    for place, library in (("runtime", "runtime"), ("backends/cortex_m/kernels", "cortex_m_ops")):
        package = tmp_path / f"executorch_{library}-config.cmake"
        package.write_text(f"add_library(executorch::{library} INTERFACE IMPORTED)\n")
        with tarfile.open(tmp_path / "outputs" / place / "dist.tar.gz", "w:gz") as packed:
            packed.add(package, f"lib/cmake/executorch_{library}/{package.name}")
    settings = [
        f"-DEXECUTORCH_BUILD_PRESET_FILE={checkout / 'tools/cmake/preset/arm-baremetal.cmake'}",
        "-DEXECUTORCH_BUILD_CORTEX_M=ON",
        f"-DCMAKE_MAKE_PROGRAM={tool('NINJA')}",
    ]
    said = run([tool("CMAKE"), "-S", project, "-B", out, "-G", "Ninja", *settings])
    assert "linked: executorch::cortex_m_ops" in said
    asked = (tmp_path / "asked").read_text().split("\n")
    assert [word for word in asked if word.startswith("//")] == [*BASE, "//backends/cortex_m/kernels:dist"]


#: Compiles nothing, and says which library's headers it has.
CXX = """\
#!/bin/sh
while [ $# -gt 1 ]; do [ "$1" = -o ] && : >"$2"; shift; done
exit {status}
"""


@pytest.mark.parametrize(("status", "flags"), [(0, ["--config=libstdcxx"]), (1, [])])
def test_what_is_installed_is_for_the_library_of_the_compiler(status, flags, checkout, tmp_path):
    cxx = tmp_path / "cxx"
    cxx.write_text(CXX.format(status=status))
    cxx.chmod(0o755)
    # Known before CMake would run it, but for the one question.
    known = "set(CMAKE_CXX_COMPILER_FORCED TRUE)\nset(CMAKE_CXX_COMPILER_ID_RUN TRUE)\nset(CMAKE_CXX_COMPILER_ID GNU)\n"
    (tmp_path / "known.cmake").write_text(known)
    settings = [f"-DCMAKE_CXX_COMPILER={cxx}", f"-DCMAKE_USER_MAKE_RULES_OVERRIDE={tmp_path / 'known.cmake'}"]
    settings += [
        f"-DCMAKE_PROJECT_INCLUDE_BEFORE={tmp_path / 'known.cmake'}",
        f"-DCMAKE_MAKE_PROGRAM={tool('NINJA')}",
    ]
    run(
        [tool("CMAKE"), "-S", checkout, "-B", tmp_path / "out", "-G", "Ninja", "--preset", "linux", *settings]
    )
    asked = (tmp_path / "asked").read_text().split("\n")
    assert [word for word in asked if word.startswith("--config")] == flags


def test_all_presets_are_tried():
    assert sorted(PRESETS) == sorted(path.stem for path in (ROOT / "tools/cmake/preset").glob("*.cmake"))
