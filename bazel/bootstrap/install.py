"""Installs Bazel from Debian packages into a directory of the user's cache."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import truststore
from .private_apt import PrivateApt
from .progress import BootstrapError, say
from .relocate import ARCHITECTURES, Tree, unpack
from .supply import DEBIAN, Row, debian_archives, downloads, obtain, read_lock

# Debian's unstable suite is the one that has Bazel 7; testing follows it at a distance.
_SUITES = ("sid", "testing")
_LOCK = Path(__file__).resolve().parents[2] / "third-party/bazel.lock.json"
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


def _suite() -> str:
    """The user's own suite, "" where unset."""
    return os.environ.get("EXECUTORCH_BAZEL_DEBIAN_SUITE", "")


def _recipe_key(architecture: str, wanted: str) -> str:
    """Changes with whatever changes the installation."""
    digests = sorted(row.sha256 for row in read_lock(_LOCK).values())
    digest = hashlib.sha256(f"{architecture} {wanted} {_suite()} {digests}".encode())
    for name in ("install.py", "relocate.py", "truststore.py"):
        digest.update((Path(__file__).parent / name).read_bytes())
    return digest.hexdigest()[:16]


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
    packages, archives, origin = _fetch(draft, architecture, wanted)
    unpack(archives, draft / "root")
    tree = Tree(draft / "root", directory / "root", architecture)
    java_home = tree.java_home()
    tree.relocate()
    truststore.write(draft / "root" / java_home)
    shutil.rmtree(draft / "apt", ignore_errors=True)
    shutil.rmtree(directory, ignore_errors=True)
    draft.rename(directory)
    installation = Installation(directory, str(java_home))
    version = _check(installation, architecture, wanted)
    record = {
        "bazel": version,
        "directory": str(directory),
        "java_home": str(java_home),
        **origin,
        "packages": [
            {"name": row.package, "version": row.version, "sha256": row.sha256[0], "size": row.size}
            for row in packages
        ],
    }
    stamp = directory / f"{_COMPLETE}.new"
    stamp.write_text(json.dumps(record, indent=1) + "\n")
    stamp.rename(directory / _COMPLETE)
    say(f"Bazel {version} is installed")
    return installation


def _fetch(draft: Path, architecture: str, wanted: str) -> tuple[list[Row], list[Path], dict[str, str]]:
    """The locked packages, else the newest of a suite, with a word on why."""
    lock = json.loads(_LOCK.read_text())
    suite = _suite()
    if not suite and lock["architecture"] == architecture:
        packages = list(read_lock(_LOCK).values())
        try:
            return packages, _archives(packages), {"suite": lock["suite"], "locked": lock["snapshot"]}
        except BootstrapError as error:
            say(f"of the packages that {_LOCK.name} pins, some are {error}")
            say("installing the newest that Debian has instead, which nobody has tried with this checkout")
    return _newest(draft, wanted, [suite] if suite else _SUITES, lock["roots"], set(lock["without"]))


def _archives(packages: list[Row]) -> list[Path]:
    found = obtain(packages, downloads(), DEBIAN)
    return [found[row] for row in packages]


def _newest(
    draft: Path, wanted: str, suites: Iterable[str], roots: list[str], without: set[str]
) -> tuple[list[Row], list[Path], dict[str, str]]:
    """What the first mirror and suite have that have the wanted Bazel."""
    failures = []
    try:
        archives = debian_archives()
    except BootstrapError as error:
        archives, failures = [], [str(error)]
    for source in archives:
        for name in suites:
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
            packages = index.closure(roots, without)
            return packages, _archives(packages), {"suite": name}
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
