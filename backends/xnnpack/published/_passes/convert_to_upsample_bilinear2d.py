"""Bilinear resizing again, from what decomposition makes of it."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from executorch.backends.xnnpack.graph.constants import Constants, program_constants
from executorch.backends.xnnpack.published._passes.edits import edited, new_call
from executorch.backends.xnnpack.published._passes.xnnpack_pass import XNNPACKPass
from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.ir.rewriter import is_call, replace
from executorch.passes.infrastructure.pass_base import PassResult

_aten = torch.ops.aten
_INDEXING = (_aten.index.Tensor, _aten._unsafe_index.Tensor)
#: The neighbours of a pixel.
_CORNERS = 4
_MOST_NODES = 80
_TOLERANCE = 1e-4


class ConvertToUpsampleBilinear2d(XNNPACKPass):
    """Indices, differences and sums that resize an image become ``upsample_bilinear2d``.

    What resizes is recognised by what it calculates: it is run on an image of random numbers, and compared. The operator
    itself stays as it is.
    """

    def call(self, graph_module: GraphModule) -> PassResult:
        constants = program_constants(self.exported_program)
        return edited(graph_module, lambda graph: _to_resizing(graph, constants))


def _to_resizing(graph: Graph, constants: Constants) -> bool:
    modified = False
    # One that is put in may be resized again.
    for image in graph.nodes:
        if sum(is_call(user, *_INDEXING) and user.args[0] is image for user in image.users) < _CORNERS:
            continue
        for node in _sums_behind(image):
            align_corners = _alignment(node, image, constants)
            if align_corners is None:
                continue
            size = [int(one) for one in node.meta[meta_keys.VAL].shape[2:]]
            with graph.inserting_before(node):
                whole = new_call(node, _aten.upsample_bilinear2d.vec, (image, size, align_corners, None))
            replace(node, whole)
            modified = True
    return modified


def _sums_behind(image: Node) -> list[Node]:
    """The sums that are calculated from ``image``, the last ones last."""
    reached = {image}
    for node in image.graph.nodes:
        if node.op == "call_function" and any(one in reached for one in node.all_input_nodes):
            reached.add(node)
    return [node for node in image.graph.nodes if node in reached and is_call(node, _aten.add.Tensor)]


def _alignment(node: Node, image: Node, constants: Constants) -> bool | None:
    """Whether corners are aligned where ``node`` is ``image`` resized; None if it is something else."""
    before, after = (one.meta[meta_keys.VAL] for one in (image, node))
    sizes = [*before.shape, *after.shape]
    if before.dim() != 4 or after.dim() != 4 or not all(isinstance(size, int) for size in sizes):
        return None
    if before.dtype is not after.dtype or not before.dtype.is_floating_point:
        return None
    cone = _cone(node, image, constants)
    if cone is None:
        return None
    pixels = torch.rand(tuple(before.shape), generator=torch.Generator().manual_seed(0)).to(before.dtype)
    found = _run(cone, image, pixels, constants)
    tolerance = _TOLERANCE if before.dtype is torch.float32 else 1e-2
    for align_corners in (False, True):
        wanted = torch.nn.functional.interpolate(
            pixels, tuple(after.shape[2:]), mode="bilinear", align_corners=align_corners
        )
        if found.shape == wanted.shape and torch.allclose(found, wanted, atol=tolerance, rtol=tolerance):
            return align_corners
    return None


def _cone(node: Node, image: Node, constants: Constants) -> list[Node] | None:
    """What has to be run for ``node`` when ``image`` is known; None if it takes anything else, or too much."""
    needed: set[Node] = set()
    pending = [node]
    while pending:
        one = pending.pop()
        if one is image or one in needed or constants.has(one):
            continue
        if one.op != "call_function" or len(needed) >= _MOST_NODES or one.target is operator.getitem:
            return None
        needed.add(one)
        pending += one.all_input_nodes
    corners = sum(is_call(one, *_INDEXING) and one.args[0] is image for one in needed)
    return [one for one in node.graph.nodes if one in needed] if corners == _CORNERS else None


def _run(cone: list[Node], image: Node, pixels: torch.Tensor, constants: Constants) -> torch.Tensor:
    values: dict[Node, Any] = {image: pixels}

    def value(one: Node) -> Any:
        return values[one] if one in values else constants(one)

    for node in cone:
        op: Any = aten_op(node.target) or node.target
        args: Any = torch.fx.node.map_arg(node.args, value)
        kwargs: Any = torch.fx.node.map_arg(node.kwargs, value)
        values[node] = op(*args, **kwargs)
    result: torch.Tensor = values[cone[-1]]
    return result
