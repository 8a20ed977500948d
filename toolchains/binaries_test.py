"""The reader of compiled files: each format, archives of both kinds, and what is refused."""

import struct

import pytest

from executorch.toolchains import binaries


def elf(wide, machine, kind, sections, symbols=()):
    """An ELF file; sections are (type, flags, size), symbols (name, bind, section index)."""
    names, table = b"\0", b""
    for name, bind, index in (("", 0, 0), *symbols):
        at = len(names)
        names += name.encode() + b"\0"
        value = struct.pack("<IBBHQQ", at, bind << 4, 0, index, 0, 0)
        table += value if wide else struct.pack("<IIIBBH", at, 0, 0, bind << 4, 0, index)
    head = 64 if wide else 52
    headers = [(0, 0, 0, 0, 0), *((t, f, 0, s, 0) for t, f, s in sections)]
    headers.append((2, 0, head, len(table), len(headers) + 1))
    headers.append((3, 0, head + len(table), len(names), 0))
    start = head + len(table) + len(names)
    ident = b"\x7fELF" + bytes([2 if wide else 1, 1, 1]) + bytes(9)
    layout = "<HHIQQQIHHHHHH" if wide else "<HHIIIIIHHHHHH"
    step = 64 if wide else 40
    raw = ident + struct.pack(layout, kind, machine, 1, 0, 0, start, 0, head, 0, 0, step, len(headers), 0)
    raw += table + names
    for t, flags, offset, size, link in headers:
        row = (0, t, flags, 0, offset, size, link, 0, 0, 0)
        raw += struct.pack("<IIQQQQIIQQ" if wide else "<10I", *row)
    return raw


SECTIONS = [(1, 6, 100), (1, 2, 20), (1, 3, 7), (8, 3, 3), (1, 0, 999)]


@pytest.mark.parametrize(
    "wide, machine, kind, words",
    [
        (True, 183, 1, "ELF 64-bit AArch64 object"),
        (False, 40, 2, "ELF 32-bit Arm program"),
        (False, 94, 2, "ELF 32-bit Xtensa program"),
        (True, 243, 3, "ELF 64-bit RISC-V position-independent program"),
    ],
)
def test_elf(wide, machine, kind, words):
    found = binaries.read(elf(wide, machine, kind, SECTIONS))
    assert found.kind == words
    assert (found.text, found.rodata, found.data, found.bss, found.flash) == (100, 20, 7, 3, 120)


@pytest.mark.parametrize("wide", [False, True])
def test_symbols(wide):
    symbols = [("memcpy", 1, 0), ("mine", 1, 3), ("inline", 2, 3), ("maybe", 2, 0), ("local", 0, 3)]
    found = binaries.read(elf(wide, 40, 1, SECTIONS, symbols))
    assert (found.undefined, found.defined) == ({"memcpy"}, {"mine"})


def mach(sections, platform=None, kind=1, libraries=(), symbols=(), signed=False):
    """A Mach-O file for AArch64; sections are (segment, size, flags), symbols (name, type, description, value)."""
    body = b""
    for segment, size, flags in sections:
        body += b"__x".ljust(16, b"\0") + segment.encode().ljust(16, b"\0")
        body += struct.pack("<QQIIIIIII", 0, size, 0, 0, 0, 0, flags, 0, 0) + bytes(4)
    commands = [
        struct.pack("<II16sQQQQIIII", 0x19, 72 + len(body), b"", 0, 0, 0, 0, 7, 7, len(sections), 0) + body
    ]
    if platform is not None:
        commands.append(struct.pack("<IIIIII", 0x32, 24, platform, 13 << 16 | 2 << 8, 27 << 16, 0))
    for library in libraries:
        path = library.encode() + b"\0" * (8 - len(library) % 8)
        commands.append(struct.pack("<6I", 0xC, 24 + len(path), 24, 0, 0, 0) + path)
    if signed:
        commands.append(struct.pack("<4I", 0x1D, 16, 0, 0))
    names, table = b"\0", b""
    for name, type_, description, value in symbols:
        table += struct.pack("<IBBHQ", len(names), type_, 0, description, value)
        names += name.encode() + b"\0"
    start = 32 + sum(map(len, commands)) + 24
    commands.append(struct.pack("<6I", 2, 24, start, len(symbols), start + len(table), len(names)))
    head = struct.pack("<8I", 0xFEEDFACF, 0x0100000C, 0, kind, len(commands), sum(map(len, commands)), 0, 0)
    return head + b"".join(commands) + table + names


