"""Registers ``torch.ops.preprocess.tile_crop``, which cuts an image into the tiles that a vision encoder looks at."""

from __future__ import annotations

import torch
from torch.library import Library, get_ctx, register_fake

from executorch.extension.llm.custom_ops.operands import need

#: The most tiles of an image whose size is known only when the program runs.
MAX_NUM_TILES = 4

preprocess_op_lib = Library("preprocess", "FRAGMENT")
preprocess_op_lib.define("tile_crop(Tensor input, int tile_size) -> Tensor")
preprocess_op_lib.define("tile_crop.out(Tensor input, int tile_size, *, Tensor(a!) out) -> Tensor(a!)")


def _check(image: torch.Tensor, tile_size: int) -> None:
    need(
        image.dim() == 3, f"Expected input to be [channels, height, width] but got {image.dim()} dimensions."
    )
    need(tile_size > 0, f"Expected tile_size to be positive but got {tile_size}")


def tile_crop_impl(input: torch.Tensor, tile_size: int) -> torch.Tensor:
    """Tiles in reading order.

    Args:
        input: ``[channels, height, width]``; both sizes are multiples of ``tile_size``.
        tile_size: Height and width of a tile.

    Returns:
        ``[tiles, channels, tile_size, tile_size]``.

    Raises:
        OperandError: The image is no multiple of tiles.
    """
    _check(input, tile_size)
    channels, height, width = input.shape
    need(
        height % tile_size == 0 and width % tile_size == 0,
        f"an image of {height} by {width} cannot be cut into tiles of {tile_size}: pad or resize it first",
    )
    rows, columns = height // tile_size, width // tile_size
    tiles = input.reshape(channels, rows, tile_size, columns, tile_size).permute(1, 3, 0, 2, 4)
    return tiles.reshape(rows * columns, channels, tile_size, tile_size)


def tile_crop_out_impl(input: torch.Tensor, tile_size: int, out: torch.Tensor) -> torch.Tensor:
    """As :func:`tile_crop_impl`, into ``out``."""
    tiles = tile_crop_impl(input, tile_size)
    out.resize_(tiles.shape).copy_(tiles)
    return out


preprocess_op_lib.impl("tile_crop", tile_crop_impl, "CompositeExplicitAutograd")
preprocess_op_lib.impl("tile_crop.out", tile_crop_out_impl, "CompositeExplicitAutograd")


@register_fake("preprocess::tile_crop")
def tile_crop(output: torch.Tensor, tile_size: int) -> torch.Tensor:
    """The shape of the tiles; of an image whose size is not known, up to :data:`MAX_NUM_TILES` of them."""
    _check(output, tile_size)
    channels, height, width = output.shape
    if isinstance(height, int) and isinstance(width, int):
        tiles = (height // tile_size) * (width // tile_size)
    else:
        tiles = get_ctx().new_dynamic_size(min=2, max=MAX_NUM_TILES)
    return output.new_empty((tiles, channels, tile_size, tile_size))


__all__ = ["MAX_NUM_TILES", "preprocess_op_lib", "tile_crop", "tile_crop_impl", "tile_crop_out_impl"]
