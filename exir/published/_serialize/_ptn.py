"""Packages of a native program and its tensors: ``.ptn`` files.

A package is a zip file without compression, with fixed entries:

=======================  =========================================================================
``program.ptg``          the program, bytes that this module does not look into
``program.safetensors``  every different tensor once, in the safetensors format
``aliases.json``         name of each tensor that was left out: name of the one that has its bytes
=======================  =========================================================================

Tensors of equal type, shape and bytes are written once, unless the program changes them. A package without tensors has
no ``program.safetensors``, one in which all differ no ``aliases.json``.
"""

import hashlib
import json
import math
import os
import struct
import tempfile
import zipfile
from collections.abc import Mapping
from typing import IO, Any

import torch

PTG_ENTRY = "program.ptg"
SAFETENSORS_ENTRY = "program.safetensors"
ALIASES_ENTRY = "aliases.json"

_SAFETENSORS_METADATA_KEY = "__metadata__"
_LENGTH = struct.Struct("<Q")
_DTYPE_CODES: dict[torch.dtype, str] = {
    torch.float64: "F64",
    torch.float32: "F32",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.int64: "I64",
    torch.int32: "I32",
    torch.int16: "I16",
    torch.int8: "I8",
    torch.uint8: "U8",
    torch.bool: "BOOL",
    torch.complex64: "C64",
    torch.uint16: "U16",
    torch.uint32: "U32",
    torch.uint64: "U64",
}
_DTYPES = {code: dtype for dtype, code in _DTYPE_CODES.items()}


def write_ptn(
    path: str, ptg: bytes, constants: dict[str, torch.Tensor], mutable_keys: frozenset[str] = frozenset()
) -> None:
    """Writes a package. An existing one is replaced when the new one is complete.

    Args:
        path: of the file; directories that are missing are made.
        ptg: the program.
        constants: name to tensor; dense, of any layout.
        mutable_keys: names of the tensors that the program changes.

    Raises:
        TypeError: a name is no text, or a value no tensor.
        KeyError: a tensor has a type that safetensors does not know.
        ValueError: a name is reserved, ``mutable_keys`` names a tensor that is not there, or one that the program
            changes shares its memory with another.
    """
    for name, tensor in constants.items():
        _check_constant(name, tensor)
    unknown = sorted(mutable_keys - constants.keys())
    if unknown:
        raise ValueError(f"mutable_keys has keys with no tensor data in constants: {unknown}")
    _check_mutable_storage_aliases(constants, mutable_keys)
    owners, aliases = _dedup(constants, mutable_keys)
    directory = os.path.dirname(os.path.abspath(path))
    os.makedirs(directory, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=directory, suffix=".ptn", delete=False) as file:
        try:
            _write_entries(file, ptg, owners, aliases)
            file.close()
            os.replace(file.name, path)
        except BaseException:
            file.close()
            os.unlink(file.name)
            raise


def _write_entries(
    file: IO[bytes], ptg: bytes, owners: Mapping[str, torch.Tensor], aliases: Mapping[str, str]
) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_entry(PTG_ENTRY), ptg)
        if owners:
            with archive.open(_entry(SAFETENSORS_ENTRY), "w", force_zip64=True) as stream:
                _write_safetensors(stream, owners)
        if aliases:
            archive.writestr(_entry(ALIASES_ENTRY), json.dumps(aliases, indent=2, sort_keys=True))


