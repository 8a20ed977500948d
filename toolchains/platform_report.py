"""The table of `//toolchains:all_platforms`: what was built for each platform, read back from the files.

    platform_report MANIFEST.json TABLE.txt

`core` is the runtime's code and read-only data: the difference of two linked programs on bare metal, elsewhere the sum
over the static library. The last line is `RESULT {json}`.
"""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

from executorch.toolchains.binaries import Binary, FormatError, read

#: Names whose binary interface is the same in bionic and in the headers that Android's objects are compiled by.
NEUTRAL = frozenset(
    name
    for line in pathlib.Path(__file__).with_name("bionic.txt").read_text().splitlines()
    if line.startswith("lib")
    for name in line.split()[1:]
)
#: Prefixes of the names of C++, of the compiler's own library, and of what an application may put in place of ours.
_OWN: tuple[str, ...] = (
    "_Z",
    "et_pal_",
    "__aarch64_",
    "__gnu_",
    "__aeabi_",
    "__cxa_",
    "__gxx_",
    "_Unwind_",
    "__div",
    "__mod",
    "__udiv",
    "__umod",
    "__mul",
    "__float",
    "__fix",
)
_OWN += (
    "__ext",
    "__trunc",
    "__add",
    "__sub",
    "__atomic",
    "__stack_chk",
    "_GLOBAL_OFFSET_TABLE_",
    "__clear_cache",
)


def foreign(binary: Binary) -> list[str]:
    """Functions of the C library that an object asks for and that are not known to be alike in bionic and musl."""
    return sorted(name for name in binary.undefined if name not in NEUTRAL and not name.startswith(_OWN))


def _loading(program: Binary) -> str:
    """What a Mach-O program asks of the system that starts it."""
    names = [
        f"names of {library or 'any library'}: {len(names)}"
        for library, names in sorted(program.bound.items())
    ]
    signature = "signed" if program.signed else "not signed"
    return f"from version {program.minimum} on; {', '.join(names) or 'no names'}; {signature}"


def _same_format(binary: Binary, expected: str) -> bool:
    return binary.format == expected or (expected == "COFF" and binary.format == "PE")


def describe(row: dict[str, Any]) -> dict[str, Any]:
    """What the report says of one platform.

    Args:
        row: of the manifest: platform, expected file type, why no program was linked, and the paths.

    Raises:
        FormatError: a file is not what the platform's files are.
    """
    files = {
        name: read(pathlib.Path(row[name]).read_bytes())
        for name in ("core", "kernels", "program")
        if name in row
    }
    for name, binary in files.items():
        if not _same_format(binary, row["file_type"]):
            raise FormatError(f"{row['platform']}: {name} is {binary.kind}, not {row['file_type']}")
    core = files["core"].flash
    how = "objects"
    if "size_with" in row:
        larger, smaller = (
            read(pathlib.Path(row[name]).read_bytes()) for name in ("size_with", "size_without")
        )
        core, how = larger.flash - smaller.flash, "linked"
    shown = files.get("program", files["core"])
    built = [name for name in ("core", "kernels") if files[name].members]
    said = {
        "built": [*built, pathlib.Path(row["program"]).name] if "program" in row else built,
        "core_bytes": core,
        "core_how": how,
        "file_type": shown.kind,
        "kernels_bytes": files["kernels"].flash,
        "note": row["unlinked"],
        "program_bytes": files["program"].flash if "program" in files else None,
    }
    if "program" in files and files["program"].format == "Mach-O":
        said["note"] = _loading(files["program"])
    if row["platform"].startswith("android"):
        names = foreign(files["core"])
        said["note"] += (
            f"; of the C library, not known to be alike in bionic: {', '.join(names) or 'nothing'}"
        )
    return said


def table(platforms: dict[str, dict[str, Any]]) -> str:
    """The report as Markdown."""
    lines = ["| platform | built | file type | core, bytes | kernels, bytes | program, bytes | note |"]
    lines.append("| --- | --- | --- | ---: | ---: | ---: | --- |")
    for name, said in platforms.items():
        core = f"{said['core_bytes']:,} ({said['core_how']})"
        program = "" if said["program_bytes"] is None else f"{said['program_bytes']:,}"
        cells = [
            name,
            ", ".join(said["built"]),
            said["file_type"],
            core,
            f"{said['kernels_bytes']:,}",
            program,
            said["note"],
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    rows = json.loads(pathlib.Path(sys.argv[1]).read_text())
    platforms = {row["platform"]: describe(row) for row in rows}
    result = "RESULT " + json.dumps({"platforms": platforms})
    pathlib.Path(sys.argv[2]).write_text(f"{table(platforms)}\n\n{result}\n")


if __name__ == "__main__":
    main()
