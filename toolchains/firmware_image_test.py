"""Images for flash programmers: segments go to their load addresses, and UF2 blocks say where they belong."""

import struct

import pytest

from executorch.toolchains.firmware_image import image, uf2


def elf(segments, wide=False):
    """An ELF program of segments only; each is (type, load address, contents)."""
    head = 64 if wide else 52
    step = 56 if wide else 32
    at = head + step * len(segments)
    headers, bodies = b"", b""
    for kind, address, body in segments:
        offset = at + len(bodies)
        if wide:
            headers += struct.pack("<IIQQQQQQ", kind, 0, offset, 0, address, len(body), len(body), 0)
        else:
            headers += struct.pack("<8I", kind, offset, 0, address, len(body), len(body), 0, 0)
        bodies += body
    layout = "<HHIQQQIHHHHHH" if wide else "<HHIIIIIHHHHHH"
    ident = b"\x7fELF" + bytes([2 if wide else 1, 1, 1]) + bytes(9)
    fixed = struct.pack(layout, 2, 40, 1, 0, head, 0, 0, head, step, len(segments), 0, 0, 0)
    return ident + fixed + headers + bodies


@pytest.mark.parametrize("wide", [False, True])
def test_segments_go_where_they_are_loaded(wide):
    program = elf(
        [(1, 0x10000008, b"data"), (1, 0x10000000, b"code"), (6, 0, b"xx"), (1, 0x20000000, b"")], wide
    )
    assert image(program) == (0x10000000, b"code\0\0\0\0data")


@pytest.mark.parametrize(
    "raw, words",
    [
        (b"MZ" + bytes(100), "not a little-endian ELF"),
        (elf([(6, 0, b"xx")]), "loads nothing"),
        (elf([(1, 0, b"code"), (1, 0x20000000, b"data")]), "load address in flash"),
    ],
)
def test_what_is_no_firmware_is_refused(raw, words):
    with pytest.raises(ValueError, match=words):
        image(raw)


def test_uf2_blocks():
    contents = bytes(range(256)) + b"end"
    blocks = uf2(0x10000000, contents, family=0xE48BFF59)
    assert len(blocks) == 2 * 512
    for index in range(2):
        block = blocks[512 * index : 512 * (index + 1)]
        fields = struct.unpack_from("<8I", block)
        assert fields[:3] == (0x0A324655, 0x9E5D5157, 0x2000)
        assert fields[3:] == (0x10000000 + 256 * index, 256, index, 2, 0xE48BFF59)
        assert block[32:288] == contents[256 * index :][:256].ljust(256, b"\0")
        assert struct.unpack_from("<I", block, 508)[0] == 0x0AB16F30
    assert struct.unpack_from("<I", uf2(0, b"x"), 8)[0] == 0
