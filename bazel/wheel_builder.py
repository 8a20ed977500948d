"""Writes one wheel from a manifest: wheel_builder.py MANIFEST.json OUTPUT_DIRECTORY.

Same inputs, same bytes: entries are sorted and carry a fixed date. The layout is that of PEP 427, the
metadata that of core metadata 2.1. There is no ``executorch/__init__.py``: wheels share the namespace.
"""

from __future__ import annotations

import base64
import hashlib
import json
import pathlib
import sys
import tarfile
import zipfile

_EPOCH = (1980, 1, 1, 0, 0, 0)


def compatible_range(version: str) -> str:
    """Releases that keep the API of ``version``: same major and, before 1.0, same minor."""
    major, minor, *_ = (int(part) for part in version.split("."))
    upper = f"{major + 1}" if major else f"0.{minor + 1}"
    return f">={version},<{upper}"


def metadata(manifest: dict, version: str) -> str:
    requirements = list(manifest["requires"])
    for name, path in manifest["siblings"].items():
        wanted = compatible_range(pathlib.Path(path).read_text().strip())
        requirements.append(name.replace("_", "-") + wanted)
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {manifest['distribution'].replace('_', '-')}",
        f"Version: {version}",
    ]
    lines += [f"Requires-Dist: {requirement}" for requirement in sorted(requirements)]
    for extra, more in sorted(manifest.get("extras", {}).items()):
        lines.append(f"Provides-Extra: {extra}")
        for requirement in more:
            lines.append(f"Requires-Dist: {requirement.replace('@VERSION@', version)}; extra == '{extra}'")
    lines += ["Requires-Python: >=3.10", "Description-Content-Type: text/markdown", ""]
    return "\n".join(lines) + "\n" + pathlib.Path(manifest["readme"]).read_text()


def record_row(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def main() -> None:
    manifest = json.loads(pathlib.Path(sys.argv[1]).read_text())
    version = pathlib.Path(manifest["version"]).read_text().strip()
    info = f"{manifest['distribution']}-{version}.dist-info"
    entries = {name: pathlib.Path(path).read_bytes() for name, path in manifest["files"].items()}
    for prefix, path in manifest.get("unpacked", {}).items():
        with tarfile.open(path) as packed:
            for member in filter(tarfile.TarInfo.isfile, packed):
                content = packed.extractfile(member)
                assert content is not None
                entries[f"{prefix}/{member.name}"] = content.read()
    entries[f"{info}/METADATA"] = metadata(manifest, version).encode()
    pure = "true" if manifest["tag"].endswith("-any") else "false"
    wheel = f"Wheel-Version: 1.0\nGenerator: executorch-microlibrary\nRoot-Is-Purelib: {pure}\nTag: {manifest['tag']}\n"
    entries[f"{info}/WHEEL"] = wheel.encode()
    record = "".join(record_row(name, entries[name]) for name in sorted(entries))
    entries[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    out = pathlib.Path(sys.argv[2]) / f"{manifest['distribution']}-{version}-{manifest['tag']}.whl"
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(entries):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, entries[name])


if __name__ == "__main__":
    main()
