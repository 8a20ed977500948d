"""Debug handles of a run against those of the edge program: which values belong together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch

from executorch.devtools.inspector._intermediate_output_capturer import OPERATORS
from executorch.devtools.inspector.debug_handles import handles_of
from executorch.devtools.inspector.numerical_comparator.numerical_comparator_base import (
    DebugHandle,
    IntermediateOutputMapping,
    names_within,
)


class NodeSource(Enum):
    """Where a value was seen."""

    AOT = 1
    RUNTIME = 2


@dataclass
class NodeData:
    """A value with where it comes from.

    Attributes:
        source: Ahead of time or at run time.
        debug_handle: What it is known by.
        output: The value, or the values.
        num_outputs: How many values an instruction gives; more than one only for calls of delegates.
    """

    source: NodeSource
    debug_handle: DebugHandle
    output: Any
    num_outputs: int


def merge_runtime_overlapping_debug_handles(
    runtime_intermediate_outputs: Mapping[DebugHandle, tuple[int, Any, int]],
) -> dict[DebugHandle, tuple[int, Any, int]]:
    """Joins instructions that share a debug handle, such as the steps of a delegate and the call of it.

    Args:
        runtime_intermediate_outputs: Debug handle to (instruction, value, number of outputs).

    Returns:
        The same with handles that are disjoint. A joined one has the numbers of the later instructions last, and
        the value of the last.
    """
    merged: dict[DebugHandle, tuple[int, Any, int]] = {}
    for handle, entry in runtime_intermediate_outputs.items():
        wanted = set(handle)
        overlapping = [key for key in merged if wanted.intersection(key)]
        parts = [(merged.pop(key), key) for key in overlapping]
        parts.append((entry, tuple(dict.fromkeys(handle))))
        # Stable: of the same instruction, what came first stays first and keeps its value.
        latest = max(part[0][0] for part in parts)
        value = next(part[0] for part in parts if part[0][0] == latest)
        joined: DebugHandle = ()
        for _, key in sorted(parts, key=lambda part: part[0][0]):
            joined = _joined(joined, key)
        merged[joined] = value
    return merged


def _joined(earlier: DebugHandle, later: DebugHandle) -> DebugHandle:
    unique = tuple(dict.fromkeys(later))
    return tuple(number for number in earlier if number not in unique) + unique


def map_runtime_aot_intermediate_outputs(
    aot_intermediate_outputs: Mapping[DebugHandle, Any],
    runtime_intermediate_outputs: Mapping[DebugHandle, tuple[Any, int]],
) -> IntermediateOutputMapping:
    """Pairs of values that should be equal.

    An instruction is paired with the operator that computes its value, which is the one with its last debug handle.
    Operators before it may have no value ahead of time; but where an operator also did something outside of the
    instruction, there is no pair. A delegate's call with several outputs gives a pair for each that is known.

    Args:
        aot_intermediate_outputs: Debug handle to the value ahead of time.
        runtime_intermediate_outputs: Debug handle to (value, number of outputs) of the run.

    Raises:
        ValueError: Instructions share a debug handle: :func:`merge_runtime_overlapping_debug_handles` comes first;
            or a value cannot be what an operator with several results gave.
    """
    nodes = [NodeData(NodeSource.AOT, key, value, 1) for key, value in aot_intermediate_outputs.items()]
    nodes += [
        NodeData(NodeSource.RUNTIME, key, value, count)
        for key, (value, count) in runtime_intermediate_outputs.items()
    ]
    mapping: IntermediateOutputMapping = {}
    for group in _connected(nodes):
        runs = [node for node in group if node.source == NodeSource.RUNTIME]
        operators = [node for node in group if node.source == NodeSource.AOT]
        if not runs or not operators:
            continue
        if len(runs) > 1:
            raise ValueError(
                f"Expected only one runtime debug handle, but found {len(runs)}: {[n.debug_handle for n in runs]}; "
                "join them with merge_runtime_overlapping_debug_handles()"
            )
        for key, pair in _pairs(operators, runs[0]):
            mapping[key] = pair
    return mapping


def _pairs(
    operators: Sequence[NodeData], run: NodeData
) -> Iterable[tuple[tuple[DebugHandle, Any], tuple[DebugHandle, Any]]]:
    handle = run.debug_handle
    if not {number for node in operators for number in node.debug_handle} <= set(handle):
        return
    # Where nobody counted the outputs, there is one.
    outputs = min(max(run.num_outputs, 1), len(handle))
    for place in range(-1, -outputs - 1, -1):
        found = [node for node in operators if handle[place] in node.debug_handle]
        if not found:
            continue
        reference = found[-1].output
        if isinstance(reference, (list, tuple)):
            reference = tuple(reference)
            value: Any = _values_for(reference, run.output)
        else:
            value = _value_for(reference, run, place)
        yield (handle, reference), (handle, value)


def _values_for(reference: Sequence[Any], values: Any) -> tuple[Any, ...]:
    """Of what an instruction logged, the results of an operator with several of them."""
    if not isinstance(values, (list, tuple)):
        raise TypeError(
            f"an operator with {len(reference)} results should have as many values at run time, not one "
            f"{type(values).__name__}"
        )
    last = values[-1] if values else None
    if isinstance(last, (list, tuple)):
        return tuple(last)
    if not isinstance(last, torch.Tensor):
        raise ValueError(
            "The last element of the runtime's values must be a tensor or a list of tensors when the operator has "
            f"several results; it is {last!r}"
        )
    # Arguments come first, results last.
    return tuple(values[-len(reference) :])


def _value_for(reference: Any, run: NodeData, place: int) -> Any:
    """Of what an instruction logged, the value of an operator with one result."""
    values = run.output
    if not isinstance(values, (list, tuple)):
        return values
    if not values:
        return None
    if run.num_outputs > 1:
        return values[place]
    if isinstance(reference, torch.Tensor):
        alike = [
            value
            for value in values
            if isinstance(value, torch.Tensor)
            and value.shape == reference.shape
            and value.dtype == reference.dtype
        ]
        # Of several that look alike (operands do), the last is the result.
        return alike[-1] if alike else values[-1]
    return values[-1]


def _connected(nodes: Sequence[NodeData]) -> list[list[NodeData]]:
    """Groups of nodes that share debug handles, directly or through others."""
    groups: list[tuple[set[int], list[NodeData]]] = []
    for node in nodes:
        numbers = set(node.debug_handle)
        members = [node]
        apart = []
        for known, group in groups:
            if known & numbers:
                numbers |= known
                members = group + members
            else:
                apart.append((known, group))
        groups = [*apart, (numbers, members)]
    return [members for _, members in groups]


def get_aot_debug_handle_to_op_name_mapping(
    graph_module: torch.fx.GraphModule,
) -> dict[DebugHandle, list[str]]:
    """Debug handle to the names of the operators that have it, in the order of the graph."""
    names: dict[DebugHandle, list[str]] = {}
    for node in graph_module.graph.nodes:
        handle = handles_of(node.meta.get("debug_handle"))
        if handle and OPERATORS.matches(node):
            names.setdefault(handle, []).append(node.name)
    return names


def find_op_names(
    target_debug_handle: DebugHandle, debug_handle_to_op_names: Mapping[DebugHandle, Sequence[str]]
) -> list[str]:
    """Names of the operators whose debug handles are all part of ``target_debug_handle``."""
    return names_within(target_debug_handle, debug_handle_to_op_names)


__all__ = [
    "NodeData",
    "NodeSource",
    "find_op_names",
    "get_aot_debug_handle_to_op_name_mapping",
    "map_runtime_aot_intermediate_outputs",
    "merge_runtime_overlapping_debug_handles",
]
