"""Brings pinned packages onto disk: one directory from one or more rows of a lock file.

Repository rules run this with the host's python3 (standard library only):

    fetch.py ROWS OUT [PYTHON]   ROWS: a JSON list of rows, with the fields of their lock file's head

OUT becomes the unpacked packages, in one tree; PYTHON, the locked one, writes the bytecode where caches are shared,
since that of another patch release has other bytes. Prints the digest of the build of the first row that came. Each
archive comes by the first of its row's ways that has it (bootstrap/supply.py) and is kept, under its digest, in
the directory of downloads, so that a fresh clone on a warm machine fetches nothing. Which index answers is the
client's own configuration; this file names none. Every failure ends in one message with the package's name and
the way out.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable
from typing import Any

# What installs Bazel brings in everything else too.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bazel"))
from bootstrap.progress import BootstrapError
from bootstrap.supply import DEBIAN, Row, Unset, Ways, downloads, obtain

TORCH_INDEX = "EXECUTORCH_TORCH_INDEX"


class FetchError(BootstrapError):
    """A package that could not be had; the text says which one, why, and what to do."""


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


def pip() -> list[str]:
    """The command of this interpreter's pip; where it has none, of the Python that the lock file has."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    tree = downloads() / "python"
    if not tree.is_dir():
        downloads().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=downloads()) as scratch:
            run(
                ["sh", str(pathlib.Path(__file__).resolve().parent / "python.sh"), "tree"],
                pathlib.Path(scratch),
            )
            with contextlib.suppress(OSError):  # another run was quicker
                (pathlib.Path(scratch) / "tree").rename(tree)
    wheel = next(tree.glob("usr/share/python-wheels/pip-*.whl"))
    return [str(tree / "usr/bin/python3"), f"{wheel}/pip"]


def by_index(missing: list[Row], into: pathlib.Path, options: tuple[str, ...] = ()) -> None:
    """The client of the row's kind, as this machine configures it: ``python3 -m pip`` or ``npm pack``."""
    for row in missing:
        if row.kind == "npm":  # its install scripts do not run
            run(["npm", "pack", "--silent", f"{row.package}@{row.version}"], into)
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as requirements:
            hashes = " ".join(f"--hash=sha256:{digest}" for digest in row.sha256)
            requirements.write(f"{row.package}=={row.version} {hashes}\n")
            requirements.flush()
            command = [*pip(), "download", "--no-deps", "--only-binary=:all:", *options]
            if row.python and row.python != "{}.{}".format(*sys.version_info):
                command += ["--implementation", "cp", "--python-version", row.python]
            if row.platform:
                command += ["--platform", row.platform]
            command += ["--require-hashes", "--no-input", "-q", "-d", str(into), "-r", requirements.name]
            run(command, into)


def by_torch_index(missing: list[Row], into: pathlib.Path) -> None:
    """PyTorch's own index of builds without CUDA."""
    base = os.environ.get(TORCH_INDEX)
    if not base:
        raise Unset(f"${TORCH_INDEX} names no index")
    by_index(missing, into, ("--index-url", base))


WAYS: Ways = {**DEBIAN, "index": by_index, "torch_index": by_torch_index}


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


def has_bytecode(fields: dict[str, Any], locked: bool) -> bool:
    """Whether a row is of modules and no more, and for the interpreter that is to compile them: the locked one, or this.

    What has an overlay serves compilers as well, whose results would depend on the interpreter's bytecode.
    """
    return (
        fields["kind"] == "pip"
        and "overlay" not in fields
        and (locked or fields.get("python", "") in ("", "{}.{}".format(*sys.version_info)))
    )


def compile_modules(out: pathlib.Path, python: str) -> None:
    """Writes the bytecode of every module under OUT, once.

    Tests run in sandboxes, where nothing that an import writes survives: each process would compile all of torch
    anew, which takes longer than most tests. Unchecked, since the tree never changes; with one hash seed and in one
    process, and with no word of where OUT lies (an import puts the path in), so that the same wheel gives the same bytes
    in every checkout, as caches that checkouts share need it. What does not compile (templates, other Pythons) is left.
    """
    mode = ["--invalidation-mode", "unchecked-hash", "-s", str(out)]
    subprocess.run(
        [python, "-m", "compileall", "-qq", *mode, str(out)],
        env={**os.environ, "PYTHONHASHSEED": "0"},
        check=False,
        capture_output=True,
    )


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


UNPACK: dict[str, tuple[Callable[[pathlib.Path, pathlib.Path], None], str]] = {
    "pip": (unpack_wheel, "'pip config list' and the pin in third-party/python.lock.json"),
    "deb": (unpack_deb, "/etc/apt and the pin in third-party/debian.lock.json"),
    "src": (unpack_source, "/etc/apt and the pin in third-party/debian_sources.lock.json"),
    "npm": (unpack_npm, "the pin in third-party/npm.lock.json; npm comes with Node.js"),
}


def main(arguments: list[str]) -> int:
    """Returns the exit code."""
    given = json.loads(arguments[0])
    rows = [Row.of(fields) for fields in given]
    out = pathlib.Path(arguments[1]).absolute()
    try:
        archives = obtain(rows, downloads(), WAYS)
        for fields in given:
            row = Row.of(fields)
            also = [Row.of(part) for part in fields.get("builds", {}).get(archives[row].name, [])]
            parts = obtain(also, downloads(), WAYS)
            for archive in [archives[row], *parts.values()]:
                UNPACK[row.kind][0](archive, out)
        locked = arguments[2:3]
        if has_bytecode(given[0], bool(locked)):
            compile_modules(out, *locked or [sys.executable])
    except (BootstrapError, OSError, zipfile.BadZipFile, tarfile.TarError) as error:
        names = ", ".join(map(str, rows[:1])) + (" and others" if len(rows) > 1 else "")
        print(f"third-party: cannot bring in {rows[0].kind} package {names}: {error}", file=sys.stderr)
        print(
            f"Way out: check {UNPACK[rows[0].kind][1]}, or name a mirror (third-party/README.md).",
            file=sys.stderr,
        )
        return 1
    print(archives[rows[0]].name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
