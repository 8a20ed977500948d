"""Makes one tar of several distributions and further files: dist_merger.py OUT.tar.gz FILE=PATH... DIST.tar.gz...

The same inputs give the same bytes. Distributions share no file.
"""

from __future__ import annotations

import gzip
import io
import pathlib
import sys
import tarfile


def contents(arguments: list[str]) -> dict[str, bytes]:
    """Name in the tar to what stands there."""
    found: dict[str, bytes] = {}
    for argument in arguments:
        name, is_file, path = argument.partition("=")
        if is_file:
            found[name] = pathlib.Path(path).read_bytes()
            continue
        with tarfile.open(argument) as packed:
            for entry in packed:
                if entry.name in found:
                    raise ValueError(f"{argument} has {entry.name}, which another distribution has too")
                source = packed.extractfile(entry)
                assert source is not None
                found[entry.name] = source.read()
    return found


def main() -> None:
    files = contents(sys.argv[2:])
    with (
        open(sys.argv[1], "wb") as sink,
        gzip.GzipFile(filename="", fileobj=sink, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name in sorted(files):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(files[name]), 0o644
            archive.addfile(entry, io.BytesIO(files[name]))


if __name__ == "__main__":
    main()
