"""Vela, Arm's compiler for Ethos-U, and the blob that the delegate reads.

A blob is a list of blocks of 16 bytes' alignment: a name of 16 bytes, padded with zeros, the number of bytes that follow as little-endian
uint32, 12 zero bytes, the bytes. The blocks are, in this order:

``vela_bin_stream`` (empty), ``cmd_data`` (the command stream), ``weight_data``, ``scratch_size`` (a uint32), ``inputs`` and ``outputs`` (an int32 count, then nine
int32 each: six sizes, size of an element, offset into the scratch buffer, region), ``vela_end_stream`` (empty).
"""

from __future__ import annotations

import contextlib
import importlib
import io
import struct
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

_HEADER = struct.Struct("<16sI12x")
_FIRST, _LAST = b"vela_bin_stream", b"vela_end_stream"


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
class VelaBlob:
    """What a blob holds."""

    commands: bytes
    weights: bytes
    scratch_size: int
    inputs: tuple[Io, ...]
    outputs: tuple[Io, ...]


class VelaError(RuntimeError):
    """Vela refuses the graph."""


def vela_compile(tosa: bytes, flags: Sequence[str], keep: str | None = None) -> bytes:
    """The blob for a TOSA file.

    Args:
        tosa: the file.
        flags: of Vela's command line.
        keep: a folder for what Vela writes, None for none.

    Raises:
        ImportError: Vela is not installed.
        VelaError: it cannot compile the graph; the message has its last words.
    """
    try:
        compiler = importlib.import_module("ethosu.vela.vela")
    except ImportError as error:
        raise ImportError(f"lowering to Ethos-U needs Vela: pip install ethos-u-vela ({error})") from error
    with tempfile.TemporaryDirectory() as own:
        folder = Path(keep or own)
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / "out.tosa"
        source.write_bytes(tosa)
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said):
                status = compiler.main([*flags, f"--output-dir={folder}", str(source)])
        except (Exception, SystemExit) as error:
            raise VelaError(
                f"Vela does not compile this graph ({error}). Way out: leave the operator that it names out of the delegate, "
                f"with additional_checks of the partitioner. {said.getvalue()[-500:]}"
            ) from error
        if status:
            raise VelaError(f"Vela ends with {status}: {said.getvalue()[-500:]}")
        # Descriptions of quantization are objects; the file was written a moment ago, by the line above.
        with np.load(folder / "out_vela.npz", allow_pickle=True) as made:
            return pack({name: made[name] for name in made.files})


def pack(made: Mapping[str, Any]) -> bytes:
    """The blob of what Vela wrote."""
    blocks = [
        (_FIRST, b""),
        # tobytes, since numpy cuts zero bytes off the end of strings otherwise.
        (b"cmd_data", made["cmd_data"].tobytes()),
        (b"weight_data", made["weight_data"].tobytes()),
        (b"scratch_size", struct.pack("<I", int(made["scratch_size"]))),
        (b"inputs", _io(made, "input")),
        (b"outputs", _io(made, "output")),
        (_LAST, b""),
    ]
    return b"".join(_HEADER.pack(name, len(data)) + data + bytes(-len(data) % 16) for name, data in blocks)


def _io(made: Mapping[str, Any], kind: str) -> bytes:
    columns = (made[f"{kind}_{name}"] for name in ("shape", "elem_size", "offset", "region"))
    rows = [
        [*map(int, shape), int(size), int(at), int(region)]
        for shape, size, at, region in zip(*columns, strict=True)
    ]
    return struct.pack("<i", len(rows)) + b"".join(struct.pack("<9i", *row) for row in rows)


def unpack(blob: bytes) -> VelaBlob:
    """Reads a blob.

    Raises:
        ValueError: it is no blob, or cut off.
    """
    found: dict[bytes, bytes] = {}
    at = 0
    while at + _HEADER.size <= len(blob):
        name, size = _HEADER.unpack_from(blob, at)
        start = at + _HEADER.size
        if start + size > len(blob):
            raise ValueError(
                f"block {name!r} of {size} bytes at {at} ends behind the blob's {len(blob)} bytes"
            )
        found[name.rstrip(b"\0")] = blob[start : start + size]
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
