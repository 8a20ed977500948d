"""Operators of the edge dialect.

An edge operator is an ATen (or custom) operator together with the element types it may be used with. It is
called like the operator it wraps, prints as ``executorch.exir.dialects.edge._ops.<ns>.<op>.<overload>`` (its
documented path) and gives the nodes that call it names like ``aten_add_tensor``.
"""

from typing import Any

import torch

from executorch.dialects import out_variants
from executorch.dialects.edge_schema import EdgeFunctionSchema
from executorch.dialects.torch_types import OpOverload, OpOverloadPacket

_DOCUMENTED_MODULE = "executorch.exir.dialects.edge._ops"


class EdgeOpOverload:
    """One overload of an operator in the edge dialect. There is one object per overload; compare with ``is``.

    Whatever is not defined here (``tags``, ``overloadpacket``, ``is_view`` ...) is that of the wrapped operator.

    Attributes:
        _op: the wrapped ``torch._ops.OpOverload``.
        _schema: its schema with element types, see :class:`~executorch.dialects.edge_schema.EdgeFunctionSchema`.
        namespace: ``aten`` of ``aten::add.Tensor``.
    """

    def __init__(self, op: OpOverload, schema: "EdgeFunctionSchema | None" = None) -> None:
        self._op = op
        self._schema = schema or EdgeFunctionSchema(op._schema)
        self.namespace: str = op.namespace
        self._overloadname: str = op._overloadname
        self.__name__ = f"{self.namespace}.{op.__name__}"
        self.__qualname__ = self.__name__
        self.__module__ = _DOCUMENTED_MODULE
        self._out_variant: OpOverload | None = None

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        for value in (*args, *kwargs.values()):
            tracer = _tracer_of(value)
            if tracer is not None:  # a pattern that is traced symbolically keeps its edge operators
                return tracer.create_proxy("call_function", self, args, kwargs)
        return self._op(*args, **kwargs)

    @property
    def overloadpacket(self) -> "EdgeOpOverloadPacket":
        return edge_packet(self._op.overloadpacket)

    def name(self) -> str:
        """``aten::add.Tensor``; the overload ``default`` is left out, as in schemas."""
        return self._op.name()

    def to_out_variant(self) -> OpOverload:
        """The overload that writes into its ``out`` arguments (``aten.add.out`` for ``aten.add.Tensor``).

        Raises:
            OperatorNotSupportedError: none is registered.
        """
        if self._out_variant is None:
            self._out_variant = out_variants.to_out_variant(self._op)
        return self._out_variant

    def __getattr__(self, name: str) -> Any:
        if name == "_op":
            raise AttributeError(name)
        return getattr(self._op, name)

    def __str__(self) -> str:
        return f"{self.namespace}.{self._op.__name__}"

    def __repr__(self) -> str:
        schema = self._op._schema
        return f"<EdgeOpOverload: {self}>: schema = {schema}"

    def __copy__(self) -> "EdgeOpOverload":
        return self

    def __deepcopy__(self, memo: Any = None) -> "EdgeOpOverload":
        return self

    def __reduce__(self) -> Any:
        return _find_edge_op, (self._op._schema.name, self._overloadname)


class EdgeOpOverloadPacket:
    """All overloads of one operator in the edge dialect; attributes are :class:`EdgeOpOverload` objects."""

    def __init__(self, packet: OpOverloadPacket) -> None:
        self._packet = packet
        self._qualified_op_name: str = packet._qualified_op_name
        self.__name__ = str(packet)
        self.__module__ = _DOCUMENTED_MODULE

    def __getattr__(self, name: str) -> EdgeOpOverload:
        if name.startswith("__") or name == "_packet":
            raise AttributeError(name)
        overload = getattr(self._packet, name)
        if not isinstance(overload, OpOverload):
            raise AttributeError(f"{self._packet} has no overload {name!r}")
        op = self._wrap(overload)
        setattr(self, name, op)
        return op

    def _wrap(self, overload: OpOverload) -> EdgeOpOverload:
        return edge_op(overload)

    @property
    def op(self) -> Any:
        """The function behind the packet, as ``torch``'s own packets have it."""
        return self._packet.op

    def overloads(self) -> list[str]:
        return self._packet.overloads()

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._packet(*args, **kwargs)

    def __str__(self) -> str:
        return str(self._packet)

    def __repr__(self) -> str:
        return f"<EdgeOpOverloadPacket(op='{self._packet}')>"

    def __copy__(self) -> "EdgeOpOverloadPacket":
        return self

    def __deepcopy__(self, memo: Any = None) -> "EdgeOpOverloadPacket":
        return self


_edge_ops: dict[OpOverload, EdgeOpOverload] = {}
_edge_packets: dict[OpOverloadPacket, EdgeOpOverloadPacket] = {}


def edge_op(op: OpOverload) -> EdgeOpOverload:
    """The edge operator of ``op``; always the same object for the same overload."""
    found = _edge_ops.get(op)
    # Of two threads that get here at once, one object stays: setdefault is atomic.
    return found if found is not None else _edge_ops.setdefault(op, EdgeOpOverload(op))


def edge_packet(packet: OpOverloadPacket) -> EdgeOpOverloadPacket:
    """The packet of edge operators of ``packet``; always the same object."""
    found = _edge_packets.get(packet)
    return found if found is not None else _edge_packets.setdefault(packet, EdgeOpOverloadPacket(packet))


def aten_op(target: Any) -> "OpOverload | None":
    """The ``torch`` overload behind a call target: an edge operator's, or the target itself; None for others."""
    if isinstance(target, EdgeOpOverload):
        return target._op
    return target if isinstance(target, OpOverload) else None


def _tracer_of(value: Any) -> Any:
    if isinstance(value, torch.fx.Proxy):
        return value.tracer
    if isinstance(value, (list, tuple)):
        return next((item.tracer for item in value if isinstance(item, torch.fx.Proxy)), None)
    return None


def _find_edge_op(qualified: str, overload: str) -> EdgeOpOverload:
    namespace, name = qualified.split("::")
    return edge_op(getattr(getattr(getattr(torch.ops, namespace), name), overload))
