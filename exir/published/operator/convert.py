"""Finds the variants of an operator: functional, in-place, out."""

from typing import Any

import torch
from torch._ops import OpOverload
from torchgen.model import FunctionSchema

from executorch.dialects import out_variants


def parse_qualified_opname(qualified_opname: str) -> tuple[str, str]:
    """``("aten", "add")`` of ``aten::add``.

    Raises:
        RuntimeError: the name has no namespace.
    """
    namespace, separator, name = qualified_opname.partition("::")
    if not separator:
        raise RuntimeError(f"Invalid qualified_opname {qualified_opname}; expected namespace::name")
    return namespace, name


def get_op_overload(qualified_opname: str, overload: str) -> OpOverload:
    """The registered overload ``overload`` (``""`` for the default one) of ``aten::add``."""
    namespace, name = parse_qualified_opname(qualified_opname)
    packet = getattr(getattr(torch.ops, namespace), name)
    found: OpOverload = getattr(packet, overload or "default")
    return found


def unwrap_op_overload(target: object) -> OpOverload:
    """The ``torch`` overload behind an edge or backend operator; an overload itself is returned as it is.

    Raises:
        TypeError: ``target`` is neither.
    """
    op = getattr(target, "_op", target) if not isinstance(target, OpOverload) else target
    if not isinstance(op, OpOverload):
        raise TypeError(
            "unwrap_op_overload: expected a torch._ops.OpOverload or a wrapper exposing one as `_op`, got "
            f"{type(target).__name__}: {target}"
        )
    return op


def is_out_variant(qualified_opname: str, overload: str) -> bool:
    """True when the overload writes its results into arguments of its caller's."""
    return any(arg.is_out for arg in get_op_overload(qualified_opname, overload)._schema.arguments)


def is_inplace_variant(qualified_opname: str, overload: str) -> bool:
    """True when the overload changes its first argument and returns it."""
    schema = get_op_overload(qualified_opname, overload)._schema
    first = schema.arguments[0] if schema.arguments else None
    changes = first is not None and first.alias_info is not None and first.alias_info.is_write
    return changes and not any(arg.is_out for arg in schema.arguments)


def get_out_args_from_opoverload(op_overload: OpOverload) -> tuple[str, ...]:
    """Names of the out arguments, in the order of the results."""
    return tuple(arg.name for arg in op_overload._schema.arguments if arg.is_out)


def get_out_args_from_schema(out_var_schema: Any) -> tuple[str, ...]:
    """The same for a schema: torch's own (``op._schema``), or torchgen's ``FunctionSchema``."""
    arguments = out_var_schema.arguments
    if hasattr(arguments, "out"):  # torchgen keeps them apart
        return tuple(arg.name for arg in arguments.out)
    return tuple(arg.name for arg in arguments if arg.is_out)


def schema_to_opoverload(schema: Any) -> OpOverload:
    """The registered overload of a schema of torch's or of torchgen's (whose namespace is ``aten``)."""
    name = str(schema.name)
    if isinstance(schema, torch._C.FunctionSchema):
        return get_op_overload(name, schema.overload_name)
    base, _, overload = name.partition(".")
    return get_op_overload(f"aten::{base}" if "::" not in base else base, overload)


def _get_overload_schema(op_overload: OpOverload) -> "FunctionSchema | None":
    """The schema of an overload in torchgen's form; None where torchgen cannot read it."""
    try:
        return FunctionSchema.parse(str(op_overload._schema))
    except (AssertionError, RuntimeError, ValueError):
        return None


def to_out_variant(op_overload: OpOverload) -> tuple[OpOverload, tuple[str, ...]]:
    """The out variant of an overload, and the names of its out arguments.

    Raises:
        OperatorNotSupportedError: no registered overload matches.
    """
    found = out_variants.to_out_variant(unwrap_op_overload(op_overload))
    return found, get_out_args_from_opoverload(found)


def set_mapping_for_op(op: OpOverload) -> None:
    """Does nothing: overloads that are registered later are found without it. For callers of other releases."""
    del op


def to_scratch_op(op_overload: OpOverload) -> "OpOverload | None":
    """The overload that also takes scratch tensors, for an out variant that has one; None for all others.

    A scratch overload has the arguments of the out variant plus out arguments whose names start with
    ``_scratch_``, which the kernel uses as work space.
    """
    return out_variants.find_scratch_variant(op_overload)


def output_to_aliased_input_map(schema: torch._C.FunctionSchema) -> dict[int, int]:
    """Number of each result that is an argument, to the number of that argument."""
    argument_of: dict[str, int] = {}
    for position, arg in enumerate(schema.arguments):
        if arg.alias_info is not None:
            for name in arg.alias_info.before_set:
                argument_of.setdefault(name, position)
    aliased: dict[int, int] = {}
    for position, ret in enumerate(schema.returns):
        names = ret.alias_info.before_set if ret.alias_info is not None else ()
        for name in names:
            if name in argument_of:
                aliased[position] = argument_of[name]
    return aliased
