"""``dim_order_ops``: the ATen operators that name a memory format, restated with a dim order.

============================================= ========================================
ATen                                          edge
============================================= ========================================
``aten._to_copy(x, memory_format=...)``        ``dim_order_ops._to_dim_order_copy(x, dim_order=...)``
``aten.clone(x, memory_format=...)``           ``dim_order_ops._clone_dim_order(x, dim_order=...)``
``aten.empty(size, memory_format=...)``        ``dim_order_ops._empty_dim_order(size, dim_order=...)``
============================================= ========================================

``dim_order=None`` keeps the input's order (contiguous for ``_empty_dim_order``).
"""

from collections.abc import Sequence
from typing import Any, Final

import torch
from torch.library import Library

from executorch.dialects.dim_order import (
    check_dim_order,
    dim_order_of,
    memory_format_to_dim_order,
    stride_from_dim_order,
)
from executorch.dialects.torch_types import OpOverload

LIBRARY: Final = Library("dim_order_ops", "DEF")

_FACTORY = "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"

LIBRARY.define(
    f"_to_dim_order_copy(Tensor self, *, {_FACTORY}, bool non_blocking=False, int[]? dim_order=None) -> Tensor"
)
LIBRARY.define(
    "_to_dim_order_copy.out(Tensor self, *, bool non_blocking=False, int[]? dim_order=None, Tensor(a!) out)"
    " -> Tensor(a!)"
)
LIBRARY.define("_clone_dim_order(Tensor self, *, bool non_blocking=False, int[]? dim_order=None) -> Tensor")
LIBRARY.define(
    "_clone_dim_order.out(Tensor self, *, bool non_blocking=False, int[]? dim_order=None, Tensor(a!) out)"
    " -> Tensor(a!)"
)
LIBRARY.define(f"_empty_dim_order(SymInt[] size, *, {_FACTORY}, int[]? dim_order=None) -> Tensor")
LIBRARY.define("_empty_dim_order.out(SymInt[] size, *, int[]? dim_order=None, Tensor(a!) out) -> Tensor(a!)")


def _restride(result: torch.Tensor, dim_order: Sequence[int]) -> torch.Tensor:
    """A copy of ``result`` whose dimensions lie in memory in ``dim_order``."""
    stride = stride_from_dim_order(result.shape, dim_order)
    return torch.empty_strided(result.shape, stride, dtype=result.dtype, device=result.device).copy_(result)


def _copy(self: torch.Tensor, dim_order: "Sequence[int] | None", dtype: "torch.dtype | None") -> torch.Tensor:
    wanted = dim_order_of(self.shape, self.stride()) if dim_order is None else tuple(dim_order)
    check_dim_order(wanted, self.dim())
    return _restride(self if dtype is None else self.to(dtype), wanted)


def _to_dim_order_copy(
    self: torch.Tensor,
    *,
    dtype: "torch.dtype | None" = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: Any = None,
    non_blocking: bool = False,
    dim_order: "Sequence[int] | None" = None,
) -> torch.Tensor:
    return _copy(self, dim_order, dtype)


def _clone_dim_order(
    self: torch.Tensor, *, non_blocking: bool = False, dim_order: "Sequence[int] | None" = None
) -> torch.Tensor:
    return _copy(self, dim_order, None)


def _copy_out(
    self: torch.Tensor,
    *,
    non_blocking: bool = False,
    dim_order: "Sequence[int] | None" = None,
    out: torch.Tensor,
) -> torch.Tensor:
    if out.shape != self.shape:
        out.resize_(self.shape)
    return out.copy_(self)


def _empty_dim_order(
    size: Sequence[Any],
    *,
    dtype: "torch.dtype | None" = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: Any = None,
    dim_order: "Sequence[int] | None" = None,
) -> torch.Tensor:
    order = tuple(range(len(size))) if dim_order is None else tuple(dim_order)
    return torch.empty_strided(
        tuple(size), stride_from_dim_order(size, order), dtype=dtype, device=device or torch.device("cpu")
    )


def _empty_out(
    size: Sequence[Any], *, dim_order: "Sequence[int] | None" = None, out: torch.Tensor
) -> torch.Tensor:
    return out.resize_(tuple(size))


for _key in ("CompositeExplicitAutograd", "Meta"):
    LIBRARY.impl("_to_dim_order_copy", _to_dim_order_copy, _key)
    LIBRARY.impl("_to_dim_order_copy.out", _copy_out, _key)
    LIBRARY.impl("_clone_dim_order", _clone_dim_order, _key)
    LIBRARY.impl("_clone_dim_order.out", _copy_out, _key)
    LIBRARY.impl("_empty_dim_order", _empty_dim_order, _key)
    LIBRARY.impl("_empty_dim_order.out", _empty_out, _key)
del _key

#: ATen operator with a ``memory_format`` argument to its dim-order counterpart.
MEMORY_FORMAT_OP_TO_DIM_ORDER_OP: Final[dict[OpOverload, OpOverload]] = {
    torch.ops.aten._to_copy.default: torch.ops.dim_order_ops._to_dim_order_copy.default,
    torch.ops.aten.clone.default: torch.ops.dim_order_ops._clone_dim_order.default,
    torch.ops.aten.empty.memory_format: torch.ops.dim_order_ops._empty_dim_order.default,
}


def dim_order_kwargs(op: OpOverload, rank: int, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Keyword arguments of the dim-order operator that says what ``op`` said with ``kwargs``.

    Args:
        op: a key of :data:`MEMORY_FORMAT_OP_TO_DIM_ORDER_OP`.
        rank: rank of the result.

    Raises:
        ValueError: the memory format does not exist for ``rank``.
    """
    rest = {name: value for name, value in kwargs.items() if name != "memory_format"}
    order = memory_format_to_dim_order(kwargs.get("memory_format"), rank)
    if order is None and op is torch.ops.aten.empty.memory_format:
        order = list(range(rank))
    if order is not None:
        rest["dim_order"] = order
    return rest
