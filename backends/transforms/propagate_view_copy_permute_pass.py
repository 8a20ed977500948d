"""Permutations and views moved along a graph, to where they meet others and can be merged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from executorch.backends.transforms.canonicalize_view_copy_permute_pass import CanonicalizeViewCopyPermutePass
from executorch.backends.transforms.graph_edit import inverse, is_quantization, permutation_of, view_arguments
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.ops import ops
from executorch.ir.rewriter import arguments, call_like, is_call, replace, source_of
from executorch.ir.values import shape_of
from executorch.ir.views import VIEWS
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten
_REDUCTIONS = (_aten.mean.dim, _aten.sum.dim_IntList)


class PropagateViewCopyPermutePass(GraphPass):
    """Base of the two directions: moves ``permute_copy`` and ``view_copy`` step by step past operators of one operand.

    Elementwise operators let both pass; reductions that keep their dimensions and ``slice_copy`` let permutations pass,
    with mapped dimensions. Then equal calls and chains are merged. An operator that others read too is not passed, and
    nothing passes the inputs and outputs of the graph.

    Args:
        compile_spec: not read here; for subclasses.
        exported_program: not read here; for subclasses.
        permute_targets: edge operators that permute; ``permute_copy`` if None.
    """

    def __init__(
        self,
        compile_spec: Any = None,
        exported_program: ExportedProgram | None = None,
        permute_targets: Iterable[Any] | None = None,
    ) -> None:
        super().__init__()
        targets = (ops.edge.aten.permute_copy.default,) if permute_targets is None else permute_targets
        self._permute_targets = frozenset(targets)
        self.compile_spec = compile_spec
        self.exported_program = exported_program

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        modified = False
        while any(self._step(node) for node in self._candidates(graph_module)):
            modified = True
        merge = CanonicalizeViewCopyPermutePass(self._permute_targets)
        return merge.rewrite_graph(graph_module) or modified

    def is_transparent(self, node: Node) -> bool:
        """Whether views and permutations pass ``node`` and leave its arguments as they are."""
        return self.is_elementwise(node) or is_quantization(node)

    def is_elementwise(self, node: Node) -> bool:
        """Whether ``node`` has one operand and treats each element alike."""
        op = aten_op(node.target) if node.op == "call_function" else None
        return op is not None and torch.Tag.pointwise in op.tags and len(node.all_input_nodes) == 1

    def is_swappable(self, node: Node) -> bool:
        """Whether permutations pass ``node`` once its dimensions are mapped: slices, reductions that keep dimensions."""
        if is_call(node, *_REDUCTIONS):
            named = arguments(node)
            return bool(named["keepdim"] and named["dim"])
        return is_call(node, _aten.slice_copy.Tensor)

    def _candidates(self, graph_module: GraphModule) -> list[Node]:
        nodes = [node for node in graph_module.graph.nodes if node.op == "call_function"]
        return [node for node in nodes if node.target in self._permute_targets or is_call(node, *VIEWS)]

    def _step(self, node: Node) -> bool:
        """Moves ``node`` past one operator; returns whether it did."""
        raise NotImplementedError("use PropagateViewCopyPermuteUpPass or PropagateViewCopyPermuteDownPass")


class PropagateViewCopyPermuteDownPass(PropagateViewCopyPermutePass):
    """Moves them towards the outputs: ``op(permute(x))`` becomes ``permute(op(x))``."""

    def _step(self, node: Node) -> bool:
        if len(node.users) != 1:
            return False
        (user,) = node.users
        if user.op != "call_function" or not user.args or user.args[0] is not node:
            return False
        args = self._arguments(user, permutation_of(node), node)
        if args is None or not user.users:
            return False
        moved = call_like(user, aten_op(user.target), (source_of(node), *args), dict(user.kwargs))
        return _put_back(user, moved, node)

    def _arguments(self, user: Node, dims: list[int] | None, node: Node) -> list[Any] | None:
        if self.is_transparent(user):
            return list(user.args[1:])
        return _mapped(user, dims) if dims is not None and self.is_swappable(user) else None


class PropagateViewCopyPermuteUpPass(PropagateViewCopyPermutePass):
    """Moves them towards the inputs: ``permute(op(x))`` becomes ``op(permute(x))``."""

    def _step(self, node: Node) -> bool:
        source = source_of(node)
        if source.op != "call_function" or len(source.users) != 1 or not source.all_input_nodes:
            return False
        dims = permutation_of(node)
        if self.is_transparent(source):
            args: list[Any] | None = list(source.args[1:])
        else:
            args = _mapped(source, inverse(dims)) if dims is not None and self.is_swappable(source) else None
        if args is None:
            return False
        first = source_of(source)
        if dims is not None:
            moved = call_like(node, _aten.permute_copy.default, (first, dims))
        else:
            sizes = view_arguments(node, shape_of(node) or ())
            if sizes is None:
                return False
            moved = call_like(node, _aten.view_copy.default, (first, sizes))
        replace(node, call_like(node, aten_op(source.target), (moved, *args), dict(source.kwargs)))
        source.graph.erase_node(source)
        return True


def _mapped(node: Node, dims: list[int]) -> list[Any] | None:
    """Arguments of a reduction or slice that mean the dimensions before the permutation ``dims``; None where they are named."""
    rank = len(dims)
    if node.kwargs:
        return None
    named = arguments(node)
    if is_call(node, *_REDUCTIONS):
        return [[dims[dim % rank] for dim in named["dim"]], True]
    return [dims[named["dim"] % rank], *node.args[2:]]


def _put_back(user: Node, moved: Node, node: Node) -> bool:
    dims = permutation_of(node)
    if dims is not None:
        replace(user, call_like(user, _aten.permute_copy.default, (moved, dims)))
    else:
        sizes = view_arguments(user, shape_of(user) or ())
        if sizes is None:
            user.graph.erase_node(moved)
            return False
        replace(user, call_like(user, _aten.view_copy.default, (moved, sizes)))
    user.graph.erase_node(node)
    return True


__all__ = [
    "PropagateViewCopyPermuteDownPass",
    "PropagateViewCopyPermutePass",
    "PropagateViewCopyPermuteUpPass",
]
