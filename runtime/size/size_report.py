"""How much memory the core takes: two programs compiled for size, one with the runtime and one without, subtracted.

    ./bazelw run //runtime:size_report [-- --pair=PLATFORM=WITH,WITHOUT ...]

Counted is what the program occupies where it runs: ``text`` is code, ``rodata`` all that is only read (constants,
tables for unwinding and relocation), ``data`` and ``bss`` the RAM that is static. Kernels and backends are not linked.
The kernel registry has room for 64 kernels, 28 bytes each. Messages are left out (ET_LOG_ENABLED=0) except in the
row that says otherwise.
"""

from __future__ import annotations

import json
import pathlib
import struct

from absl import app, flags

_PAIRS = flags.DEFINE_multi_string(
    "pair", [], "PLATFORM=WITH,WITHOUT: further programs to subtract, such as those of a cross-compiler."
)

KINDS = ("text", "rodata", "data", "bss")
#: What the issue asks of the host: text and rodata together, in bytes.
TARGET = 50 * 1024

_HERE = pathlib.Path(__file__).absolute().parent
_WRITE, _ALLOC, _EXECUTE = 1, 2, 4
_NOBITS = 8


def sections(elf: bytes) -> dict[str, int]:
    """Bytes of each kind in memory, from an ELF file's section headers.

    Raises:
        ValueError: this is no little-endian ELF file.
    """
    if elf[:4] != b"\x7fELF" or elf[5] != 1:
        raise ValueError("not a little-endian ELF file")
    wide = elf[4] == 2
    offset = struct.unpack_from("<Q" if wide else "<I", elf, 0x28 if wide else 0x20)[0]
    entry_size, count = struct.unpack_from("<HH", elf, 0x3A if wide else 0x2E)
    totals = dict.fromkeys(KINDS, 0)
    for index in range(count):
        at = offset + index * entry_size
        kind = struct.unpack_from("<I", elf, at + 4)[0]
        flag_bits = struct.unpack_from("<Q" if wide else "<I", elf, at + 8)[0]
        size = struct.unpack_from("<Q" if wide else "<I", elf, at + (0x20 if wide else 0x14))[0]
        if not flag_bits & _ALLOC:
            continue
        if flag_bits & _EXECUTE:
            totals["text"] += size
        elif not flag_bits & _WRITE:
            totals["rodata"] += size
        else:
            totals["bss" if kind == _NOBITS else "data"] += size
    return totals


def difference(with_core: pathlib.Path, without: pathlib.Path) -> dict[str, int]:
    """What the core adds to a program, by kind."""
    larger, smaller = (sections(path.read_bytes()) for path in (with_core, without))
    return {kind: larger[kind] - smaller[kind] for kind in KINDS}


def pairs(extra: list[str]) -> dict[str, tuple[pathlib.Path, pathlib.Path]]:
    """Platform to the program with the runtime and the one without."""
    found = {
        "linux_x86_64": (_HERE / "size_test_smallest", _HERE / "size_base_smallest"),
        "linux_x86_64_with_log": (_HERE / "size_test_with_log", _HERE / "size_base_with_log"),
    }
    for text in extra:
        platform, equals, files = text.partition("=")
        with_core, comma, without = files.partition(",")
        if not (equals and comma):
            raise app.UsageError(f"--pair takes PLATFORM=WITH,WITHOUT, not '{text}'")
        found[platform] = (pathlib.Path(with_core), pathlib.Path(without))
    return found


def main(arguments: list[str]) -> None:
    if len(arguments) > 1:
        raise app.UsageError(f"unexpected arguments: {arguments[1:]}")
    report = {platform: difference(*files) for platform, files in pairs(_PAIRS.value).items()}
    print("platform".ljust(24) + "".join(kind.rjust(10) for kind in KINDS))
    for platform, sizes in report.items():
        print(platform.ljust(24) + "".join(f"{sizes[kind]:10,}" for kind in KINDS))
    print(f"target: text + rodata under {TARGET:,} bytes on linux_x86_64")
    print("RESULT " + json.dumps({"core_bytes": report}))


if __name__ == "__main__":
    app.run(main)
