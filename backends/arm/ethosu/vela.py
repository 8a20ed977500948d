"""Vela, Arm's compiler for Ethos-U, and the blob that the delegate reads.

A blob is a list of blocks of 16 bytes' alignment: a name of 16 bytes, padded with zeros, the number of bytes that follow as little-endian
uint32, a byte that is 0, 11 zero bytes, the bytes. Where that byte is 1 the bytes are a key of the program's named data, which has the
block's content. The blocks are, in this order:

``vela_bin_stream`` (empty), ``cmd_data`` (the command stream), ``weight_data``, ``scratch_size`` (a uint32), ``inputs`` and ``outputs`` (an int32 count, then nine
int32 each: six sizes, size of an element, offset into the scratch buffer, region), ``vela_end_stream`` (empty).
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
import struct
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

_HEADER = struct.Struct("<16sIB11x")
_EXTERNAL, _ALIGNMENT = 1, 16
_FIRST, _LAST = b"vela_bin_stream", b"vela_end_stream"
#: What may stand beside the blob, as far as its layout goes.
BLOCK_NAMES = ("cmd_data", "weight_data", "scratch_size", "inputs", "outputs")


@dataclass(frozen=True)
class Io:
    """Where an input or output lies.

    Attributes:
        shape: six sizes, ones in front.
        element_size: in bytes.
        offset: into the region.
        region: 1 is the scratch buffer.
    """

    shape: tuple[int, ...]
    element_size: int
    offset: int
    region: int


@dataclass(frozen=True)
class VelaExternalBlock:
    """The content of a block that stands beside the blob.

    Attributes:
        key: its name among the program's data.
        payload: the bytes.
        alignment: of its place.
        placement: the ``.ptd`` file that it goes into, without the ending.
    """

    key: str
    payload: bytes
    alignment: int
    placement: str


@dataclass(frozen=True)
class VelaCompileResult:
    """A blob, and what stands beside it."""

    processed_bytes: bytes
    external_blocks: tuple[VelaExternalBlock, ...] = ()


@dataclass(frozen=True)
class VelaBlob:
    """What a blob holds."""

    commands: bytes
    weights: bytes
    scratch_size: int
    inputs: tuple[Io, ...]
    outputs: tuple[Io, ...]


class VelaError(RuntimeError):
    """Vela refuses the graph."""


def vela_compile(
    tosa: bytes,
    flags: Sequence[str],
    intermediate_path: str | None = None,
    block_placements: Mapping[str, str] | None = None,
) -> VelaCompileResult:
    """The blob for a TOSA file.

    Args:
        tosa: the file.
        flags: of Vela's command line.
        intermediate_path: a folder for what Vela writes, None for none.
        block_placements: block -> the file beside the program that it goes into.

    Raises:
        ImportError: Vela is not installed.
        ValueError: there is no such block, or a file without a name.
        VelaError: it cannot compile the graph; the message has its last words.
    """
    try:
        compiler = importlib.import_module("ethosu.vela.vela")
    except ImportError as error:
        raise ImportError(f"lowering to Ethos-U needs Vela: pip install ethos-u-vela ({error})") from error
    with tempfile.TemporaryDirectory() as own:
        folder = Path(intermediate_path or own)
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / "out.tosa"
        source.write_bytes(tosa)
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said):
                status = compiler.main([*flags, f"--output-dir={folder}", str(source)])
        except (Exception, SystemExit) as error:
            raise VelaError(
                f"Vela does not compile this graph ({error}). Way out: correct the option that it names, or leave the operator that it names "
                f"out of the delegate, with additional_checks of the partitioner. {said.getvalue()[-500:]}"
            ) from error
        if status:
            raise VelaError(f"Vela ends with {status}: {said.getvalue()[-500:]}")
        # Descriptions of quantization are objects; the file was written a moment ago, by the line above.
        with np.load(folder / "out_vela.npz", allow_pickle=True) as made:
            return pack({name: made[name] for name in made.files}, block_placements)


def pack(made: Mapping[str, Any], placements: Mapping[str, str] | None = None) -> VelaCompileResult:
    """The blob of what Vela wrote, without what ``placements`` names another place for."""
    placements = placements or {}
    check_placements(placements)
    blocks = {
        # tobytes, since numpy cuts zero bytes off the end of strings otherwise.
        "cmd_data": made["cmd_data"].tobytes(),
        "weight_data": made["weight_data"].tobytes(),
        "scratch_size": struct.pack("<I", int(made["scratch_size"])),
        "inputs": _io(made, "input"),
        "outputs": _io(made, "output"),
    }
    external = {}
    text = _block(_FIRST, b"")
    for name, data in blocks.items():
        place = placements.get(name)
        if place is not None:
            key = hashlib.sha256(place.encode() + b"\0" + data).hexdigest()
            external[name] = VelaExternalBlock(key, data, _ALIGNMENT, place)
            data = key.encode()
        text += _block(name.encode(), data, 0 if place is None else _EXTERNAL)
    return VelaCompileResult(text + _block(_LAST, b""), tuple(external.values()))


def check_placements(placements: Mapping[str, str]) -> None:
    """Raises ``ValueError`` if one names no block, or no file."""
    unknown = [name for name in placements if name not in BLOCK_NAMES]
    if unknown or not all(placements.values()):
        raise ValueError(
            f"Invalid external Vela placement {dict(placements)}: a block ({', '.join(BLOCK_NAMES)}) goes into a file that has a name"
        )


def _block(name: bytes, data: bytes, external: int = 0) -> bytes:
    return _HEADER.pack(name, len(data), external) + data + bytes(-len(data) % _ALIGNMENT)


def _io(made: Mapping[str, Any], kind: str) -> bytes:
    columns = (made[f"{kind}_{name}"] for name in ("shape", "elem_size", "offset", "region"))
    rows = [
        [*map(int, shape), int(size), int(at), int(region)]
        for shape, size, at, region in zip(*columns, strict=True)
    ]
    return struct.pack("<i", len(rows)) + b"".join(struct.pack("<9i", *row) for row in rows)


def unpack(blob: bytes, beside: Mapping[str, bytes] | None = None) -> VelaBlob:
    """Reads a blob.

    Args:
        blob: what the delegate is given.
        beside: the program's data by name, for blocks that stand beside the blob.

    Raises:
        ValueError: it is no blob, or cut off, or a block that stands beside it is missing.
    """
    found: dict[bytes, bytes] = {}
    at = 0
    while at + _HEADER.size <= len(blob):
        name, size, external = _HEADER.unpack_from(blob, at)
        start = at + _HEADER.size
        if start + size > len(blob):
            raise ValueError(
                f"block {name!r} of {size} bytes at {at} ends behind the blob's {len(blob)} bytes"
            )
        data = blob[start : start + size]
        name = name.rstrip(b"\0")
        if external:
            key = data.decode(errors="replace")
            if beside is None or key not in beside:
                raise ValueError(
                    f"block {name.decode()!r} stands beside the blob, under {key!r}, which is not there"
                )
            data = beside[key]
        found[name] = data
        at = start + size + -size % 16
    wanted = (_FIRST, b"cmd_data", b"weight_data", b"scratch_size", b"inputs", b"outputs", _LAST)
    missing = [one.decode() for one in wanted if one not in found]
    if missing:
        raise ValueError(f"no blob of Vela's: {', '.join(missing)} missing")
    scratch = struct.unpack("<I", found[b"scratch_size"])[0]
    inputs, outputs = (_read_io(found[name]) for name in (b"inputs", b"outputs"))
    return VelaBlob(found[b"cmd_data"], found[b"weight_data"], scratch, inputs, outputs)


def _read_io(data: bytes) -> tuple[Io, ...]:
    count = struct.unpack_from("<i", data)[0] if len(data) >= 4 else -1
    if count < 0 or len(data) != 4 + 36 * count:
        raise ValueError(f"{count} inputs or outputs in {len(data)} bytes")
    rows = struct.iter_unpack("<9i", data[4:])
    return tuple(Io(tuple(row[:6]), *row[6:]) for row in rows)
