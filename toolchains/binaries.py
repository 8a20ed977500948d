"""What a compiled file says of itself: format, processor, kind, sizes by what they are for, symbols it leaves open.

Reads ELF, Mach-O, COFF and PE, WebAssembly, and archives of them (GNU and BSD), as far as a table of builds needs it.
"""

from __future__ import annotations

import dataclasses
import struct

_ELF_MACHINES = {3: "x86", 40: "Arm", 62: "x86-64", 94: "Xtensa", 183: "AArch64", 243: "RISC-V"}
_ELF_KINDS = {1: "object", 2: "program", 3: "position-independent program"}
_MACH_CPUS = {0x01000007: "x86-64", 0x0100000C: "AArch64"}
_MACH_KINDS = {1: "object", 2: "program", 6: "shared library"}
_MACH_PLATFORMS = {1: "macOS", 2: "iOS", 7: "iOS simulator"}
#: Commands that name a shared library: needed, needed if present, handed on, loaded at first use.
_MACH_LIBRARIES = (0x0000000C, 0x80000018, 0x8000001F, 0x00000020)
_MACH_WEAK_DEFINITION, _MACH_WEAK_REFERENCE = 0x80, 0x40
_COFF_MACHINES = {0x8664: "x86-64", 0xAA64: "AArch64"}


class FormatError(ValueError):
    """The bytes are of no format that is read here, or are cut short."""


@dataclasses.dataclass
class Binary:
    """One compiled file, or the sum of an archive's members.

    Attributes:
        format: "ELF", "Mach-O", "COFF", "PE" or "Wasm".
        kind: format, width, processor and kind in words, such as "ELF 64-bit AArch64 object".
        text: bytes of code.
        rodata: bytes that are only read.
        data: bytes of variables with a value.
        bss: bytes of variables that start as zero.
        undefined: names that another file has to define (ELF and Mach-O only).
        defined: names that this file defines for others, but for those that several may define (ELF and Mach-O only).
        further: other names that a Mach-O file defines: for itself, for what it is linked with, or as one of several.
        members: of an archive; 0 for a single file.
        bound: of a Mach-O program, `undefined` by the path of the shared library in which the loader looks, "" for any.
        minimum: of a Mach-O file, the least version of the system, such as "13.0".
        signed: whether a Mach-O file has a signature, without which no program starts on Apple's AArch64.
    """

    format: str
    kind: str
    text: int = 0
    rodata: int = 0
    data: int = 0
    bss: int = 0
    undefined: set[str] = dataclasses.field(default_factory=set)
    defined: set[str] = dataclasses.field(default_factory=set)
    further: set[str] = dataclasses.field(default_factory=set)
    members: int = 0
    bound: dict[str, set[str]] = dataclasses.field(default_factory=dict)
    minimum: str = ""
    signed: bool = False

    @property
    def flash(self) -> int:
        """Bytes that do not change while the program runs: code and what is only read."""
        return self.text + self.rodata

    def add(self, section: str, size: int) -> None:
        setattr(self, section, getattr(self, section) + size)


def _text(raw: bytes, at: int) -> str:
    return raw[at : raw.index(b"\0", at)].decode(errors="replace")


@dataclasses.dataclass(frozen=True)
class _Section:
    kind: int
    flags: int
    offset: int
    size: int
    link: int


def _elf_sections(raw: bytes) -> list[_Section]:
    wide = raw[4] == 2
    start = struct.unpack_from("<Q" if wide else "<I", raw, 0x28 if wide else 0x20)[0]
    step, count = struct.unpack_from("<HH", raw, 0x3A if wide else 0x2E)
    if count == 0 and start:
        # More sections than the header can say: the first one's size is their number.
        count = struct.unpack_from("<Q" if wide else "<I", raw, start + (0x20 if wide else 0x14))[0]
    layout = "<4xIQ8xQQI" if wide else "<4xII4xIII"
    sections = []
    for index in range(count):
        kind, flags, offset, size, link = struct.unpack_from(layout, raw, start + index * step)
        sections.append(_Section(kind, flags, offset, size, link))
    return sections


