"""Flatbuffers by way of their schemas and the flatbuffer compiler ``flatc``, for tools that work on JSON.

Programs are read and written by :mod:`executorch.schema`, which needs neither; only :func:`_flatc_compile` and
:func:`_flatc_decompile` run ``flatc``: the one that the environment variable ``FLATC_EXECUTABLE`` names, or else the one
on the path.
"""

import functools
import importlib.resources
import json
import os
import re
import shutil
import subprocess
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from executorch.emitter.alignment import checked_alignment
from executorch.exir.published._serialize._json import _named
from executorch.schema.program import read_program

_SCHEMA_PACKAGE = "executorch.schema"
_PROGRAM_SCHEMA = "program.fbs"
_SCHEMA_FILES = (_PROGRAM_SCHEMA, "scalar_type.fbs")
_MARKS = {"tensor": rb"@executorch-tensor-alignment", "delegate": rb"@executorch-delegate-alignment"}
_ALIGNMENT = re.compile(rb"(\(\s*)?force_align\s*:\s*(\d+)(\s*\))?")
_NON_FINITE = re.compile(rb'"(?:[^"\\]|\\.)*"|-?Infinity|NaN')
_QUOTED = {b"Infinity": b'"inf"', b"-Infinity": b'"-inf"', b"NaN": b'"nan"'}


@dataclass
class _FlatbufferResult:
    """A flatbuffer.

    Attributes:
        data: its bytes.
        max_alignment: what the address of its first byte must be a multiple of.
    """

    data: bytes
    max_alignment: int


@dataclass
class _SchemaInfo:
    """A schema on disk.

    Attributes:
        root_path: of the file with the root table.
        max_alignment: the largest alignment that any field asks for.
        file_identifier: bytes 4 to 8 of every file of this schema.
        tensor_alignment, delegate_alignment: of inline constants, and of inline blobs of delegates.
    """

    root_path: str
    max_alignment: int
    file_identifier: bytes
    tensor_alignment: int
    delegate_alignment: int


class _ResourceFiles:
    """Schema files by name, to be changed and then written somewhere.

    Args:
        resource_names: of ``executorch.schema``.

    Raises:
        FileNotFoundError: there is none of such a name.
    """

    def __init__(self, resource_names: Sequence[str]) -> None:
        with warnings.catch_warnings():
            # Python 3.11 and 3.12 call this function deprecated; 3.13 has taken that back.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._files = {
                name: importlib.resources.read_binary(_SCHEMA_PACKAGE, name) for name in resource_names
            }

    def patch_files(self, patch_fn: Callable[[bytes], bytes]) -> None:
        """Replaces the content of each file by what ``patch_fn`` makes of it."""
        self._files = {name: patch_fn(content) for name, content in self._files.items()}

    def get(self, name: str) -> bytes:
        """The content of a file as it is now."""
        return self._files[name]

    def write_to(self, out_dir: str) -> None:
        """Writes the files into a directory."""
        for name, content in self._files.items():
            with open(os.path.join(out_dir, name), "wb") as file:
                file.write(content)


class _SchemaMaxAlignmentGetter:
    """Called with the files of a schema one after the other, it finds the largest alignment; changes nothing."""

    def __init__(self) -> None:
        self.max_alignment = 1

    def __call__(self, schema: bytes) -> bytes:
        found = [int(match[2]) for match in _ALIGNMENT.finditer(schema)]
        self.max_alignment = max([self.max_alignment, *found])
        return schema


class _SchemaFileIdentifierGetter:
    """Called with the files of a schema one after the other, it finds the file identifier; changes nothing."""

    def __init__(self) -> None:
        self.file_identifier = b""

    def __call__(self, schema: bytes) -> bytes:
        match = re.search(rb'^\s*file_identifier\s+"(....)"\s*;', schema, re.MULTILINE)
        if match is not None:
            self.file_identifier = match[1]
        return schema


def _is_valid_alignment(alignment: int) -> bool:
    """Whether ``alignment`` is a power of two."""
    return alignment > 0 and not alignment & (alignment - 1)


def _patch_schema_alignment(
    schema: bytes, constant_tensor_alignment: "int | None", delegate_alignment: "int | None"
) -> bytes:
    """A schema with other alignments of inline constants and inline blobs; None leaves one as it is."""
    wanted = {_MARKS["tensor"]: constant_tensor_alignment, _MARKS["delegate"]: delegate_alignment}

    def patched(line: bytes) -> bytes:
        for mark, alignment in wanted.items():
            if mark in line and alignment is not None:
                return _ALIGNMENT.sub(functools.partial(_with_alignment, alignment), line)
        return line

    return b"".join(patched(line) for line in schema.splitlines(keepends=True))


