"""Brings one pinned package from a package index onto disk, through the machine's own client.

Repository rules run this with the host's python3 (standard library only):

    fetch.py pip NAME VERSION SHA256[,SHA256...] OUT
    fetch.py deb NAME VERSION SHA256 OUT --suite SUITE
    fetch.py src NAME VERSION SHA256 OUT --suite SUITE[,SUITE...]
    fetch.py npm NAME VERSION SHA256 OUT

OUT becomes the unpacked package. A download is kept, under its digest, in ``$EXECUTORCH_DOWNLOADS`` (the
user's cache directory by default), so that a fresh clone on a warm machine fetches nothing. Which index
answers is the client's own configuration; this file names none. Every failure ends in one message with the
package's name and the way out.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import functools
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator

# The private apt is the one that installs Bazel.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bazel"))
from bootstrap.apt_sources import Source, debian_mirrors
from bootstrap.private_apt import Package, PrivateApt
from bootstrap.progress import BootstrapError

_INDEX_MAX_AGE_S = 6 * 3600


class FetchError(Exception):
    """A package that could not be had; the text says which one, why, and what to do."""


def cache_dir() -> pathlib.Path:
    """The directory of downloads: ``$EXECUTORCH_DOWNLOADS`` or a folder of the user's cache."""
    chosen = os.environ.get("EXECUTORCH_DOWNLOADS")
    if chosen:
        return pathlib.Path(chosen)
    shared = os.environ.get("EXECUTORCH_BAZEL_CACHE")
    if shared:
        return pathlib.Path(shared) / "downloads"
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(home) / "executorch-bazel" / "downloads"


@contextlib.contextmanager
def locked(path: pathlib.Path) -> Iterator[None]:
    """Holds an exclusive file lock, so that parallel repository rules share one index and one download."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def sha256(path: pathlib.Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def run(command: list[str], cwd: pathlib.Path, attempts: int = 3) -> None:
    """Runs a client; a transient failure is tried again, the last one becomes a FetchError with its words."""
    for attempt in range(attempts):
        try:
            done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace")
        except FileNotFoundError as error:
            raise FetchError(f"the program '{command[0]}' is not on this machine's PATH") from error
        if done.returncode == 0:
            return
        words = (done.stderr + done.stdout).strip()
        final = any(sign in words for sign in ("DO NOT MATCH", "No module named pip", "E404"))
        if final or attempt + 1 == attempts:
            raise FetchError("\n".join(words.splitlines()[-12:]) or f"exit code {done.returncode}")
        time.sleep(2 * (attempt + 1))


# --- clients -----------------------------------------------------------------------------------------------


def download_pip(name: str, version: str, digests: list[str], into: pathlib.Path, _suite: str) -> None:
    """One wheel, by ``python3 -m pip``; pip itself refuses another digest."""
    hashes = " ".join(f"--hash=sha256:{digest}" for digest in digests)
    (into / "requirements.txt").write_text(f"{name}=={version} {hashes}\n")
    options = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--no-input", "-q", "-d", str(into)]
    run([sys.executable, "-m", "pip", "download", *options, "-r", str(into / "requirements.txt")], into)
    (into / "requirements.txt").unlink()


def download_deb(name: str, version: str, _digests: list[str], into: pathlib.Path, suite: str) -> None:
    """One binary package of Debian, by apt-get with a state of its own, from the machine's mirror."""
    _by_apt(suite, False, lambda apt: _binary_package(apt, suite, name, version, into))


def download_src(name: str, version: str, _digests: list[str], into: pathlib.Path, suite: str) -> None:
    """The upstream archive of one of Debian's source packages; VERSION is upstream's, without Debian's revision."""
    errors = []
    for one in suite.split(","):
        try:
            _by_apt(
                one,
                True,
                functools.partial(_source_package, suite=one, name=name, version=version, into=into),
            )
            return
        except FetchError as error:
            errors.append(str(error))
    raise FetchError("\n".join(errors))


def _by_apt(suite: str, sources: bool, download: Callable[[PrivateApt], None]) -> None:
    """Tries the machine's mirrors one after the other, with an index that is young enough."""
    label = f"apt-{suite}-src" if sources else f"apt-{suite}"
    with locked(cache_dir().parent / f"{label}.lock"):
        errors = []
        for source in debian_mirrors(pathlib.Path("/etc/apt")):
            try:
                download(_current_apt(cache_dir().parent / label, source, suite, sources))
                return
            except BootstrapError as error:
                errors.append(str(error))
        raise FetchError("\n".join(errors) or "no Debian mirror is named in /etc/apt")


def _current_apt(state: pathlib.Path, source: Source, suite: str, sources: bool) -> PrivateApt:
    apt = PrivateApt(state, source, suite, sources)
    stamp = state / "updated"
    if not stamp.exists() or time.time() - stamp.stat().st_mtime > _INDEX_MAX_AGE_S:
        apt.update()
        stamp.touch()
    return apt


def _source_package(apt: PrivateApt, suite: str, name: str, version: str, into: pathlib.Path) -> None:
    found = apt.source_versions(name)
    matching = [one for one in found if one.rpartition("-")[0] == version]
    if not matching:
        raise BootstrapError(f"{suite} has version '{', '.join(found)}' of it")
    apt.download_source(name, matching[0], into)


