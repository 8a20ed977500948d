"""Pins packages: fills in the sha256 of each entry of a lock file that has none.

    python3 third-party/fetch/lock.py third-party/python.lock.json [NAME==VERSION ...]

Named packages are (re)pinned at that version first; those of debian_bundles.lock.json are named BUNDLE/NAME. Digests come from the archive that the machine's own
client fetches now, so run it where you trust the index, and review the change. An entry's name is that of its package, unless
the entry has a "package": a second version beside the first.
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
            fetch.run([*command, "-d", scratch, f"{entry.get('package', name)}=={entry['version']}"], into)
        else:
            fetch.KINDS[kind][0](name, entry["version"], [], into, entry.get("suite", "bookworm"))
        entry["sha256"] = [fetch.sha256(path) for path in into.iterdir()]


def pin_bundles(table: dict, requests: list[str]) -> None:
    """Pins the packages of bundles; a request is BUNDLE/NAME==VERSION."""
    for request in requests:
        path, version = request.split("==")
        bundle, _, name = path.partition("/")
        if bundle not in table or not name:
            raise SystemExit(
                f"lock.py: '{request}' is not BUNDLE/NAME==VERSION with a bundle of {', '.join(sorted(table))}"
            )
        table[bundle]["packages"].setdefault(name, {}).update(version=version, sha256=[])
    for bundle in table.values():
        pin_missing("deb", bundle["packages"])


def pin_missing(kind: str, table: dict) -> None:
    for name, entry in table.items():
        if not entry.get("sha256"):
            print(f"pinning {name} {entry['version']}", file=sys.stderr)
            pin(kind, name, entry)


def rows(table: dict, indent: int) -> str:
    """One line for each entry, sorted by name."""
    return ",\n".join(
        f"{' ' * indent}{json.dumps(name)}: {json.dumps(entry)}" for name, entry in sorted(table.items())
    )


def bundle_text(name: str, entry: dict) -> str:
    head = {key: value for key, value in entry.items() if key != "packages"}
    return (
        f'  {json.dumps(name)}: {json.dumps(head)[:-1]}, "packages": {{\n{rows(entry["packages"], 4)}\n  }}}}'
    )


def main() -> None:
    lock = pathlib.Path(sys.argv[1])
    kinds = {"python": "pip", "debian": "deb", "debian_sources": "src", "npm": "npm", "debian_bundles": None}
    kind = kinds[lock.name.split(".")[0]]
    table = json.loads(lock.read_text())
    if kind is None:
        pin_bundles(table, sys.argv[2:])
        body = ",\n".join(bundle_text(name, entry) for name, entry in sorted(table.items()))
    else:
        for request in sys.argv[2:]:
            name, version = request.split("==")
            table.setdefault(name, {}).update(version=version, sha256=[])
        pin_missing(kind, table)
        body = rows(table, 2)
    lock.write_text("{\n" + body + "\n}\n")


if __name__ == "__main__":
    main()
