"""Documented path of the dialects' operators."""

from executorch.dialects.backend_ops import BackendOpOverload, BackendOpOverloadPacket, bind_pattern_to_op
from executorch.dialects.edge_ops import EdgeOpOverload, EdgeOpOverloadPacket
from executorch.dialects.ops import _DialectNamespace, _OpNamespace, _Ops, ops

__all__ = [
    "BackendOpOverload",
    "BackendOpOverloadPacket",
    "EdgeOpOverload",
    "EdgeOpOverloadPacket",
    "_DialectNamespace",
    "_OpNamespace",
    "_Ops",
    "bind_pattern_to_op",
    "ops",
]
