"""Operators over dimensions: means, sums, maxima, norms."""

from __future__ import annotations

import math

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.products import sizes_behind, sizes_refusal
from executorch.backends.xnnpack.graph.reduce import is_over_image, maximum_dimensions, mean_dimensions
from executorch.backends.xnnpack.partition.config.xnnpack_config import (
    GenericNodePartitionerConfig,
    ValuesConfig,
    is_symbolic,
    symbolic_sizes,
)
from executorch.dialects import meta_keys


def _neighbours_refusal(value: torch.Tensor, dims: list[int]) -> str | None:
    """Why XNNPACK has no pool over ``dims``: one size before them may be symbolic."""
    if dims != list(range(dims[0], dims[-1] + 1)):
        return "its dimensions are not neighbours"
    symbolic = any(map(is_symbolic, value.shape[dims[0] :])) or symbolic_sizes(value) > 1
    return "a size is symbolic" if symbolic else None


class MeanDimConfig(GenericNodePartitionerConfig):
    target_name = "mean.dim"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        value = node.all_input_nodes[0].meta[meta_keys.VAL]
        if is_over_image(node):
            return None
        if value.dim() == 0:
            return "the mean of a number"
        dims = mean_dimensions(node)
        if dims == [value.dim() - 1] and value.dim() > 1:
            if symbolic_sizes(node.meta[meta_keys.VAL]) > 1:
                return "more than one size is symbolic"
            return "the size of the last dimension is symbolic" if is_symbolic(value.shape[-1]) else None
        return _neighbours_refusal(value, dims)


class MeanConfig(MeanDimConfig):
    target_name = "mean.default"


class SumDimConfig(GenericNodePartitionerConfig):
    target_name = "sum.dim_IntList"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        value = node.all_input_nodes[0].meta[meta_keys.VAL]
        if node.meta[meta_keys.VAL].dtype != value.dtype:
            return "it changes the type"
        if value.dim() == 0:
            return "the sum of a number"
        dims = mean_dimensions(node)
        if value.dim() < 2 or dims != [value.dim() - 1]:
            if value.dtype != torch.float32:
                return "of halves only sums over the last dimension are known: others are means first"
            return None if is_over_image(node) else _neighbours_refusal(value, dims)
        if symbolic_sizes(node.meta[meta_keys.VAL]) > 1:
            return "more than one size is symbolic"
        return "the size of the last dimension is symbolic" if is_symbolic(value.shape[-1]) else None


class _MaximumOverConfig(GenericNodePartitionerConfig):
    """A pool with one window."""

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        value = node.all_input_nodes[0].meta[meta_keys.VAL]
        if value.dim() == 0:
            return "the maximum of a number"
        dims = maximum_dimensions(node)
        refused = _neighbours_refusal(value, dims)
        if refused is not None:
            return refused
        if math.prod(value.shape[dims[0] : dims[-1] + 1]) == 1:
            return "the maximum of one number"
        values = node.meta[meta_keys.VAL]
        rank = (values[0] if isinstance(values, tuple | list) else values).dim()
        return "the result has no dimensions" if rank == 0 else None


class AMaxConfig(_MaximumOverConfig):
    target_name = "amax.default"


class MaxDimConfig(ValuesConfig, _MaximumOverConfig):
    target_name = "max.dim"


class _NormConfig(GenericNodePartitionerConfig):
    """The norm itself, with the sizes that it is given; no statistics."""

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        if any(user.users for user in node.users if user.args[1:] != (0,)):
            self.refuse(node, "its statistics are used")
            return []
        taken = super().get_partition(node, ep)
        return [*sizes_behind(node), *taken, *node.users] if taken else []


class NativeLayerNormConfig(_NormConfig):
    """Over the last dimension, from means over it."""

    target_name = "native_layer_norm.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        value = node.all_input_nodes[0].meta[meta_keys.VAL]
        if len(node.args[1]) != 1 or value.dim() < 2:  # type: ignore[arg-type]
            return "only norms over the last dimension of several are known"
        if is_symbolic(value.shape[-1]):
            return "the size of the last dimension is symbolic"
        return None


class _ImageNormConfig(_NormConfig):
    """From means over each row, image or volume."""

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        value = node.all_input_nodes[0].meta[meta_keys.VAL]
        if value.dim() not in (3, 4, 5):
            return "only norms of rows, images and volumes are known"
        if value.dim() != 4 and symbolic_sizes(value) > 1:
            return "more than one size is symbolic"
        return sizes_refusal(node)


class NativeGroupNormConfig(_ImageNormConfig):
    target_name = "native_group_norm.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        channels = node.all_input_nodes[0].meta[meta_keys.VAL].shape[1]
        return "the number of channels is symbolic" if is_symbolic(channels) else super().refusal(node, ep)


class BatchStatisticsNormConfig(_ImageNormConfig):
    """A batch norm without statistics of its own, which is what an instance norm is made of."""

    target_name = "_native_batch_norm_legit.no_stats"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        value = node.all_input_nodes[0].meta[meta_keys.VAL]
        # An instance norm's samples are channels of one sample.
        if is_symbolic(value.shape[1]) and (symbolic_sizes(value) > 1 or value.shape[0] != 1):
            return "the number of channels is symbolic, and another size is"
        return super().refusal(node, ep)


__all__ = [
    "AMaxConfig",
    "BatchStatisticsNormConfig",
    "MaxDimConfig",
    "MeanConfig",
    "MeanDimConfig",
    "NativeGroupNormConfig",
    "NativeLayerNormConfig",
    "SumDimConfig",
]
