"""What is packed out of a few files: plists, places, Package.swift with and without Swift; same inputs, same bytes."""

from __future__ import annotations

import plistlib
import zipfile

import pytest

from executorch.extension.apple.frameworks import pack


@pytest.fixture
def manifest(tmp_path):
    """A package of a core and of kernels that have no headers."""
    for name in ("core.a", "kernels.a", "module.h", "VERSION"):
        (tmp_path / name).write_text(f"{name}\n")
    (tmp_path / "c.modulemap").write_text(
        '// Of a module of C.\nmodule C {\n  header "../executorch/module.h"\n}\n'
    )
    licence = tmp_path / "src_thing" / "LICENSE"
    licence.parent.mkdir()
    licence.write_text("as you like\n")
    (tmp_path / "Tensor.swift").write_text("struct Tensor {}\n")

    def framework(name, archive, headers, modulemaps):
        archives = dict.fromkeys(pack.LIBRARIES, str(tmp_path / archive))
        return {"archives": archives, "headers": headers, "modulemaps": modulemaps, "name": name}

    headers = {"executorch/module.h": str(tmp_path / "module.h")}
    return {
        "frameworks": [
            framework("executorch", "core.a", headers, [str(tmp_path / "c.modulemap")]),
            framework("kernels_quantized", "kernels.a", {}, []),
        ],
        "licences": [str(licence)],
        "swift": [],
        "version": str(tmp_path / "VERSION"),
    }


def test_places(manifest):
    files = pack.contents(manifest)
    core = "Frameworks/executorch.xcframework"
    assert files[f"{core}/ios-arm64/libexecutorch_ios.a"] == b"core.a\n"
    assert files[f"{core}/macos-arm64/Headers/executorch/module.h"] == b"module.h\n"
    assert files[f"{core}/ios-arm64-simulator/Headers/C/module.modulemap"].startswith(
        b"// Of a module of C.\nmodule C {"
    )
    kernels = [path for path in files if "kernels_quantized.xcframework/macos" in path]
    assert len(kernels) == 2 and any("/Headers/" in path for path in kernels)
    assert files["Licences/thing.txt"] == b"as you like\n"


def test_info_plist():
    table = plistlib.loads(pack.info_plist("executorch", ["simulator", "ios"]))
    device, simulator = table["AvailableLibraries"]
    assert (device["LibraryIdentifier"], device["LibraryPath"]) == ("ios-arm64", "libexecutorch_ios.a")
    assert "SupportedPlatformVariant" not in device
    assert simulator["SupportedPlatformVariant"] == "simulator" and simulator["SupportedPlatform"] == "ios"


def test_a_module_map_names_its_module():
    with pytest.raises(ValueError, match="begins with `module NAME`"):
        pack.module_name("// Of a module.\n")


def test_package_swift(manifest, tmp_path):
    plain = pack.contents(manifest)["Package.swift"].decode()
    assert '.library(name: "kernels_quantized", targets: ["kernels_quantized", "ExecuTorchLinks"]),' in plain
    assert "of version VERSION" in plain and '"ExecuTorch"' not in plain
    manifest["swift"] = [str(tmp_path / "Tensor.swift")]
    files = pack.contents(manifest)
    text = files["Package.swift"].decode()
    assert '.library(name: "executorch", targets: ["executorch", "ExecuTorchLinks", "ExecuTorch"]),' in text
    assert '.target(name: "ExecuTorch", dependencies: ["executorch"]),' in text
    assert files["Sources/ExecuTorch/Tensor.swift"] == b"struct Tensor {}\n"


def test_same_inputs_give_the_same_bytes(manifest, tmp_path):
    outs = [tmp_path / "a.zip", tmp_path / "b.zip"]
    for out in outs:
        pack.write_archive(pack.contents(manifest), out)
    assert outs[0].read_bytes() == outs[1].read_bytes()
    with zipfile.ZipFile(outs[0]) as archive:
        assert all(name.startswith("executorch/") for name in archive.namelist())
