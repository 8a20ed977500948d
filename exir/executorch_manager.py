"""``ExecutorchProgramManager``: an executable program and its files."""

import io
import os
import pathlib
from collections.abc import Mapping
from typing import Any, BinaryIO, TextIO

from torch.export import ExportedProgram

from executorch.dialects.errors import ExportError, ExportErrorType, UnknownMethodError
from executorch.emitter import EmitterOutput, SerializedProgram, emit_program, serialize_pte
from executorch.emitter.cord import Cord
from executorch.emitter.named_data import DataCollector
from executorch.exir.capture._config import ExecutorchBackendConfig
from executorch.exir.etrecord_hook import Record
from executorch.exir.print_program import pretty_print, print_program
from executorch.schema.program import Program


class ExecutorchProgramManager:
    """The methods of a model in execution form, the program they became, and its bytes.

    The program is emitted when the manager is made and laid out in a file when somebody asks for bytes; weights
    are copied once, into the file or into ``buffer``.

    Args:
        execution_programs: method name to program in execution form with a memory plan.
        config_methods: method name to the constant it returns.
        backend_config: how to write the file.
        named_data: bytes with names that go into the file besides those of delegates, a ``NamedDataStoreOutput``.
    """

    def __init__(
        self,
        execution_programs: Mapping[str, ExportedProgram],
        config_methods: "Mapping[str, Any] | None" = None,
        backend_config: "ExecutorchBackendConfig | None" = None,
        named_data: Any = None,
    ) -> None:
        self._execution_programs = dict(execution_programs)
        self._config_methods = dict(config_methods or {})
        self._backend_config = backend_config or ExecutorchBackendConfig()
        self._emitter_output: EmitterOutput = emit_program(
            self._execution_programs,
            self._backend_config.emit_stacktrace,
            self._config_methods,
            self._backend_config.emit_mutable_buffer_names,
        )
        if named_data is not None:
            _add_named_data(self._emitter_output, named_data)
        self._etrecord: Record | None = None
        self._serialized: SerializedProgram | None = None
        self._buffer: bytes | None = None

    @property
    def methods(self) -> set[str]:
        """Names of the methods that compute."""
        return set(self._execution_programs)

    @property
    def config_methods(self) -> set[str]:
        """Names of the methods that return a constant."""
        return set(self._config_methods)

    def exported_program(self, method_name: str = "forward") -> ExportedProgram:
        """The program of a method in execution form.

        Raises:
            UnknownMethodError: there is none of this name (also a ``KeyError``).
        """
        if method_name not in self._execution_programs:
            raise UnknownMethodError(f"no method {method_name!r}; this program has {sorted(self.methods)}")
        return self._execution_programs[method_name]

    @property
    def executorch_program(self) -> Program:
        """The program as the schema's objects; constants stand in ``constant_buffer``."""
        return self._emitter_output.program

    @property
    def program(self) -> Program:
        """The same as :attr:`executorch_program`."""
        return self._emitter_output.program

    @property
    def buffer(self) -> bytes:
        """The ``.pte`` file in one piece. :meth:`write_to_file` needs no such copy of the weights."""
        if self._buffer is None:
            self._buffer = self._files().pte.tobytes()
        return self._buffer

    @property
    def debug_handle_map(self) -> dict[str, dict[int, Any]]:
        """Method to number of an instruction to the debug handle of its operator."""
        return self._emitter_output.debug_handle_map

    @property
    def delegate_map(self) -> dict[str, dict[int, dict[str, Any]]]:
        """Method to number of a delegate call to the backend's name and its debug-handle map."""
        return self._emitter_output.method_to_delegate_debug_id_map

    @property
    def instruction_id_to_num_outs_map(self) -> dict[str, dict[int, int]]:
        """Method to number of an instruction to the number of its results."""
        return self._emitter_output.instruction_id_to_num_outs_map

    def dump_executorch_program(self, verbose: bool = False, out: "TextIO | None" = None) -> None:
        """Prints the program to standard output or to ``out``.

        Args:
            verbose: all objects of the program; otherwise the instructions with their operators and operands.
            out: a text stream.
        """
        if verbose:
            pretty_print(self._emitter_output.program, out=out)
        else:
            print_program(self._emitter_output.program, out=out)

    def get_etrecord(self) -> Any:
        """The record for the inspector that was kept on the way.

        Raises:
            RuntimeError: nobody asked for one.
        """
        if self._etrecord is None:
            raise RuntimeError(
                "ETRecord was not generated\nWay out: pass generate_etrecord=True to to_edge or "
                "to_edge_transform_and_lower"
            )
        return self._etrecord

    def write_to_file(self, open_file: BinaryIO) -> None:
        """Writes the ``.pte`` file to a file opened for binary writing, without a copy of the weights.

        Raises:
            ExportError: the file was opened for text.
        """
        if isinstance(open_file, io.TextIOBase):
            raise ExportError(
                ExportErrorType.INVALID_INPUT_TYPE, 'a .pte file is binary\nWay out: open(path, "wb")'
            )
        self._files().pte.write_to_file(open_file)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the ``.pte`` file to ``path``, whose suffix must be ``.pte``.

        Raises:
            ValueError: it has another suffix.
        """
        target = pathlib.Path(path)
        if target.suffix != ".pte":
            raise ValueError(
                f"Path {path} does not end with .pte\nWay out: a program is saved to a .pte file"
            )
        with target.open("wb") as file:
            self.write_to_file(file)

    def write_tensor_data_to_file(self, outdir: "str | os.PathLike[str]") -> None:
        """Writes one ``<name>.ptd`` file per external data file to the directory ``outdir`` (made if missing)."""
        directory = pathlib.Path(outdir)
        directory.mkdir(parents=True, exist_ok=True)
        for name, cord in self._files().ptd.items():
            with (directory / f"{name}.ptd").open("wb") as file:
                cord.write_to_file(file)

    @property
    def data_files(self) -> dict[str, bytes]:
        """Name of each external data file (without suffix) to its content."""
        return {name: cord.tobytes() for name, cord in self._files().ptd.items()}

    @property
    def _tensor_data(self) -> dict[str, Cord]:
        """As :attr:`data_files`, without copying the weights into one piece."""
        return self._files().ptd

    def _files(self) -> SerializedProgram:
        if self._serialized is None:
            config = self._backend_config
            self._serialized = serialize_pte(
                self._emitter_output,
                extract_delegate_segments=config.extract_delegate_segments,
                segment_alignment=config.segment_alignment,
                constant_tensor_alignment=config.constant_tensor_alignment,
                delegate_alignment=config.delegate_alignment,
            )
        return self._serialized


def _add_named_data(output: EmitterOutput, data: Any) -> None:
    """Adds what a named data store gave out to the program's own, to files of their own where it says so."""
    collector = DataCollector()
    if output.named_data is not None:
        collector.merge(output.named_data.buffers, output.named_data.named_data)
    collector.merge(data.buffers, data.pte_data)
    output.named_data = collector.payload if collector.payload.named_data else None
    for tag, entries in data.external_data.items():
        external = DataCollector()
        known = output.external_data.get(tag)
        if known is not None:
            external.merge(known.buffers, known.named_data)
        external.merge(data.buffers, entries)
        output.external_data[tag] = external.payload
