"""Packs sources as a library of the Arduino IDE: source_packer.py MANIFEST.json OUT.zip

A folder of the library's name with `library.properties`, `src/NAME.h`, which brings the headers that a program needs first, and everything
else below `src`, each file beginning with the configuration. Sources are named `.cpp`, which every tool takes. Same inputs, same bytes.
"""

from __future__ import annotations

import json
import pathlib
import sys
import zipfile

_PROPERTIES = """\
name={name}
version={version}
author=ExecuTorch contributors
maintainer=ExecuTorch contributors
sentence={description}
paragraph=Compiles as C++17 without exceptions, run-time type information, heap or threads.
category=Data Processing
architectures=*
includes={name}.h
"""

#: Zip files begin in 1980; a date of the build would make different bytes of the same inputs.
_DATE = (1980, 1, 1, 0, 0, 0)


def configuration(defines: list[str]) -> str:
    """The header that every file includes first."""
    lines = ["// What was chosen when this library was packed.", "#pragma once"]
    for define in defines:
        name, _, value = define.partition("=")
        lines += [f"#ifndef {name}", f"#define {name} {value or 1}", "#endif"]
    return "\n".join(lines) + "\n"


def library(manifest: dict) -> dict[str, str]:
    """Paths in the zip, and what stands there."""
    name = manifest["name"]
    own = f"{name}_configuration.h"
    first = f"#include <{own}>\n"
    found = {
        "library.properties": _PROPERTIES.format(
            description=manifest["description"],
            name=name,
            version=pathlib.Path(manifest["version"]).read_text().strip(),
        ),
        f"src/{own}": configuration(manifest["defines"]),
        f"src/{name}.h": "#pragma once\n"
        + first
        + "".join(f"#include <{path}>\n" for path in manifest["includes"]),
    }
    for path, source in manifest["sources"].items():
        place = pathlib.PurePosixPath(path)
        renamed = place.with_suffix(".cpp") if place.suffix == ".cc" else place
        found[str(renamed)] = first + pathlib.Path(source).read_text()
    return found | {path: pathlib.Path(source).read_text() for path, source in manifest["files"].items()}


def main() -> None:
    manifest = json.loads(pathlib.Path(sys.argv[1]).read_text())
    with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as packed:
        for path, text in sorted(library(manifest).items()):
            entry = zipfile.ZipInfo(f"{manifest['name']}/{path}", _DATE)
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, text, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
