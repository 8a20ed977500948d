"""``ETRecord`` and its file: a zip archive with programs, maps of debug handles, inputs and outputs."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import IO, Any, BinaryIO, TypeAlias

import torch
from torch.export import ExportedProgram

from executorch.devtools.bundled_program.core import BundledProgram
from executorch.exir import EdgeProgramManager, ExirExportedProgram
from executorch.exir.serde import serialize as serde

RecordFile: TypeAlias = "str | os.PathLike[str] | BinaryIO | IO[bytes]"
_DEFAULT_METHOD = "forward"


class ETRecordReservedFileNames(StrEnum):
    """Names in the archive."""

    ETRECORD_IDENTIFIER = "ETRECORD_V0"
    EXPORTED_PROGRAM = "exported_program"
    EXPORT_GRAPH_ID = "export_graph_id"
    EDGE_DIALECT_EXPORTED_PROGRAM = "edge_dialect_exported_program"
    ET_DIALECT_GRAPH_MODULE = "et_dialect_graph_module"
    DEBUG_HANDLE_MAP_NAME = "debug_handle_map"
    DELEGATE_MAP_NAME = "delegate_map"
    INSTRUCTION_ID_TO_NUM_OUTS_MAP_NAME = "instruction_id_to_num_outs_map"
    REFERENCE_OUTPUTS = "reference_outputs"
    REPRESENTATIVE_INPUTS = "representative_inputs"


_Name = ETRecordReservedFileNames


class ETRecord:
    """What is remembered of a model's way to its program. Fill it with ``add_...()``, then :meth:`save` it.

    Attributes:
        exported_program: What ``torch.export`` returned.
        export_graph_id: The number of its graph when it was exported.
        edge_dialect_program: The edge program of the only method, or the edge programs by method.
        graph_map: Further programs by name and method, ``name/forward``.
    """

    def __init__(
        self,
        exported_program: ExportedProgram | None = None,
        export_graph_id: int | None = None,
        edge_dialect_program: ExportedProgram | dict[str, ExportedProgram] | None = None,
        graph_map: dict[str, ExportedProgram] | None = None,
        _debug_handle_map: dict[str, dict[int, Any]] | None = None,
        _delegate_map: dict[str, dict[int, dict[str, Any]]] | None = None,
        _instruction_id_to_num_outs_map: dict[str, dict[int, int]] | None = None,
        _reference_outputs: dict[str, list[Any]] | None = None,
        _representative_inputs: list[Any] | None = None,
    ) -> None:
        self.exported_program = exported_program
        self.export_graph_id = export_graph_id
        self.edge_dialect_program = edge_dialect_program
        self._only_method = _DEFAULT_METHOD
        self.graph_map = graph_map
        self._debug_handle_map = _debug_handle_map
        self._delegate_map = _delegate_map
        self._instruction_id_to_num_outs_map = _instruction_id_to_num_outs_map
        self._reference_outputs = _reference_outputs
        self._representative_inputs = _representative_inputs

    def copy(self) -> ETRecord:
        """A record with the same programs, without what belongs to one executable program."""
        record = ETRecord(
            exported_program=self.exported_program,
            export_graph_id=self.export_graph_id,
            edge_dialect_program=self.edge_dialect_program,
            graph_map=None if self.graph_map is None else dict(self.graph_map),
        )
        record._only_method = self._only_method
        return record

    def edge_programs(self) -> dict[str, ExportedProgram]:
        """The edge programs by method."""
        if self.edge_dialect_program is None:
            return {}
        if isinstance(self.edge_dialect_program, Mapping):
            return dict(self.edge_dialect_program)
        return {self._only_method: self.edge_dialect_program}

    def _set_edge_programs(self, programs: Mapping[str, ExportedProgram]) -> None:
        """Keeps the program itself if there is one method only."""
        if len(programs) == 1:
            [(self._only_method, self.edge_dialect_program)] = programs.items()
        else:
            self.edge_dialect_program = dict(programs)

    def add_exported_program(
        self, exported_program: ExportedProgram | Mapping[str, ExportedProgram] | None
    ) -> None:
        """Adds what ``torch.export`` returned; of several methods, ``forward``.

        Raises:
            RuntimeError: There is one already.
        """
        if self.exported_program is not None or self.export_graph_id is not None:
            raise RuntimeError("Exported program already exists in the ETRecord. Cannot add another one.")
        if isinstance(exported_program, Mapping):
            exported_program = exported_program.get(_DEFAULT_METHOD)
        self.exported_program = exported_program
        self.export_graph_id = None if exported_program is None else id(exported_program.graph)

    def add_edge_dialect_program(self, edge_dialect_program: Any) -> None:
        """Adds what ``to_edge()`` returned. Of nodes that a delegate took, only the call remains; a program from before
        ``to_backend()`` tells more.

        Raises:
            RuntimeError: There is one already, or it is something else.
        """
        if self.edge_dialect_program is not None:
            raise RuntimeError("Edge dialect program already exists in the ETRecord. Cannot add another one.")
        programs = _programs_of(edge_dialect_program)
        if programs is None:
            raise RuntimeError(
                f"Unsupported type of edge_dialect_program passed in {type(edge_dialect_program)}\nWay out: pass "
                "what to_edge() or to_edge_transform_and_lower() returned"
            )
        self._set_edge_programs(programs)

    def add_executorch_program(self, executorch_program: Any) -> None:
        """Adds the maps of what ``to_executorch()`` returned, or of a :class:`BundledProgram` with its test cases.

        Raises:
            RuntimeError: There is one already.
        """
        if self._debug_handle_map is not None or self._delegate_map is not None:
            raise RuntimeError(
                "Executorch program data already exists in the ETRecord. Cannot add another one."
            )
        if isinstance(executorch_program, BundledProgram):
            self.update_reference_outputs(executorch_program)
            self.update_representative_inputs(executorch_program)
            executorch_program = executorch_program.executorch_program
            if executorch_program is None:
                raise RuntimeError(
                    "The bundled program was made from a .pte file, which has no debug handles\nWay out: make it "
                    "from what to_executorch() returned"
                )
        self._debug_handle_map = executorch_program.debug_handle_map
        self._delegate_map = executorch_program.delegate_map
        self._instruction_id_to_num_outs_map = executorch_program.instruction_id_to_num_outs_map

    def add_extra_export_modules(self, extra_recorded_export_modules: Mapping[str, Any]) -> None:
        """Adds programs under names of the user's; each what ``torch.export`` or ``to_edge()`` returned.

        Raises:
            RuntimeError: A name is reserved, or it is no program.
        """
        graphs = self.graph_map if self.graph_map is not None else {}
        for name, module in extra_recorded_export_modules.items():
            if name.split("/")[0] in {reserved.value for reserved in _Name}:
                raise RuntimeError(
                    f"The name {name} provided in the extra_recorded_export_modules is reserved."
                )
            programs = _programs_of(module)
            if programs is None:
                raise RuntimeError(
                    f"Unsupported graph module type. {type(module)} under the name {name}\nWay out: pass what "
                    "torch.export or to_edge() returned"
                )
            for method, program in programs.items():
                graphs[f"{name}/{method}"] = program
        self.graph_map = graphs

    def update_representative_inputs(self, representative_inputs: Sequence[Any] | BundledProgram) -> None:
        """Sets the inputs that :meth:`Inspector.calculate_numeric_gap` runs the model with.

        Args:
            representative_inputs: The model's inputs, ``(x, y)``, a list with such a tuple, ``[(x, y)]``, or a
                bundle, of which the first test case is taken. Of several tuples the first one counts.
        """
        if isinstance(representative_inputs, BundledProgram):
            representative_inputs = _get_representative_inputs(representative_inputs) or []
        self._representative_inputs = list(representative_inputs)

    def update_reference_outputs(
        self, reference_outputs: Mapping[str, list[Any]] | Sequence[Any] | BundledProgram
    ) -> None:
        """Sets the outputs to compare with: by method, of ``forward``, or those of a bundle."""
        if isinstance(reference_outputs, BundledProgram):
            self._reference_outputs = _get_reference_outputs(reference_outputs)
        elif isinstance(reference_outputs, Mapping):
            self._reference_outputs = dict(reference_outputs)
        else:
            self._reference_outputs = {_DEFAULT_METHOD: list(reference_outputs)}

    def save(self, path: RecordFile) -> None:
        """Writes the record.

        Raises:
            RuntimeError: It lacks the edge program or the maps of the executable program.
        """
        if self.edge_dialect_program is None or self._debug_handle_map is None:
            raise RuntimeError(
                "ETRecord must contain edge dialect program and executorch program to be saved: it has "
                + (
                    "no edge dialect program"
                    if self.edge_dialect_program is None
                    else "no executorch program"
                )
                + "\nWay out: generate_etrecord=True when lowering, or add_edge_dialect_program() with what to_edge() "
                "returned and add_executorch_program() with what to_executorch() returned"
            )
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(_Name.ETRECORD_IDENTIFIER.value, "")
            if self.exported_program is not None:
                archive.writestr(_Name.EXPORTED_PROGRAM.value, _save(self.exported_program))
            for method, program in self.edge_programs().items():
                name = f"{_Name.EDGE_DIALECT_EXPORTED_PROGRAM.value}/{method}"
                archive.writestr(name, _save(program))
            for name, program in (self.graph_map or {}).items():
                archive.writestr(name, _save(program))
            for entry in _JSON_ENTRIES:
                archive.writestr(entry.value, json.dumps(getattr(self, f"_{entry.value}")))
            for entry in _TENSOR_ENTRIES:
                value = getattr(self, f"_{entry.value}")
                if value is not None:
                    buffer = io.BytesIO()
                    torch.save(value, buffer)
                    archive.writestr(entry.value, buffer.getvalue())
            archive.writestr(_Name.EXPORT_GRAPH_ID.value, json.dumps(self.export_graph_id))


_JSON_ENTRIES = (
    _Name.DEBUG_HANDLE_MAP_NAME,
    _Name.DELEGATE_MAP_NAME,
    _Name.INSTRUCTION_ID_TO_NUM_OUTS_MAP_NAME,
)
_TENSOR_ENTRIES = (_Name.REFERENCE_OUTPUTS, _Name.REPRESENTATIVE_INPUTS)


def _programs_of(source: Any) -> dict[str, ExportedProgram] | None:
    """The programs of what ``torch.export`` or ``to_edge()`` returned, by method; None of anything else."""
    if isinstance(source, ExportedProgram):
        return {_DEFAULT_METHOD: source}
    if isinstance(source, ExirExportedProgram):
        return {_DEFAULT_METHOD: source.exported_program}
    if isinstance(source, EdgeProgramManager):
        return {name: source.exported_program(name) for name in sorted(source.methods)}
    return None


def _get_reference_outputs(bundled_program: BundledProgram) -> dict[str, list[Any]]:
    """What each test case of a bundle should give, by method."""
    return {
        suite.method_name: [list(case.expected_outputs) for case in suite.test_cases]
        for suite in bundled_program.method_test_suites
    }


def _get_representative_inputs(bundled_program: BundledProgram) -> list[Any] | None:
    """The inputs of the first test case: of ``forward``, or of the first method that has one; else None."""
    cases = {
        suite.method_name: suite.test_cases[0]
        for suite in bundled_program.method_test_suites
        if suite.test_cases
    }
    case = cases.get(_DEFAULT_METHOD) or next(iter(cases.values()), None)
    return None if case is None else list(case.inputs)


def generate_etrecord(
    et_record: RecordFile,
    edge_dialect_program: Any,
    executorch_program: Any,
    exported_program: ExportedProgram | Mapping[str, ExportedProgram] | None = None,
    extra_recorded_export_modules: Mapping[str, Any] | None = None,
) -> None:
    """Writes an ETRecord.

    Args:
        et_record: A path or a binary file.
        edge_dialect_program: What ``to_edge()`` returned. Take a ``copy.deepcopy`` of it right away if other tools
            change it; nothing here does.
        executorch_program: What ``to_executorch()`` returned, or a :class:`BundledProgram` with it.
        exported_program: What ``torch.export`` returned, or that by method.
        extra_recorded_export_modules: More programs, by name.

    Raises:
        RuntimeError: A program cannot be saved, or a name is reserved.
    """
    record = ETRecord()
    record.add_exported_program(exported_program)
    record.add_edge_dialect_program(edge_dialect_program)
    record.add_executorch_program(executorch_program)
    if extra_recorded_export_modules is not None:
        record.add_extra_export_modules(extra_recorded_export_modules)
    record.save(et_record)


def parse_etrecord(etrecord_path: RecordFile) -> ETRecord:
    """Reads an ETRecord. The keys of its maps, which count instructions, are text as JSON has them.

    Raises:
        RuntimeError: The file is not an ETRecord.
    """
    if not zipfile.is_zipfile(etrecord_path):
        raise RuntimeError(f"{etrecord_path} is not an ETRecord: not a zip archive")
    record = ETRecord()
    edge: dict[str, ExportedProgram] = {}
    graphs: dict[str, ExportedProgram] = {}
    with zipfile.ZipFile(etrecord_path) as archive:
        names = archive.namelist()
        if _Name.ETRECORD_IDENTIFIER.value not in names:
            raise RuntimeError(
                f"{etrecord_path} is not an ETRecord: it has no {_Name.ETRECORD_IDENTIFIER.value}"
            )
        plain = {reserved.value for reserved in _Name}
        for name in names:
            folder, _, method = name.partition("/")
            if folder == _Name.EDGE_DIALECT_EXPORTED_PROGRAM.value:
                edge[method] = _load(archive, name)
            elif name not in plain:
                graphs[name] = _load(archive, name)
        if _Name.EXPORTED_PROGRAM.value in names:
            record.exported_program = _load(archive, _Name.EXPORTED_PROGRAM.value)
        for entry in _JSON_ENTRIES:
            setattr(record, f"_{entry.value}", json.loads(archive.read(entry.value)))
        record.export_graph_id = json.loads(archive.read(_Name.EXPORT_GRAPH_ID.value))
        for entry in _TENSOR_ENTRIES:
            if entry.value in names:
                data = io.BytesIO(archive.read(entry.value))
                setattr(record, f"_{entry.value}", torch.load(data, weights_only=True))
    record._set_edge_programs(edge)
    record.graph_map = graphs
    return record


def _save(program: ExportedProgram) -> bytes:
    buffer = io.BytesIO()
    try:
        serde.save(program, buffer)
    except Exception as error:  # torch raises what it comes across.
        raise RuntimeError(
            f"an exported program cannot be saved in an ETRecord: {error}\nWay out: record the program as it was "
            "before the passes or backends that brought in what torch cannot write (generate_etrecord=True records "
            "what to_edge() makes)"
        ) from error
    return buffer.getvalue()


def _load(archive: zipfile.ZipFile, name: str) -> ExportedProgram:
    try:
        return serde.load(io.BytesIO(archive.read(name)))
    except Exception as error:  # torch raises what it comes across.
        raise RuntimeError(
            f"{name} in the ETRecord cannot be read: {error}\nWay out: make the record with the devtools and the "
            "torch that read it"
        ) from error


__all__ = ["ETRecord", "ETRecordReservedFileNames", "generate_etrecord", "parse_etrecord"]
