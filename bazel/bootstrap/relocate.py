"""Unpacks Debian packages into a prefix and makes the programs in it run from there."""

from __future__ import annotations

import os
import re
import subprocess
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .progress import BootstrapError, Progress

# dpkg's architecture -> multiarch directory and dynamic linker
ARCHITECTURES = {
    "amd64": ("x86_64-linux-gnu", "ld-linux-x86-64.so.2"),
    "arm64": ("aarch64-linux-gnu", "ld-linux-aarch64.so.1"),
}
_CLASS_PATH = "usr/share/bazel/bazel_classpath_debian_depends.txt"
_ELF = b"\x7fELF"


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == _ELF


def _run(command: list[str | Path]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BootstrapError(f"{Path(command[0]).name} failed:\n{done.stderr.strip()}")
    return done.stdout


def unpack(archives: list[Path], root: Path) -> None:
    """Unpacks packages side by side, a few at a time."""
    root.mkdir(parents=True, exist_ok=True)
    progress = Progress("unpacking packages", len(archives))

    def one(archive: Path) -> None:
        _run(["dpkg-deb", "-x", archive, root])
        progress.advance()

    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        try:
            list(pool.map(one, archives))
        except BaseException:  # Ctrl-C, too, does not wait for the rest
            pool.shutdown(cancel_futures=True)
            raise


class Tree:
    """An unpacked tree at `root` that will live at `home`: what is written into it names `home`."""

    def __init__(self, root: Path, home: Path, architecture: str) -> None:
        self.root = root
        self.home = home
        triplet, self._linker = ARCHITECTURES[architecture]
        self.libraries = Path("usr/lib") / triplet
        self.helpers = Path("usr/libexec") / triplet / "bazel"

    def relocate(self) -> None:
        """Does everything that unpacking does not."""
        self._relink()
        self._patch_programs()
        self._write_class_path()

    def java_home(self) -> Path:
        """The Java runtime, relative to the tree."""
        homes = sorted((self.root / "usr/lib/jvm").glob("java-*-openjdk-*/bin/java"))
        if not homes:
            raise BootstrapError("the Debian packages brought no Java runtime")
        return homes[0].parents[1].resolve().relative_to(self.root.resolve())

    def _relink(self) -> None:
        """Absolute links between packages become links inside the tree."""
        for directory, names, files in os.walk(self.root):
            for path in (Path(directory) / name for name in names + files):
                if path.is_symlink() and (target := os.readlink(path)).startswith("/"):
                    inside = self.root / target[1:]
                    path.unlink()
                    path.symlink_to(os.path.relpath(inside, path.parent))

    def programs(self) -> dict[Path, list[Path]]:
        """The programs that Bazel is made of, with the directories of their libraries."""
        java = self.java_home()
        java_path = [java / "lib", java / "lib/server", self.libraries]
        helpers = [self.helpers / path.name for path in sorted((self.root / self.helpers).iterdir())]
        programs = {program: [self.libraries] for program in (Path("usr/bin/bazel"), *helpers)}
        programs |= {java / "bin/java": java_path, java / "lib/jspawnhelper": java_path}
        return {program: search for program, search in programs.items() if _is_elf(self.root / program)}

    def missing_libraries(self) -> set[str]:
        """Libraries that a program of the finished tree needs and does not find."""
        linker = self.root / self.libraries / self._linker
        missing: set[tuple[str, str]] = set()
        for program in self.programs():
            listing = subprocess.run(
                [linker, "--list", self.root / program], capture_output=True, text=True, check=False
            )
            text = listing.stdout + listing.stderr
            missing |= set(re.findall(r"(\S+) => not found|(\S+): cannot open shared", text))
        return {first or second for first, second in missing}

    def _patch_programs(self) -> None:
        """Programs start with the tree's C library and search the tree's libraries first."""
        for program, search in self.programs().items():
            self._patch(program, search)

    def _patch(self, program: Path, search: list[Path]) -> None:
        linker = self.libraries / self._linker
        # The tree's patchelf, through the tree's linker: neither has been patched yet.
        patchelf: list[str | Path] = [self.root / linker, "--library-path", self.root / self.libraries]
        patchelf += [self.root / "usr/bin/patchelf"]
        path = ":".join(str(self.home / directory) for directory in search)
        # RPATH, not RUNPATH: it holds for the libraries of libraries, too.
        options = ["--set-interpreter", str(self.home / linker), "--force-rpath", "--set-rpath", path]
        _run([*patchelf, *options, self.root / program])

    def _write_class_path(self) -> None:
        """Points Bazel's class path at the tree, with the jars that the jars' manifests name."""
        listing = self.root / _CLASS_PATH
        text = listing.read_text().strip()
        separator = ":" if ":" in text else "\n"
        jars = class_path(self.root, [jar for jar in text.split(separator) if jar])
        jars.append(self._write_build_data())
        listing.write_text(separator.join(str(self.home / jar) for jar in jars) + "\n")

    def _write_build_data(self) -> str:
        """A jar that tells Bazel its release, which Debian's build leaves out.

        Without it `bazel version` fails and rules take Bazel for a development version.
        """
        bazel = self.root / "usr/share/bazel"
        label = (bazel / "build-label.txt").read_text().strip()
        with zipfile.ZipFile(bazel / "build-data.jar", "w") as jar:
            jar.writestr("build-data.properties", f"build.label={label}\n")
        return "usr/share/bazel/build-data.jar"


def _manifest_jars(jar: Path) -> list[str]:
    """Class-Path of a jar's manifest: absolute paths or names relative to Debian's jar directory."""
    with zipfile.ZipFile(jar) as archive:
        try:
            manifest = archive.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
        except KeyError:
            return []
    # A line that starts with a blank continues the one before.
    for line in manifest.replace("\r\n", "\n").replace("\n ", "").split("\n"):
        if line.startswith("Class-Path:"):
            return [entry.removeprefix("file://") for entry in line.partition(":")[2].split()]
    return []


def class_path(
    root: Path, jars: list[str], manifest_jars: Callable[[Path], list[str]] = _manifest_jars
) -> list[str]:
    """The closure of jars over their manifests, relative to root, each file once and in order."""
    queue = [jar.lstrip("/") for jar in jars]
    found: dict[Path, str] = {}
    while queue:
        jar = queue.pop(0)
        file = (root / jar).resolve()
        if file in found or not file.is_file():
            continue
        found[file] = jar
        for entry in manifest_jars(file):
            queue.append(entry[1:] if entry.startswith("/") else f"usr/share/java/{entry}")
    return list(found.values())
