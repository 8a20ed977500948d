"""Brings the rows of a lock file onto disk: by digest, by the first of the recorded ways that still has them.

A lock file is a JSON object whose `packages` are rows by name; the other fields at its top hold for every row
that does not say otherwise. third-party/README.md tells the fields.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .apt_sources import Source, debian_mirrors
from .progress import BootstrapError, run_with_progress

MIRROR = "EXECUTORCH_MIRROR"
SNAPSHOTS = "EXECUTORCH_DEBIAN_SNAPSHOTS"
DEBIAN_MIRROR = "EXECUTORCH_BAZEL_DEBIAN_MIRROR"


class WayError(BootstrapError):
    """One way did not have what was asked for."""


class Unset(WayError):
    """A way that this machine does not configure."""


@dataclass(frozen=True)
class Row:
    """One pinned package: what it must be (any of the digests) and where to ask for it, in this order."""

    kind: str
    package: str
    version: str
    sha256: tuple[str, ...]
    ways: tuple[str, ...]
    suite: str = ""
    path: str = ""  # in Debian's archive
    size: int = 0
    python: str = ""  # of wheels: the CPython they are for, X.Y
    platform: str = (
        ""  # of wheels: the platform they are for where that is not the machine's: manylinux_2_28_aarch64
    )
    architecture: str = ""  # of Debian's packages, where it is not the machine's: arm64
    snapshot: str = ""  # when Debian's archive had it: 20260131T120000Z

    @staticmethod
    def of(fields: Mapping[str, Any]) -> Row:
        """Takes the fields of a row, as a lock file or the command line has them."""
        known: dict[str, Any] = {key: fields[key] for key in Row.__dataclass_fields__ if key in fields}
        known.update(sha256=tuple(known["sha256"]), ways=tuple(known["ways"]))
        return Row(**known)

    def __str__(self) -> str:
        return f"{self.package} {self.version}"


Ways = Mapping[str, Callable[[list[Row], Path], None]]


def rows(lock: Mapping[str, Any]) -> dict[str, Row]:
    """The rows of a lock file's JSON, by the names of their entries."""
    head = {key: value for key, value in lock.items() if key != "packages"}
    return {name: Row.of({"package": name, **head, **pin}) for name, pin in lock["packages"].items()}


def read_lock(path: Path) -> dict[str, Row]:
    """The rows of a lock file."""
    return rows(json.loads(path.read_text()))


def downloads() -> Path:
    """The directory that keeps every download under its digest."""
    chosen, shared = os.environ.get("EXECUTORCH_DOWNLOADS"), os.environ.get("EXECUTORCH_BAZEL_CACHE")
    if chosen or shared:
        return Path(chosen or f"{shared}/downloads").absolute()
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "executorch-bazel" / "downloads"


def sha256(path: Path) -> str:
    """The digest of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def obtain(wanted: Iterable[Row], cache: Path, ways: Ways) -> dict[Row, Path]:
    """The archives of rows out of the cache, fetched first where they are not there yet.

    Raises a BootstrapError that names what could not be had and what each way said.
    """
    cache.mkdir(parents=True, exist_ok=True)
    wanted = list(dict.fromkeys(wanted))
    found = {row: path for row in wanted if (path := _cached(row, cache))}
    failures = []
    for way in dict.fromkeys(way for row in wanted for way in row.ways):
        missing = [row for row in wanted if row not in found and way in row.ways]
        if not missing:
            continue
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            try:
                ways[way](missing, Path(scratch))
            except BootstrapError as error:
                failures.append(f"{way}: {error}")
            found.update(_collect(missing, Path(scratch), cache, failures))
    missing = [row for row in wanted if row not in found]
    if missing:
        names = ", ".join(map(str, missing[:8])) + (f" and {len(missing) - 8} more" if missing[8:] else "")
        raise BootstrapError("\n  ".join([f"not to be had: {names}", *failures]))
    return found


def _cached(row: Row, cache: Path) -> Path | None:
    """A kept download. A cache is a place where disks fill up: what it gives back is checked."""
    for digest in row.sha256:
        if (cache / digest).is_file():
            if sha256(cache / digest) == digest:
                return cache / digest
            (cache / digest).unlink()
    return None


def _collect(missing: list[Row], scratch: Path, cache: Path, failures: list[str]) -> dict[Row, Path]:
    """Moves what arrived into the cache; a file that no row's digest knows is named and left behind."""
    digests = {digest for row in missing for digest in row.sha256}
    for path in sorted(path for path in scratch.iterdir() if path.is_file()):
        digest = sha256(path)
        if digest in digests:
            os.replace(path, cache / digest)
        else:
            expected = " or ".join(missing[0].sha256) if len(missing) == 1 else "none of the rows"
            failures.append(f"{path.name}: its sha256 is {digest}, the lock says {expected}")
    return {row: cache / digest for row in missing for digest in row.sha256 if (cache / digest).is_file()}


