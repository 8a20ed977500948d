"""Installs Bazel from Debian packages into a directory of the user's cache."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import truststore
from .apt_sources import Source, debian_mirrors
from .private_apt import Package, PrivateApt
from .progress import BootstrapError, say
from .relocate import ARCHITECTURES, Tree, unpack

# Debian's unstable suite is the one that has Bazel 7; testing follows it at a distance.
_SUITES = ("sid", "testing")
_ROOTS = [
    "bazel-bootstrap",
    "default-jre-headless",  # instead of the JDK that bazel-bootstrap wants for building Java
    "patchelf",
    # Rules that Bazel's own modules do not name, for workspaces that do; they are tiny.
    "bazel-rules-shell",
    "bazel-rules-pkg",
]
# Where the dependencies end: programs and libraries that running Bazel never touches.
_WITHOUT = {
    "build-essential",
    "ca-certificates-java",
    "debconf",
    "default-jdk-headless",
    "libaudit-common",
    "libc-gconv-modules-extra",
    "libjs-jquery",
    "libnss3",
    "libpcsclite1",
    "node-core-js",
    "node-html5shiv",
    "openssl-provider-legacy",
    "perl",
    "python3",
    "unzip",
    "util-linux",
    "zlib1g-dev",
}
_COMPLETE = "complete.json"


@dataclass(frozen=True)
class Installation:
    """A finished installation."""

    directory: Path
    java_home: str  # relative to the tree

    @property
    def tree(self) -> Path:
        """Where the packages are unpacked."""
        return self.directory / "root"

    @property
    def program(self) -> Path:
        """The Bazel client."""
        return self.tree / "usr/bin/bazel"


def version_tuple(text: str) -> tuple[int, ...]:
    """(7, 7, 1) of 7.7.1 or of Debian's 7.7.1+ds-8, () of pre-releases and anything else."""
    match = re.match(r"(?:\d+:)?(\d+)\.(\d+)\.(\d+)(?!\d|~?rc|~?pre)", text)
    return tuple(map(int, match.groups())) if match else ()


def on_line(version: str, wanted: str) -> bool:
    """Is a version of the wanted one's major line and not older?"""
    have, want = version_tuple(version), version_tuple(wanted)
    return bool(have) and have[0] == want[0] and have >= want


def _recipe_key(architecture: str, wanted: str) -> str:
    """Changes with whatever changes the installation."""
    digest = hashlib.sha256(f"{architecture} {wanted} {_override()}".encode())
    for name in ("install.py", "apt_sources.py", "private_apt.py", "relocate.py", "truststore.py"):
        digest.update((Path(__file__).parent / name).read_bytes())
    return digest.hexdigest()[:16]


def _override() -> tuple[str, str]:
    """The user's own mirror and suite, "" where unset."""
    return os.environ.get("EXECUTORCH_BAZEL_DEBIAN_MIRROR", ""), os.environ.get(
        "EXECUTORCH_BAZEL_DEBIAN_SUITE", ""
    )


def _architecture() -> str:
    name = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout
    if name.strip() not in ARCHITECTURES:
        raise BootstrapError(
            f"the private installation knows {', '.join(ARCHITECTURES)}, not {name.strip()}; "
            "install Bazel on PATH"
        )
    return name.strip()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Holds a lock between processes; the kernel drops it with the process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another bazelw is installing Bazel; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _finished(directory: Path) -> Installation | None:
    """The installation in a directory, if it is whole and still where it was made for."""
    try:
        record = json.loads((directory / _COMPLETE).read_text())
    except (OSError, ValueError):
        return None
    return Installation(directory, record["java_home"]) if record["directory"] == str(directory) else None


def ensure(parent: Path, wanted: str) -> Installation:
    """Returns the installation for this recipe, making it first if need be."""
    architecture = _architecture()
    directory = parent / _recipe_key(architecture, wanted)
    installation = _finished(directory)
    if installation:
        return installation
    with _locked(parent / f"{directory.name}.lock"):
        return _finished(directory) or _install(directory, architecture, wanted)


