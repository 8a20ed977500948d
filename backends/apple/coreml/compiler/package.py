"""A directory in a row of bytes, and back: what a delegate's data are.

The files' bytes follow one another without gaps. At the end stands a table, in JSON, written backwards, so that a reader who has the
end of the data can begin there. A row of the table is a file (kind 0), with where its bytes lie, or a directory (kind 1), with the
rows of what is in it; the last row is the directory itself.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from pathlib import Path
from typing import Any

from executorch.dialects.errors import ExportError

#: What the directory is called in the table.
ROOT = "lowered_module"
_FILE, _DIRECTORY = 0, 1
_MANIFEST = "Manifest.json"


def flatten(directory: Path) -> bytes:
    """The files below a directory and their table."""
    rows: list[dict[str, Any]] = []
    data = bytearray()

    def add(path: Path, name: str) -> int:
        if path.is_file():
            content = path.read_bytes()
            region, children, kind = {"offset": len(data), "size": len(content)}, {}, _FILE
            data.extend(content)
        else:
            children = {one.name: add(one, one.name) for one in sorted(path.iterdir())}
            region, kind = {"offset": 0, "size": 0}, _DIRECTORY
        rows.append({"children": children, "dataRegion": region, "kind": kind, "name": name})
        return len(rows) - 1

    add(directory, ROOT)
    table = json.dumps({"nodes": rows}, separators=(",", ":"), sort_keys=True)
    return bytes(data) + table.encode()[::-1]


def unflatten(data: bytes) -> dict[str, bytes]:
    """The files by their path below the directory; the path of a directory with nothing in it ends in a slash.

    Raises:
        ExportError: the bytes are none of this form.
    """
    try:
        table, _ = json.JSONDecoder().raw_decode(data[::-1].decode("utf-8", "surrogateescape"))
        rows = table["nodes"]
        files: dict[str, bytes] = {}
        _collect(data, rows, len(rows) - 1, "", files, len(rows))
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise ExportError(f"These bytes are no directory as Core ML delegates hold one: {error}") from error
    return files


def _collect(
    data: bytes, rows: list[dict[str, Any]], index: int, path: str, files: dict[str, bytes], deep: int
) -> None:
    row = rows[index]
    if deep < 0:
        raise ValueError("a directory is in itself")
    if row["kind"] == _FILE:
        offset, size = row["dataRegion"]["offset"], row["dataRegion"]["size"]
        if not 0 <= offset <= offset + size <= len(data):
            raise ValueError(f"the bytes of {path} lie outside")
        files[path] = data[offset : offset + size]
        return
    if not row["children"] and path:
        files[f"{path}/"] = b""
    for name, child in row["children"].items():
        if name in ("", ".", "..") or "/" in name or "\\" in name or "\0" in name:
            raise ValueError(f"no name of a file: {name!r}")
        _collect(data, rows, child, f"{path}/{name}" if path else name, files, deep - 1)


def write_files(files: dict[str, bytes], directory: Path) -> None:
    """Writes what :func:`unflatten` gave."""
    for name, content in files.items():
        path = directory / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def settle_manifest(package: Path) -> None:
    """Gives the items of a model package names that follow from their paths, where the writer drew random ones."""
    manifest = json.loads((package / _MANIFEST).read_text())
    entries = manifest["itemInfoEntries"]
    # The folder of weights that a model has not: readers of the package miss it where it was lost on the way.
    for old, entry in list(entries.items()):
        place = package / "Data" / entry["path"]
        if place.is_dir() and not any(place.iterdir()):
            place.rmdir()
            del entries[old]
    names = {old: str(uuid.uuid5(uuid.NAMESPACE_URL, entry["path"])) for old, entry in entries.items()}
    manifest["itemInfoEntries"] = {names[old]: entries[old] for old in sorted(entries, key=names.__getitem__)}
    manifest["rootModelIdentifier"] = names[manifest["rootModelIdentifier"]]
    (package / _MANIFEST).write_text(json.dumps(manifest, indent=4))


def identifier_of(directory: Path) -> str:
    """A name that follows from the contents: devices keep compiled models by it."""
    digest = hashlib.sha256()
    for path in sorted(one for one in directory.rglob("*") if one.is_file()):
        digest.update(str(path.relative_to(directory)).encode() + b"\0" + path.read_bytes())
    return f"executorch_{uuid.UUID(bytes=digest.digest()[:16])}"
