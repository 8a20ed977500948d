"""Dim order: the order of a tensor's dimensions in memory, outermost first.

A contiguous NCHW tensor has dim order ``(0, 1, 2, 3)``, a channels-last one ``(0, 2, 3, 1)``. Together with the
sizes it determines the strides of every dense tensor, which is why programs store it instead of strides.
Strides and sizes are counted in elements; sizes may be symbolic (``torch.SymInt``).
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import torch

IntLike: TypeAlias = int | torch.SymInt

# A symbol without an example value gets this one when strides are compared. Strides of dense tensors are
# products of sizes, so any value above the usual constant factors orders them as every real size would.
_STAND_IN = 8192


def example_int(value: IntLike) -> int:
    """A plausible concrete value of a size: itself, the export-time example, or a stand-in."""
    if isinstance(value, int):
        return value
    hint = value.node.hint
    if hint is not None:
        return int(hint)
    expr = value.node.expr
    return int(expr.subs({symbol: _STAND_IN for symbol in expr.free_symbols}))


def contiguous_stride_from_shape(shape: Sequence[Any]) -> tuple[Any, ...]:
    """Row-major strides of ``shape``; a dimension of size 0 counts as 1, as in torch."""
    strides: list[Any] = []
    running: Any = 1
    for size in reversed(shape):
        strides.append(running)
        running = running * (size if not isinstance(size, int) else max(size, 1))
    return tuple(reversed(strides))


def stride_from_dim_order(sizes: Sequence[Any], dim_order: Sequence[int]) -> list[Any]:
    """Strides of a dense tensor of ``sizes`` whose dimensions lie in memory in ``dim_order``.

    Raises:
        ValueError: ``dim_order`` is not a permutation of the dimensions.
    """
    check_dim_order(dim_order, len(sizes))
    strides: list[Any] = [1] * len(sizes)
    packed = contiguous_stride_from_shape([sizes[dim] for dim in dim_order])
    for dim, stride in zip(dim_order, packed, strict=True):
        strides[dim] = stride
    return strides


def dim_order_from_stride(stride: Sequence[Any]) -> tuple[int, ...]:
    """Dimensions by falling stride; equal strides keep their order.

    Strides alone cannot tell where a dimension of size 1 lies; use :func:`dim_order_of` when sizes are known.

    Raises:
        ValueError: a stride is 0 (an expanded tensor has no dim order).
        torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode: only the data decide which stride is larger.
    """
    _check_related(stride)
    concrete = [example_int(value) for value in stride]
    if any(value == 0 for value in concrete):
        raise ValueError(
            f"strides {list(stride)} contain 0: an expanded tensor has no dim order, copy it first"
        )
    return tuple(sorted(range(len(concrete)), key=lambda dim: -concrete[dim]))


def _check_related(stride: Sequence[Any]) -> None:
    """Raises if sizes that only the data decide make the order of strides: of two, one has to be a multiple of the other."""
    symbols = [value for value in stride if not isinstance(value, int)]
    if not symbols:
        return
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols  # slow to import

    for value in symbols:
        if not free_unbacked_symbols(value):
            continue
        for other in stride:
            if not _is_multiple(value, other) and not _is_multiple(other, value):
                bool(value < other)  # torch knows, or says that it cannot


def _is_multiple(value: Any, of: Any) -> bool:
    divisor = _expression(of)
    return not divisor.is_zero and bool((_expression(value) / divisor).is_integer)


def _expression(value: Any) -> Any:
    import sympy  # slow to import

    return sympy.Integer(value) if isinstance(value, int) else value.node.expr


def channels_last_dim_order(rank: int) -> tuple[int, ...]:
    """``(0, 2, ..., rank-1, 1)``: batch outermost, channels innermost. Rank must be at least 3."""
    return (0, *range(2, rank), 1)


def contiguous_dim_order(rank: int) -> tuple[int, ...]:
    return tuple(range(rank))


def dim_order_of(sizes: Sequence[Any], stride: Sequence[Any]) -> tuple[int, ...]:
    """Dim order of a tensor, with dimensions of size 1 placed where the usual layouts put them.

    Contiguous wins over channels-last, channels-last over anything else. Expanded (stride 0) tensors count as
    the contiguous copy that they become in memory.
    """
    rank = len(sizes)
    concrete_sizes = [example_int(value) for value in sizes]
    concrete = [example_int(value) for value in stride]
    candidates = [contiguous_dim_order(rank)]
    if rank in (4, 5):
        candidates.append(channels_last_dim_order(rank))
    significant = [dim for dim in range(rank) if concrete_sizes[dim] > 1]
    if 0 in concrete_sizes or any(concrete[dim] == 0 for dim in significant):
        return candidates[0]
    for candidate in candidates:
        expected = stride_from_dim_order(concrete_sizes, candidate)
        if all(concrete[dim] == expected[dim] for dim in significant):
            return candidate
    return tuple(sorted(range(rank), key=lambda dim: -concrete[dim]))


def check_dim_order(dim_order: Sequence[int], rank: int) -> None:
    """Raises ``ValueError`` unless ``dim_order`` is a permutation of ``range(rank)``."""
    if sorted(dim_order) != list(range(rank)):
        raise ValueError(f"dim order {list(dim_order)} is not a permutation of the {rank} dimensions")


def is_contiguous_dim_order(dim_order: Sequence[int]) -> bool:
    return tuple(dim_order) == contiguous_dim_order(len(dim_order))


def is_channels_last_dim_order(dim_order: Sequence[int]) -> bool:
    return len(dim_order) in (4, 5) and tuple(dim_order) == channels_last_dim_order(len(dim_order))


def memory_format_to_dim_order(memory_format: "torch.memory_format | None", rank: int) -> "list[int] | None":
    """Dim order of a tensor of ``rank`` in ``memory_format``; None for ``preserve_format``, which names none.

    Raises:
        ValueError: the format does not exist for this rank.
    """
    if memory_format in (None, torch.preserve_format):
        return None
    if memory_format is torch.contiguous_format:
        return list(range(rank))
    wanted = {torch.channels_last: 4, torch.channels_last_3d: 5}.get(memory_format)
    if wanted != rank:
        raise ValueError(f"memory format {memory_format} needs a tensor of rank {wanted}, got rank {rank}")
    return list(channels_last_dim_order(rank))


def dim_order_to_memory_format(dim_order: Sequence[int]) -> torch.memory_format:
    """The torch memory format that lays a tensor out in ``dim_order``.

    Raises:
        ValueError: torch has no name for this order (only contiguous and channels-last have one).
    """
    if is_contiguous_dim_order(dim_order):
        return torch.contiguous_format
    if is_channels_last_dim_order(dim_order):
        return torch.channels_last if len(dim_order) == 4 else torch.channels_last_3d
    raise ValueError(
        f"dim order {list(dim_order)} is neither contiguous nor channels-last, the two supported orders"
    )
