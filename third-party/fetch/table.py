"""Writes the licence table (Markdown) from the licence.json rows of the fetched packages.

table.py OUT ROW.json...
"""

from __future__ import annotations

import json
import pathlib
import sys


def main() -> None:
    rows = sorted(
        (json.loads(pathlib.Path(path).read_text()) for path in sys.argv[2:]), key=lambda row: row["name"]
    )
    lines = ["| package | version | from | licence | sha256 |", "| --- | --- | --- | --- | --- |"]
    for row in rows:
        lines.append(
            f"| {row['name']} | {row['version']} | {row['kind']} | {row['licence']} | {row['sha256'][:16]}… |"
        )
    pathlib.Path(sys.argv[1]).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
