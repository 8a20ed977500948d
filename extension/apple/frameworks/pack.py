"""Packs static libraries as `.xcframework`s with a Package.swift: pack MANIFEST.json OUT.zip. Same inputs, same bytes."""

from __future__ import annotations

import json
import pathlib
import plistlib
import re
import sys
import zipfile
from collections.abc import Iterable
from typing import Any

#: The directory that the archive unpacks to, whose name is the package's for who depends on its path.
ROOT = "executorch"

#: What `Info.plist` says of each platform: identifier of the library, platform, variant.
LIBRARIES = {
    "ios": ("ios-arm64", "ios", None),
    "macos": ("macos-arm64", "macos", None),
    "simulator": ("ios-arm64-simulator", "ios", "simulator"),
}

#: What code compiled for the platforms asks of the system, as the documented page has it of applications.
_LEAST = [".iOS(.v17)", ".macOS(.v12)"]

#: Binary targets link nothing themselves: what all of them need, as a target without code.
_LINKS = "ExecuTorchLinks"

#: The framework that each application has, and the module in Swift over its headers.
_CORE, _SWIFT = "executorch", "ExecuTorch"


def info_plist(name: str, platforms: Iterable[str]) -> bytes:
    """The table of contents of an `.xcframework`."""
    libraries = []
    for platform in sorted(platforms):
        identifier, system, variant = LIBRARIES[platform]
        library = {
            "BinaryPath": f"lib{name}_{platform}.a",
            "HeadersPath": "Headers",
            "LibraryIdentifier": identifier,
            "LibraryPath": f"lib{name}_{platform}.a",
            "SupportedArchitectures": ["arm64"],
            "SupportedPlatform": system,
        }
        libraries.append(library | ({"SupportedPlatformVariant": variant} if variant else {}))
    table = {
        "AvailableLibraries": libraries,
        "CFBundlePackageType": "XFWK",
        "XCFrameworkFormatVersion": "1.0",
    }
    return plistlib.dumps(table, sort_keys=True)


def module_name(text: str) -> str:
    """The name of the module that a module map declares.

    Raises:
        ValueError: it declares none at the beginning of a line.
    """
    found = re.search(r"^module (\w+)", text, re.MULTILINE)
    if found is None:
        raise ValueError("A module map has a line that begins with `module NAME`, found none")
    return found[1]


def xcframework(framework: dict[str, Any]) -> dict[str, bytes]:
    """Path in `NAME.xcframework` -> bytes. A framework's headers are the same on every platform."""
    headers = {path: pathlib.Path(file).read_bytes() for path, file in framework["headers"].items()}
    for text in (pathlib.Path(path).read_text() for path in framework["modulemaps"]):
        # In a directory of its own: Xcode copies the headers of all frameworks into one.
        headers[f"{module_name(text)}/module.modulemap"] = text.encode()
    if not headers:
        headers["executorch/README"] = b"This framework registers kernels or a backend: it has no headers.\n"
    files = {"Info.plist": info_plist(framework["name"], framework["archives"])}
    for platform, archive in framework["archives"].items():
        library = LIBRARIES[platform][0]
        files[f"{library}/lib{framework['name']}_{platform}.a"] = pathlib.Path(archive).read_bytes()
        files.update({f"{library}/Headers/{path}": raw for path, raw in headers.items()})
    return files


def package_swift(names: Iterable[str], version: str, with_swift: bool) -> str:
    """The manifest of the package: a product for each framework, by its documented name."""

    def product(name: str) -> str:
        # Which of the two cores is linked does not matter to Swift, whose sources see the headers of one.
        swift = f', "{_SWIFT}"' if with_swift and name == _CORE else ""
        return f'    .library(name: "{name}", targets: ["{name}", "{_LINKS}"{swift}]),'

    products = [product(name) for name in names]
    targets = [f'    .binaryTarget(name: "{name}", path: "Frameworks/{name}.xcframework"),' for name in names]
    if with_swift:
        targets.append(f'    .target(name: "{_SWIFT}", dependencies: ["{_CORE}"]),')
    lines = [
        "// swift-tools-version:5.9",
        f"// Generated, of version {version}.",
        "import PackageDescription",
        "",
        "let package = Package(",
        f'  name: "{ROOT}",',
        f"  platforms: [{', '.join(_LEAST)}],",
        "  products: [",
        *products,
        "  ],",
        "  targets: [",
        *targets,
        f'    .target(name: "{_LINKS}", linkerSettings: [.linkedLibrary("c++")]),',
        "  ]",
        ")",
        "",
    ]
    return "\n".join(lines)


def contents(manifest: dict[str, Any]) -> dict[str, bytes]:
    """Path in the package -> bytes."""
    names = [framework["name"] for framework in manifest["frameworks"]]
    version = pathlib.Path(manifest["version"]).read_text().strip()
    files = {
        "Package.swift": package_swift(names, version, bool(manifest["swift"])).encode(),
        f"Sources/{_LINKS}/links.c": b'#include "links.h"\n',
        f"Sources/{_LINKS}/include/links.h": b"// No code: what the frameworks are linked with.\n",
    }
    for framework in manifest["frameworks"]:
        for path, raw in xcframework(framework).items():
            files[f"Frameworks/{framework['name']}.xcframework/{path}"] = raw
    for source in map(pathlib.Path, manifest["swift"]):
        files[f"Sources/{_SWIFT}/{source.name}"] = source.read_bytes()
    for licence in map(pathlib.Path, manifest["licences"]):
        name = next(part for part in licence.parts if "src_" in part).rpartition("src_")[2]
        files[f"Licences/{name}.txt"] = licence.read_bytes()
    return files


def write_archive(files: dict[str, bytes], out: pathlib.Path) -> None:
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{ROOT}/{name}", (1980, 1, 1, 0, 0, 2))
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def main(manifest: str, out: str) -> None:
    write_archive(contents(json.loads(pathlib.Path(manifest).read_text())), pathlib.Path(out))


if __name__ == "__main__":
    main(*sys.argv[1:])
