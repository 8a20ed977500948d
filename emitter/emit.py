"""Emission: from planned graphs to a `Program` with its data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.export import ExportedProgram

from executorch.dialects.tensor_spec import TensorSpec
from executorch.emitter.constants import ProgramData
from executorch.emitter.containers import flatten
from executorch.emitter.delegates import DelegateTable
from executorch.emitter.errors import EmissionError
from executorch.emitter.method_emitter import MethodEmitter
from executorch.emitter.named_data import DataCollector, DataPayload
from executorch.emitter.pte_file import SCHEMA_VERSION, PTEFile
from executorch.emitter.training import training_methods
from executorch.emitter.values import ValueTable
from executorch.schema.flat_tensor import TensorLayout
from executorch.schema.program import (
    Buffer,
    Chain,
    ContainerMetadata,
    ExecutionPlan,
    Program,
    Tensor,
    TensorDataLocation,
)
from executorch.schema.wire import BytesLike


@dataclass(init=False)
class EmitterOutput:
    """A program, everything that goes into its files, and what tools want to know about it.

    Attributes:
        program: constants are in `constant_buffer`, delegates' blobs in `backend_delegate_data`.
        debug_handle_map: method -> number of an instruction -> debug handle.
        method_to_delegate_debug_id_map: method -> number of a delegate call -> `name` of the backend and its
            `delegate_map` from the backend's debug identifiers to debug handles.
        instruction_id_to_num_outs_map: method -> number of an instruction -> number of its results.
        mutable_data: initial states of mutable buffers, None without any.
        named_data: data of delegates by name, None without any.
        external_data: name of a `.ptd` file without suffix -> its content.
    """

    program: Program
    debug_handle_map: dict[str, dict[int, int | tuple[int, ...]]] = field(default_factory=dict)
    method_to_delegate_debug_id_map: dict[str, dict[int, dict[str, Any]]] = field(default_factory=dict)
    instruction_id_to_num_outs_map: dict[str, dict[int, int]] = field(default_factory=dict)
    mutable_data: list[Buffer] | None = None
    named_data: DataPayload | None = None
    external_data: dict[str, DataPayload] = field(default_factory=dict)

    def __init__(
        self,
        program: Program,
        debug_handle_map: dict[str, dict[int, int | tuple[int, ...]]] | None = None,
        method_to_delegate_debug_id_map: dict[str, dict[int, dict[str, Any]]] | None = None,
        instruction_id_to_num_outs_map: dict[str, dict[int, int]] | None = None,
        mutable_data: list[Buffer] | None = None,
        external_constant_buffer: Sequence[BytesLike] | None = None,
        external_constant_map: Mapping[str, Mapping[str, int]] | None = None,
        named_data: DataPayload | None = None,
        external_data: dict[str, DataPayload] | None = None,
    ) -> None:
        """Data files may also be given in the form in which other releases keep them.

        Args:
            program, debug_handle_map, method_to_delegate_debug_id_map, instruction_id_to_num_outs_map, mutable_data,
                named_data, external_data: see the attributes.
            external_constant_buffer: contents of data files.
            external_constant_map: name of a data file -> name in it -> number of the content. Where a tensor of the
                program has the name, its layout goes into the file.
        """
        self.program = program
        self.debug_handle_map = debug_handle_map or {}
        self.method_to_delegate_debug_id_map = method_to_delegate_debug_id_map or {}
        self.instruction_id_to_num_outs_map = instruction_id_to_num_outs_map or {}
        self.mutable_data = mutable_data
        self.named_data = named_data
        self.external_data = dict(external_data or {})
        if external_constant_map:
            layouts = external_layouts(program)
            for tag, names in external_constant_map.items():
                collector = DataCollector()
                for name, number in names.items():
                    collector.add(
                        name, (external_constant_buffer or ())[number], tensor_layout=layouts.get(name)
                    )
                self.external_data[tag] = collector.payload

    @property
    def pte_file(self) -> PTEFile:
        """What `serialize_pte_binary` takes."""
        return PTEFile(self.program, self.mutable_data, self.named_data)

    @property
    def external_constant_map(self) -> dict[str, dict[str, int]]:
        """File -> name -> index of its bytes in `external_constant_buffer`."""
        result, start = {}, 0
        for tag, payload in self.external_data.items():
            result[tag] = {key: start + entry.buffer_index for key, entry in payload.named_data.items()}
            start += len(payload.buffers)
        return result

    @property
    def external_constant_buffer(self) -> list[BytesLike]:
        """All buffers of all external files."""
        return [buffer for payload in self.external_data.values() for buffer in payload.buffers]


def external_layouts(program: Program) -> dict[str, TensorLayout]:
    """Name of each tensor that lives in a data file to its layout."""
    found = {}
    for plan in program.execution_plan:
        for value in plan.values:
            tensor = value.val
            info = tensor.extra_tensor_info if isinstance(tensor, Tensor) else None
            is_external = info is not None and info.location == TensorDataLocation.EXTERNAL
            if isinstance(tensor, Tensor) and info is not None and is_external and info.fully_qualified_name:
                layout = TensorLayout(tensor.scalar_type, list(tensor.sizes), list(tensor.dim_order))
                found[info.fully_qualified_name] = layout
    return found


def emit_program(
    methods: Mapping[str, ExportedProgram] | ExportedProgram,
    emit_stacktrace: bool = False,
    prim_getters: Mapping[str, Any] | None = None,
    emit_mutable_buffer_names: bool = False,
) -> EmitterOutput:
    """Emits methods as one program.

    Args:
        methods: name -> program in execution form, memory planned; a single program becomes `forward`. Methods
            are written in the order of their names.
        emit_stacktrace: keep the user's source lines of each instruction in the program.
        prim_getters: name -> constant that a method of this name, without inputs, returns: a number, a truth
            value, a text, a tensor, or a nested list, tuple or dictionary of these. Methods that return gradients
            get theirs besides (`executorch.emitter.training`).
        emit_mutable_buffer_names: buffers that methods change and that have no planned memory are written with
            their names, for whoever runs the program to give them memory. Those with memory have names anyway.

    Raises:
        EmissionError: a node or a constant has no counterpart in a program; the message names it.
        UnplannedBufferError: a buffer that a method changes has no memory (also an ``InternalError``).
    """
    methods = {"forward": methods} if isinstance(methods, ExportedProgram) else dict(methods)
    getters = {**(prim_getters or {}), **training_methods(methods)}
    twice = sorted(set(methods) & set(getters))
    if twice:
        raise EmissionError(f"both a method and a constant method have the name: {', '.join(twice)}")
    data, delegates = ProgramData(emit_mutable_buffer_names), DelegateTable()
    output = EmitterOutput(Program(version=SCHEMA_VERSION))
    for name in sorted(methods):
        emitted = MethodEmitter(name, methods[name], data, delegates).emit(emit_stacktrace)
        output.program.execution_plan.append(emitted.plan)
        output.debug_handle_map[name] = emitted.debug_handles
        output.method_to_delegate_debug_id_map[name] = emitted.delegate_debug_ids
        output.instruction_id_to_num_outs_map[name] = emitted.num_outputs
    output.program.execution_plan += [_constant_method(name, value, data) for name, value in getters.items()]
    output.program.constant_buffer = data.constants.buffers
    output.program.backend_delegate_data = delegates.blobs
    output.mutable_data = data.mutable_data()
    output.named_data = delegates.named.payload if delegates.named.payload.named_data else None
    output.external_data = _external_data(data, delegates)
    return output


def _constant_method(name: str, value: Any, data: ProgramData) -> ExecutionPlan:
    """A method that returns a constant and computes nothing."""
    values = ValueTable(data)
    leaves, nesting = flatten(value)
    outputs = []
    for leaf in leaves:
        if isinstance(leaf, torch.Tensor):
            outputs.append(values.tensor(TensorSpec.from_tensor(leaf, const=True)))
            continue
        try:
            outputs.append(values.constant(leaf))
        except EmissionError as error:
            raise EmissionError(f"constant method {name!r}: {error.message}") from error
    return ExecutionPlan(
        name=name,
        container_meta_type=ContainerMetadata("", nesting),
        values=values.values,
        outputs=outputs,
        chains=[Chain()],
        non_const_buffer_sizes=[0],
    )


def _external_data(data: ProgramData, delegates: DelegateTable) -> dict[str, DataPayload]:
    """Weights and delegates' data that have the same file go into one."""
    payloads = data.external_payloads()
    for tag, collector in delegates.external.items():
        if tag not in payloads:
            payloads[tag] = collector.payload
            continue
        both = DataCollector()
        try:
            for payload in (payloads[tag], collector.payload):
                both.merge(payload.buffers, payload.named_data)
        except ValueError as error:
            raise EmissionError(f"external data {tag!r}: {error}") from error
        payloads[tag] = both.payload
    return dict(sorted(payloads.items()))
