"""A package for SwiftPM, unpacked and read back: archives, plists, module maps, headers, Package.swift."""

from __future__ import annotations

import os
import plistlib
import re
import zipfile

import pytest

from executorch.toolchains.binaries import members, read

#: Platform -> directory, words of its objects, least system of an application as documented.
PLATFORMS = {
    "ios": ("ios-arm64", "Mach-O 64-bit AArch64 object for iOS", 17),
    "macos": ("macos-arm64", "Mach-O 64-bit AArch64 object for macOS", 12),
    "simulator": ("ios-arm64-simulator", "Mach-O 64-bit AArch64 object for iOS simulator", 17),
}

#: Parts of names in libc++ that no system of these versions has; headers say since when.
TOO_NEW = ("__hash_memory", "19bad_function_call", "__libcpp_verbose_abort", "8to_chars", "10from_chars")


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    if "PACKAGE" not in os.environ:
        pytest.skip("Bazel makes it: ./bazelw test //tests/apple:frameworks_test")
    out = tmp_path_factory.mktemp("package")
    with zipfile.ZipFile(os.environ["PACKAGE"]) as archive:
        archive.extractall(out)
    (root,) = out.iterdir()
    assert root.name == "executorch"
    return root


@pytest.fixture(scope="module")
def archives(package):
    """(framework, platform) -> bytes and what is read of them."""
    found = {}
    for directory in sorted((package / "Frameworks").iterdir()):
        name = directory.name.removesuffix(".xcframework")
        for platform, (library, *_) in PLATFORMS.items():
            raw = (directory / library / f"lib{name}_{platform}.a").read_bytes()
            found[name, platform] = raw, read(raw)
    return found


def names(package):
    return [path.name.removesuffix(".xcframework") for path in sorted((package / "Frameworks").iterdir())]


def test_package_swift_names_what_is_there(package):
    text = (package / "Package.swift").read_text()
    assert text.startswith("// swift-tools-version:5.9\n")
    assert "platforms: [.iOS(.v17), .macOS(.v12)]" in text
    assert sorted(re.findall(r'\.library\(name: "(\w+)"', text)) == names(package)
    paths = re.findall(r'\.binaryTarget\(name: "(\w+)", path: "([^"]+)"\)', text)
    assert sorted(name for name, _ in paths) == names(package)
    assert all((package / path / "Info.plist").is_file() for _, path in paths)
    for target in re.findall(r'\.target\(name: "(\w+)"', text):
        assert list((package / "Sources" / target).iterdir())


def test_info_plist(package):
    for name in names(package):
        root = package / "Frameworks" / f"{name}.xcframework"
        table = plistlib.loads((root / "Info.plist").read_bytes())
        assert (table["CFBundlePackageType"], table["XCFrameworkFormatVersion"]) == ("XFWK", "1.0")
        found = {}
        for library in table["AvailableLibraries"]:
            directory = root / library["LibraryIdentifier"]
            assert (directory / library["LibraryPath"]).is_file()
            assert (directory / library["HeadersPath"]).is_dir()
            assert library["SupportedArchitectures"] == ["arm64"]
            variant = library.get("SupportedPlatformVariant")
            found[library["LibraryIdentifier"]] = library["SupportedPlatform"], variant
        assert found == {
            "ios-arm64": ("ios", None),
            "ios-arm64-simulator": ("ios", "simulator"),
            "macos-arm64": ("macos", None),
        }
        assert {path.name for path in root.iterdir()} == {"Info.plist", *found}


def test_load_commands(archives):
    print("| archive | objects | bytes | least system |\n| --- | --- | --- | --- |")
    for (name, platform), (raw, found) in archives.items():
        _, kind, least = PLATFORMS[platform]
        parts = [read(body) for _, body in members(raw)]
        assert {part.kind for part in parts} == {kind}
        minimum = {part.minimum for part in parts}
        assert len(minimum) == 1 and float(max(minimum)) <= least
        # Apple's linker asks for the archive's table, and for it to be its own.
        assert raw[8:11] == b"#1/" and raw[68:].startswith(b"__.SYMDEF")
        print(f"| lib{name}_{platform}.a | {found.members} | {len(raw):,} | {max(minimum)} |")


@pytest.mark.parametrize("platform", PLATFORMS)
def test_all_of_them_can_be_loaded_whole(archives, platform):
    """As documented, with -all_load: nothing twice, and nothing open that is not the system's."""
    of_platform = {name: found for (name, at), (_, found) in archives.items() if at == platform}
    seen: dict[str, str] = {}
    for name, found in of_platform.items():
        if name.endswith("_debug"):
            continue
        twice = {symbol: seen[symbol] for symbol in found.defined if symbol in seen}
        assert not twice, name
        seen.update(dict.fromkeys(found.defined, name))
    defined = set().union(*(found.defined | found.further for found in of_platform.values()))
    unresolved = set().union(*(found.undefined for found in of_platform.values())) - defined
    ours = {
        name for name in unresolved if re.search(r"executorch|xnn|pthreadpool|et_pal|cpuinfo|pcre2", name)
    }
    assert not ours
    assert not {name for name in unresolved if any(part in name for part in TOO_NEW)}


def test_the_core_has_the_c_interface_and_what_it_declares(package, archives):
    header = "executorch/extension/c_api/executorch_c.h"
    for platform, (library, *_) in PLATFORMS.items():
        headers = package / "Frameworks/executorch.xcframework" / library / "Headers"
        declared = set(
            re.findall(r"EXECUTORCH_C_API [^;]*?\b(executorch_\w+)\(", (headers / header).read_text())
        )
        assert len(declared) > 10 and declared <= archives["executorch", platform][1].defined


def test_module_maps_name_headers_that_are_there(package):
    maps = sorted((package / "Frameworks").glob("*/*/Headers/*/module.modulemap"))
    assert {path.parent.name for path in maps} >= {"ExecuTorchC"}
    for path in maps:
        # In a directory of the module's name, where Clang looks for it.
        assert re.search(rf"^module {path.parent.name} \{{", path.read_text(), re.MULTILINE)
        for header in re.findall(r'header "([^"]+)"', path.read_text()):
            assert (path.parent / header).is_file()


def test_headers_include_only_what_is_there(package):
    """What a header of ours includes of ours lies beside it, or in the core."""
    for name in names(package):
        roots = [
            package / "Frameworks" / f"{one}.xcframework" / "ios-arm64" / "Headers"
            for one in (name, "executorch")
        ]
        for header in roots[0].rglob("*.h"):
            for included in re.findall(
                r"#(?:include|import) <((?:executorch|ExecuTorch)[^>]+)>", header.read_text()
            ):
                assert any((root / included).is_file() for root in roots), f"{header}: {included}"


def test_licences(package):
    assert {path.stem for path in (package / "Licences").iterdir()} >= {"pthreadpool", "cpuinfo"}
