"""The sections about a program: methods, segments, constants, and what a runtime must link."""

from __future__ import annotations

from collections import Counter
from typing import Any

from executorch.emitter.dim_marks import unbounded_dims
from executorch.emitter.inspection.report import Report, Section
from executorch.emitter.inspection.tensors import (
    describe,
    is_constant,
    is_external,
    name_of,
    nbytes,
    place_of,
)
from executorch.emitter.pte_file import PTEFile
from executorch.schema.program import (
    BackendDelegate,
    DelegateCall,
    ExecutionPlan,
    Instruction,
    KernelCall,
    Program,
    Tensor,
)

_LARGEST = 15
"""Rows of the tables that list the largest of something."""


def program_report(file: PTEFile, raw: Program) -> Report:
    """All sections about a program.

    Args:
        file: the program with its data put back, as `deserialize_pte_binary` returns it.
        raw: the same program as it stands in the file, with its segments.
    """
    report = Report()
    methods = {}
    for plan in file.program.execution_plan:
        report.sections += _method_sections(plan, file)
        methods[plan.name] = _method_facts(plan)
    tables = [_constants(file), _mutable(file), _segments(raw), _to_link(file)]
    report.sections += [table for table in tables if table.rows]
    report.facts = {
        "methods": methods,
        "operators": sorted({name for facts in methods.values() for name in facts["operators"]}),
        "backends": sorted(
            {delegate.id for plan in file.program.execution_plan for delegate in plan.delegates}
        ),
        "constant_bytes": sum(size for size, *_ in _constant_rows(file)),
        "segments": len(raw.segments),
    }
    return report


def _item(table: list[Any], index: int) -> Any:
    """The entry of a table, None for an index that leads nowhere: a corrupt file still gets its report."""
    return table[index] if 0 <= index < len(table) else None


def _instructions(plan: ExecutionPlan) -> list[Instruction]:
    return [instruction for chain in plan.chains for instruction in chain.instructions]


def _operator_counts(plan: ExecutionPlan) -> Counter[str]:
    counts: Counter[str] = Counter()
    for instruction in _instructions(plan):
        call = instruction.instr_args
        if isinstance(call, KernelCall):
            operator = _item(plan.operators, call.op_index)
            name = "?" if operator is None else operator.name
            counts[f"{name}.{operator.overload}" if operator is not None and operator.overload else name] += 1
    return counts


def _delegate_counts(plan: ExecutionPlan) -> Counter[int]:
    calls = (instruction.instr_args for instruction in _instructions(plan))
    return Counter(call.delegate_index for call in calls if isinstance(call, DelegateCall))


def _method_facts(plan: ExecutionPlan) -> dict[str, Any]:
    return {
        "inputs": [_describe_value(plan, index) for index in plan.inputs],
        "outputs": [_describe_value(plan, index) for index in plan.outputs],
        "instructions": len(_instructions(plan)),
        "operators": dict(sorted(_operator_counts(plan).items())),
        "delegates": [delegate.id for delegate in plan.delegates],
        "planned_bytes": sum(plan.non_const_buffer_sizes),
    }


def _value(plan: ExecutionPlan, index: int) -> Any:
    entry = _item(plan.values, index)
    return None if entry is None else entry.val


def _describe_value(plan: ExecutionPlan, index: int) -> str:
    value = _value(plan, index)
    if isinstance(value, Tensor):
        return describe(value)
    for field in ("int_val", "bool_val", "double_val", "string_val"):
        if hasattr(value, field):
            return f"{type(value).__name__} {getattr(value, field)!r}"
    return "?" if value is None else type(value).__name__


def _method_sections(plan: ExecutionPlan, file: PTEFile) -> list[Section]:
    values: list[tuple[Any, ...]] = []
    for kind, indices in (("input", plan.inputs), ("output", plan.outputs)):
        for number, index in enumerate(indices):
            value = _value(plan, index)
            place = place_of(value) if isinstance(value, Tensor) else ""
            values.append((f"{kind} {number}", _describe_value(plan, index), place))
    kinds = Counter(type(instruction.instr_args).__name__ for instruction in _instructions(plan))
    calls = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    title = f"Method {plan.name}: {len(plan.values):,} values, {sum(kinds.values()):,} instructions"
    sections = [Section(title + (f" ({calls})" if calls else ""), ("", "type", "place"), values)]
    operators = sorted(_operator_counts(plan).items(), key=lambda item: (-item[1], item[0]))
    sections.append(Section("Operators", ("calls", "operator"), [(n, name) for name, n in operators], 2))
    if plan.delegates:
        sections.append(_delegates(plan, file))
    return [*sections, *_memory(plan)]


def _blob_size(delegate: BackendDelegate, file: PTEFile) -> int | None:
    blob = _item(file.program.backend_delegate_data, delegate.processed.index)
    return None if blob is None else len(blob.data)


def _delegates(plan: ExecutionPlan, file: PTEFile) -> Section:
    calls = _delegate_counts(plan)
    rows: list[tuple[Any, ...]] = [
        (
            number,
            delegate.id,
            _blob_size(delegate, file),
            calls[number],
            ", ".join(f"{spec.key} ({len(spec.value)} bytes)" for spec in delegate.compile_specs),
        )
        for number, delegate in enumerate(plan.delegates)
    ]
    return Section("Delegates", ("delegate", "backend", "bytes", "calls", "compile specs"), rows, 2)


