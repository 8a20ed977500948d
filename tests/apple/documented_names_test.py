"""Documented names of Objective-C and Swift: in the classes compiled for a phone, in headers and sources, in Package.swift."""

from __future__ import annotations

import collections
import os
import pathlib

import pytest

from executorch.extension.apple import documented_names
from executorch.extension.apple.frameworks.pack import package_swift
from executorch.toolchains.binaries import read

_APPLE = pathlib.Path(__file__).absolute().parents[2] / "extension" / "apple"

TABLE = documented_names.table()


@pytest.fixture(scope="module")
def classes():
    """What the archives for iOS define."""
    if "CLASSES" not in os.environ:
        pytest.skip("Bazel compiles them: ./bazelw test //tests/apple:documented_names_test")
    found = [read(pathlib.Path(path).read_bytes()) for path in os.environ["CLASSES"].split()]
    assert [one.kind for one in found] == ["Mach-O 64-bit AArch64 object for iOS"] * 2
    return set().union(*(one.defined | one.further for one in found))


def headers():
    return [path.read_text() for path in sorted(_APPLE.glob("ExecuTorch*/*.h"))]


@pytest.fixture(scope="module")
def present(classes):
    """Kind -> names that are there."""
    sources = [path.read_text() for path in sorted((_APPLE / "Swift").glob("*.swift"))]
    manifest = package_swift(os.environ["PRODUCTS"].split(), "1", with_swift=True)
    return {
        "method": documented_names.methods(classes),
        "name": documented_names.of_headers(headers()),
        "swift": documented_names.for_swift(headers(), sources),
        "product": {line.split('"')[1] for line in manifest.splitlines() if ".library(" in line},
    }


def test_documented_names(present):
    missing = [row for row in TABLE if not row.why and row.text not in present[row.kind]]
    here = [row for row in TABLE if row.why and row.text in present[row.kind]]
    count = collections.Counter((row.kind, bool(row.why)) for row in TABLE)
    print("| kind | documented | present | absent |\n| --- | --- | --- | --- |")
    for kind in present:
        there, absent = count[kind, False], count[kind, True]
        print(f"| {kind} | {there + absent} | {there} | {absent} |")
    print("\n".join(f"absent: {row.text}: {row.why}" for row in TABLE if row.why))
    assert not missing and not here


def test_every_product_is_documented(present):
    assert present["product"] == {row.text for row in TABLE if row.kind == "product" and not row.why}


def test_classes_are_apples(classes):
    """Objects of Apple's runtime, whose classes applications refer to by these names."""
    names = {row.text.split()[0] for row in TABLE if row.kind == "method"}
    assert {f"OBJC_CLASS_$_{name}" for name in names} <= classes


def test_what_a_table_would_miss():
    """The readers find what is declared and nothing else."""
    header = "- (BOOL)load:(NSError**)error\n    NS_SWIFT_NAME(load());\n@property(readonly) int count;\n- (void)stop;\n"
    assert documented_names.selectors(header) == {"load:", "stop"}
    assert documented_names.of_headers([header]) >= {"load:", "count", "NSError"}
    symbols = ["-[A b:c:]", "+[A(Extra) d]", "A b", "-[A"]
    assert documented_names.methods(symbols) == {"A -b:c:", "A +d"}
    found = documented_names.for_swift([header], ["public func forward(_ x: Int) {}\nstruct Box<T> {}"])
    assert found == {"load", "stop", "forward", "Box"}
