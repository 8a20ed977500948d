"""Batch normalisation at inference, folded into the convolution before it."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import GraphModule, Node

from executorch.ir.constants import add_constant
from executorch.ir.rewriter import is_call
from executorch.ir.signature import constant_values
from executorch.passes.infrastructure.pass_base import GraphPass
from executorch.passes.optimization.batch_norm import BATCH_NORMS, CONVOLUTIONS, fuse, fusion_refusal


class FuseBatchNormWithConvPass(GraphPass):
    """``convolution -> batch norm`` becomes a convolution with weights of its own, new parameters of the program.

    Args:
        exported_program: whose graph the pass is called with.
    """

    def __init__(self, exported_program: ExportedProgram) -> None:
        super().__init__()
        self.exported_program = exported_program

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        constants = constant_values(self.exported_program)
        modified = False
        for norm in list(graph_module.graph.nodes):
            if is_call(norm, *BATCH_NORMS) and _can_fuse(norm.args[0], norm, constants):
                conv = norm.args[0]

                def add(value: torch.Tensor, kind: str, stem: str = f"{conv.name}_fused_bn") -> Node:
                    return add_constant(self.exported_program, value, f"{stem}_{kind}", InputKind.PARAMETER)

                fuse(conv, norm, constants.__getitem__, add)
                modified = True
        return modified

    @staticmethod
    def can_fuse(conv: Node, bn: Node, program: ExportedProgram) -> bool:
        """Whether only ``bn`` reads the convolution, only its first result is read, and all weights are constants.

        What the program writes or trains is no constant.
        """
        return _can_fuse(conv, bn, constant_values(program))


def _can_fuse(conv: Any, bn: Node, constants: dict[Node, torch.Tensor]) -> bool:
    if not is_call(conv, *CONVOLUTIONS) or not is_call(bn, *BATCH_NORMS):
        return False
    return fusion_refusal(conv, bn, constants.__contains__) is None


__all__ = ["FuseBatchNormWithConvPass"]
