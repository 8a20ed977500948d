"""Operators on images: pools and resizing."""

from __future__ import annotations

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.shape import MOST_JOINED
from executorch.backends.xnnpack.graph.spatial import pair, three
from executorch.backends.xnnpack.partition.config.xnnpack_config import (
    GenericNodePartitionerConfig,
    ValuesConfig,
    argument,
    is_symbolic,
    symbolic_sizes,
)
from executorch.dialects import meta_keys
from executorch.dialects.torch_types import OpOverload


class _PoolingConfig(GenericNodePartitionerConfig):
    ceil_position = 5

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        if node.all_input_nodes[0].meta[meta_keys.VAL].dim() != 4:
            return "the image has no batch dimension"
        image = node.all_input_nodes[0].meta[meta_keys.VAL]
        if argument(node, self.ceil_position, "ceil_mode", False) and any(map(is_symbolic, image.shape[2:])):
            return "ceil_mode, and height or width is symbolic"
        size = pair(argument(node, 1, "kernel_size"))
        steps = pair(argument(node, 2, "stride", ()) or (), size)
        if any(step > length for step, length in zip(steps, size, strict=True)):
            return "its windows leave out pixels"
        return "the window is one pixel" if size == (1, 1) else None


class MaxPool2dConfig(_PoolingConfig):
    target_name = "max_pool2d.default"

    def get_original_aten(self) -> OpOverload | None:
        return torch.ops.aten.max_pool2d.default


class MaxPool2dWithIndicesConfig(ValuesConfig, MaxPool2dConfig):
    """What ``max_pool1d`` is decomposed to."""

    target_name = "max_pool2d_with_indices.default"

    def get_original_aten(self) -> OpOverload | None:
        return None


def _divisor_refusal(node: Node) -> str | None:
    """Why XNNPACK divides by another number than an average pool."""
    padding = argument(node, 3, "padding", 0)
    is_padded = any([padding] if isinstance(padding, int) else padding)
    if is_padded and argument(node, 5, "count_include_pad", True):
        return "padding counts, which XNNPACK leaves out"
    return None if argument(node, 6, "divisor_override") is None else "it has a divisor of its own"


class AvgPoolingConfig(_PoolingConfig):
    target_name = "avg_pool2d.default"
    ceil_position = 4

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        return _divisor_refusal(node) or super().refusal(node, ep)


class _VolumePoolingConfig(GenericNodePartitionerConfig):
    """A pool of images over the windows of each frame, and one over frames."""

    ceil_position = 5

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        volume = node.all_input_nodes[0].meta[meta_keys.VAL]
        if volume.dim() != 5:
            return "the volume has no batch dimension"
        if symbolic_sizes(volume) > 1:
            return "more than one size is symbolic"
        if argument(node, self.ceil_position, "ceil_mode", False) and any(map(is_symbolic, volume.shape[2:])):
            return "ceil_mode, and frames, height or width are symbolic"
        size = three(argument(node, 1, "kernel_size"))
        steps = three(argument(node, 2, "stride", ()) or size)
        if any(step > length for step, length in zip(steps, size, strict=True)):
            return "its windows leave out pixels"
        return "the window is one pixel" if max(size) == 1 else None


class MaxPool3dWithIndicesConfig(ValuesConfig, _VolumePoolingConfig):
    target_name = "max_pool3d_with_indices.default"


class AvgPool3dConfig(_VolumePoolingConfig):
    target_name = "avg_pool3d.default"
    ceil_position = 4

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        return _divisor_refusal(node) or super().refusal(node, ep)


class AdaptiveAvgPool2dConfig(GenericNodePartitionerConfig):
    """Where all windows have one size: of images whose height and width are multiples of the result's."""

    target_name = "_adaptive_avg_pool2d.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        before, after = (one.meta[meta_keys.VAL].shape for one in (node.all_input_nodes[0], node))
        if len(before) != 4:
            return "the image has no batch dimension"
        if any(map(is_symbolic, (*before[2:], *after[2:]))):
            return "height or width is symbolic"
        if any(size % windows for size, windows in zip(before[2:], after[2:], strict=True)):
            return "height or width is no multiple of the result's, so that windows overlap"
        return None


class UpsampleBilinear2dConfig(GenericNodePartitionerConfig):
    target_name = "upsample_bilinear2d.vec"

    def get_original_aten(self) -> OpOverload | None:
        return torch.ops.aten.upsample_bilinear2d.vec

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        # The node has the result's height and width as numbers.
        height_or_width = any(map(is_symbolic, node.meta[meta_keys.VAL].shape[2:]))
        return "height or width is symbolic" if height_or_width else None


class UpsampleNearest2dConfig(GenericNodePartitionerConfig):
    """Where each pixel becomes a block of pixels: XNNPACK has no such node, but joins a value with itself."""

    target_name = "upsample_nearest2d.vec"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        before, after = (one.meta[meta_keys.VAL].shape[2:] for one in (node.all_input_nodes[0], node))
        if any(map(is_symbolic, (*before, *after))):
            return "height or width is symbolic"
        times = [new / old for old, new in zip(before, after, strict=True)]
        if any(not factor.is_integer() or factor > MOST_JOINED for factor in times):
            return f"height or width does not grow by a whole number up to {MOST_JOINED}"
        scales = argument(node, 2, "scale_factors")
        return None if scales is None or list(scales) == times else "the scales are not those of the sizes"


class UpsampleNearestExact2dConfig(UpsampleNearest2dConfig):
    target_name = "_upsample_nearest_exact2d.vec"

    def get_original_aten(self) -> OpOverload | None:
        return torch.ops.aten._upsample_nearest_exact2d.vec


__all__ = [
    "AdaptiveAvgPool2dConfig",
    "AvgPool3dConfig",
    "AvgPoolingConfig",
    "MaxPool2dConfig",
    "MaxPool2dWithIndicesConfig",
    "MaxPool3dWithIndicesConfig",
    "UpsampleBilinear2dConfig",
    "UpsampleNearest2dConfig",
    "UpsampleNearestExact2dConfig",
]
