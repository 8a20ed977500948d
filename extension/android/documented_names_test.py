"""Documented names, in the classes that applications get. Kotlin calls Java's, and few classes are its own."""

from __future__ import annotations

import collections
import os
import pathlib
import re
import subprocess

_PACKAGE = "org.pytorch.executorch"


def members(jars: str, classes: list[str]) -> set[str]:
    """`CLASS.MEMBER(TYPES)` of what classes have for everyone, after the JDK's own reader of class files."""
    home = pathlib.Path(os.environ["JDK"]).absolute() / "usr/lib/jvm/java-17-openjdk-amd64"
    command: list[str | pathlib.Path] = [
        home / "bin/javap",
        "-public",
        "-cp",
        jars,
        *(f"{_PACKAGE}.{name}" for name in classes),
    ]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: set[str] = set()
    owner = ""
    for line in printed.splitlines():
        if start := re.match(rf"public .*(?:class|interface) {_PACKAGE}\.([\w.$]+)", line):
            owner = start[1]
        elif member := re.match(r"  public .*?([\w.]+)(\([^)]*\))?;$", re.sub(r"<[^<>]*>", "", line)):
            types = ",".join(re.findall(r"(\w+(?:\[\])*(?:\.\.\.)?)(?:,|$)", (member[2] or "")[1:-1]))
            found.add(f"{owner}.{member[1].rpartition('.')[2]}" + (f"({types})" if member[2] else ""))
    return found


def test_documented_names():
    here = pathlib.Path(__file__).absolute().parent
    rows = [
        line.partition(" ")[::2]
        for line in (here / "documented_names.txt").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    classes = sorted({name.partition("(")[0].rpartition(".")[0] for _, name in rows})
    assert len(classes) == 19
    found = members(os.environ["JARS"], classes)
    missing = [name for _, name in rows if name not in found]
    for source, count in collections.Counter(source for source, _ in rows).items():
        absent = sum(name in missing for where, name in rows if where == source)
        print(f"{source}: {count} documented, {count - absent} present, {absent} absent")
    print(f"{len(found)} names in all")
    assert not missing
