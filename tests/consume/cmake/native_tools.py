"""The pinned compiler, CMake and pkg-config, as a user's own project calls them, and prefixes to install into."""

from __future__ import annotations

import os
import pathlib
import stat
import subprocess
import sys
import tarfile
import venv
from collections.abc import Iterable, Sequence

ROOT = pathlib.Path.cwd()


def tool(name: str) -> str:
    """A program that the test's BUILD file names in CONSUME_<name>."""
    return str(ROOT / os.environ[f"CONSUME_{name}"])


def run(command: Sequence[str | pathlib.Path], **environment: str) -> str:
    """Runs a program and returns what it prints; a failure shows all it said."""
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def compiler(directory: pathlib.Path, flags: str = "") -> pathlib.Path:
    """The hermetic compiler under a single name, as CMake wants it; all of a test target's share a cache.

    Optimized from the start: CMake tries a compiler without, and then Zig would build its C++ library a second time.
    """
    program = directory / "c++"
    cache = f'HOME="{directory}" ZIG_GLOBAL_CACHE_DIR="{os.environ["TEST_TMPDIR"]}/zig"'
    program.write_text(f'#!/bin/sh\n{cache} exec "{tool("ZIG")}" c++ -O2 "$@" {flags}\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def compiler_with_libstdcxx(directory: pathlib.Path) -> pathlib.Path:
    """As `compiler`, with GCC's C++ library, as clang++ of a Linux distribution has it."""
    root = tool("LIBSTDCXX")
    headers = [f"{root}/usr/include/c++/12", f"{root}/usr/include/x86_64-linux-gnu/c++/12"]
    library = f"{root}/usr/lib/gcc/x86_64-linux-gnu/12/libstdc++.a"
    # The C++ library wraps the C headers: it is searched before them, which Zig's have been before any -isystem.
    flags = ["-target", "x86_64-linux-gnu.2.36", "-nostdinc++", *(f"-I{path}" for path in headers)]
    link = f'$(case " $* " in *" -c "*) ;; *) echo -nostdlib++ {library} -lunwind ;; esac)'
    return compiler(directory, " ".join([*flags, link]))


def install_wheel(wheel: pathlib.Path, directory: pathlib.Path) -> pathlib.Path:
    """Where the wheel `executorch-cpp` says that it lies, in an environment that has nothing else."""
    venv.EnvBuilder(with_pip=False, symlinks=True).create(directory)
    (site,) = directory.glob("lib/python3.*/site-packages")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile"]
    command += ["--disable-pip-version-check", "--no-cache-dir", "--root-user-action=ignore"]
    run([*command, "--target", site, wheel])
    said = pathlib.Path(run([directory / "bin" / "python", "-m", "executorch.cpp"], PYTHONPATH="").strip())
    assert said.is_relative_to(site)
    return said


def install(libraries: Iterable[str], prefix: pathlib.Path) -> pathlib.Path:
    """Unpacks the distributions of libraries (their directories) over a prefix."""
    for library in libraries:
        with tarfile.open(ROOT / library / "dist.tar.gz") as packed:
            if hasattr(tarfile, "data_filter"):
                packed.extractall(prefix, filter="data")
            else:  # early releases of Python 3.11; what is unpacked was made by this build
                packed.extractall(prefix)
    return prefix


def build_with_cmake(
    source: pathlib.Path, build: pathlib.Path, cxx: pathlib.Path, prefix: pathlib.Path, **settings: str
) -> None:
    """Configures and builds a project against a prefix."""
    configure: list[str | pathlib.Path] = [tool("CMAKE"), "-S", source, "-B", build, "-G", "Ninja"]
    settings |= {"CMAKE_MAKE_PROGRAM": tool("NINJA"), "CMAKE_CXX_COMPILER": str(cxx)}
    settings |= {"CMAKE_PREFIX_PATH": str(prefix), "CMAKE_BUILD_TYPE": "Release"}
    run([*configure, *(f"-D{name}={value}" for name, value in settings.items())])
    run([tool("CMAKE"), "--build", build])