def from_mirror(missing: list[Row], into: Path) -> None:
    """A directory, or the URL of one, whose files are named by their digests."""
    base = os.environ.get(MIRROR)
    if not base:
        raise Unset(f"${MIRROR} names none")
    for row in missing:
        for digest in row.sha256:
            if copy(f"{base.rstrip('/')}/{digest}", into / digest):
                break


def copy(place: str, target: Path) -> bool:
    """Copies a file from a path or a URL; False where there is none."""
    place = place.removeprefix("file://")
    if "://" not in place:
        if Path(place).is_file():
            shutil.copyfile(place, target)
        return target.is_file()
    try:
        with urllib.request.urlopen(place, timeout=60) as source, target.open("wb") as sink:
            shutil.copyfileobj(source, sink, 1 << 20)
    except urllib.error.HTTPError:
        return False
    except OSError as error:
        raise WayError(str(error)) from error
    return True


def debian_archives() -> list[Source]:
    """The mirrors of Debian's archive that the machine's apt, or the environment, names."""
    sources = debian_mirrors(Path("/etc/apt"))
    chosen = os.environ.get(DEBIAN_MIRROR)
    if chosen:
        return [Source(chosen, options=sources[0].options if sources else {})]
    if not sources:
        raise Unset("no Debian mirror in the apt sources (/etc/apt)")
    return sources


def from_archive(missing: list[Row], into: Path) -> None:
    """Debian's archive, from where it keeps the file: longer than the suite's index names it."""
    failures = []
    for source in debian_archives() * 2:  # once more for what did not arrive whole
        missing = [row for row in missing if not (into / row.sha256[0]).exists()]
        if missing and (errors := _apt_download(source.uri.rstrip("/"), missing, into)):
            failures.append(f"{source.uri}: {errors}")
    if failures:
        raise WayError("\n  ".join(dict.fromkeys(failures)))


def from_snapshot(missing: list[Row], into: Path) -> None:
    """Debian's archive as it was when the row was locked."""
    base = os.environ.get(SNAPSHOTS)
    if not base:
        raise Unset(f"${SNAPSHOTS} names no archive of snapshots")
    failures = []
    for snapshot in sorted({row.snapshot for row in missing}):
        part = [row for row in missing if row.snapshot == snapshot]
        if errors := _apt_download(f"{base.rstrip('/')}/{snapshot}", part, into):
            failures.append(errors)
    if failures:
        raise WayError("\n  ".join(failures))


def _apt_download(base: str, missing: list[Row], into: Path) -> str:
    """Files below a URL, by apt's own downloader (its proxies, its certificates); returns its errors."""
    helper = shutil.which("apt-helper", path=f"{os.environ.get('PATH', '')}:/usr/lib/apt")
    if not helper:
        raise WayError("the program 'apt-helper' (of apt) is not on this machine")
    command = [helper, "-qq", "-o", "APT::Sandbox::User=", "-o", "Acquire::Retries=3", "download-file"]
    for row in missing:
        command += [f"{base}/{row.path}", str(into / row.sha256[0]), f"SHA256:{row.sha256[0]}"]
    return run_with_progress(command, into, len(missing), sum(row.size for row in missing))


DEBIAN: Ways = {"mirror": from_mirror, "archive": from_archive, "snapshot": from_snapshot}
