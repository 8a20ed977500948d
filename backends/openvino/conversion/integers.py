"""Integers that a program makes of numbers and constants alone: positions, distances, numbers of buckets.

Inside of OpenVINO integers have 32 bits, so that calculating with those that come in is left to others; of these it is known what
comes out.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.ir.signature import constant_values

_SMALL = torch.iinfo(torch.int32)
#: Elements of what is calculated to see which integers come out: a mask of 1024 positions, 8 MiB.
_MOST_ELEMENTS = 1 << 20


def small_integers(program: ExportedProgram) -> frozenset[Node]:
    """Calls whose result, and every integer on the way to it, follows from no input and fits into 32 bits.

    What has very many elements is not looked at, nor what fails: that is for the program to say when it runs.
    """
    # Weights are none of them, and whatever is made of these is not looked at.
    known: dict[Node, Any] = {
        node: value
        for node, value in constant_values(program).items()
        if (value.dim() == 0 or not value.is_floating_point()) and _is_exact(value)
    }
    for node in program.graph.nodes:
        if node.op == "call_function" and all(one in known for one in node.all_input_nodes):
            value = _evaluated(node, known)
            if value is not None and _is_exact(value):
                known[node] = value
    return frozenset(node for node in known if node.op == "call_function")


def _evaluated(node: Node, known: dict[Node, Any]) -> torch.Tensor | None:
    op, declared = aten_op(node.target), node.meta.get(meta_keys.VAL)
    if op is None or not isinstance(declared, torch.Tensor) or torch.Tag.nondeterministic_seeded in op.tags:
        return None
    if "empty" in op.name() or not isinstance(declared.numel(), int) or declared.numel() > _MOST_ELEMENTS:
        return None
    target: Any = node.target
    args: Any = torch.fx.map_arg(node.args, known.__getitem__)
    kwargs: Any = torch.fx.map_arg(node.kwargs, known.__getitem__)
    try:
        with torch.no_grad():
            value: torch.Tensor = target(*args, **kwargs)
    except (RuntimeError, IndexError, ValueError):
        return None
    return value


def _is_exact(value: torch.Tensor) -> bool:
    if value.dtype in (torch.int32, torch.int64) and value.numel() > 0:
        return _SMALL.min <= int(value.min()) and int(value.max()) <= _SMALL.max
    return value.is_floating_point() or value.dtype in (torch.bool, torch.int32, torch.int64)
