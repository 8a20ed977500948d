"""Pins packages: fills in the sha256 of each entry of a lock file that has none.

    python3 third-party/fetch/lock.py third-party/python.lock.json [NAME==VERSION ...]

Named packages are (re)pinned at that version first. Digests come from the archive that the machine's own
client fetches now, so run it where you trust the index, and review the change.
"""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile

import fetch


def pin(kind: str, name: str, entry: dict) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        into = pathlib.Path(scratch)
        if kind == "pip":
            command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "-q"]
            fetch.run([*command, "-d", scratch, f"{name}=={entry['version']}"], into)
        else:
            fetch.KINDS[kind][0](name, entry["version"], [], into, entry.get("suite", "bookworm"))
        entry["sha256"] = [fetch.sha256(path) for path in into.iterdir()]


def main() -> None:
    lock = pathlib.Path(sys.argv[1])
    kind = {"python": "pip", "debian": "deb", "debian_sources": "src", "npm": "npm"}[lock.name.split(".")[0]]
    table = json.loads(lock.read_text())
    for request in sys.argv[2:]:
        name, version = request.split("==")
        table.setdefault(name, {}).update(version=version, sha256=[])
    for name, entry in table.items():
        if not entry.get("sha256"):
            print(f"pinning {name} {entry['version']}", file=sys.stderr)
            pin(kind, name, entry)
    rows = [f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in sorted(table.items())]
    lock.write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main()
