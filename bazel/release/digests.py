"""Says the sha256 and the size of artefacts, one a line: digests.py OUT.txt FILE..."""

from __future__ import annotations

import hashlib
import pathlib
import sys
from collections.abc import Iterable, Mapping


def files_of(paths: Iterable[pathlib.Path]) -> list[pathlib.Path]:
    """The paths, and for a directory (a wheel is built into one of its own) what is in it."""
    return [file for path in paths for file in (sorted(path.iterdir()) if path.is_dir() else [path])]


def name_of(path: pathlib.Path) -> str:
    """Where an artefact lies below the build's output directory, the same on every machine."""
    text = path.as_posix()
    return text.rpartition("/bin/")[2] if "/bin/" in text else path.name


def digests(paths: Iterable[pathlib.Path]) -> dict[str, str]:
    """Name -> sha256."""
    return {name_of(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files_of(paths)}


def differences(first: Mapping[str, str], second: Mapping[str, str]) -> list[str]:
    """Names that are not in both, or not with the same digest, with what each says."""
    return [
        f"{name}: {first.get(name, 'absent')} and {second.get(name, 'absent')}"
        for name in sorted({*first, *second})
        if first.get(name) != second.get(name)
    ]


def main() -> None:
    out, *paths = map(pathlib.Path, sys.argv[1:])
    sizes = {name_of(path): path.stat().st_size for path in files_of(paths)}
    found = sorted(digests(paths).items())
    out.write_text("".join(f"{digest}  {sizes[name]:>9}  {name}\n" for name, digest in found))


if __name__ == "__main__":
    main()
