"""Which operators have an edge form, and the pass that puts it in place."""

from typing import Any

from torch._ops import OpOverload

from executorch.dialects.edge_ops import EdgeOpOverload, edge_op
from executorch.dialects.verifiers import returns_tensor


def aten_to_edge(aten_op: OpOverload) -> EdgeOpOverload:
    """The edge operator of a torch overload."""
    return edge_op(aten_op)


def should_lower_to_edge(op: Any) -> bool:
    """True for torch overloads that return tensors; those that return numbers stay as they are in the edge dialect."""
    return isinstance(op, OpOverload) and returns_tensor(op)
