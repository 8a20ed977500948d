"""Type promotion (:mod:`executorch.passes.to_edge.type_promotion_pass`) for graphs that are in the edge dialect already."""

from typing import Any

import torch
from torch.fx import Node

from executorch.dialects.dim_order import dim_order_of
from executorch.dialects.edge_ops import EdgeOpOverload
from executorch.dialects.ops import ops
from executorch.ir.values import value_of
from executorch.passes.to_edge.type_promotion_pass import TypePromotionPass


class RemoveMixedTypeOperators(TypePromotionPass):
    """Casts the arguments of operators to the type that torch computes in; integers that are divided, to float."""

    divides_in_floats = True

    def _cast_call(self, node: Node, source: Node, dtype: torch.dtype) -> tuple[Any, dict[str, Any]]:
        if not isinstance(node.target, EdgeOpOverload):
            return super()._cast_call(node, source, dtype)
        value = value_of(source)
        order = list(dim_order_of(value.shape, value.stride()))
        return ops.edge.dim_order_ops._to_dim_order_copy.default, {"dtype": dtype, "dim_order": order}
