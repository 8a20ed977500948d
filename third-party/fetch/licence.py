"""Prints one row of the licence table as JSON: what an unpacked package says of its own licence.

licence.py KIND NAME VERSION SHA256 DIRECTORY
"""

from __future__ import annotations

import email.parser
import json
import pathlib
import re
import sys


def of_wheel(site: pathlib.Path) -> str:
    """The METADATA's License-Expression, else its licence classifiers, else the first line of License."""
    metadata = next(iter(sorted(site.glob("*.dist-info/METADATA"))), None)
    if metadata is None:
        return "not stated"
    fields = email.parser.HeaderParser().parsestr(metadata.read_text(errors="replace"))
    if fields["License-Expression"]:
        return fields["License-Expression"]
    classifiers = [
        c.split(" :: ")[-1] for c in fields.get_all("Classifier", []) if c.startswith("License ::")
    ]
    if classifiers:
        return ", ".join(classifiers)
    return (fields["License"] or "not stated").strip().splitlines()[0]


def of_debian(site: pathlib.Path) -> str:
    """The distinct short names in the machine-readable copyright file."""
    names: list[str] = []
    for copyright_file in sorted(site.glob("usr/share/doc/*/copyright")):
        for name in re.findall(r"^License:\s*(\S.*)$", copyright_file.read_text(errors="replace"), re.M):
            if name not in names:
                names.append(name)
    return ", ".join(names[:6]) or "see the package's copyright file"


def of_source(site: pathlib.Path) -> str:
    """Which well-known text the top licence file holds."""
    signs = {
        "Redistribution and use in source and binary forms": "BSD",
        "Permission is hereby granted, free of charge": "MIT",
        "Apache License": "Apache-2.0",
    }
    for path in sorted(site.glob("LICEN[CS]E*")):
        text = " ".join(path.read_text(errors="replace").split())
        for sign, name in signs.items():
            if sign in text:
                clauses = "-3-Clause" if "endorse or promote" in text else "-2-Clause"
                return name + clauses if name == "BSD" else name
    return "not stated"


def of_npm(site: pathlib.Path) -> str:
    return str(json.loads((site / "package" / "package.json").read_text()).get("license", "not stated"))


def main() -> None:
    kind, name, version, digest, directory = sys.argv[1:]
    licence = {"pip": of_wheel, "deb": of_debian, "npm": of_npm, "src": of_source}[kind](
        pathlib.Path(directory)
    )
    print(json.dumps({"kind": kind, "name": name, "version": version, "licence": licence, "sha256": digest}))


if __name__ == "__main__":
    main()