def test_mach():
    sections = [("__TEXT", 100, 0x80000400), ("__TEXT", 20, 0), ("__DATA", 7, 0), ("__DATA", 3, 1)]
    found = binaries.read(mach([*sections, ("__LD", 50, 0x02000000)], platform=2))
    assert found.kind == "Mach-O 64-bit AArch64 object for iOS"
    assert (found.text, found.rodata, found.data, found.bss) == (100, 20, 7, 3)
    assert (found.minimum, found.signed, found.bound) == ("13.2", False, {})


MACH_SYMBOLS = [
    ("_write", 0x01, 1 << 8, 0),
    ("_draw", 0x01, 2 << 8, 0),
    ("_anywhere", 0x01, 0xFE << 8, 0),
    ("_if_there", 0x01, 1 << 8 | 0x40, 0),
    ("_main", 0x0F, 0, 0x1000),
    ("_inline", 0x0F, 0x80, 0x1010),
    ("_common", 0x01, 0, 16),
    ("_hidden", 0x1F, 0, 0x1020),
    ("_local", 0x0E, 0, 0x1030),
    ("_debugged", 0x24, 0, 0x1040),
]


def test_mach_program():
    libraries = ["/usr/lib/libSystem.B.dylib", "/usr/lib/libdraw.dylib"]
    sections = [("__DATA", 7, 0), ("__DATA_CONST", 5, 6)]
    found = binaries.read(mach(sections, 1, 2, libraries, MACH_SYMBOLS, signed=True))
    assert found.kind == "Mach-O 64-bit AArch64 program for macOS"
    assert found.bound == {libraries[0]: {"write"}, libraries[1]: {"draw"}, "": {"anywhere"}}
    assert found.undefined == {"write", "draw", "anywhere"}
    assert (found.defined, found.further) == ({"main", "common"}, {"inline", "hidden", "local"})
    assert (found.data, found.signed) == (12, True)


def test_mach_object_is_bound_to_nothing_yet():
    found = binaries.read(mach([], symbols=MACH_SYMBOLS))
    assert (found.undefined, found.bound) == ({"write", "draw", "anywhere"}, {})


def coff(optional=0, flags=0):
    sections = [(100, 0x60000020), (20, 0x40000040), (7, 0xC0000040), (3, 0xC0000080), (9, 0x42000040)]
    raw = struct.pack("<HHIIIHH", 0x8664, len(sections), 0, 0, 0, optional, flags) + bytes(optional)
    for size, characteristics in sections:
        raw += b".x".ljust(8, b"\0") + struct.pack(
            "<IIIIIIHHI", size, 0, size, 0, 0, 0, 0, 0, characteristics
        )
    return raw


def test_coff_and_pe():
    found = binaries.read(coff())
    assert found.kind == "COFF x86-64 object"
    assert (found.text, found.rodata, found.data, found.bss) == (100, 20, 7, 3)
    program = b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x40) + b"PE\0\0" + coff(optional=240)
    assert binaries.read(program).kind == "PE x86-64 program"
    assert binaries.read(program).text == 100


def test_wasm():
    program = b"\0asm\1\0\0\0" + bytes([10, 3, 1, 2, 3, 11, 2, 0, 0])
    assert binaries.read(program).kind == "Wasm program"
    assert (binaries.read(program).text, binaries.read(program).data) == (3, 2)
    assert binaries.read(program + bytes([0, 8, 7]) + b"linking").kind == "Wasm object"


def member(name, body):
    header = (
        name.ljust(16) + "0".ljust(12) + "0".ljust(6) * 2 + "644".ljust(8) + str(len(body)).ljust(10) + "`\n"
    )
    return header.encode() + body + b"\n" * (len(body) % 2)


def test_archives_of_both_kinds():
    one = elf(True, 183, 1, SECTIONS)
    long = "a_name_that_is_longer_than_sixteen.o"
    gnu = b"!<arch>\n" + member("/", b"\0\0\0\0") + member("//", f"{long}/\n".encode()) + member("/0", one)
    assert [name for name, _ in binaries.members(gnu + member("b.o/", one))] == [long, "b.o"]
    found = binaries.read(gnu + member("b.o/", one))
    assert (found.members, found.text, found.kind) == (2, 200, "ELF 64-bit AArch64 object")
    bsd = b"!<arch>\n" + member("#1/20", b"__.SYMDEF".ljust(20, b"\0") + b"xx")
    bsd += member("#1/40", long.encode().ljust(40, b"\0") + mach([("__TEXT", 8, 0x400)]))
    assert binaries.read(bsd).members == 1
    with pytest.raises(binaries.FormatError, match="an archive of"):
        binaries.read(gnu + member("other.o/", coff()))


@pytest.mark.parametrize("raw", [b"", b"#!/bin/sh\n", b"\x7fELF\2\1", elf(True, 183, 1, SECTIONS)[:-70]])
def test_other_files_are_refused(raw):
    with pytest.raises(binaries.FormatError):
        binaries.read(raw)
