"""Nodes and values of an XNNPACK graph that nothing reads."""

from __future__ import annotations

import dataclasses
from typing import Any

from executorch.backends.xnnpack.serialization import schema
from executorch.backends.xnnpack.serialization.blob import INVALID_ID

_IDENTIFIER = "_id"
#: Concatenation -> fields for further inputs, which it does not have.
_ABSENT = {
    schema.XNNConcatenate2: {"input3_id", "input4_id", "input5_id"},
    schema.XNNConcatenate3: {"input4_id", "input5_id"},
    schema.XNNConcatenate4: {"input5_id"},
}


def _identifiers(operator: Any) -> dict[str, int]:
    """The fields of a node that name values, without those that name none."""
    absent = _ABSENT.get(type(operator), ())
    fields = [one.name for one in dataclasses.fields(operator) if one.name.endswith(_IDENTIFIER)]
    named = {name: getattr(operator, name) for name in fields if name not in absent}
    return {name: value for name, value in named.items() if value != INVALID_ID}


def _is_result(name: str) -> bool:
    return name.startswith("output")


def remove_unread(graph: schema.XNNGraph) -> None:
    """Takes out of ``graph`` the nodes whose results nothing reads, then values that no node names.

    The borders stay, and so does the order of what is left; values are numbered anew.
    """
    read = set(graph.output_ids)
    kept = []
    for node in reversed(graph.xnodes):
        named = _identifiers(node.xnode_union)
        results = {value for name, value in named.items() if _is_result(name)}
        if results & read:
            kept.append(node)
            read.update(value for name, value in named.items() if not _is_result(name))
    graph.xnodes = kept[::-1]
    used = {*graph.input_ids, *graph.output_ids}
    used.update(value for node in graph.xnodes for value in _identifiers(node.xnode_union).values())
    number = {old: new for new, old in enumerate(sorted(used))}
    for node in graph.xnodes:
        for name, value in _identifiers(node.xnode_union).items():
            setattr(node.xnode_union, name, number[value])
    graph.input_ids = [number[value] for value in graph.input_ids]
    graph.output_ids = [number[value] for value in graph.output_ids]
    graph.xvalues = [graph.xvalues[value] for value in sorted(used)]
    for identifier, value in enumerate(graph.xvalues):
        union: Any = value.xvalue_union
        tensor = union.tensor_value if isinstance(union, schema.XNNQuantizedTensorValue) else union
        tensor.id_out = identifier
