"""What each operator asks of the order of its inputs and gives its result, and the choice that follows for a subgraph."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.constants import Constants, name_of
from executorch.backends.xnnpack.graph.islands import Demands, choose_layouts, transposed_bytes
from executorch.backends.xnnpack.graph.layout import Layout, memory_layout
from executorch.dialects import meta_keys
from executorch.dialects.dim_order import example_int


class Order(enum.Enum):
    """How an operator treats the order of dimensions.

    PLAIN and CHANNELS_LAST: reads and makes that. SAME: whatever all inputs and the result have in common. ALIAS: the
    result is the input. ANY: reads what there is and makes what is wanted.
    """

    PLAIN = "plain"
    CHANNELS_LAST = "channels last"
    SAME = "same"
    ALIAS = "alias"
    ANY = "any"


_LAYOUTS = {Order.PLAIN: Layout.PLAIN, Order.CHANNELS_LAST: Layout.CHANNELS_LAST}


def plan_layouts(
    program: ExportedProgram,
    constants: Constants,
    calls: Iterable[tuple[Node, Node, list[Node]]],
    order_of: Callable[[Node], Order],
) -> dict[Node, Layout]:
    """The order of each result that an operator leaves open.

    Args:
        program: the subgraph.
        constants: finds tensors.
        calls: each operator with the node of its result and the nodes of the values that it reads.
        order_of: what an operator asks for.
    """
    demands = Demands()
    same_as: dict[Node, Node] = {}
    for node in program.graph.nodes:
        if node.op == "placeholder" and not constants.has(node):
            value = node.meta.get(meta_keys.VAL)
            demands.fixed[node] = memory_layout(value) if isinstance(value, torch.Tensor) else Layout.PLAIN
    for node, result, inputs in calls:
        order = order_of(node)
        read = [same_as.get(one, one) for one in inputs if _is_tensor(one) and not constants.has(one)]
        if order is Order.ALIAS and len(read) == 1:
            same_as[result] = read[0]
            continue
        if order is Order.SAME and not _has_one_rank(node, constants):
            order = Order.PLAIN
        results = results_of(node) or [result]
        if order in _LAYOUTS:
            demands.fixed.update(dict.fromkeys(results, _LAYOUTS[order]))
        else:
            demands.free.update(results)
        if order is not Order.ANY:
            for one in read:
                for reader in results if order is Order.SAME else [_LAYOUTS[order]]:
                    demands.read(one, reader)
    for node in _returned(program):
        if not constants.has(node):
            demands.read(same_as.get(node, node), memory_layout(node.meta[meta_keys.VAL]))
    costs = {value: transposed_bytes(value.meta[meta_keys.VAL]) for value in demands.readers}
    return choose_layouts(demands, costs)


def _is_tensor(node: Node) -> bool:
    """Whether this is no size that is known at run time only."""
    return isinstance(node.meta.get(meta_keys.VAL), torch.Tensor)


def results_of(node: Node) -> list[Node]:
    """The nodes that pick the results of an operator that has several; nothing for any other."""
    return [user for user in node.users if name_of(user) == "getitem"]


def _returned(program: ExportedProgram) -> list[Node]:
    output: Any = next(iter(program.graph.find_nodes(op="output"))).args[0]
    return list(output) if isinstance(output, tuple | list) else [output]


def _has_one_rank(node: Node, constants: Constants) -> bool:
    """Whether all inputs can be brought into the same order as the result."""
    value = node.meta[meta_keys.VAL]
    rank = (value[0] if isinstance(value, tuple | list) else value).dim()
    return all(
        not _is_tensor(one)
        or one.meta[meta_keys.VAL].dim() == rank
        or constants.has(one)
        or math.prod(example_int(size) for size in one.meta[meta_keys.VAL].shape) == 1
        for one in node.all_input_nodes
    )
