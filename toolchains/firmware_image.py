"""Writes what a flash programmer takes of an ELF file: FIRMWARE.elf OUT.bin OUT.uf2 [--family 0xe48bff59]

The image is what the file loads, from the lowest address on, gaps filled with zeros. UF2 is described at
github.com/microsoft/uf2: blocks of 512 bytes, each with 256 bytes of the image and the address where they go.
"""

from __future__ import annotations

import argparse
import pathlib
import struct

_LOAD = 1
_PAYLOAD = 256
_MAGIC = (0x0A324655, 0x9E5D5157, 0x0AB16F30)
_HAS_FAMILY = 0x2000
#: More than any flash here: an image this large has segments at the wrong place.
_LARGEST = 64 << 20


def image(elf: bytes) -> tuple[int, bytes]:
    """Where an ELF file's contents are stored, and the contents.

    Returns:
        The lowest load address, and the bytes from there on.

    Raises:
        ValueError: this is no little-endian ELF program, or its segments lie too far apart for one flash.
    """
    if elf[:4] != b"\x7fELF" or elf[5] != 1:
        raise ValueError("not a little-endian ELF file")
    wide = elf[4] == 2
    start = struct.unpack_from("<Q" if wide else "<I", elf, 0x20 if wide else 0x1C)[0]
    step, count = struct.unpack_from("<HH", elf, 0x36 if wide else 0x2A)
    parts = []
    for at in range(start, start + step * count, step):
        if wide:
            kind, _, offset, _, address, size = struct.unpack_from("<IIQQQQ", elf, at)
        else:
            kind, offset, _, address, size = struct.unpack_from("<5I", elf, at)
        if kind == _LOAD and size:
            parts.append((address, elf[offset : offset + size]))
    if not parts:
        raise ValueError("the ELF file loads nothing: it is no linked program")
    lowest = min(address for address, _ in parts)
    size = max(address + len(body) for address, body in parts) - lowest
    if size > _LARGEST:
        raise ValueError(
            f"the segments span {size:,} bytes: does initialised data have its load address in flash?"
        )
    whole = bytearray(size)
    for address, body in parts:
        whole[address - lowest : address - lowest + len(body)] = body
    return lowest, bytes(whole)


def uf2(address: int, contents: bytes, family: int | None = None) -> bytes:
    """The same in the format that boards with a USB drive read.

    Args:
        address: where the contents go.
        contents: of the flash.
        family: number of the chip's family; None for boards that ask for none.
    """
    count = -(-len(contents) // _PAYLOAD)
    blocks = []
    for index in range(count):
        payload = contents[index * _PAYLOAD : (index + 1) * _PAYLOAD].ljust(_PAYLOAD, b"\0")
        head = struct.pack(
            "<8I",
            *_MAGIC[:2],
            0 if family is None else _HAS_FAMILY,
            address + index * _PAYLOAD,
            _PAYLOAD,
            index,
            count,
            family or 0,
        )
        blocks.append(head + payload.ljust(476, b"\0") + struct.pack("<I", _MAGIC[2]))
    return b"".join(blocks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    for name in ("elf", "bin", "uf2"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--family", type=lambda text: int(text, 0))
    options = parser.parse_args()
    address, contents = image(options.elf.read_bytes())
    options.bin.write_bytes(contents)
    options.uf2.write_bytes(uf2(address, contents, options.family))


if __name__ == "__main__":
    main()
