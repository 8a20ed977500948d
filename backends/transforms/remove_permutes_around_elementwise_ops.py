"""No permutations around operators that can as well run on the dimensions in their first order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.backends.transforms.graph_edit import (
    GraphRewrite,
    arguments,
    inverse,
    is_call,
    permutation_of,
    replace,
    source_of,
    value_of,
)
from executorch.backends.transforms.permute_pass_utils import set_arg
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.ops import ops

_aten = torch.ops.aten
_REDUCTIONS = (_aten.mean.dim, _aten.sum.dim_IntList, _aten.amax.default, _aten.amin.default)
_PADS = (_aten.constant_pad_nd.default, _aten.pad.default)
_SINGLE_DIM = (_aten.cat.default, _aten.slice_copy.Tensor)


@dataclass
class _Region:
    """Operators between permutations: what permutes on the way in, and on the way out."""

    dims: list[int]
    nodes: set[Node] = field(default_factory=set)
    entries: set[Node] = field(default_factory=set)
    exits: set[Node] = field(default_factory=set)


class RemovePermutesAroundElementwiseOps(GraphRewrite):
    """Removes ``permute(dims)`` before and its inverse after a region of operators that run on any order.

    Every way into the region must be through such a permutation, or bring one element only, and every way out
    through the inverse. Elementwise operators, quantization per tensor, ``cat``, ``slice_copy``, ``constant_pad_nd``
    and reductions that keep their dimensions make a region; their dimension arguments are mapped.

    Args:
        extra_permutable_ops: edge operators that are elementwise too.
    """

    def __init__(self, extra_permutable_ops: set[Any] | None = None) -> None:
        super().__init__()
        edge = ops.edge
        self._permutable_ops: set[Any] = {
            edge.aten.hardtanh.default,
            edge.aten.clamp.default,
            edge.quantized_decomposed.quantize_per_tensor.default,
            edge.quantized_decomposed.dequantize_per_tensor.default,
            *(extra_permutable_ops or ()),
        }

    def rewrite(self, graph_module: GraphModule) -> bool:
        modified = False
        for node in list(graph_module.graph.nodes):
            dims = permutation_of(node)
            if dims is None or dims == sorted(dims) or not node.users:
                continue
            region = self._region(node, dims)
            if region is not None:
                _unpermute(region)
                modified = True
        return modified

    def is_node_permutable(self, node: Node) -> bool:
        """Whether ``node`` can run on its operands with dimensions in another order."""
        if node.op != "call_function" or value_of(node) is None:
            return False
        if is_call(node, *_SINGLE_DIM, *_PADS):
            return not is_call(node, _aten.pad.default) or arguments(node)["mode"] == "constant"
        if is_call(node, *_REDUCTIONS):
            named = arguments(node)
            return bool(named["keepdim"]) and bool(named["dim"])
        return node.target in self._permutable_ops or _is_pointwise(node)

    def _region(self, start: Node, dims: list[int]) -> _Region | None:
        region = _Region(dims)
        pending = list(start.users)
        while pending:
            node = pending.pop()
            if node in region.nodes:
                continue
            value = value_of(node)
            if not self.is_node_permutable(node) or value is None or value.dim() != len(dims):
                return None
            region.nodes.add(node)
            sources = _classify(node.all_input_nodes, dims, region.entries, len(dims))
            users = _classify(node.users, inverse(dims), region.exits, None)
            if sources is None or users is None:
                return None
            pending += [*sources, *users]
        return region if region.nodes and region.exits else None


def _classify(
    nodes: Iterable[Node], dims: list[int], borders: set[Node], rank: int | None
) -> list[Node] | None:
    """Notes permutations by ``dims`` as borders and returns the other nodes, which must be of the region."""
    inside: list[Node] = []
    for node in nodes:
        if permutation_of(node) == dims:
            borders.add(node)
        elif node.op == "output" or permutation_of(node) is not None:
            return None
        elif rank is None or not _is_single(node, rank):
            inside.append(node)
    return inside


def _is_single(node: Node, rank: int) -> bool:
    """Whether a value has one element, which is broadcast alike to whatever order of dimensions."""
    value = value_of(node)
    return value is not None and value.dim() <= rank and all(str(size) == "1" for size in value.shape)


def _is_pointwise(node: Node) -> bool:
    op = aten_op(node.target)
    return op is not None and torch.Tag.pointwise in op.tags


def _unpermute(region: _Region) -> None:
    for node in region.nodes:
        _map_dims(node, region.dims)
    for entry in region.entries:
        for user in [user for user in entry.users if user in region.nodes]:
            user.replace_input_with(entry, source_of(entry))
    for way_out in region.exits:
        replace(way_out, source_of(way_out))


def _map_dims(node: Node, dims: list[int]) -> None:
    """Lets the dimension arguments of ``node`` mean dimensions before the permutation ``dims``."""
    rank = len(dims)
    if is_call(node, *_SINGLE_DIM):
        set_arg(node, "dim", dims[arguments(node)["dim"] % rank])
    elif is_call(node, *_REDUCTIONS):
        set_arg(node, "dim", [dims[dim % rank] for dim in arguments(node)["dim"]])
    elif is_call(node, *_PADS):
        pad = list(arguments(node)["pad"])
        # Two numbers a dimension, from the last dimension on.
        amounts: list[list[Any]] = [[0, 0] for _ in dims]
        for place in range(len(pad) // 2):
            amounts[dims[rank - 1 - place]] = pad[2 * place : 2 * place + 2]
        set_arg(node, "pad", [amount for pair in reversed(amounts) for amount in pair])


__all__ = ["RemovePermutesAroundElementwiseOps"]