def _install(directory: Path, architecture: str, wanted: str) -> Installation:
    """Builds beside the directory and moves into place; a run that was cut short is taken up."""
    say(f"no Bazel {wanted} on PATH; installing one from Debian packages into {directory}")
    draft = directory.with_suffix(".partial")
    shutil.rmtree(draft / "root", ignore_errors=True)
    shutil.rmtree(draft / "apt", ignore_errors=True)
    packages, archives, origin = _fetch(draft, wanted)
    unpack(archives, draft / "root")
    tree = Tree(draft / "root", directory / "root", architecture)
    java_home = tree.java_home()
    tree.relocate()
    truststore.write(draft / "root" / java_home)
    for leftover in ("apt", "archives"):
        shutil.rmtree(draft / leftover)
    shutil.rmtree(directory, ignore_errors=True)
    draft.rename(directory)
    installation = Installation(directory, str(java_home))
    version = _check(installation, architecture, wanted)
    record = {
        "bazel": version,
        "directory": str(directory),
        "java_home": str(java_home),
        **origin,
        "packages": [package.record() for package in packages],
    }
    stamp = directory / f"{_COMPLETE}.new"
    stamp.write_text(json.dumps(record, indent=1) + "\n")
    stamp.rename(directory / _COMPLETE)
    say(f"Bazel {version} is installed")
    return installation


def _fetch(draft: Path, wanted: str) -> tuple[list[Package], list[Path], dict[str, str]]:
    """Downloads from the first mirror and suite that have the wanted Bazel."""
    mirror, suite = _override()
    mirrors = debian_mirrors(Path("/etc/apt"))
    if mirror:
        mirrors = [Source(mirror, options=mirrors[0].options if mirrors else {})]
    failures = [] if mirrors else ["no Debian mirror in the apt sources (/etc/apt)"]
    for source in mirrors:
        for name in [suite] if suite else _SUITES:
            say(f"reading the package index of {name}")
            apt = PrivateApt(draft / "apt", source, name)
            try:
                apt.update()
            except BootstrapError as error:
                failures.append(f"{source.uri} {name}: {error}")
                continue
            index = apt.index()
            version = index.version("bazel-bootstrap")
            if not on_line(version, wanted):
                failures.append(f"{source.uri} {name}: bazel-bootstrap is {version or 'not there'}")
                continue
            packages = index.closure(_ROOTS, _WITHOUT)
            archives = apt.download(packages, draft / "archives")
            return packages, archives, {"mirror": source.uri, "suite": name}
    raise BootstrapError("\n  ".join([_WAY_OUT.format(wanted=wanted), *failures]))


_WAY_OUT = """\
found no Debian mirror with Bazel {wanted}. Install Bazel {wanted} or Bazelisk on PATH, or name a
mirror of the Debian archive in EXECUTORCH_BAZEL_DEBIAN_MIRROR (and a suite in EXECUTORCH_BAZEL_DEBIAN_SUITE).
What was tried:"""


def _check(installation: Installation, architecture: str, wanted: str) -> str:
    """The version that the installed program tells; raises where it does not run or does not fit."""
    missing = Tree(installation.tree, installation.tree, architecture).missing_libraries()
    if missing:
        raise BootstrapError(f"the suite's Bazel needs libraries that its packages do not name: {missing}")
    base = installation.tree / "usr/share/bazel"
    command = [str(installation.program), f"--install_base={base}", "--trust_install_base", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    match = re.search(r"^bazel (\S+)", done.stdout, re.MULTILINE)
    if not match or not on_line(match[1], wanted):
        told = match[0] if match else "nothing"
        raise BootstrapError(f"the installed Bazel says {told}: {done.stderr.strip()}")
    return match[1]
