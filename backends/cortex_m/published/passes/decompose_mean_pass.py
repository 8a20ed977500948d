"""The mean of whole images as a pool, under its published name: quantizers that know pools and no means quantize it so."""

from __future__ import annotations

import torch
from torch.fx import Node

from executorch.backends.arm.published._passes.rule_pass import RulePass
from executorch.ir.rewriter import arguments, call_like
from executorch.ir.values import shape_of

_aten = torch.ops.aten


def _pooled(node: Node) -> Node | None:
    given, shape = arguments(node), shape_of(node.args[0])
    if shape is None or len(shape) != 4 or not all(isinstance(size, int) for size in shape):
        return None
    if given["dtype"] is not None or {dim % 4 for dim in given["dim"] or ()} != {2, 3}:
        return None
    pooled = call_like(node, _aten.avg_pool2d.default, (node.args[0], list(shape[2:])))
    return pooled if given["keepdim"] else call_like(node, _aten.view.default, (pooled, list(shape[:2])))


class DecomposeMeanPass(RulePass):
    """``mean`` over height and width, of sizes that are fixed, as ``avg_pool2d``; other means stay."""

    rules = {_aten.mean.dim: _pooled}
