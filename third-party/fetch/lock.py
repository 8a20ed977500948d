"""Checks, renews and mirrors what the lock files pin.

    python3 third-party/fetch/lock.py --check                         can everything be had, and for how long?
    python3 third-party/fetch/lock.py --refresh [NAME==VERSION ...]   prints a diff of new pins; --write applies it
    python3 third-party/fetch/lock.py --mirror DIR [NAME ...]         fills a directory for $EXECUTORCH_MIRROR

Without names, a refresh takes Debian's packages to what their suites have now, with the closures of bundles and of
Bazel. Wheels do not move by themselves: name them, and pip resolves them against the other pins; what they need
besides is proposed as rows. New pins come from the index that answers: run it where you trust that, and review.
"""

from __future__ import annotations

import argparse
import datetime
import difflib
import functools
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator

# Bazel starts programs without their own directory on the path.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import fetch
from bootstrap.apt_sources import Source
from bootstrap.private_apt import Index, PrivateApt
from bootstrap.progress import BootstrapError
from bootstrap.supply import MIRROR, SNAPSHOTS, Row, debian_archives, downloads, obtain, rows, sha256

LOCKS = pathlib.Path(__file__).resolve().parents[1]
ROLLING = {"sid", "unstable", "testing", "experimental"}


def read(directory: pathlib.Path) -> dict[str, dict]:
    """The lock files by name."""
    return {
        path.name.split(".")[0]: json.loads(path.read_text())
        for path in sorted(directory.glob("*.lock.json"))
    }


def text(lock: dict) -> str:
    """A lock file: a line for each field and each row, rows sorted by name."""

    def table(name: str) -> str:
        lines = [f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in sorted(lock[name].items())]
        return f'  "{name}": {{\n' + ",\n".join(lines) + "\n  }"

    fields = [
        table(key) if key in ("packages", "bundles") else f"  {json.dumps(key)}: {json.dumps(lock[key])}"
        for key in sorted(lock, key=lambda key: key == "packages")
    ]
    return "{\n" + ",\n".join(fields) + "\n}\n"


@functools.cache
def debian(suite: str, sources: bool, architecture: str = "") -> PrivateApt:
    """A suite of the first archive that serves it, with an index of today."""
    errors = []
    for source in debian_archives():
        try:
            return _updated(source, suite, sources, architecture)
        except BootstrapError as error:
            errors.append(str(error))
    raise BootstrapError("\n".join(errors))


def _updated(source: Source, suite: str, sources: bool, architecture: str) -> PrivateApt:
    kind = "-src" if sources else f"-{architecture}" if architecture else ""
    apt = PrivateApt(downloads().parent / f"apt-{suite}{kind}", source, suite, sources, architecture)
    apt.update()
    return apt


@functools.cache
def binaries(suite: str, architecture: str = "") -> Index:
    """The binary packages of a suite, for the machine's architecture or another."""
    return debian(suite, False, architecture).index()


def source_row(row: Row) -> dict:
    """The newest upstream archive that a suite has of a source package, as fields of a row."""
    newest = debian(row.suite, True).source(row.package).strip().split("\n\n")[-1]
    version = re.search(r"^Version: (?:\d+:)?(.*)-[^-]*$", newest, re.M)
    archive = re.search(r"^ ([0-9a-f]{64}) (\d+) (\S+\.orig\.tar\.\w+)$", newest, re.M)
    directory = re.search(r"^Directory: (.*)$", newest, re.M)
    if not (version and archive and directory):
        raise BootstrapError(f"{row.suite} names no upstream archive of {row.package}")
    path = f"{directory[1]}/{archive[3]}"
    return {"version": version[1], "sha256": [archive[1]], "size": int(archive[2]), "path": path}


# --- check -------------------------------------------------------------------------------------------------


