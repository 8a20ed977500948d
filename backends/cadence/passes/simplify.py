"""Calls with less to them, or with all that they leave out said."""

from __future__ import annotations

from typing import Any

from torch.fx import Node

from executorch.backends.cadence.passes.edits import EDGE, dtype, full, shape, stand_in
from executorch.backends.cadence.passes.slices import slice_of
from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface
from executorch.dialects.edge_ops import aten_op
from executorch.ir.rewriter import replace, source_of
from executorch.passes.infrastructure.pass_base import GraphPass


class SimplifySliceOpPass(RemoveOrReplacePassInterface):
    """A slice that takes nothing becomes an empty tensor; one that puts nothing into a tensor leaves that as it is."""

    @property
    def targets(self) -> list[Any]:
        return [EDGE.aten.slice_copy.Tensor, EDGE.aten.slice_scatter.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        if node.target == EDGE.aten.slice_scatter.default:
            source = shape(node.args[1])
            if source is None or 0 not in source:
                return False
            replace(node, source_of(node))
            return True
        taken = slice_of(node)
        sizes = shape(node)
        if taken is None or taken.length or sizes is None:
            return False
        stand_in(node, full(node, sizes, 0, dtype(node)))
        return True


class BindOptionalArgsPass(GraphPass):
    """Every call of an operator has all its positional arguments, the defaults written down, so that kernels of other
    libraries, whose signatures have no defaults, and passes that look at places find them. Nodes stay the ones that they were.
    """

    describes_values = True
    removes_dead_code = False

    def rewrite_node(self, node: Node) -> bool:
        op = aten_op(node.target) if node.op == "call_function" else None
        if op is None:
            return False
        args, kwargs = list(node.args), dict(node.kwargs)
        schema = [argument for argument in op._schema.arguments if not argument.kwarg_only]
        for argument in schema[len(args) :]:
            if argument.name not in kwargs and not argument.has_default_value():
                return False
            args.append(kwargs.pop(argument.name, argument.default_value))
        if len(args) == len(node.args):
            return False
        node.args, node.kwargs = tuple(args), kwargs
        return True


__all__ = ["BindOptionalArgsPass", "SimplifySliceOpPass"]
