"""The table of documented names, and which of them compiled classes, headers and sources in Swift have."""

from __future__ import annotations

import dataclasses
import pathlib
import re
from collections.abc import Iterable

_HERE = pathlib.Path(__file__).absolute().parent


@dataclasses.dataclass(frozen=True)
class Name:
    """A row: `kind` is method, name, swift or product; `why` is not empty where it is absent."""

    kind: str
    text: str
    why: str = ""


def table() -> list[Name]:
    """All rows of documented_names.txt."""
    rows = []
    for line in (_HERE / "documented_names.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            kind, _, text = line.partition(" ")
            absent = kind == "absent"
            kind, _, text = text.partition(" ") if absent else (kind, "", text)
            text, _, why = text.partition(": ") if absent else (text, "", "")
            rows.append(Name(kind, text, why))
    return rows


def methods(symbols: Iterable[str]) -> set[str]:
    """`CLASS SELECTOR` of the symbols of methods, those of categories among them: `-[ExecuTorchTensor(Scalars) copy]`."""
    found = set()
    for symbol in symbols:
        if method := re.fullmatch(r"([-+])\[(\w+)(?:\(\w+\))? ([\w:]+)\]", symbol):
            found.add(f"{method[2]} {method[1]}{method[3]}")
    return found


def selectors(header: str) -> set[str]:
    """The selectors that a header declares."""
    declared = set()
    for text in re.findall(r"^[-+] \([^;]*;", re.sub(r"//.*", "", header), re.MULTILINE):
        parts = re.findall(r"(\w+):\s*\(", text)
        declared.add("".join(f"{part}:" for part in parts) or re.findall(r"(\w+)\s*(?:NS_\w+.*)?;", text)[0])
    return declared


def of_headers(headers: Iterable[str]) -> set[str]:
    """Every word of the headers, and the selectors of their methods."""
    found: set[str] = set()
    for header in headers:
        found |= set(re.findall(r"\w+", header)) | selectors(header)
    return found


def for_swift(headers: Iterable[str], sources: Iterable[str]) -> set[str]:
    """The first words of names: those that the headers have for Swift, those that it makes itself, what the sources declare."""
    found = set()
    for header in headers:
        found |= set(re.findall(r"NS_SWIFT_NAME\((\w+)", header))
        found |= {selector.partition(":")[0] for selector in selectors(header)}
    for source in sources:
        found |= set(re.findall(r"\b(?:class|enum|func|protocol|struct|typealias|var)\s+(\w+)", source))
    return found
