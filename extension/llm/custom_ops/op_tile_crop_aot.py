"""The documented place of :mod:`~executorch.extension.llm.custom_ops.preprocess_custom_ops` for eager mode."""

from executorch.extension.llm.custom_ops.preprocess_custom_ops import (
    MAX_NUM_TILES,
    preprocess_op_lib,
    tile_crop,
)

preprocess_ops_lib = preprocess_op_lib

__all__ = ["MAX_NUM_TILES", "preprocess_ops_lib", "tile_crop"]
