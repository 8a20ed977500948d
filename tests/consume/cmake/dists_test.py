"""Each C++ distribution in a prefix with only what it declares: found by CMake and by pkg-config, linked and run."""

import os
import pathlib
import re

import pytest

from executorch.bazel.release import libraries
from executorch.tests.consume.cmake.native_tools import ROOT, build_with_cmake, compiler, install, run, tool

HERE = pathlib.Path(__file__).absolute().parent
REPOSITORY = HERE.parents[2]
PROGRAMS = HERE.parent / "programs"

# What a program says when all went well; its exit status says so too.
SAYS = {
    "backends/xnnpack": "backends_xnnpack: available",
    "devtools": r"devtools: \d+ bytes, ED00",
    "extension": "extension: 6 ",
    "kernels": "kernels: 21 42",
    "runtime": "runtime: 6 no program",
}

pytestmark = pytest.mark.skipif(
    "CONSUME_CMAKE" not in os.environ,
    reason="needs what Bazel builds: ./bazelw test //tests/consume/cmake:all",
)


def short(library):
    return library.replace("/", "_")


def required(library, prefix):
    """The names that a library's pkg-config file requires."""
    text = (prefix / "lib" / "pkgconfig" / f"executorch_{short(library)}.pc").read_text()
    (line,) = re.findall("^Requires:.*$", text, re.MULTILINE)
    return re.findall(r"executorch_(\w+) >=", line)


def install_alone(library, prefix):
    """Installs a library, then what that one asks for, and so on."""
    directories = {short(name): name for name in SAYS}
    waiting, done = [library], []
    while waiting:
        name = waiting.pop()
        if name not in done:
            done.append(name)
            install([name], prefix)
            waiting += [directories[sibling] for sibling in required(name, prefix)]
    return prefix


@pytest.fixture(scope="module")
def cxx(tmp_path_factory):
    """One compiler for all, so that what it builds of itself is built once."""
    return compiler(tmp_path_factory.mktemp("compiler"))


@pytest.fixture(scope="module")
def prefixes(tmp_path_factory):
    return {name: install_alone(name, tmp_path_factory.mktemp(short(name))) for name in SAYS}


def test_every_distribution_is_here():
    assert list(SAYS) == [name for name, kinds in libraries.load(REPOSITORY).items() if "dist" in kinds]


@pytest.mark.parametrize("library", SAYS)
def test_found_by_cmake(library, prefixes, cxx, tmp_path):
    settings = {
        "LIBRARY": short(library),
        "VERSION": (ROOT / library / "VERSION").read_text().strip(),
        "PROGRAM": str(PROGRAMS / f"{short(library)}.cc"),
    }
    build_with_cmake(HERE / "alone", tmp_path / "build", cxx, prefixes[library], **settings)
    assert re.match(SAYS[library], run([tmp_path / "build" / "alone"]))


@pytest.mark.parametrize("library", SAYS)
def test_found_by_pkg_config(library, prefixes, cxx, tmp_path):
    ask = [tool("PKGCONF"), "--cflags", "--libs", f"executorch_{short(library)}"]
    flags = run(ask, PKG_CONFIG_PATH=str(prefixes[library] / "lib" / "pkgconfig")).split()
    source = PROGRAMS / f"{short(library)}.cc"
    run([cxx, "-std=c++17", "-O2", source, *flags, "-o", tmp_path / "alone"])
    assert re.match(SAYS[library], run([tmp_path / "alone"]))


def test_the_runtime_alone_needs_no_sibling(prefixes):
    assert not required("runtime", prefixes["runtime"])
    config = prefixes["runtime"] / "lib" / "cmake" / "executorch_runtime" / "executorch_runtimeConfig.cmake"
    assert "find_dependency" not in config.read_text()


def test_what_is_bundled_ships_with_its_licence(prefixes):
    bundled = prefixes["backends/xnnpack"] / "share" / "doc" / "executorch_backends_xnnpack"
    texts = {path.parent.name: path.read_text() for path in bundled.glob("*/LICENSE")}
    assert set(texts) == {"cpuinfo", "fxdiv", "pthreadpool", "xnnpack"}
    assert all("Copyright" in text for text in texts.values())
