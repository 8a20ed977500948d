"""No permutations around operators that can as well run on the dimensions in their first order."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.backends.transforms.graph_edit import inverse, permutation_of, view_arguments
from executorch.backends.transforms.permute_pass_utils import set_arg
from executorch.backends.transforms.permute_regions import (
    Region,
    find_region,
    is_reshaping,
    is_view_only,
    left_over,
    new_sizes,
)
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.ops import ops
from executorch.ir.rewriter import arguments, call_like, is_call, refresh_values, replace, source_of
from executorch.ir.values import shape_of, tensor_of
from executorch.ir.views import SQUEEZES, UNSQUEEZES
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten
_REDUCTIONS = (_aten.mean.dim, _aten.sum.dim_IntList, _aten.amax.default, _aten.amin.default)
_PADS = (_aten.constant_pad_nd.default, _aten.pad.default)
_SINGLE_DIM = (_aten.cat.default, _aten.slice_copy.Tensor)


class RemovePermutesAroundElementwiseOps(GraphPass):
    """Removes permutations before a region of operators that run on any order, and those behind it.

    Every way into the region must be through such a permutation, or bring a constant or one element only, and every
    way out through a permutation, which is gone if it undoes the first ones and does the rest otherwise. Elementwise
    operators, quantization per tensor, ``cat``, ``slice_copy``, ``constant_pad_nd``, reductions that keep their
    dimensions, views that add or drop dimensions of size 1, and ``repeat_interleave`` as it is captured make a region;
    their arguments are mapped.

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

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        modified = False
        while self._remove_one(graph_module):
            modified = True
        return modified

    def _remove_one(self, graph_module: GraphModule) -> bool:
        for node in graph_module.graph.nodes:
            dims = permutation_of(node)
            if dims is None or dims == sorted(dims) or not node.users:
                continue
            region = find_region(node, self.is_node_permutable)
            if region is not None:
                changed = _unpermute(region)
                # The next region reads sizes.
                refresh_values(graph_module.graph, changed)
                return True
        return False

    def is_node_permutable(self, node: Node) -> bool:
        """Whether ``node`` can run on its operands with dimensions in another order."""
        if node.op != "call_function" or tensor_of(node) is None:
            return False
        if is_call(node, *_SINGLE_DIM, *_PADS):
            return not is_call(node, _aten.pad.default) or arguments(node)["mode"] == "constant"
        if is_call(node, *_REDUCTIONS):
            named = arguments(node)
            return bool(named["keepdim"]) and bool(named["dim"])
        return node.target in self._permutable_ops or _is_pointwise(node)


def _is_pointwise(node: Node) -> bool:
    op = aten_op(node.target)
    return op is not None and torch.Tag.pointwise in op.tags


def _unpermute(region: Region) -> list[Node]:
    """Rewrites a region; returns the nodes whose values changed. Until all is in place values are the old ones."""
    leaving = {leave: left_over(region, leave) for leave in region.exits}
    for (reader, constant), order in region.constants.items():
        reader.replace_input_with(constant, _unpermuted(reader, constant, order))
    for node, order in region.read.items():
        if node in region.interleaves:
            continue
        if is_reshaping(node):
            if node not in region.sinks:
                _map_view(node, order, region.order[node])
        else:
            _map_dims(node, order)
    for head in region.interleaves:
        _map_interleave(region, head)
    for entry in region.entries:
        for user in [user for user in entry.users if user in region.read or user in region.exits]:
            user.replace_input_with(entry, source_of(entry))
    inner = [node for found in region.interleaves.values() for node in (found.expand, found.merge)]
    left = [_leave(leave, dims) for leave, dims in leaving.items()]
    return [*region.read, *inner, *left]


def _unpermuted(reader: Node, constant: Node, order: list[int]) -> Node:
    """What broadcasts against the first order as ``constant`` does against the permuted one."""
    shape = shape_of(constant)
    assert shape is not None
    whole = [1] * (len(order) - len(shape)) + list(shape)
    back = inverse(order)
    sizes = [whole[dim] for dim in back]
    moved = [dim for dim in back if whole[dim] != 1]
    if moved == sorted(moved):
        return (
            constant
            if sizes == whole == list(shape)
            else call_like(reader, _aten.view_copy.default, (constant, sizes))
        )
    if len(shape) < len(order):
        constant = call_like(reader, _aten.view_copy.default, (constant, whole))
    return call_like(reader, _aten.permute_copy.default, (constant, back))


def _leave(leave: Node, dims: list[int]) -> Node:
    """What stands for the permutation ``leave`` now: nothing, a view or the rest of it."""
    new = source_of(leave)
    sizes = view_arguments(leave, shape_of(leave) or ()) if is_view_only(leave, dims) else None
    if dims != sorted(dims) and sizes is not None:
        new = call_like(leave, _aten.view_copy.default, (new, sizes))
    elif dims != sorted(dims):
        new = call_like(leave, _aten.permute_copy.default, (new, dims))
    replace(leave, new)
    return new


def _map_view(node: Node, before: list[int], after: list[int]) -> None:
    """Lets a view, squeeze or unsqueeze work before the permutation."""
    if is_call(node, *UNSQUEEZES):
        set_arg(node, "dim", after[arguments(node)["dim"] % len(after)])
    elif is_call(node, *SQUEEZES):
        dims = arguments(node)["dim"]
        mapped = [before[dim % len(before)] for dim in ([dims] if isinstance(dims, int) else dims)]
        set_arg(node, "dim", mapped[0] if isinstance(dims, int) else mapped)
    else:
        set_arg(node, "size", new_sizes(node, after))


def _map_interleave(region: Region, head: Node) -> None:
    found, order = region.interleaves[head], region.read[head]
    dim = order[found.dim]
    sizes = new_sizes(found.merge, order)
    before = shape_of(head.args[0])
    assert before is not None
    first: list[Any] = [0] * len(order)
    for place, old in enumerate(order):
        first[old] = before[place]
    wide = view_arguments(head, [*first[: dim + 1], found.scale, *first[dim + 1 :]])
    if is_call(head, *UNSQUEEZES):
        set_arg(head, "dim", dim + 1)
    else:
        set_arg(head, "size", view_arguments(head, [*first[: dim + 1], 1, *first[dim + 1 :]]))
    set_arg(found.expand, "size", wide)
    set_arg(found.merge, "size", sizes)


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
        while amounts and amounts[0] == [0, 0] and len(amounts) > 1:
            amounts.pop(0)
        set_arg(node, "pad", [amount for pair in reversed(amounts) for amount in pair])


__all__ = ["RemovePermutesAroundElementwiseOps"]
