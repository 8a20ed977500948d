"""Images as ``[n, h, w, c]``: operators on images on contiguous tensors, with a transposition where the order changes."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Graph, Node
from torch.fx.node import map_arg

from executorch.backends.cortex_m.passes.folding import cortex_m
from executorch.backends.cortex_m.passes.quantized_values import name_of, op_of
from executorch.backends.transforms.graph_edit import view_arguments
from executorch.dialects.edge_ops import edge_op
from executorch.ir.rewriter import new_call, refresh_values
from executorch.ir.signature import sync_signature
from executorch.ir.values import sizes_of, value_of
from executorch.passes.infrastructure.pass_base import ExportedProgramPassBase, ExportedProgramPassResult

_TO_NHWC, _TO_NCHW = [0, 2, 3, 1], [0, 3, 1, 2]
_IMAGES = {
    f"cortex_m::{name}": getattr(cortex_m, f"{name}_nhwc").default
    for name in (
        "quantized_avg_pool2d",
        "quantized_conv2d",
        "quantized_conv2d_int16",
        "quantized_depthwise_conv2d",
        "quantized_max_pool2d",
        "quantized_transpose_conv2d",
    )
}
#: Element by element: they work in the order that is there.
_ELEMENTWISE = {
    "aten::clamp",
    "cortex_m::dequantize_per_tensor",
    "cortex_m::maximum",
    "cortex_m::minimum",
    "cortex_m::quantize_per_tensor",
    "cortex_m::quantized_activation",
    "cortex_m::quantized_add",
    "cortex_m::quantized_div",
    "cortex_m::quantized_mul",
}


class ExplicitLayoutPass(ExportedProgramPassBase):
    """Goes through the graph once; a value exists in PyTorch's order, with channels last, or in both."""

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        graph = exported_program.graph
        layouts = _Layouts()
        for node in list(graph.nodes):
            _place(node, layouts)
        if layouts.last:
            graph.eliminate_dead_code()
            refresh_values(graph, [node for node in graph.nodes if node in layouts.changed])
            sync_signature(exported_program)
            exported_program.graph_module.recompile()
        return ExportedProgramPassResult(exported_program, bool(layouts.last))


class _Layouts:
    """Nodes of the graph as it was, with what stands for them now."""

    def __init__(self) -> None:
        self.last: dict[Node, Node] = {}
        self.first: dict[Node, Node] = {}
        #: Calls that read other values than before.
        self.changed: set[Node] = set()

    def with_channels_last(self, node: Node, user: Node) -> Node:
        if node not in self.last:
            self.last[node] = _turned(node, node, user, _TO_NHWC)
            self.first[node] = node
        return self.last[node]

    def as_in_pytorch(self, node: Node, user: Node) -> Node:
        if node in self.last and node not in self.first:
            self.first[node] = _turned(self.last[node], node, user, _TO_NCHW)
        return self.first.get(node, node)


def _turned(source: Node, like: Node, user: Node, order: list[int]) -> Node:
    """A transposition before ``user``; a view where nothing moves in memory."""
    shape = sizes_of(source)
    # A size that only a run tells counts as one that moves.
    moving = [dim for dim in order if str(shape[dim]) != "1"]
    sizes = view_arguments(source, [shape[dim] for dim in order])
    with like.graph.inserting_before(user):
        if moving == sorted(moving) and sizes is not None:
            op: Any = torch.ops.aten.view_copy.default
            return new_call(like, edge_op(op), (source, sizes))
        # Kernels move int8 only: real values are moved before they are quantized, or behind.
        op = (
            cortex_m.transpose.default
            if value_of(source).dtype is torch.int8
            else torch.ops.aten.permute_copy.default
        )
        return new_call(like, edge_op(op), (source, order))


def _place(node: Node, layouts: _Layouts) -> None:
    name = name_of(node)
    if name in _IMAGES:
        first = node.args[0]
        assert isinstance(first, Node)
        args = (layouts.with_channels_last(first, node), *node.args[1:])
        _become(node, _IMAGES[name], args, layouts)
        return
    images = [one for one in node.all_input_nodes if one in layouts.last and len(sizes_of(one)) == 4]
    if images and not _in_place_of(node, name, layouts):
        node.args = map_arg(node.args, lambda one: layouts.as_in_pytorch(one, node))
        layouts.changed.add(node)


def _become(node: Node, op: Any, args: tuple[Any, ...], layouts: _Layouts) -> None:
    with node.graph.inserting_before(node):
        layouts.last[node] = new_call(node, edge_op(op), args)


def _in_place_of(node: Node, name: str, layouts: _Layouts) -> bool:
    """Does with channels last what a node does, if it can."""
    given: tuple[Any, ...] = tuple(node.args)
    if name in _ELEMENTWISE:
        tensors = [one for one in node.all_input_nodes if len(sizes_of(one)) == 4]
        if name != "cortex_m::quantized_activation" and len(tensors) != len(node.all_input_nodes):
            return False
        # Integers are moved, not real values: a quarter of the bytes.
        if name == "cortex_m::dequantize_per_tensor":
            return False
        args = map_arg(
            given,
            lambda one: layouts.with_channels_last(one, node) if len(sizes_of(one)) == 4 else one,
        )
        _become(node, op_of(node), args, layouts)
        return True
    if name == "cortex_m::transpose" and given[1] == [0, 1, 2, 3]:
        # Only the order in memory changes, which is not yet that of images here.
        source = given[0]
        layouts.last[node] = layouts.last[source]
        return True
    if name == "aten::cat" and len(sizes_of(node)) == 4:
        dim = (given[1] if len(given) > 1 else 0) % 4
        tensors = map_arg(given[0], lambda one: layouts.with_channels_last(one, node))
        _become(node, op_of(node), (tensors, _TO_NHWC.index(dim)), layouts)
        return True
    if name == "aten::slice_copy":
        value, dim, *rest = given
        _become(node, op_of(node), (layouts.last[value], _TO_NHWC.index(dim % 4), *rest), layouts)
        return True
    if name == "cortex_m::pad":
        value, before, after, number = given
        pads = ([sizes[dim] for dim in _TO_NHWC] for sizes in (before, after))
        _become(node, op_of(node), (layouts.last[value], *pads, number), layouts)
        return True
    return False


def has_images(graph: Graph) -> bool:
    """Whether an operator wants channels last in memory."""
    return any(name_of(node) in _IMAGES for node in graph.nodes)


def has_channels_last(graph: Graph) -> bool:
    """Whether all images that operators get are in the memory format channels_last already."""
    return all(
        value_of(node.args[0]).is_contiguous(memory_format=torch.channels_last)
        for node in graph.nodes
        if name_of(node) in _IMAGES
    )


__all__ = ["ExplicitLayoutPass", "has_channels_last", "has_images"]
