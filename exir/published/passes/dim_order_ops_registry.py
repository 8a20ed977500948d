"""Operators that name a memory format, and their forms that name a dim order; importing it registers the latter."""

from executorch.dialects.dim_order_ops import MEMORY_FORMAT_OP_TO_DIM_ORDER_OP
from executorch.dialects.edge_ops import EdgeOpOverload, edge_op

#: Edge operator with a memory format to the one with a dim order, and back.
DimOrderOpsMap: dict[EdgeOpOverload, EdgeOpOverload] = {
    edge_op(aten): edge_op(dim_order) for aten, dim_order in MEMORY_FORMAT_OP_TO_DIM_ORDER_OP.items()
}
MemoryFormatOpsMap: dict[EdgeOpOverload, EdgeOpOverload] = {
    dim_order: aten for aten, dim_order in DimOrderOpsMap.items()
}
