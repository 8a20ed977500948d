"""Linear layers, which the edge dialect has in parts: whole while they are folded, in parts again where they are left."""

from __future__ import annotations

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.transforms.addmm_mm_to_linear import (
    AddmmToLinearTransform,
    replace_linear_view_copy_input_output,
)
from executorch.ir.rewriter import call_like, is_call, replace
from executorch.ir.values import shape_of
from executorch.passes.decomposition.size_nodes import SizeNodes
from executorch.passes.infrastructure.pass_base import ExportedProgramPassBase, ExportedProgramPassResult

_aten = torch.ops.aten


class JoinLinearLayersPass(ExportedProgramPassBase):
    """Puts linear layers together, of any number of leading dimensions."""

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        module = exported_program.graph_module
        modified = AddmmToLinearTransform()(module).modified
        replace_linear_view_copy_input_output(module.graph)
        module.recompile()
        return ExportedProgramPassResult(exported_program, modified)


class SplitLinearLayersPass(ExportedProgramPassBase):
    """Takes those apart that no operator on integers was made of: they are none of the edge dialect's."""

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        sizes, modified = SizeNodes(exported_program.graph), False
        for node in list(exported_program.graph.nodes):
            if is_call(node, _aten.linear.default):
                replace(node, _parts(node, sizes))
                modified = True
            else:
                sizes.visit(node)
        if modified:
            exported_program.graph_module.recompile()
        return ExportedProgramPassResult(exported_program, modified)


def _parts(node: Node, known: SizeNodes) -> Node:
    value, weight, bias = (*node.args, None)[:3]
    sizes = shape_of(node)
    assert sizes is not None
    flat = len(sizes) == 2
    if not flat:
        depth = shape_of(value)[-1]  # type: ignore[index]
        value = call_like(node, _aten.view_copy.default, (value, [-1, depth]))
    turned = call_like(node, _aten.permute_copy.default, (weight, [1, 0]))
    if bias is None:
        made = call_like(node, _aten.mm.default, (value, turned))
    else:
        made = call_like(node, _aten.addmm.default, (bias, value, turned))
    if flat:
        return made
    with node.graph.inserting_before(node):
        whole = [one if isinstance(one, int) else known.node_of(one, node.meta) for one in sizes]
    return call_like(node, _aten.view_copy.default, (made, whole))


__all__ = ["JoinLinearLayersPass", "SplitLinearLayersPass"]