def _with_alignment(alignment: int, match: "re.Match[bytes]") -> bytes:
    opening, closing = (b"(" if match[1] else b""), (b")" if match[3] else b"")
    return opening + b"force_align: %d" % alignment + closing


def _prepare_schema(
    out_dir: str, constant_tensor_alignment: "int | None" = None, delegate_alignment: "int | None" = None
) -> _SchemaInfo:
    """Writes the schema of programs into ``out_dir``, for ``flatc``.

    Raises:
        ValueError: an alignment is not a power of two.
    """
    for name, alignment in (
        ("constant_tensor_alignment", constant_tensor_alignment),
        ("delegate_alignment", delegate_alignment),
    ):
        if alignment is not None:
            checked_alignment(alignment, name)
    files = _ResourceFiles(_SCHEMA_FILES)
    files.patch_files(
        lambda schema: _patch_schema_alignment(schema, constant_tensor_alignment, delegate_alignment)
    )
    largest, identifier = _SchemaMaxAlignmentGetter(), _SchemaFileIdentifierGetter()
    files.patch_files(largest)
    files.patch_files(identifier)
    files.write_to(out_dir)
    root = files.get(_PROGRAM_SCHEMA)
    return _SchemaInfo(
        root_path=os.path.join(out_dir, _PROGRAM_SCHEMA),
        max_alignment=largest.max_alignment,
        file_identifier=identifier.file_identifier,
        tensor_alignment=_marked_alignment(root, "tensor"),
        delegate_alignment=_marked_alignment(root, "delegate"),
    )


def _marked_alignment(schema: bytes, kind: str) -> int:
    (line,) = [line for line in schema.splitlines() if _MARKS[kind] in line]
    match = _ALIGNMENT.search(line)
    assert match is not None
    return int(match[2])


def _get_flatc_path() -> str:
    """Where ``flatc`` is.

    Raises:
        FileNotFoundError: nowhere.
    """
    found = os.environ.get("FLATC_EXECUTABLE") or shutil.which("flatc")
    if not found:
        raise FileNotFoundError(
            "flatc is neither named by FLATC_EXECUTABLE nor on the path. Way out: install the flatbuffer compiler; "
            "programs are read and written without it by executorch.schema"
        )
    return found


def _run_flatc(args: Sequence[str]) -> None:
    """Runs ``flatc``.

    Raises:
        FileNotFoundError: there is none.
        subprocess.CalledProcessError: it failed; what it said is in ``stdout`` and ``stderr``.
    """
    subprocess.run([_get_flatc_path(), *args], check=True, capture_output=True)


def _flatc_compile(output_dir: str, schema_path: str, json_path: str) -> None:
    """Writes the flatbuffer of a JSON file into a directory, under the name of the JSON file."""
    _run_flatc(["--binary", "-o", output_dir, schema_path, json_path])


def _flatc_decompile(
    output_dir: str, schema_path: str, bin_path: str, flatc_additional_args: "list[str] | None" = None
) -> None:
    """Writes a flatbuffer as JSON into a directory, under the name of the flatbuffer's file."""
    options = ["--json", "--defaults-json", "--strict-json", *(flatc_additional_args or [])]
    _run_flatc([*options, "-o", output_dir, schema_path, "--", bin_path])


def _replace_non_finite_in_json(content: bytes) -> bytes:
    """JSON as Python writes it with numbers that are not finite quoted, as ``flatc`` takes them; texts stay.

    Content without such numbers is returned as it is.
    """
    quoted = _NON_FINITE.sub(lambda match: _QUOTED.get(match[0], match[0]), content)
    return content if quoted == content else quoted


def _replace_infinity_in_json_file(content: bytes) -> bytes:
    """JSON as ``flatc`` writes it with numbers that are not finite quoted: ``inf`` alone is no JSON."""
    return re.sub(rb'"(?:[^"\\]|\\.)*"|-?\binf\b|-?\bnan\b', _quoted_bare, content)


def _quoted_bare(match: "re.Match[bytes]") -> bytes:
    return match[0] if match[0].startswith(b'"') else b'"' + match[0] + b'"'


def _program_flatbuffer_to_json(program_flatbuffer: bytes) -> bytes:
    """A program's flatbuffer as JSON, enums by name, as ``flatc`` would write it.

    Raises:
        FormatError: it is cut off or corrupt, or no program.
    """
    return json.dumps(_named(read_program(program_flatbuffer)), indent=2, allow_nan=False).encode()
