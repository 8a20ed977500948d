"""Linear layers again, from the products that decomposition leaves."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule

from executorch.dialects.ops import ops
from executorch.ir.rewriter import edited
from executorch.passes.infrastructure.export_pass import ExportPass
from executorch.passes.infrastructure.pass_base import PassResult
from executorch.passes.optimization.fuse_linear_pass import FuseLinearPass, unfold_views


class ConvertToLinearPass(ExportPass):
    """``addmm`` and ``mm`` with a transposed weight, and the views that fold the batch, become ``linear``."""

    linear_modules: list[Any] = [torch.nn.Linear, torch.nn.functional.linear]
    targets: list[Any] = [ops.edge.aten.mm.default, ops.edge.aten.addmm.default, ops.edge.aten.bmm.default]

    def call(self, graph_module: GraphModule) -> PassResult:
        fused = FuseLinearPass()(graph_module).modified
        unfolded = edited(graph_module, lambda module: unfold_views(module.graph))
        return PassResult(graph_module, fused or unfolded)