def verdict(row: Row) -> str:
    """How a row stands with an empty cache: "ok", or what is wrong with it or soon will be."""
    lasting = any(name in os.environ for name in (MIRROR, SNAPSHOTS))
    if row.kind in ("deb", "src") and listed(row):
        return f"goes with the next upload to {row.suite}" if row.suite in ROLLING and not lasting else "ok"
    with tempfile.TemporaryDirectory() as scratch:
        try:
            obtain([row], pathlib.Path(scratch), fetch.WAYS)
        except BootstrapError as error:
            return f"gone: {error}"
    superseded = row.kind in ("deb", "src") and not lasting
    return f"superseded in {row.suite}: goes when the archive is cleaned" if superseded else "ok"


def listed(row: Row) -> bool:
    """Does the suite's index of today name the file?"""
    if row.kind == "src":
        return row.sha256[0] in debian(row.suite, True).source(row.package)
    index = binaries(row.suite, row.architecture)
    return bool(index.version(row.package)) and index.row(row.package).sha256[0] in row.sha256


def needed(lock: dict, names: list[str]) -> dict[str, Row]:
    """The rows of a lock by name, without those that only one build of another needs; all if no names are given."""
    parts = {
        part
        for pin in lock["packages"].values()
        for names in pin.get("builds", {}).values()
        for part in names
    }
    chosen = {name: row for name, row in rows(lock).items() if name not in parts}
    for bundle, entry in lock.get("bundles", {}).items():
        names = [*names, *entry["packages"]] if bundle in names else names
    return {name: row for name, row in chosen.items() if not names or name in names}


def check(locks: dict[str, dict], names: list[str]) -> int:
    """Prints what is not simply there; returns 1 where a row is gone."""
    verdicts = [
        (lock, name, row, verdict(row)) for lock in locks for name, row in needed(locks[lock], names).items()
    ]
    for lock, name, row, said in verdicts:
        if said != "ok":
            print(f"{lock}: {name} {row.version}: {said}")
    gone = sum(said.startswith("gone") for *_, said in verdicts)
    fine = sum(said == "ok" for *_, said in verdicts)
    print(f"{len(verdicts)} rows: {fine} stay, {len(verdicts) - fine - gone} will go, {gone} are gone")
    return int(gone > 0)


# --- refresh -----------------------------------------------------------------------------------------------


def refresh_debian(lock: dict) -> None:
    """Takes every row, and the closures, to what the suites have now."""
    old = rows(lock)
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    if lock["kind"] == "src":
        fresh = {name: source_row(row) for name, row in old.items()}
    else:
        index = binaries(lock["suite"], lock.get("architecture", ""))
        groups = [entry for entry in (lock, *lock.get("bundles", {}).values()) if "roots" in entry]
        names = {name for name, pin in lock["packages"].items() if "overlay" in pin}
        for entry in groups:
            closure = [row.package for row in index.closure(entry["roots"], set(entry["without"]))]
            names.update(closure)
            entry.update({} if entry is lock else {"packages": closure})
        found = {name: index.row(name) for name in names}
        fresh = {
            name: {"version": row.version, "sha256": list(row.sha256), "size": row.size, "path": row.path}
            for name, row in found.items()
        }
    packages = lock["packages"]
    lock["packages"] = {name: {**packages.get(name, {}), **pin} for name, pin in fresh.items()}
    if lock["packages"] != packages:
        lock["snapshot"] = now


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def refresh_wheel(lock: dict, name: str, version: str) -> None:
    """Takes a wheel to a version, and what that needs beyond the other pins to what pip resolves."""
    packages = lock["packages"]
    package = packages.get(name, {}).get("package", name)
    with tempfile.TemporaryDirectory() as scratch:
        into = pathlib.Path(scratch)
        pins = [
            f"{pin.get('package', row)}=={pin['version']}"
            for row, pin in packages.items()
            if "package" not in pin
        ]
        others = [pin for pin in pins if canonical(pin.split("==")[0]) != canonical(package)]
        (into / "constraints").write_text("\n".join(others))
        command = [*fetch.pip(), "install", "--dry-run", "--ignore-installed", "-q"]
        command += ["--only-binary=:all:", "--report", str(into / "report"), "-c", str(into / "constraints")]
        if platform := packages.get(name, {}).get("platform"):
            command += ["--no-deps", "--target", str(into), "--implementation", "cp", "--platform", platform]
            command += ["--python-version", lock["python"]]
        fetch.run([*command, f"{package}=={version}"], into)
        report = json.loads((into / "report").read_text())
    by_name = {canonical(row): row for row in packages}
    for item in report["install"]:
        found, digest = item["metadata"]["name"], item["download_info"]["archive_info"]["hashes"]["sha256"]
        row = name if canonical(found) == canonical(package) else by_name.get(canonical(found), found)
        pin = packages.setdefault(row, {})
        if digest not in pin.get("sha256", []):
            # A build of another index keeps its place beside the new one only while the version is the same.
            same = pin.get("version") == item["metadata"]["version"].split("+")[0]
            kept = pin["sha256"] if same else []
            pin.update(version=item["metadata"]["version"].split("+")[0], sha256=[*kept, digest])


