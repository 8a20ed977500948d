"""Restates memory formats as dim orders, and back."""

from typing import Final

import torch
from torch.fx import Node

from executorch.dialects.dim_order import dim_order_of, dim_order_to_memory_format
from executorch.dialects.dim_order_ops import MEMORY_FORMAT_OP_TO_DIM_ORDER_OP, dim_order_kwargs
from executorch.dialects.edge_ops import EdgeOpOverload, aten_op, edge_op
from executorch.ir.values import value_of
from executorch.passes.infrastructure.pass_base import GraphPass

_DIM_ORDER_OP_TO_MEMORY_FORMAT_OP: Final = {
    dim_order_op: op for op, dim_order_op in MEMORY_FORMAT_OP_TO_DIM_ORDER_OP.items()
}


class MemoryFormatOpsPass(GraphPass):
    """Replaces ``_to_copy``, ``clone`` and ``empty`` by their ``dim_order_ops`` counterparts with an explicit order."""

    describes_values = True
    removes_dead_code = False

    def rewrite_node(self, node: Node) -> bool:
        op = aten_op(node.target) if node.op == "call_function" else None
        counterpart = MEMORY_FORMAT_OP_TO_DIM_ORDER_OP.get(op) if op is not None else None
        value = value_of(node)
        if op is None or counterpart is None or not isinstance(value, torch.Tensor):
            return False
        kwargs = dim_order_kwargs(op, value.dim(), dict(node.kwargs))
        # preserve_format depends on the input; the order that export saw is written down instead.
        kwargs["dim_order"] = list(dim_order_of(value.shape, value.stride()))
        is_edge = isinstance(node.target, EdgeOpOverload)
        node.target = edge_op(counterpart) if is_edge else counterpart
        node.kwargs = kwargs
        return True


class DimOrderOpsRevertPass(GraphPass):
    """The inverse, for backends that know memory formats only."""

    describes_values = True
    removes_dead_code = False

    def rewrite_node(self, node: Node) -> bool:
        op = aten_op(node.target) if node.op == "call_function" else None
        original = _DIM_ORDER_OP_TO_MEMORY_FORMAT_OP.get(op) if op is not None else None
        if original is None:
            return False
        kwargs = dict(node.kwargs)
        order = kwargs.pop("dim_order", None)
        if isinstance(order, (list, tuple)):
            kwargs["memory_format"] = dim_order_to_memory_format([int(dim) for dim in order])  # type: ignore[arg-type]
        is_edge = isinstance(node.target, EdgeOpOverload)
        node.target = edge_op(original) if is_edge else original
        node.kwargs = kwargs
        return True
