"""Programs of every dialect as bytes: ATen, edge, with delegates, and in execution form.

::

    save(edge.exported_program(), "edge.pt2")
    program = load("edge.pt2")

On torch's own serialization, which knows neither delegates nor the memory operators, and loses debug handles. Specs and
memory plans are not written: they follow from the graph.
"""

import io
import json
import os
import zipfile
from dataclasses import dataclass
from typing import IO, Any

from torch._export.serde import serialize as torch_serde
from torch.export import ExportedProgram

from executorch.exir.serde._delegates import pack_delegates, unpack_delegates
from executorch.exir.serde._fake_tensors import fake_tensors_are_read
from executorch.exir.serde._plain import from_plain, to_plain

_FORMAT = 1
_PARTS = ("exported_program", "state_dict", "constants", "example_inputs", "delegates")
_EXTRA = "extra_files/"


@dataclass
class SerializedArtifact(torch_serde.SerializedArtifact):
    """A program in pieces.

    Attributes:
        exported_program: graph and signature, JSON.
        state_dict, constants, example_inputs: as ``torch.save`` writes them.
        delegates: a zip file with the lowered modules; empty without any.
        dialect: of the program.
    """

    delegates: bytes = b""
    dialect: str = "ATEN"


def serialize(
    exported_program: ExportedProgram, opset_version: "dict[str, int] | None" = None
) -> SerializedArtifact:
    """The program in bytes.

    Args:
        exported_program: of any dialect; not changed.
        opset_version: operator namespace to the version to note.

    Raises:
        torch._export.serde.serialize.SerializeError: it has values that torch cannot write.
    """
    plain, delegates = to_plain(exported_program)
    written = torch_serde.serialize(plain, opset_version)
    packed = (
        pack_delegates(delegates, lambda program: _to_zip(serialize(program, opset_version)))
        if delegates
        else b""
    )
    return SerializedArtifact(
        written.exported_program,
        written.state_dict,
        written.constants,
        written.example_inputs,
        packed,
        exported_program.dialect,
    )


def deserialize(
    artifact: SerializedArtifact, expected_opset_version: "dict[str, int] | None" = None
) -> ExportedProgram:
    """The program in an artifact of :func:`serialize`; its operators must be registered.

    Raises:
        torch._export.serde.serialize.SerializeError: an operator is unknown, or torch is too old for the bytes.
    """
    with fake_tensors_are_read():
        program = torch_serde.deserialize(artifact, expected_opset_version)
    delegates = (
        unpack_delegates(artifact.delegates, lambda data: deserialize(_from_zip(io.BytesIO(data))[0]))
        if artifact.delegates
        else []
    )
    return from_plain(program, delegates, artifact.dialect)


def save(
    ep_save: ExportedProgram,
    f: "str | os.PathLike[str] | IO[bytes]",
    *,
    extra_files: "dict[str, Any] | None" = None,
    opset_version: "dict[str, int] | None" = None,
) -> None:
    """Writes a program to a file, a zip archive.

    Args:
        ep_save: of any dialect.
        f: a path or a binary stream.
        extra_files: name to content (text or bytes), kept beside the program.
        opset_version: as for :func:`serialize`.
    """
    data = _to_zip(serialize(ep_save, opset_version), extra_files)
    if isinstance(f, (str, os.PathLike)):
        with open(f, "wb") as file:
            file.write(data)
    else:
        f.write(data)


def load(
    f: "str | os.PathLike[str] | IO[bytes]",
    *,
    extra_files: "dict[str, Any] | None" = None,
    expected_opset_version: "dict[str, int] | None" = None,
) -> ExportedProgram:
    """Reads a program that :func:`save` wrote.

    Args:
        f: a path or a binary stream.
        extra_files: the names to read; the values are replaced by the contents, as text.
        expected_opset_version: as for :func:`deserialize`.

    Raises:
        RuntimeError: the file is none of :func:`save`.
        KeyError: it lacks one of ``extra_files``.
    """
    artifact, extras = _from_zip(f)
    for name in extra_files or ():
        extra_files[name] = extras[name].decode()  # type: ignore[index]
    return deserialize(artifact, expected_opset_version)


def _to_zip(artifact: SerializedArtifact, extra_files: "dict[str, Any] | None" = None) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("version.json", json.dumps({"format": _FORMAT, "dialect": artifact.dialect}))
        for part in _PARTS:
            archive.writestr(part, getattr(artifact, part))
        for name, content in (extra_files or {}).items():
            archive.writestr(_EXTRA + name, content if isinstance(content, bytes) else str(content).encode())
    return buffer.getvalue()


def _from_zip(file: Any) -> tuple[SerializedArtifact, dict[str, bytes]]:
    try:
        with zipfile.ZipFile(file) as archive:
            version = json.loads(archive.read("version.json"))
            parts = [archive.read(part) for part in _PARTS]
            extras = {
                name.removeprefix(_EXTRA): archive.read(name)
                for name in archive.namelist()
                if name.startswith(_EXTRA)
            }
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        raise RuntimeError(
            f"this is no program of executorch.exir.serde.serialize.save: {error}\nWay out: torch.export.load reads "
            "what torch.export.save wrote"
        ) from error
    if version.get("format") != _FORMAT:
        raise RuntimeError(f"the file has format {version.get('format')}, this release reads {_FORMAT}")
    program, state_dict, constants, example_inputs, delegates = parts
    dialect = version["dialect"]
    return SerializedArtifact(program, state_dict, constants, example_inputs, delegates, dialect), extras


__all__ = ["SerializedArtifact", "deserialize", "load", "save", "serialize"]
