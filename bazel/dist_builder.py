"""Packs one C++ distribution: dist_builder.py MANIFEST.json OUT.tar.gz

The tar unpacks over an install prefix: ``include/executorch/...``, static libraries in ``lib``,
``lib/cmake/<library>/`` and ``lib/pkgconfig/<library>.pc``. The manifest says of each archive whether it holds registrations (kernels,
backends) that nothing refers to by name, which the CMake target links whole. Further archives are the same under other names:
no target links them. Third-party code that the library cannot do without has its licences in ``share/doc/<library>``.
Same inputs, same bytes.
"""

from __future__ import annotations

import gzip
import io
import json
import pathlib
import sys
import tarfile

_CONFIG = """\
# CMake package of @LIBRARY@ @VERSION@: defines the target executorch::@SHORT@.
include(CMakeFindDependencyMacro)
@DEPENDENCIES@set(EXECUTORCH_STANDARD_LIBRARY "@STANDARD_LIBRARY@")
get_filename_component(_@LIBRARY@_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET executorch::@SHORT@)
  add_library(executorch::@SHORT@ INTERFACE IMPORTED)
  target_include_directories(executorch::@SHORT@ INTERFACE "${_@LIBRARY@_prefix}/include")
  target_compile_features(executorch::@SHORT@ INTERFACE cxx_std_17)
@WHOLE@  target_link_libraries(executorch::@SHORT@ INTERFACE @LINKS@)
endif()
"""

# Options, as one group: of libraries' items CMake drops a flag that it has seen, and with two such archives one would not be whole.
_WHOLE = """\
  if(APPLE)
    target_link_options(executorch::@SHORT@ INTERFACE "-Wl,-force_load,@PATH@")
  else()
    target_link_options(executorch::@SHORT@ INTERFACE "SHELL:-Wl,--whole-archive \\"@PATH@\\" -Wl,--no-whole-archive")
  endif()
"""

_VERSION = """\
set(PACKAGE_VERSION "@VERSION@")
# Before 1.0 a minor release may change the API.
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION OR
   NOT "${PACKAGE_FIND_VERSION_MAJOR}.${PACKAGE_FIND_VERSION_MINOR}" VERSION_EQUAL "@MINOR@")
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
"""

_PKGCONFIG = """\
prefix=${pcfiledir}/../..
Name: @LIBRARY@
Description: ExecuTorch microlibrary @SHORT@
Version: @VERSION@
Requires: @REQUIRES@
Cflags: -I${prefix}/include
Libs: @LIBS@
"""


def _fill(template: str, values: dict[str, str]) -> bytes:
    for name, value in values.items():
        template = template.replace(f"@{name}@", value)
    return template.encode()


def config_files(manifest: dict, version: str) -> dict[str, bytes]:
    library = manifest["library"]
    siblings = {name: pathlib.Path(path).read_text().strip() for name, path in manifest["siblings"].items()}
    links, wholes = [], []
    flags: dict[bool, list[str]] = {True: [], False: []}
    for archive, whole in manifest["archives"]:
        name = pathlib.Path(archive).stem.removeprefix("lib")
        path = f"${{_{library}_prefix}}/lib/lib{name}.a"
        (wholes if whole else links).append(path if whole else f'"{path}"')
        flags[whole].append(f"-l{name}")
    links += ["executorch::" + name.removeprefix("executorch_") for name in siblings]
    links += [f'"{flag}"' for flag in manifest["system"]]
    # One group: pkg-config drops a flag that it has seen.
    group = ["-Wl,--whole-archive", *flags[True], "-Wl,--no-whole-archive"] if flags[True] else []
    libs = ["-L${prefix}/lib", *group, *flags[False], *manifest["system"]]
    values = {
        # First: what it stands for has names of the others.
        "WHOLE": "".join(_WHOLE.replace("@PATH@", path) for path in wholes),
        "LIBRARY": library,
        "STANDARD_LIBRARY": manifest["standard_library"],
        "SHORT": library.removeprefix("executorch_"),
        "VERSION": version,
        "MINOR": ".".join(version.split(".")[:2]),
        "DEPENDENCIES": "".join(f"find_dependency({name} {v})\n" for name, v in sorted(siblings.items())),
        "LINKS": " ".join(links),
        "REQUIRES": ", ".join(f"{name} >= {v}" for name, v in sorted(siblings.items())),
        "LIBS": " ".join(libs),
    }
    return {
        f"lib/cmake/{library}/{library}Config.cmake": _fill(_CONFIG, values),
        f"lib/cmake/{library}/{library}ConfigVersion.cmake": _fill(_VERSION, values),
        f"lib/pkgconfig/{library}.pc": _fill(_PKGCONFIG, values),
    }


def main() -> None:
    manifest = json.loads(pathlib.Path(sys.argv[1]).read_text())
    entries = {
        f"include/{name}": pathlib.Path(path).read_bytes() for name, path in manifest["headers"].items()
    }
    entries |= {name: pathlib.Path(path).read_bytes() for name, path in manifest["licences"].items()}
    for path in [path for path, _ in manifest["archives"]] + manifest["further_archives"]:
        entries[f"lib/{pathlib.Path(path).name}"] = pathlib.Path(path).read_bytes()
    entries.update(config_files(manifest, pathlib.Path(manifest["version"]).read_text().strip()))
    with (
        open(sys.argv[2], "wb") as sink,
        gzip.GzipFile(filename="", fileobj=sink, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name in sorted(entries):
            entry = tarfile.TarInfo(name)
            entry.size = len(entries[name])
            entry.mode = 0o644
            archive.addfile(entry, io.BytesIO(entries[name]))


if __name__ == "__main__":
    main()