def read_ptn(path: str) -> tuple[bytes, dict[str, torch.Tensor]]:
    """The program of a package, and its tensors by name; names of equal tensors share one.

    Raises:
        ValueError: the file is no package, or damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            entries = set(archive.namelist())
            ptg = archive.read(PTG_ENTRY)
            tensors = (
                _read_safetensors(archive.read(SAFETENSORS_ENTRY)) if SAFETENSORS_ENTRY in entries else {}
            )
            aliases = json.loads(archive.read(ALIASES_ENTRY)) if ALIASES_ENTRY in entries else {}
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError, struct.error) as error:
        raise ValueError(f"{path} is no .ptn package: {error}") from error
    if not isinstance(aliases, dict):
        raise ValueError(
            f"{path}: {ALIASES_ENTRY} must contain a JSON object, not a {type(aliases).__name__}"
        )
    owners = dict(tensors)
    for name, owner in aliases.items():
        if not isinstance(owner, str):
            raise ValueError(f"{path}: alias {name!r}: the owner name must be a string, not {owner!r}")
        if owner not in owners:
            raise ValueError(f"{path}: alias {name!r} stands for {owner!r}, which has no safetensors entry")
        if name in owners:
            raise ValueError(f"{path}: {name!r} is both a safetensors owner and an alias of {owner!r}")
        tensors[name] = owners[owner]
    return ptg, tensors


def _entry(name: str) -> zipfile.ZipInfo:
    # Without a time stamp the bytes depend on the content only.
    return zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))


def _check_constant(name: Any, tensor: Any) -> None:
    if not isinstance(name, str):
        raise TypeError(f"a data key must be str, got {name!r}")
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"the value of {name!r} must be a Tensor, got {type(tensor).__name__}")
    if name == _SAFETENSORS_METADATA_KEY:
        raise ValueError(f"{name!r} is reserved by safetensors and cannot be the name of a tensor")
    if tensor.dtype not in _DTYPE_CODES:
        raise KeyError(f"{name!r}: safetensors cannot represent {tensor.dtype}")


def _raw(tensor: torch.Tensor) -> memoryview:
    """The bytes of a tensor in row-major order."""
    plain = tensor.detach().cpu().contiguous().flatten()
    return plain.view(torch.uint8).numpy().data if plain.numel() else memoryview(b"")


def _content_signature(tensor: torch.Tensor) -> tuple[str, tuple[int, ...], str]:
    """Type, shape and digest of the bytes: equal for equal tensors only."""
    return str(tensor.dtype), tuple(tensor.shape), hashlib.sha256(_raw(tensor)).hexdigest()


def _check_mutable_storage_aliases(
    constants: Mapping[str, torch.Tensor], mutable_keys: frozenset[str]
) -> None:
    """Raises for a tensor that the program changes and whose memory another name shares: both would have to change."""
    names: dict[int, str] = {}
    for name, tensor in constants.items():
        place = tensor.untyped_storage().data_ptr()
        other = names.setdefault(place, name) if place else name
        if other != name and {name, other} & mutable_keys:
            raise ValueError(
                f"{other!r} and {name!r} share source storage, and the program changes it\nWay out: clone one of them"
            )


def _dedup(
    constants: Mapping[str, torch.Tensor], mutable_keys: frozenset[str]
) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """The tensors to write, sorted by name, and name to name for the others."""
    owners: dict[str, torch.Tensor] = {}
    aliases: dict[str, str] = {}
    known: dict[Any, str] = {}
    for name, tensor in sorted(constants.items()):
        owner = name if name in mutable_keys else known.setdefault(_content_signature(tensor), name)
        if owner == name:
            owners[name] = tensor
        else:
            aliases[name] = owner
    return owners, aliases


def _write_safetensors(stream: IO[bytes], owners: Mapping[str, torch.Tensor]) -> None:
    """Length of the header, header (JSON), tensors one after the other."""
    header: dict[str, Any] = {}
    end = 0
    for name, tensor in owners.items():
        start, end = end, end + tensor.numel() * tensor.element_size()
        header[name] = {
            "dtype": _DTYPE_CODES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [start, end],
        }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    stream.write(_LENGTH.pack(len(text)))
    stream.write(text)
    for tensor in owners.values():
        stream.write(_raw(tensor))


def _read_safetensors(data: bytes) -> dict[str, torch.Tensor]:
    (length,) = _LENGTH.unpack_from(data)
    payload = memoryview(data)[_LENGTH.size + length :]
    tensors = {}
    for name, entry in json.loads(data[_LENGTH.size : _LENGTH.size + length]).items():
        if name == _SAFETENSORS_METADATA_KEY:
            continue
        dtype, shape, (start, end) = _DTYPES[entry["dtype"]], entry["shape"], entry["data_offsets"]
        size = math.prod(shape) * torch.empty(0, dtype=dtype).element_size()
        if not 0 <= start <= end <= len(payload) or end - start != size:
            raise ValueError(f"tensor {name!r}: bytes {start} to {end} of {len(payload)} for {dtype}{shape}")
        values = bytearray(payload[start:end])
        flat = torch.frombuffer(values, dtype=dtype) if values else torch.empty(0, dtype=dtype)
        tensors[name] = flat.reshape(shape)
    return tensors
