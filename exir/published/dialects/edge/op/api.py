"""Finds operators by name, and the variants of an operator."""

from typing import Any

import torch
from torch._ops import OpOverload
from torchgen.model import SchemaKind

from executorch.dialects.out_variants import to_out_variant
from executorch.exir.published.operator.convert import _get_overload_schema


def get_torch_op_overload(namespace: str, opname: str, overload: "str | None") -> OpOverload:
    """The overload ``namespace::opname.overload``; no overload name, or ``""``, is the default one.

    Raises:
        AttributeError: it is not registered.
    """
    packet = getattr(getattr(torch.ops, namespace), opname)
    found: OpOverload = getattr(packet, overload or "default")
    return found


def get_callable(name: str) -> OpOverload:
    """The ``aten`` overload called ``name``, as in ``add.Tensor``; without a dot it is the default overload."""
    opname, _, overload = name.partition(".")
    return get_torch_op_overload("aten", opname, overload)


def to_variant(op: OpOverload, variant: SchemaKind) -> OpOverload:
    """The functional or the out variant of an overload.

    Args:
        op: any overload; it is returned when it is that variant itself.
        variant: ``SchemaKind.functional`` or ``SchemaKind.out``.

    Raises:
        RuntimeError: another variant is asked for, or no overload of the operator has the same arguments.
    """
    if variant not in (SchemaKind.functional, SchemaKind.out):
        raise RuntimeError(f"only the functional and the out variant are known, not {variant.name}")
    schema = _get_overload_schema(op)
    if schema is None:
        raise RuntimeError(f"the schema of {op} cannot be read")
    if schema.kind() == variant:
        return op
    if variant is SchemaKind.out and schema.kind() is SchemaKind.functional:
        return to_out_variant(op)
    for candidate in _overloads(op):
        found = _get_overload_schema(candidate)
        if found is not None and found.kind() == variant and found.signature() == schema.signature():
            return candidate
    raise RuntimeError(f"{op} has no {variant.name} variant")


def _overloads(op: OpOverload) -> list[Any]:
    """All overloads of the operator, and of the one its in-place form belongs to."""
    name = op._schema.name.partition("::")[2]
    namespace = getattr(torch.ops, op.namespace)
    found = []
    for packet_name in dict.fromkeys((name, name.removesuffix("_"))):
        packet = getattr(namespace, packet_name, None)
        if packet is not None:
            found += [getattr(packet, overload) for overload in packet.overloads()]
    return found
