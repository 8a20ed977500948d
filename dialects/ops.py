"""``ops``: every operator by dialect, ``ops.edge.aten.add.Tensor``, ``ops.backend.my_lib.fused.default``.

Documented import path: ``executorch.exir.dialects._ops.ops``.
"""

import importlib
import types
from typing import Any

import torch

from executorch.dialects import bound_ops, dim_order_ops, prim_ops
from executorch.dialects.backend_ops import backend_packet, bind_pattern_to_op
from executorch.dialects.edge_ops import EdgeOpOverload, EdgeOpOverloadPacket, edge_op, edge_packet

# Their namespaces must be there before anybody asks ``ops`` for them.
_REGISTERED = (dim_order_ops.LIBRARY, prim_ops.LIBRARY, bound_ops.LIBRARIES)


#: Namespaces that are documented as operators of the dialect, and the modules of torch that register them.
_REGISTERED_BY = {"quantized_decomposed": "torch.ao.quantization.fx._decomposed"}


class _OpNamespace(types.ModuleType):
    """``ops.<dialect>.<namespace>``: its attributes are operator packets."""

    def __init__(self, dialect: str, name: str) -> None:
        super().__init__(f"executorch.exir.dialects.{dialect}._ops.{name}")
        self._dialect = dialect
        self._namespace = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        operators = getattr(torch.ops, self._namespace)
        if not hasattr(operators, name) and self._namespace in _REGISTERED_BY:
            importlib.import_module(_REGISTERED_BY[self._namespace])
        found = _PACKET_OF[self._dialect](getattr(operators, name))
        setattr(self, name, found)
        return found


class _DialectNamespace(types.ModuleType):
    """``ops.edge`` or ``ops.backend``: its attributes are namespaces; ``ops.backend.aten`` is a ``RuntimeError``."""

    def __init__(self, dialect: str) -> None:
        super().__init__(f"executorch.exir.dialects.{dialect}._ops")
        self._dialect = dialect

    def __getattr__(self, name: str) -> _OpNamespace:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "aten" and self._dialect == "backend":
            raise RuntimeError(
                "aten op library does not belong to backend ops, which are operators that passes introduce, bound to "
                "patterns with bind_pattern_to_op. Way out: ops.edge.aten has the operators of ATen"
            )
        namespace = _OpNamespace(self._dialect, name)
        setattr(self, name, namespace)
        return namespace


_PACKET_OF = {"edge": edge_packet, "backend": backend_packet}


class _Ops(types.ModuleType):
    """``ops``: the dialects, and every ``torch.ops`` namespace as it is."""

    def __init__(self) -> None:
        super().__init__("executorch.exir.dialects._ops.ops")
        self.edge = _DialectNamespace("edge")
        self.backend = _DialectNamespace("backend")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(torch.ops, name)


ops = _Ops()

__all__ = ["EdgeOpOverload", "EdgeOpOverloadPacket", "bind_pattern_to_op", "edge_op", "ops"]
