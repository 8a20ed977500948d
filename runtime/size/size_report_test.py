"""The size report: reads ELF files right, and the core keeps to its size."""

import struct

import pytest

from executorch.runtime.size import size_report


def elf64(headers):
    """An ELF file of section headers only; each is (type, flags, size)."""
    head = (
        b"\x7fELF\x02\x01"
        + bytes(0x22)
        + struct.pack("<Q", 64)
        + bytes(10)
        + struct.pack("<HHH", 64, len(headers), 0)
    )
    body = b"".join(
        struct.pack("<IIQQQQIIQQ", 0, kind, flags, 0, 0, size, 0, 0, 0, 0) for kind, flags, size in headers
    )
    return head + body


def test_sections_are_sorted_by_what_they_are():
    elf = elf64([(1, 6, 100), (1, 2, 20), (1, 3, 7), (8, 3, 3), (1, 0, 999), (1, 6, 1)])
    assert size_report.sections(elf) == {"text": 101, "rodata": 20, "data": 7, "bss": 3}


def test_other_files_are_refused():
    with pytest.raises(ValueError, match="not a little-endian ELF"):
        size_report.sections(b"MZ" + bytes(100))


def test_the_core_is_small():
    for platform, files in size_report.pairs([]).items():
        sizes = size_report.difference(*files)
        code = sizes["text"] + sizes["rodata"]
        # From both sides: a report of nothing would be under any target.
        # What every refusal says costs flash as well, and call_plan says more of them.
        most = size_report.TARGET * (1.6 if platform.endswith("_with_log") else 1)
        assert 8 * 1024 < code < most, (platform, sizes)
        assert sizes["data"] + sizes["bss"] < 8 * 1024, (platform, sizes)


def test_the_core_takes_nothing_that_throws_or_allocates():
    # One call such as std::string_view::substr brings the unwinder to a firmware, which does not link then.
    unwanted = (
        b"__cxa_throw",
        b"__cxa_allocate_exception",
        b"__throw_",
        b"_Znwm",
        b"_Znam",
        b"12basic_stringI",
    )
    for platform, (with_core, _) in size_report.pairs([]).items():
        names = with_core.read_bytes()
        assert b"executorch" in names, f"{platform} was stripped: its names say nothing"
        assert [name for name in unwanted if name in names] == [], platform
