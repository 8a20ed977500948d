"""In-place operators and their functional forms."""

import functools
from typing import Any

import torch

from executorch.dialects.torch_types import OpOverload

#: In-place operators that change shape, strides or storage rather than elements.
_CHANGES_METADATA = frozenset(
    {
        "aten::resize_",
        "aten::resize_as_",
        "aten::set_",
        "aten::squeeze_",
        "aten::swapaxes_",
        "aten::swapdims_",
        "aten::t_",
        "aten::transpose_",
        "aten::unsqueeze_",
        "aten::as_strided_",
        "aten::detach_",
    }
)


def written_arguments(op: OpOverload) -> list[int]:
    """Positions of the arguments that ``op`` writes."""
    return [
        position
        for position, arg in enumerate(op._schema.arguments)
        if arg.alias_info is not None and arg.alias_info.is_write
    ]


@functools.cache
def functional_form(op: OpOverload) -> "OpOverload | None":
    """``aten.add.Tensor`` for ``aten.add_.Tensor``: the same arguments, result instead of side effect.

    None unless ``op`` writes its first argument only, elements only, and such a form is registered.
    """
    name = op._schema.name
    if (
        not name.endswith("_")
        or name.endswith("__")
        or name in _CHANGES_METADATA
        or written_arguments(op) != [0]
    ):
        return None
    namespace, short = name.split("::")
    # `normal` is another operator; the form of `normal_` is called `normal_functional`.
    for form in (short[:-1], f"{short}functional"):
        packet: Any = getattr(getattr(torch.ops, namespace), form, None)
        for overload in packet.overloads() if packet is not None else ():
            candidate = getattr(packet, overload)
            if not candidate._schema.is_mutable and _signature(candidate) == _signature(op):
                return candidate
    return None


def _signature(op: OpOverload) -> list[tuple[str, str]]:
    return [(arg.name, str(arg.type)) for arg in op._schema.arguments]


def may_alias(op: OpOverload) -> bool:
    """True when a result of ``op`` may share memory with its first argument."""
    return torch.Tag.maybe_aliasing_or_mutating in op.tags or _returns_alias(op)


def is_view(op: OpOverload) -> bool:
    """True when ``op`` writes nothing and its schema says that a result shares memory with an argument."""
    return not op._schema.is_mutable and _returns_alias(op)


def _returns_alias(op: OpOverload) -> bool:
    return any(ret.alias_info is not None for ret in op._schema.returns)
