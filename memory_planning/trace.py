"""The memory plan as a Chrome trace: open the file in chrome://tracing or in Perfetto.

The viewer's axes mean something else here: what it calls time is the address in bytes (so its "seconds" are
megabytes), a process is a memory, and each of its rows is one step of the method with the values live in it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from torch.fx import Graph, GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.errors import describe_target, source_line
from executorch.dialects.execution import is_alloc, is_getitem, tensor_specs
from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning.errors import MemoryPlanningError
from executorch.memory_planning.memory_planning_pass import BUFFER_SIZES


@dataclass
class Allocation:
    """A value at its place.

    Attributes:
        name: of the node that makes it.
        op_name: the operator, or again the name for inputs.
        memory_id, memory_offset: the place; the offset in bytes.
        size_bytes: without padding.
        fqn: path of the module in the user's model, "" when nobody recorded it.
        file_and_line_num: of the user's model, None when nobody recorded it.
    """

    name: str
    op_name: str
    memory_id: int
    memory_offset: int
    size_bytes: int
    fqn: str
    file_and_line_num: str | None


@dataclass
class MemoryTimeline:
    """What is live in one step."""

    allocations: list[Allocation] = field(default_factory=list)


def _module_path(node: Node) -> str:
    stack = node.meta.get(meta_keys.NN_MODULE_STACK) or {}
    paths = [entry[0] for entry in stack.values() if isinstance(entry, tuple) and entry[0]]
    return str(paths[-1]) if paths else ""


def _producers(graph: Graph) -> Iterator[tuple[TensorSpec, Node]]:
    """Each planned value with the node that makes it, also in the bodies of control flow."""
    owner = graph.owning_module
    bodies = [module.graph for module in owner.modules() if isinstance(module, GraphModule)] if owner else []
    for body in [graph, *(body for body in bodies if body is not graph)]:
        for node in body.nodes:
            if node.op == "output" or is_alloc(node) or is_getitem(node):
                continue
            for spec in tensor_specs(node):
                if not spec.is_view and spec.mem_id is not None and spec.mem_offset is not None:
                    yield spec, node


def create_tensor_allocation_info(graph: Graph) -> list[MemoryTimeline]:
    """The values that are live in each step of a planned graph, steps in order of execution."""
    places: dict[tuple[Any, ...], tuple[TensorSpec, Node]] = {}
    for spec, node in _producers(graph):
        # Values that share a place all the time, as a condition's result and its branches' do, are one.
        places.setdefault((spec.mem_id, spec.mem_offset, spec.nbytes(), *spec.lifetime), (spec, node))
    ends = [spec.lifetime[1] for spec, _ in places.values() if spec.lifetime[1] is not None]
    steps = [MemoryTimeline() for _ in range(max(ends, default=-1) + 1)]
    for spec, node in places.values():
        first, last = spec.lifetime
        if first is None or last is None:
            continue
        assert spec.mem_id is not None and spec.mem_offset is not None
        allocation = Allocation(
            name=node.name,
            op_name=describe_target(node.target),
            memory_id=spec.mem_id,
            memory_offset=spec.mem_offset,
            size_bytes=spec.nbytes(),
            fqn=_module_path(node),
            file_and_line_num=source_line(node),
        )
        for step in steps[first : last + 1]:
            step.allocations.append(allocation)
    return steps


def trace_events(
    steps: list[MemoryTimeline], enable_memory_offsets: bool = False, omit_metadata: bool = False
) -> list[dict[str, Any]]:
    """The events of the trace; without offsets the values of a step stand one behind the other."""
    events = []
    for number, step in enumerate(steps):
        ends: dict[int, int] = {}
        for allocation in step.allocations:
            end = ends.get(allocation.memory_id, 0)
            ends[allocation.memory_id] = end + allocation.size_bytes
            about = {
                "op_name": allocation.op_name,
                "Memory ID": allocation.memory_id,
                "fqn": allocation.fqn,
                "source": str(allocation.file_and_line_num),
                "bytes": allocation.size_bytes,
            }
            events.append(
                {
                    "name": allocation.name,
                    "cat": "memory_allocation",
                    "ph": "X",
                    "ts": allocation.memory_offset if enable_memory_offsets else end,
                    "dur": allocation.size_bytes,
                    "pid": allocation.memory_id,
                    "tid": number,
                    "args": {} if omit_metadata else about,
                }
            )
    return events


def generate_memory_trace(
    executorch_program_manager: Any,
    chrome_trace_filename: str | os.PathLike[str],
    enable_memory_offsets: bool = False,
    method_name: str = "forward",
    ommit_metadata: bool = False,
) -> None:
    """Writes the memory plan of a method as a Chrome trace.

    Args:
        executorch_program_manager: what `to_executorch()` returned.
        chrome_trace_filename: the JSON file to write.
        enable_memory_offsets: show values where they are placed, not one behind the other.
        ommit_metadata: leave out operators, module paths and source lines, for smaller files.

    Raises:
        MemoryPlanningError: the method has no memory plan.
    """
    graph_module = executorch_program_manager.exported_program(method_name).graph_module
    if BUFFER_SIZES not in graph_module.meta:
        raise MemoryPlanningError(
            f"method {method_name!r} has no memory plan. Way out: pass what to_executorch() returned."
        )
    steps = create_tensor_allocation_info(graph_module.graph)
    events = trace_events(steps, enable_memory_offsets, ommit_metadata)
    with open(chrome_trace_filename, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events}, file, indent=2)