def _memory(plan: ExecutionPlan) -> list[Section]:
    tensors = [
        (index, entry.val)
        for index, entry in enumerate(plan.values)
        if isinstance(entry.val, Tensor) and entry.val.allocation_info is not None
    ]
    devices = {device.buffer_idx: device for device in plan.non_const_buffer_device or []}
    rows: list[tuple[Any, ...]] = []
    for memory, size in enumerate(plan.non_const_buffer_sizes):
        inside = [t for _, t in tensors if t.allocation_info and t.allocation_info.memory_id == memory]
        if memory or size:
            device = devices.get(memory)
            where = f"{device.device_type.name}:{device.device_index}" if device is not None else "CPU"
            without = sum(nbytes(tensor.scalar_type, tensor.sizes) for tensor in inside)
            rows.append((memory, size, len(inside), without, where))
    head = ("memory", "bytes", "tensors", "bytes without reuse", "device")
    sections = [Section("Memory plan", head, rows, 2)]
    largest = sorted(tensors, key=lambda item: (-nbytes(item[1].scalar_type, item[1].sizes), item[0]))
    if largest:
        title = "Planned tensors" + (f" (the {_LARGEST} largest)" if len(largest) > _LARGEST else "")
        unbounded = unbounded_dims(plan.values)
        values = [
            (
                nbytes(t.scalar_type, t.sizes),
                index,
                describe(t, index in unbounded),
                place_of(t),
                name_of(t) or "",
            )
            for index, t in largest[:_LARGEST]
        ]
        sections.append(Section(title, ("bytes", "value", "type", "place", "name"), values, 2))
    return sections


def _constant_rows(file: PTEFile) -> list[tuple[Any, ...]]:
    """(bytes, name, type, place, methods) of each constant, once for all methods that use it."""
    found: dict[tuple[Any, ...], list[str]] = {}
    for plan in file.program.execution_plan:
        for entry in plan.values:
            tensor = entry.val
            if isinstance(tensor, Tensor) and is_constant(tensor):
                key = (
                    nbytes(tensor.scalar_type, tensor.sizes),
                    name_of(tensor) or "",
                    describe(tensor),
                    place_of(tensor),
                )
                users = found.setdefault(key, [])
                if plan.name not in users:
                    users.append(plan.name)
    rows = [(*key, ", ".join(users)) for key, users in found.items()]
    return sorted(rows, key=lambda row: (-row[0], row[1], row[3]))


def _constants(file: PTEFile) -> Section:
    rows = _constant_rows(file)
    total = sum(row[0] for row in rows)
    title = f"Constants: {len(rows):,} with {total:,} bytes"
    return Section(title, ("bytes", "name", "type", "place", "methods"), rows)


def _mutable(file: PTEFile) -> Section:
    rows: list[tuple[Any, ...]] = []
    for plan in file.program.execution_plan:
        for entry in plan.values:
            tensor = entry.val
            if isinstance(tensor, Tensor) and tensor.allocation_info is not None and name_of(tensor):
                size = nbytes(tensor.scalar_type, tensor.sizes)
                rows.append((size, name_of(tensor), describe(tensor), place_of(tensor), plan.name))
    rows.sort(key=lambda row: (-row[0], row[1]))
    return Section("Mutable buffers", ("bytes", "name", "type", "place", "method"), rows)


def _segments(raw: Program) -> Section:
    content: dict[int, list[str]] = {}
    if raw.constant_segment.offsets:
        count = max(0, len(raw.constant_segment.offsets) - 1)
        content.setdefault(raw.constant_segment.segment_index, []).append(f"{count:,} constants")
    for mutable in raw.mutable_data_segments or []:
        count = max(0, len(mutable.offsets) - 1)
        content.setdefault(mutable.segment_index, []).append(f"{count:,} initial states")
    for plan in raw.execution_plan:
        for number, delegate in enumerate(plan.delegates):
            if delegate.processed.location:
                text = f"delegate {number} of {plan.name} ({delegate.id})"
                content.setdefault(delegate.processed.index, []).append(text)
    for item in raw.named_data or []:
        content.setdefault(item.segment_index, []).append(f"data named {item.key!r}")
    rows: list[tuple[Any, ...]] = [
        (number, segment.offset, segment.size, ", ".join(content.get(number, ["nothing refers to it"])))
        for number, segment in enumerate(raw.segments)
    ]
    return Section("Segments", ("segment", "offset", "bytes", "content"), rows)


def _to_link(file: PTEFile) -> Section:
    plans = file.program.execution_plan
    operators = sorted({name for plan in plans for name in _operator_counts(plan)})
    prims = [name for name in operators if name.startswith("executorch_prim::")]
    kernels = [name for name in operators if name not in prims]
    backends = sorted({delegate.id for plan in plans for delegate in plan.delegates})
    tensors = [entry.val for plan in plans for entry in plan.values if isinstance(entry.val, Tensor)]
    external = sorted({name_of(tensor) or "?" for tensor in tensors if is_external(tensor)})
    rows = [("kernels", ", ".join(kernels) or "none")]
    if prims:
        rows.append(("primitive operators", ", ".join(prims)))
    rows.append(("backends", ", ".join(backends) or "none"))
    if kernels:
        rows.append(("selective build", f'EXECUTORCH_SELECT_OPS_LIST="{",".join(kernels)}"'))
    if external:
        rows.append(("external data (.ptd)", f"{len(external)} tensors: " + ", ".join(external)))
    if any(unbounded_dims(plan.values) for plan in plans):
        rows.append(("memory", "an allocator for tensors of unbounded size"))
    return Section("What a runtime must link and supply", (), rows)  # type: ignore[arg-type]
