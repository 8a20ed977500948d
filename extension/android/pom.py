"""Writes a POM, by which Maven and Gradle know an archive and what it needs besides."""

from __future__ import annotations

import argparse
import pathlib
import sys
from xml.etree import ElementTree

_SPACE = "http://maven.apache.org/POM/4.0.0"


def _add(parent: ElementTree.Element, **texts: str) -> None:
    for name, text in texts.items():
        ElementTree.SubElement(parent, name).text = text


def pom(artifact: str, version: str, packaging: str, dependencies: list[str]) -> bytes:
    """The text of a POM.

    Args:
        artifact: Maven's name, in the group org.pytorch.
        version: of the archive; "{version}" in a dependency stands for it.
        packaging: "aar" or "jar".
        dependencies: as GROUP:ARTIFACT:VERSION or GROUP:ARTIFACT:VERSION:TYPE.
    """
    root = ElementTree.Element("project", {"xmlns": _SPACE})
    _add(root, modelVersion="4.0.0", groupId="org.pytorch", artifactId=artifact, version=version)
    _add(root, packaging=packaging, name=artifact, description="Runs ExecuTorch programs on Android")
    if dependencies:
        listed = ElementTree.SubElement(root, "dependencies")
        for dependency in dependencies:
            group, name, wanted, *kind = dependency.replace("{version}", version).split(":")
            entry = ElementTree.SubElement(listed, "dependency")
            _add(entry, groupId=group, artifactId=name, version=wanted, scope="compile")
            if kind:
                _add(entry, type=kind[0])
    ElementTree.indent(root)
    return bytes(ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True)) + b"\n"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--artifact", required=True)
    parser.add_argument("--packaging", required=True, choices=["aar", "jar"])
    parser.add_argument("--version", type=pathlib.Path, required=True, help="a file")
    parser.add_argument("--dependency", action="append", default=[])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args(arguments)
    version = options.version.read_text().strip()
    options.out.write_bytes(pom(options.artifact, version, options.packaging, options.dependency))


if __name__ == "__main__":
    main(sys.argv[1:])
