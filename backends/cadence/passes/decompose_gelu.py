"""GELU by its approximation, in operators that the processors have."""

from __future__ import annotations

import math
from typing import Any

from torch.fx import Node

from executorch.backends.cadence.passes.edits import ATEN, EDGE, dtype, full, stand_in
from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface
from executorch.ir.rewriter import arguments, call_like


class DecomposeAtenApproxGeluPass(RemoveOrReplacePassInterface):
    """``gelu(x, approximate="tanh")`` as ``0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x**3)))``.

    GELU that is not approximated stays: it is another function.
    """

    @property
    def targets(self) -> list[Any]:
        return [EDGE.aten.gelu.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        named = arguments(node)
        if named["approximate"] != "tanh":
            return False
        x = named["self"]

        def of(op: Any, left: Any, right: Any) -> Node:
            right = right if isinstance(right, Node) else full(node, [1], right, dtype(node))
            return call_like(node, op, (left, right))

        multiply, add = ATEN.mul.Tensor, ATEN.add.Tensor
        cube = of(multiply, of(multiply, x, x), x)
        inner = of(multiply, of(add, x, of(multiply, cube, 0.044715)), math.sqrt(2 / math.pi))
        outer = of(add, call_like(node, ATEN.tanh.default, (inner,)), 1.0)
        stand_in(node, of(multiply, of(multiply, x, 0.5), outer))
        return True


__all__ = ["DecomposeAtenApproxGeluPass"]
