"""Published questions about nodes and shapes, and numbers of quantized tensors."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node
from torch.utils import _pytree as pytree

from executorch.backends.cadence.passes.edits import fixed_point


def broadcastable(shape_1: Sequence[int], shape_2: Sequence[int]) -> bool:
    """Whether a tensor of ``shape_2`` can be expanded to ``shape_1``, first sizes of 1 apart; numbers have any shape."""
    pairs = itertools.zip_longest(reversed(shape_1), reversed(shape_2), fillvalue=1)
    return not shape_1 or all(two in (1, one) for one, two in pairs)


def get_placeholders(graph: Graph) -> list[Node]:
    """The inputs, in order."""
    return list(graph.find_nodes(op="placeholder"))


def get_output_node(graph: Graph) -> Node:
    """The node that says what the graph returns."""
    return graph.output_node()


def is_node_in_flattened_output(graph: Graph, node: Node) -> bool:
    """Whether the graph returns ``node``, however deep in lists."""
    return node in pytree.tree_leaves(graph.output_node().args)


def is_node_with_op(node: Node, op: str) -> bool:
    """Whether a node is of this kind, such as ``call_function``."""
    return node.op == op


def contains_node_with_matching_target(nodes: Iterable[Node], op_target: Any) -> bool:
    """Whether one of the nodes calls ``op_target``, or is an input or attribute of this name."""
    return any(node.target == op_target for node in nodes)


def count_users_with_target_op_type(nodes: Iterable[Node], op_target: Any) -> int:
    """How often ``op_target`` reads one of the nodes."""
    return sum(user.target == op_target for node in nodes for user in node.users)


def get_tensor_from_attr(graph_module: GraphModule, node: Node | None) -> torch.Tensor | None:
    """The value of an attribute of the module; None for other nodes."""
    if node is None or node.op != "get_attr":
        return None
    value: torch.Tensor = getattr(graph_module, str(node.target))
    return value


def _is_per_tensor(x: torch.Tensor) -> bool:
    return x.qscheme() in (torch.per_tensor_affine, torch.per_tensor_symmetric)


def get_scale(x: torch.Tensor) -> torch.Tensor:
    """The scales of a quantized tensor: one, or one for each channel."""
    scale = torch.tensor([x.q_scale()]) if _is_per_tensor(x) else x.q_per_channel_scales()
    return scale.to(torch.float32)


def get_zero_point(x: torch.Tensor, reduce: bool = True) -> torch.Tensor:
    """Its zero points, as int32; with ``reduce`` one where all are the same."""
    zero = torch.tensor([x.q_zero_point()]) if _is_per_tensor(x) else x.q_per_channel_zero_points()
    zero = zero.to(torch.int32)
    return zero[:1] if reduce and bool((zero == zero[0]).all()) else zero


def quantize_tensor_multiplier(requantize_scale_tensor: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Each factor as ``multiplier / 2**31 * 2**shift``: the multipliers and the shifts, as int32."""
    numbers = [fixed_point(float(one)) for one in requantize_scale_tensor.reshape(-1)]
    made = torch.tensor(numbers, dtype=torch.int32).reshape(-1, 2)
    shape = requantize_scale_tensor.shape
    return made[:, 0].reshape(shape), made[:, 1].reshape(shape)
