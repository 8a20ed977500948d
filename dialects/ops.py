"""``ops``: every operator by dialect, ``ops.edge.aten.add.Tensor``.

Documented import path: ``executorch.exir.dialects._ops.ops``.
"""

import types
from typing import Any

import torch

from executorch.dialects import dim_order_ops, prim_ops
from executorch.dialects.edge_ops import EdgeOpOverload, EdgeOpOverloadPacket, edge_op, edge_packet

# Their namespaces must be there before anybody asks ``ops`` for them.
_REGISTERED = (dim_order_ops.LIBRARY, prim_ops.LIBRARY)


class _EdgeNamespace(types.ModuleType):
    """``ops.edge.<namespace>``: its attributes are operator packets."""

    def __init__(self, name: str) -> None:
        super().__init__(f"executorch.exir.dialects.edge._ops.{name}")
        self._namespace = name

    def __getattr__(self, name: str) -> EdgeOpOverloadPacket:
        if name.startswith("__"):
            raise AttributeError(name)
        packet = getattr(getattr(torch.ops, self._namespace), name)
        found = edge_packet(packet)
        setattr(self, name, found)
        return found


class _EdgeDialect(types.ModuleType):
    """``ops.edge``: its attributes are namespaces."""

    def __getattr__(self, name: str) -> _EdgeNamespace:
        if name.startswith("__"):
            raise AttributeError(name)
        namespace = _EdgeNamespace(name)
        setattr(self, name, namespace)
        return namespace


class _Dialects(types.ModuleType):
    """``ops``: ``edge``, and every ``torch.ops`` namespace as it is."""

    def __init__(self) -> None:
        super().__init__("executorch.exir.dialects._ops.ops")
        self.edge = _EdgeDialect("executorch.exir.dialects.edge._ops")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(torch.ops, name)


ops = _Dialects()

__all__ = ["EdgeOpOverload", "EdgeOpOverloadPacket", "edge_op", "ops"]