def _binary_package(apt: PrivateApt, suite: str, name: str, version: str, into: pathlib.Path) -> None:
    index = apt.index()
    if index.version(name) != version:
        raise BootstrapError(f"{suite} has version '{index.version(name)}' of it")
    fields = index.fields(name)
    apt.download([Package(name, version, fields["SHA256"], int(fields["Size"]))], into)


def download_npm(name: str, version: str, _digests: list[str], into: pathlib.Path, _suite: str) -> None:
    """One npm package, by ``npm pack``; its install scripts do not run."""
    run(["npm", "pack", "--silent", f"{name}@{version}"], into)


# --- unpacking ---------------------------------------------------------------------------------------------


def unpack_wheel(archive: pathlib.Path, out: pathlib.Path) -> None:
    """A wheel becomes one import directory (``*.data/purelib|platlib`` merged in, scripts in ``bin``)."""
    with zipfile.ZipFile(archive) as wheel:
        for info in wheel.infolist():
            parts = info.filename.split("/")
            if parts[0].endswith(".data") and len(parts) > 2:
                kind = {"purelib": [], "platlib": [], "scripts": ["bin"], "data": [], "headers": ["include"]}
                parts = kind.get(parts[1], [parts[1]]) + parts[2:]
            target = out.joinpath(*parts)
            if info.is_dir():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with wheel.open(info) as source, open(target, "wb") as sink:
                shutil.copyfileobj(source, sink, 1 << 20)
            if (info.external_attr >> 16) & 0o111 or parts[0] == "bin":
                target.chmod(0o755)


def unpack_deb(archive: pathlib.Path, out: pathlib.Path) -> None:
    """A Debian package's file tree; absolute links become relative ones inside OUT."""
    out.mkdir(parents=True, exist_ok=True)
    run(["dpkg-deb", "-x", str(archive), str(out)], out, attempts=1)
    for path in out.rglob("*"):
        if path.is_symlink() and os.readlink(path).startswith("/"):
            target = out / os.readlink(path).lstrip("/")
            path.unlink()
            path.symlink_to(os.path.relpath(target, path.parent))


def unpack_source(archive: pathlib.Path, out: pathlib.Path) -> None:
    """An upstream archive; one outermost directory is left out, as its name carries a revision."""
    with tempfile.TemporaryDirectory(dir=out.parent) as scratch:
        tree = pathlib.Path(scratch) / "tree"
        tree.mkdir()
        run(["tar", "-xf", str(archive), "--no-same-owner"], tree, attempts=1)
        entries = list(tree.iterdir())
        shutil.move(str(entries[0] if len(entries) == 1 else tree), out)
    # A BUILD file of upstream's own would cut its directory out of the overlay's package.
    for path in [*out.rglob("BUILD"), *out.rglob("*.bazel"), *out.rglob("WORKSPACE")]:
        if path.is_file():
            path.unlink()


def unpack_npm(archive: pathlib.Path, out: pathlib.Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as tar:
        tar.extractall(out, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(out)


KINDS: dict[str, tuple[Callable[..., None], Callable[[pathlib.Path, pathlib.Path], None], str]] = {
    "pip": (
        download_pip,
        unpack_wheel,
        "Check the pin in third-party/python.lock.json and 'pip config list'.",
    ),
    "deb": (download_deb, unpack_deb, "Check the pin in third-party/debian.lock.json and /etc/apt."),
    "src": (
        download_src,
        unpack_source,
        "Check the pin in third-party/debian_sources.lock.json (suites move on) and /etc/apt.",
    ),
    "npm": (download_npm, unpack_npm, "Check the pin in third-party/npm.lock.json; npm comes with Node.js."),
}


def obtain(kind: str, name: str, version: str, digests: list[str], suite: str) -> pathlib.Path:
    """The package's archive out of the download cache, fetched first if it is not there yet."""
    cache = cache_dir()
    cache.mkdir(parents=True, exist_ok=True)
    for digest in digests:
        if (cache / digest).is_file():
            return cache / digest
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        into = pathlib.Path(scratch)
        KINDS[kind][0](name, version, digests, into, suite)
        files = [path for path in into.iterdir() if path.is_file()]
        if len(files) != 1:
            raise FetchError(f"expected one file from the index, got {sorted(path.name for path in files)}")
        got = sha256(files[0])
        if got not in digests:
            raise FetchError(f"its sha256 is {got}, the lock says {' or '.join(digests)}")
        os.replace(files[0], cache / got)
        return cache / got


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("kind", choices=sorted(KINDS))
    parser.add_argument("name")
    parser.add_argument("version")
    parser.add_argument("sha256")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--suite", default="bookworm")
    args = parser.parse_args()
    digests = args.sha256.split(",")
    try:
        archive = obtain(args.kind, args.name, args.version, digests, args.suite)
        # A cache is a place where disks fill up: what it gives back is checked like a download.
        if sha256(archive) not in digests:
            archive.unlink()
            archive = obtain(args.kind, args.name, args.version, digests, args.suite)
        KINDS[args.kind][1](archive, args.out.absolute())
    except (FetchError, OSError, zipfile.BadZipFile, tarfile.TarError) as error:
        print(
            f"third-party: cannot bring in {args.kind} package {args.name} {args.version}: {error}",
            file=sys.stderr,
        )
        print(f"Way out: {KINDS[args.kind][2]}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
