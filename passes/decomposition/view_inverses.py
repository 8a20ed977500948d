"""How a value changes when one of its views does."""

from typing import Any, Final

import torch
from torch.fx import Node

from executorch.dialects.torch_types import OpOverload
from executorch.ir.values import value_of
from executorch.ir.views import RESHAPES

_aten = torch.ops.aten

#: Views of a part: the operator takes the whole, the new part, and the arguments of the view.
SCATTERS: Final[dict[Any, OpOverload]] = {
    _aten.select.int: _aten.select_scatter.default,
    _aten.slice.Tensor: _aten.slice_scatter.default,
}


def can_put_back(part: Node, whole: Node) -> bool:
    """True when :func:`put_back` knows the view that made ``part`` from ``whole``."""
    op = part.target
    if op in RESHAPES:
        return _sizes(whole) is not None
    return op in SCATTERS or op in (_aten.t.default, _aten.transpose.int, _aten.permute.default)


def put_back(part: Node, whole: Node, value: Node) -> tuple[OpOverload, tuple[Any, ...]]:
    """The operator and its arguments that compute the new ``whole`` when its view ``part`` has become ``value``."""
    op: Any = part.target
    if op in SCATTERS:
        return SCATTERS[op], (whole, value, *part.args[1:])
    if op in RESHAPES:
        return _aten.view_copy.default, (value, _sizes(whole))
    if op is _aten.permute.default:
        order: Any = part.args[1]
        inverse = sorted(range(len(order)), key=lambda dim: order[dim] % len(order))
        return _aten.permute.default, (value, inverse)
    return op, (value, *part.args[1:])  # a transposition undoes itself


def _sizes(node: Node) -> "list[int] | None":
    """The sizes of ``node`` with at most one -1 for a symbolic one; None when there are more."""
    shape = value_of(node).shape
    symbolic = [index for index, size in enumerate(shape) if not isinstance(size, int)]
    if len(symbolic) > 1:
        return None
    return [-1 if index in symbolic else size for index, size in enumerate(shape)]
