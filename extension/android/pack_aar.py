"""Packs an AAR out of classes and native libraries. The same inputs give the same bytes."""

from __future__ import annotations

import argparse
import pathlib
import sys
import zipfile

#: That of toolchains/targets.bzl, which the natives are compiled for.
_LEAST_API = 28

_MANIFEST = f"""\
<?xml version="1.0" encoding="utf-8"?>
<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="org.pytorch.executorch">
    <uses-sdk android:minSdkVersion="{_LEAST_API}" />
</manifest>
"""

_METADATA = """\
aarFormatVersion=1.0
aarMetadataVersion=1.0
minCompileSdk=1
minAndroidGradlePluginVersion=1.0.0
"""


def library_of(licence: pathlib.Path) -> str:
    """xnnpack for external/...src_xnnpack/site/LICENSE."""
    return next(part for part in licence.parts if "src_" in part).rpartition("src_")[2]


def contents(options: argparse.Namespace) -> dict[str, bytes]:
    """Path in the archive -> bytes."""
    files = {
        "AndroidManifest.xml": _MANIFEST.encode(),
        "META-INF/com/android/build/gradle/aar-metadata.properties": _METADATA.encode(),
        "R.txt": b"",
        "classes.jar": options.classes.read_bytes(),
        "proguard.txt": options.rules.read_bytes(),
    }
    for library in options.library:
        abi, _, path = library.partition("=")
        files[f"jni/{abi}/libexecutorch.so"] = pathlib.Path(path).read_bytes()
    if options.licence:
        texts = [f"{library_of(path)}\n\n{path.read_text()}" for path in options.licence]
        files["META-INF/NOTICE.txt"] = "\n\n".join(texts).encode()
    return files


def write_archive(files: dict[str, bytes], out: pathlib.Path) -> None:
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 2))
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("classes", "rules", "out"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--library", action="append", required=True, help="ABI=PATH")
    parser.add_argument("--licence", action="append", type=pathlib.Path, default=[])
    options = parser.parse_args(arguments)
    write_archive(contents(options), options.out)


if __name__ == "__main__":
    main(sys.argv[1:])