def refresh_npm(lock: dict, name: str, version: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        into = pathlib.Path(scratch)
        row = Row("npm", name, version, (), ())
        fetch.by_index([row], into)
        digests = [sha256(path) for path in into.iterdir()]
    lock["packages"].setdefault(name, {}).update(version=version, sha256=digests)


def refresh(directory: pathlib.Path, requests: list[str], write: bool) -> None:
    """Prints the diff of the lock files, and applies it if asked to."""
    locks = read(directory)
    before = {name: text(lock) for name, lock in locks.items()}
    for request in requests:
        name, _, version = request.partition("==")
        if not version:
            raise SystemExit(f"lock.py: '{request}' is not NAME==VERSION")
        npm = name.startswith("@") or name in locks["npm"]["packages"]
        (refresh_npm if npm else refresh_wheel)(locks["npm" if npm else "python"], name, version)
    if not requests:
        for lock in locks.values():
            if lock["kind"] in ("deb", "src"):
                refresh_debian(lock)
    if all(text(lock) == before[name] for name, lock in locks.items()):
        print("nothing has moved")
    for name, lock in locks.items():
        path = f"third-party/{name}.lock.json"
        lines = difflib.unified_diff(
            before[name].splitlines(), text(lock).splitlines(), path, path, "", "", 0, ""
        )
        print("\n".join(lines), end="")
        if write:
            (directory / f"{name}.lock.json").write_text(text(lock))


# --- mirror ------------------------------------------------------------------------------------------------


def mirrored(locks: dict[str, dict], names: list[str]) -> Iterator[pathlib.Path]:
    """The archives of rows, with what the builds that came need besides."""
    for lock in locks.values():
        every = rows(lock)
        for name, row in needed(lock, names).items():
            archive = obtain([row], downloads(), fetch.WAYS)[row]
            parts = lock["packages"][name].get("builds", {}).get(archive.name, [])
            yield archive
            yield from obtain([every[part] for part in parts], downloads(), fetch.WAYS).values()


def mirror(locks: dict[str, dict], names: list[str], out: pathlib.Path) -> None:
    """Fills a directory with files that are named by their digests."""
    out.mkdir(parents=True, exist_ok=True)
    count = size = 0
    for archive in mirrored(locks, names):
        target = out / archive.name
        if not target.exists():
            shutil.copyfile(archive, target.with_suffix(".partial"))
            target.with_suffix(".partial").rename(target)
        count, size = count + 1, size + target.stat().st_size
    print(f"{out}: {count} files, {size // 1_000_000} MB. Use it with {MIRROR}={out.absolute()}")


def main(arguments: list[str]) -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true")
    what.add_argument("--refresh", action="store_true")
    what.add_argument("--mirror", "--out", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--write", action="store_true", help="apply the diff of --refresh")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args(arguments)
    try:
        if options.check:
            return check(read(LOCKS), options.names)
        if options.refresh:
            refresh(LOCKS, options.names, options.write)
        else:
            # `bazel run` starts programs elsewhere; what the user names is relative to where he stands.
            here = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
            mirror(read(LOCKS), options.names, here / options.mirror)
    except BootstrapError as error:
        print(f"lock.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
