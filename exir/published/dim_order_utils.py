"""Memory formats and dim orders, of names and of tensors."""

import torch

from executorch.dialects.dim_order import (
    channels_last_dim_order,
    contiguous_dim_order,
    dim_order_to_memory_format,
)


def get_dim_order(memory_format: "torch.memory_format | None", ndim: int) -> "list[int] | None":
    """Dim order of a tensor of ``ndim`` dimensions in ``memory_format``; None for ``preserve_format`` and None.

    Raises:
        AssertionError: programs have no such order.
    """
    if memory_format in (None, torch.preserve_format):
        return None
    if memory_format is torch.contiguous_format:
        return list(contiguous_dim_order(ndim))
    if memory_format is torch.channels_last and ndim == 4:
        return list(channels_last_dim_order(ndim))
    raise AssertionError(
        f"Failed to generate dim_order for a given memory format: {memory_format} of {ndim} dimensions; programs have "
        "contiguous tensors, and channels-last ones of 4 dimensions"
    )


def get_memory_format(dim_order: "list[int] | None") -> torch.memory_format:
    """The memory format of a dim order; ``preserve_format`` for None.

    Raises:
        AssertionError: torch has no name for the order.
    """
    if dim_order is None:
        return torch.preserve_format
    try:
        return dim_order_to_memory_format(dim_order)
    except ValueError as error:
        raise AssertionError(
            f"Failed to map a given dim_order: {dim_order} to a torch.memory_format"
        ) from error


def is_channel_last_dim_order(tensor: torch.Tensor) -> bool:
    """True for a tensor of 4 dimensions that lies in memory channels-last."""
    return tensor.dim() == 4 and tuple(tensor.dim_order()) == channels_last_dim_order(4)


def is_contiguous_dim_order(tensor: torch.Tensor) -> bool:
    """True for a tensor that lies in memory dimension after dimension."""
    return tuple(tensor.dim_order()) == contiguous_dim_order(tensor.dim())
