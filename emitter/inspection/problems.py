"""What a program's tables promise each other: every index leads somewhere and every tensor fits its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from executorch.emitter.inspection.tensors import is_external, nbytes
from executorch.emitter.pte_file import PTEFile
from executorch.schema.program import (
    DelegateCall,
    ExecutionPlan,
    FreeCall,
    Int,
    IntList,
    JumpFalseCall,
    KernelCall,
    MoveCall,
    OptionalTensorList,
    Tensor,
    TensorList,
)

_SHOWN = 50
"""Problems that are listed; a file with more of them needs no longer list."""


def problems_of(file: PTEFile) -> list[str]:
    """What is wrong with a program whose file could be read; empty if nothing is."""
    found: list[str] = []
    names: set[str] = set()
    if not file.program.execution_plan:
        found.append("the program has no method")
    for plan in file.program.execution_plan:
        if plan.name in names:
            found.append(f"two methods have the name {plan.name!r}")
        names.add(plan.name)
        found += [f"method {plan.name!r}: {text}" for text in _method(plan, file)]
        if len(found) > _SHOWN:
            return [*found[:_SHOWN], "and more"]
    return found


def _out_of(index: int, table: Sequence[Any], what: str, where: str) -> Iterator[str]:
    if not 0 <= index < len(table):
        yield f"{where} refers to {what} {index}, but there are {len(table)}"


def _method(plan: ExecutionPlan, file: PTEFile) -> Iterator[str]:
    for kind, indices in (("input", plan.inputs), ("output", plan.outputs)):
        for number, index in enumerate(indices):
            yield from _out_of(index, plan.values, "value", f"{kind} {number}")
    if plan.non_const_buffer_sizes and plan.non_const_buffer_sizes[0] != 0:
        yield f"memory 0 is reserved, but has {plan.non_const_buffer_sizes[0]} bytes"
    for memory, size in enumerate(plan.non_const_buffer_sizes):
        if size < 0:
            yield f"memory {memory} has {size} bytes"
    for number, delegate in enumerate(plan.delegates):
        blobs = file.program.backend_delegate_data
        yield from _out_of(
            delegate.processed.index, blobs, "blob", f"delegate {number} ({delegate.id or 'without a name'})"
        )
    for index, value in enumerate(plan.values):
        yield from _value(index, value.val, plan, file)
    if not plan.chains:
        yield "there are no instructions"
    for number, chain in enumerate(plan.chains):
        for position, instruction in enumerate(chain.instructions):
            where = f"chain {number}, instruction {position}"
            yield from _instruction(where, instruction.instr_args, plan, len(chain.instructions))


def _value(index: int, value: Any, plan: ExecutionPlan, file: PTEFile) -> Iterator[str]:
    where = f"value {index}"
    if isinstance(value, Tensor):
        yield from (f"{where}: {text}" for text in _tensor(value, plan, file))
    elif isinstance(value, (IntList, TensorList, OptionalTensorList)):
        wanted = Int if isinstance(value, IntList) else Tensor
        for item in value.items:
            if item == -1 and isinstance(value, OptionalTensorList):
                continue
            wrong = list(_out_of(item, plan.values, "value", where))
            yield from wrong
            if not wrong and not isinstance(plan.values[item].val, wanted):
                kind = type(plan.values[item].val).__name__
                yield f"{where}, a list of {wanted.__name__} values, holds value {item}, which is {kind}"
    elif value is None:
        yield f"{where} has no type that this release knows"


def _tensor(tensor: Tensor, plan: ExecutionPlan, file: PTEFile) -> Iterator[str]:
    if any(size < 0 for size in tensor.sizes):
        yield f"the tensor's sizes are {tensor.sizes}"
        return
    if sorted(tensor.dim_order) != list(range(len(tensor.sizes))):
        yield f"the dim order {tensor.dim_order} is no order of {len(tensor.sizes)} dimensions"
    if tensor.storage_offset:
        yield f"the tensor begins at element {tensor.storage_offset} of its storage; runtimes support 0 only"
    size = nbytes(tensor.scalar_type, tensor.sizes)
    place = tensor.allocation_info
    if place is not None:
        memories = plan.non_const_buffer_sizes
        if not 1 <= place.memory_id < len(memories):
            yield f"the tensor is in memory {place.memory_id}; there are memories 1 to {len(memories) - 1}"
        elif place.memory_offset + size > memories[place.memory_id]:
            yield (
                f"the tensor's bytes {place.memory_offset} to {place.memory_offset + size} are outside memory "
                f"{place.memory_id} of {memories[place.memory_id]} bytes"
            )
    if tensor.data_buffer_idx and not is_external(tensor):
        table = file.program.constant_buffer if place is None else file.mutable_data or []
        kind = "constant" if place is None else "initial state"
        wrong = list(_out_of(tensor.data_buffer_idx, table, kind, "the tensor"))
        yield from wrong
        if not wrong and len(table[tensor.data_buffer_idx].storage) < size:
            stored = len(table[tensor.data_buffer_idx].storage)
            yield f"the tensor has {size} bytes, but {kind} {tensor.data_buffer_idx} only {stored}"
    if is_external(tensor) and not (
        tensor.extra_tensor_info and tensor.extra_tensor_info.fully_qualified_name
    ):
        yield "the tensor's data is external, but it has no name to find it by"


def _instruction(where: str, call: Any, plan: ExecutionPlan, count: int) -> Iterator[str]:
    values: list[int] = []
    if isinstance(call, KernelCall):
        yield from _out_of(call.op_index, plan.operators, "operator", where)
        values = call.args
    elif isinstance(call, DelegateCall):
        yield from _out_of(call.delegate_index, plan.delegates, "delegate", where)
        values = call.args
    elif isinstance(call, MoveCall):
        values = [call.move_from, call.move_to]
    elif isinstance(call, JumpFalseCall):
        values = [call.cond_value_index]
        if not 0 <= call.destination_instruction <= count:
            yield f"{where} jumps to instruction {call.destination_instruction} of {count}"
    elif isinstance(call, FreeCall):
        values = [call.value_index]
    else:
        yield f"{where} is of no kind that this release knows"
    for value in values:
        yield from _out_of(value, plan.values, "value", where)
