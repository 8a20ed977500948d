"""Operators of the backend dialect, and operators that are defined by a pattern of others.

The backend dialect is the edge dialect plus operators that only passes introduce: a fused pair, arithmetic that
the executor does itself. Such an operator is defined together with the pattern that it stands for, so it runs
without a kernel of its own, and tracing it again gives the pattern back::

    lib = Library("foo_namespace", "DEF")

    @bind_pattern_to_op(lib, "add_relu(Tensor self, Tensor other) -> Tensor")
    def pattern(x, y):
        return torch.ops.aten.relu.default(torch.ops.aten.add.Tensor(x, y))

    ops.backend.foo_namespace.add_relu.default  # as a call target

Documented import paths: ``executorch.exir.dialects._ops.bind_pattern_to_op`` and
``executorch.exir.dialects.backend._ops``.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch.library import Library

from executorch.dialects.edge_ops import EdgeOpOverload, EdgeOpOverloadPacket, edge_op
from executorch.dialects.errors import MissingKernelError
from executorch.dialects.torch_types import OpOverload, OpOverloadPacket

#: Where an operator has a kernel if it has one.
_KERNEL_KEYS = (
    "Meta",
    "CompositeImplicitAutograd",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
    "CPU",
)
_DOCUMENTED_MODULE = "executorch.exir.dialects.backend._ops"

Pattern = TypeVar("Pattern", bound=Callable[..., Any])


class BackendOpOverload(EdgeOpOverload):
    """One overload of an operator in the backend dialect; what is said of edge operators holds for it too.

    Args:
        op_overload: the edge operator, or the ``torch`` overload, that it is in the other dialects.
    """

    def __init__(self, op_overload: "EdgeOpOverload | OpOverload") -> None:
        super().__init__(op_overload._op if isinstance(op_overload, EdgeOpOverload) else op_overload)
        self.__module__ = _DOCUMENTED_MODULE

    @property
    def overloadpacket(self) -> "BackendOpOverloadPacket":
        return backend_packet(self._op.overloadpacket)

    def to_edge_op(self) -> EdgeOpOverload:
        """The same operator in the edge dialect."""
        return edge_op(self._op)

    def __repr__(self) -> str:
        return f"<BackendOpOverload: {self}>: schema = {self._op._schema}"

    def __reduce__(self) -> Any:
        return _find_backend_op, (edge_op(self._op),)


class BackendOpOverloadPacket(EdgeOpOverloadPacket):
    """All overloads of one operator in the backend dialect; attributes are :class:`BackendOpOverload` objects."""

    def __init__(self, packet: OpOverloadPacket) -> None:
        super().__init__(packet)
        self.__module__ = _DOCUMENTED_MODULE

    def _wrap(self, overload: OpOverload) -> BackendOpOverload:
        if not overload.py_kernels and not any(
            torch._C._dispatch_has_kernel_for_dispatch_key(overload.name(), key) for key in _KERNEL_KEYS
        ):
            raise MissingKernelError(
                f"{overload} has no kernel, not even for shapes, so no pass can make calls of it\nWay out: "
                "@bind_pattern_to_op(library, name) gives it what it computes, torch.library.register_fake its shapes"
            )
        return backend_op(overload)

    def __repr__(self) -> str:
        return f"<BackendOpOverloadPacket(op='{self._packet}')>"


_backend_ops: dict[OpOverload, BackendOpOverload] = {}
_backend_packets: dict[OpOverloadPacket, BackendOpOverloadPacket] = {}


def backend_op(op: OpOverload) -> BackendOpOverload:
    """The backend operator of ``op``; always the same object for the same overload."""
    found = _backend_ops.get(op)
    # As with edge operators, one object stays of those that several threads make at once.
    return found if found is not None else _backend_ops.setdefault(op, BackendOpOverload(op))


def backend_packet(packet: OpOverloadPacket) -> BackendOpOverloadPacket:
    """The packet of backend operators of ``packet``; always the same object."""
    found = _backend_packets.get(packet)
    return (
        found if found is not None else _backend_packets.setdefault(packet, BackendOpOverloadPacket(packet))
    )


def bind_pattern_to_op(library: Library, schema_or_name: str) -> Callable[[Pattern], Pattern]:
    """Makes the decorated function what an operator computes, on every device and under every tracer.

    The function becomes the operator's ``CompositeImplicitAutograd`` kernel, which guarantees that

    * the operator runs in Python without a kernel of its author's;
    * tracing a graph that has it (``torch.export``, ``make_fx``) gives the operators of the pattern;
    * its results have the shapes and types of the pattern's.

    Args:
        library: owns the operator's namespace.
        schema_or_name: ``name(Tensor a) -> Tensor`` defines the operator; a name alone (``name`` or
            ``name.overload``) means one that ``library`` has defined already.

    Returns:
        A decorator that returns the function as it was.
    """
    text = schema_or_name.strip()
    name, _, arguments = text.partition("(")
    name = name.split("::")[-1]
    if arguments:
        library.define(text.split("::")[-1] if "::" in text.partition("(")[0] else text)

    def bind(pattern: Pattern) -> Pattern:
        library.impl(name, pattern, "CompositeImplicitAutograd")
        return pattern

    return bind


def _find_backend_op(op: EdgeOpOverload) -> BackendOpOverload:
    return backend_op(op._op)


__all__ = [
    "BackendOpOverload",
    "BackendOpOverloadPacket",
    "backend_op",
    "backend_packet",
    "bind_pattern_to_op",
]