def _elf_symbols(raw: bytes, sections: list[_Section]) -> tuple[set[str], set[str]]:
    """Names that another file has to define, and those that this one defines for others."""
    undefined, defined = set(), set()
    wide = raw[4] == 2
    for section in (one for one in sections if one.kind == 2):
        step = 24 if wide else 16
        for at in range(section.offset + step, section.offset + section.size, step):
            name = _text(raw, sections[section.link].offset + struct.unpack_from("<I", raw, at)[0])
            info, visibility, index = struct.unpack_from("<BBH", raw, at + (4 if wide else 12))
            # A weak one that nobody defines is null, and the code asks before it calls.
            if index == 0 and info >> 4 == 1:
                undefined.add(name)
            elif index != 0 and info >> 4 == 1 and visibility & 3 in (0, 3):
                defined.add(name)
    return undefined - {""}, defined - {""}


def read_elf(raw: bytes) -> Binary:
    if raw[5] != 1:
        raise FormatError("a big-endian ELF file")
    wide = raw[4] == 2
    kind, machine = struct.unpack_from("<HH", raw, 0x10)
    processor = _ELF_MACHINES.get(machine, f"machine {machine}")
    found = Binary("ELF", f"ELF {64 if wide else 32}-bit {processor} {_ELF_KINDS.get(kind, f'kind {kind}')}")
    sections = _elf_sections(raw)
    for section in (one for one in sections if one.flags & 2):
        if section.flags & 4:
            found.add("text", section.size)
        elif not section.flags & 1:
            found.add("rodata", section.size)
        else:
            found.add("bss" if section.kind == 8 else "data", section.size)
    found.undefined, found.defined = _elf_symbols(raw, sections)
    return found


def read_mach(raw: bytes) -> Binary:
    _, cpu, _, kind, count = struct.unpack_from("<5I", raw, 0)
    words = f"{_MACH_CPUS.get(cpu, f'cpu {cpu:#x}')} {_MACH_KINDS.get(kind, f'kind {kind}')}"
    found = Binary("Mach-O", "Mach-O 64-bit " + words)
    at, symbols = 32, 0
    libraries: list[str] = []
    for _ in range(count):
        command, size = struct.unpack_from("<2I", raw, at)
        if command == 0x19:
            for index in range(struct.unpack_from("<I", raw, at + 64)[0]):
                _mach_section(found, raw, at + 72 + 80 * index)
        elif command == 0x32:
            platform, minimum = struct.unpack_from("<2I", raw, at + 8)
            found.kind += f" for {_MACH_PLATFORMS.get(platform, f'platform {platform}')}"
            found.minimum = f"{minimum >> 16}.{minimum >> 8 & 0xFF}"
        elif command in _MACH_LIBRARIES:
            libraries.append(_text(raw, at + struct.unpack_from("<I", raw, at + 8)[0]))
        elif command == 0x2:
            symbols = at
        elif command == 0x1D:
            found.signed = True
        at += size
    if symbols:
        _mach_symbols(found, raw, symbols, libraries)
    return found


def _mach_symbols(found: Binary, raw: bytes, command: int, libraries: list[str]) -> None:
    table, count, names = struct.unpack_from("<3I", raw, command + 8)
    for at in range(table, table + 16 * count, 16):
        offset, kind, _, description, value = struct.unpack_from("<I2BHQ", raw, at)
        # Names for a debugger.
        if kind & 0xE0:
            continue
        name = _text(raw, names + offset).removeprefix("_")
        if kind & 0x11 != 1:
            found.further.add(name)
        elif kind & 0xE or value:
            if description & _MACH_WEAK_DEFINITION:
                found.further.add(name)
            else:
                found.defined.add(name)
        elif not description & _MACH_WEAK_REFERENCE:
            found.undefined.add(name)
            if libraries:
                number = description >> 8
                place = libraries[number - 1] if 0 < number <= len(libraries) else ""
                found.bound.setdefault(place, set()).add(name)


def _mach_section(found: Binary, raw: bytes, at: int) -> None:
    segment = raw[at + 16 : at + 32].rstrip(b"\0").decode(errors="replace")
    size, flags = struct.unpack_from("<8xQ", raw, at + 32)[0], struct.unpack_from("<I", raw, at + 64)[0]
    if flags & 0x80000400:
        found.add("text", size)
    elif segment == "__TEXT":
        found.add("rodata", size)
    elif segment in ("__DATA", "__DATA_CONST"):
        found.add("bss" if flags & 0xFF in (1, 12) else "data", size)


