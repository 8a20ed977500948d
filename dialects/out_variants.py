"""Finds the overload of an operator that writes its results into caller-supplied tensors.

A functional overload and an out overload belong together when the out overload takes the same arguments in the
same order, plus one ``out`` argument per tensor result. Arguments that only say how to make the result (its
type, device, layout) may be missing, because the ``out`` tensor says it already.
"""

import torch

from executorch.dialects import quantized_out_variants
from executorch.dialects.errors import ExportErrorType, OperatorNotSupportedError
from executorch.dialects.torch_types import OpOverload

_FACTORY_ARGUMENTS = frozenset({"dtype", "layout", "device", "pin_memory"})
_TENSOR_RESULTS = frozenset({"Tensor", "List[Tensor]"})


def to_out_variant(op: OpOverload) -> OpOverload:
    """The out variant of ``op``; ``op`` itself if it already is one.

    Raises:
        OperatorNotSupportedError: no registered overload matches, or a result is not a tensor.
    """
    found = find_out_variant(op)
    if found is None:
        raise OperatorNotSupportedError(
            ExportErrorType.NOT_SUPPORTED,
            f"SchemaKind.out variant of operator {op._schema.name} can't be found. {op} has no out variant: {why_not(op)}\n"
            f"Way out: {way_out(op)}",
        )
    return found


def find_out_variant(op: OpOverload) -> "OpOverload | None":
    """Like :func:`to_out_variant`, with None instead of the error."""
    # Only what was found is kept: authors register the missing variant after they have been told of it.
    if op not in _FOUND:
        found = _search(op)
        if found is None:
            return None
        _FOUND[op] = found
    return _FOUND[op]


_FOUND: dict[OpOverload, OpOverload] = {}


def _search(op: OpOverload) -> "OpOverload | None":
    if any(arg.is_out for arg in op._schema.arguments):
        return op
    if not op._schema.returns or any(_is_written(ret) for ret in op._schema.returns):
        return None
    if any(str(ret.type) not in _TENSOR_RESULTS for ret in op._schema.returns):
        return None
    if op.namespace == quantized_out_variants.NAMESPACE:
        quantized_out_variants.define_out_variant(op)
    matching = [candidate for candidate in _overloads(op) if _matches(op, candidate)]
    # An exact match beats one that drops factory arguments; after that, schema order decides.
    matching.sort(key=lambda candidate: -len(candidate._schema.arguments))
    return matching[0] if matching else None


def _overloads(op: OpOverload) -> list[OpOverload]:
    """All overloads of an operator, those registered after its packet was made among them."""
    packet = op.overloadpacket
    registered = (schema.overload_name for schema in torch._C._jit_get_schemas_for_operator(op._schema.name))
    names = dict.fromkeys([*packet.overloads(), *(name or "default" for name in registered)])
    found = (getattr(packet, name, None) for name in names)
    return [overload for overload in found if overload is not None]


def _is_written(value: "torch.Argument") -> bool:
    return value.alias_info is not None and bool(value.alias_info.is_write)


def kept_argument_names(out_variant: OpOverload) -> set[str]:
    """Names of the arguments an out variant takes besides its out arguments."""
    return {arg.name for arg in out_variant._schema.arguments if not arg.is_out}


def why_not(op: OpOverload) -> str:
    """A phrase that says why ``op`` has no out variant."""
    schema = op._schema
    if any(_is_written(ret) for ret in schema.returns) or not schema.returns:
        return f"it changes its arguments ({schema})"
    bad = [str(ret.type) for ret in schema.returns if str(ret.type) not in _TENSOR_RESULTS]
    if bad:
        return f"it returns {', '.join(bad)}, and only tensors can be written into an out argument ({schema})"
    nothing = f"no overload takes {_signature(op)} and an out argument"
    others = [other._schema for other in _overloads(op) if any(arg.is_out for arg in other._schema.arguments)]
    if not others:
        return nothing
    return (
        f"{nothing}. Found an out variant for operator name {schema.name} but its schema mismatched with functional op. "
        f"There is {'; '.join(map(str, others))}"
    )


def way_out(op: OpOverload) -> str:
    """What the author of the model or of the operator can do about it."""
    if op.namespace == "aten":
        return (
            f"let the operator decompose, express the model without {op}, "
            "or replace it by a custom operator that has an out variant"
        )
    results = ["Tensor(a!)" for _ in op._schema.returns]
    returned = results[0] if len(results) == 1 else f"({', '.join(results)})"
    return (
        f"register {op._schema.name}.out(..., *, Tensor(a!) out) -> {returned} with torch.library "
        "(and a kernel of that name with the runtime)"
    )


def _signature(op: OpOverload) -> str:
    return "(" + ", ".join(f"{arg.type} {arg.name}" for arg in op._schema.arguments) + ")"


def _matches(functional: OpOverload, candidate: OpOverload) -> bool:
    outs = [arg for arg in candidate._schema.arguments if arg.is_out]
    if not outs or [str(arg.type) for arg in outs] != [str(ret.type) for ret in functional._schema.returns]:
        return False
    wanted = [
        (arg.name, str(arg.type), arg.name in _FACTORY_ARGUMENTS) for arg in functional._schema.arguments
    ]
    offered = [(arg.name, str(arg.type)) for arg in candidate._schema.arguments if not arg.is_out]
    position = 0
    for name, kind, droppable in wanted:
        if position < len(offered) and offered[position] == (name, kind):
            position += 1
        elif not droppable:
            return False
    return position == len(offered)


def is_scratch(name: str) -> bool:
    """True of the name of an out argument that is a kernel's work space and no result."""
    return name.startswith("_scratch_")


def find_scratch_variant(out_variant: OpOverload) -> "OpOverload | None":
    """The overload that also takes scratch tensors, for an out variant that has one; None for all others.

    A scratch overload has the arguments of the out variant plus out arguments named ``_scratch_...``, which the
    kernel uses as work space.
    """
    wanted = [arg.name for arg in out_variant._schema.arguments]
    for candidate in _overloads(out_variant):
        names = [arg.name for arg in candidate._schema.arguments]
        others = [name for name in names if not is_scratch(name)]
        if len(others) < len(names) and others == wanted:
            return candidate
    return None