def read_coff(raw: bytes, at: int = 0) -> Binary:
    machine, count = struct.unpack_from("<HH", raw, at)
    optional, flags = struct.unpack_from("<HH", raw, at + 16)
    program = optional > 0
    kind = ("shared library" if flags & 0x2000 else "program") if program else "object"
    name = "PE" if program else "COFF"
    found = Binary(name, f"{name} {_COFF_MACHINES.get(machine, f'machine {machine:#x}')} {kind}")
    for index in range(count):
        header = at + 20 + optional + 40 * index
        size = struct.unpack_from("<I", raw, header + (8 if program else 16))[0]
        characteristics = struct.unpack_from("<I", raw, header + 36)[0]
        if characteristics & 0x02000A00:
            continue  # Discarded, removed or information for the linker.
        if characteristics & 0x20000020:
            found.add("text", size)
        elif characteristics & 0x80:
            found.add("bss", size)
        elif characteristics & 0x40:
            found.add("data" if characteristics & 0x80000000 else "rodata", size)
    return found


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = raw[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def read_wasm(raw: bytes) -> Binary:
    found = Binary("Wasm", "Wasm program")
    at = 8
    while at < len(raw):
        section = raw[at]
        size, at = _varint(raw, at + 1)
        if section == 10:
            found.add("text", size)
        elif section == 11:
            found.add("data", size)
        elif section == 0:
            length, start = _varint(raw, at)
            if raw[start : start + length] == b"linking":
                found.kind = "Wasm object"
        at += size
    return found


def members(raw: bytes) -> list[tuple[str, bytes]]:
    """Name and contents of each member of an archive; its tables are left out."""
    found = []
    long_names = b""
    at = 8
    while at + 60 <= len(raw):
        name = raw[at : at + 16].decode(errors="replace").rstrip()
        size = int(raw[at + 48 : at + 58])
        body = raw[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
        if name.startswith("#1/"):
            length = int(name[3:])
            name, body = body[:length].rstrip(b"\0").decode(errors="replace"), body[length:]
        elif name == "//":
            long_names = body
            continue
        elif name[:1] == "/" and name[1:].isdigit():
            name = long_names[int(name[1:]) :].split(b"\n")[0].rstrip(b"/").decode(errors="replace")
        if name not in ("/", "/SYM64/", "", "__.SYMDEF", "__.SYMDEF SORTED", "__.SYMDEF_64"):
            found.append((name.rstrip("/"), body))
    return found


def read_archive(raw: bytes) -> Binary:
    """The sum of an archive's members, which must be of one kind."""
    parts = [read(body) for _, body in members(raw)]
    kinds = sorted({part.kind for part in parts})
    if len(kinds) != 1:
        raise FormatError(f"an archive of {', '.join(kinds) or 'nothing'}")
    found = Binary(parts[0].format, kinds[0], members=len(parts))
    for part in parts:
        for section in ("text", "rodata", "data", "bss"):
            found.add(section, getattr(part, section))
        found.undefined |= part.undefined
        found.defined |= part.defined
        found.further |= part.further
    return found


def read(raw: bytes) -> Binary:
    """Reads one file.

    Raises:
        FormatError: it is of no known format, or cut short.
    """
    try:
        if raw[:8] == b"!<arch>\n":
            return read_archive(raw)
        if raw[:4] == b"\x7fELF":
            return read_elf(raw)
        if raw[:4] == b"\xcf\xfa\xed\xfe":
            return read_mach(raw)
        if raw[:4] == b"\0asm":
            return read_wasm(raw)
        if raw[:2] == b"MZ":
            return read_coff(raw, struct.unpack_from("<I", raw, 0x3C)[0] + 4)
        if len(raw) >= 20 and struct.unpack_from("<H", raw)[0] in _COFF_MACHINES:
            return read_coff(raw)
    except (struct.error, IndexError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"cut short or damaged: {error}") from error
    raise FormatError(f"of no known format (it begins with {raw[:8]!r})")
