"""Operators without weights."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.fusion import clamp_limits
from executorch.backends.xnnpack.graph.spatial import pair
from executorch.backends.xnnpack.partition.config.xnnpack_config import (
    XNNPartitionerConfig,
    constant_refusal,
    symbolic_sizes,
)
from executorch.dialects import meta_keys


def _argument(node: Node, position: int, name: str, default: Any = None) -> Any:
    return node.args[position] if len(node.args) > position else node.kwargs.get(name, default)


class AbsConfig(XNNPartitionerConfig):
    target_name = "abs.default"


class CeilConfig(XNNPartitionerConfig):
    target_name = "ceil.default"


class CosConfig(XNNPartitionerConfig):
    target_name = "cos.default"


class ExpConfig(XNNPartitionerConfig):
    target_name = "exp.default"


class FloorConfig(XNNPartitionerConfig):
    target_name = "floor.default"


class LogConfig(XNNPartitionerConfig):
    target_name = "log.default"


class NegConfig(XNNPartitionerConfig):
    target_name = "neg.default"


class ReciprocalSquareRootConfig(XNNPartitionerConfig):
    target_name = "rsqrt.default"


class SigmoidConfig(XNNPartitionerConfig):
    target_name = "sigmoid.default"


class SinConfig(XNNPartitionerConfig):
    target_name = "sin.default"


class SquareRootConfig(XNNPartitionerConfig):
    target_name = "sqrt.default"


class TanhConfig(XNNPartitionerConfig):
    target_name = "tanh.default"


class MaximumConfig(XNNPartitionerConfig):
    target_name = "maximum.default"


class MinimumConfig(XNNPartitionerConfig):
    target_name = "minimum.default"


class MulConfig(XNNPartitionerConfig):
    target_name = "mul.Tensor"


class DivConfig(XNNPartitionerConfig):
    target_name = "div.Tensor"


class _SumConfig(XNNPartitionerConfig):
    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        return None if _argument(node, 2, "alpha", 1) == 1 else "alpha is not 1"


class AddConfig(_SumConfig):
    target_name = "add.Tensor"


class SubConfig(_SumConfig):
    target_name = "sub.Tensor"


class GeluConfig(XNNPartitionerConfig):
    target_name = "gelu.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        form = _argument(node, 1, "approximate", "none")
        return None if form == "none" else f"the {form} approximation is not XNNPACK's"


class HardswishConfig(XNNPartitionerConfig):
    target_name = "hardswish.default"

    def get_original_aten(self) -> torch._ops.OpOverload | None:
        return torch.ops.aten.hardswish.default


class LeakyReLUConfig(XNNPartitionerConfig):
    target_name = "leaky_relu.default"


class ELUConfig(XNNPartitionerConfig):
    target_name = "elu.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        scales = (_argument(node, 2, "scale", 1), _argument(node, 3, "input_scale", 1))
        return None if scales == (1, 1) else "it is scaled"


class PowConfig(XNNPartitionerConfig):
    target_name = "pow.Tensor_Scalar"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        return None if node.args[1] == 2 else "only the square is known"


class _ClampingConfig(XNNPartitionerConfig):
    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        return None if clamp_limits(node) is not None else "its limits are not two ascending numbers"


class ClampConfig(_ClampingConfig):
    target_name = "clamp.default"


class HardtanhConfig(_ClampingConfig):
    target_name = "hardtanh.default"


class ReLUConfig(_ClampingConfig):
    target_name = "relu.default"


class PreluConfig(XNNPartitionerConfig):
    target_name = "prelu.default"

    def get_original_aten(self) -> torch._ops.OpOverload | None:
        return torch.ops.aten.prelu.default

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        return constant_refusal(node.args[1], "the slope", ep)


class SoftmaxConfig(XNNPartitionerConfig):
    target_name = "_softmax.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        rank = node.meta[meta_keys.VAL].dim()
        if rank == 0 or node.args[1] % rank != rank - 1:  # type: ignore[operator]
            return "only the last dimension is known"
        return None


class CloneConfig(XNNPartitionerConfig):
    target_name = "clone.default"


class CloneDimOrderConfig(XNNPartitionerConfig):
    target_name = "_clone_dim_order.default"


class ToDimOrderCopyConfig(XNNPartitionerConfig):
    target_name = "_to_dim_order_copy.default"


class CatConfig(XNNPartitionerConfig):
    target_name = "cat.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        ranks = {one.meta[meta_keys.VAL].dim() for one in node.all_input_nodes}
        if len(ranks) != 1:
            return "its inputs differ in rank"
        return "it repeats an input" if len(set(node.args[0])) != len(node.args[0]) else None  # type: ignore[arg-type]


class PermuteConfig(XNNPartitionerConfig):
    target_name = "permute_copy.default"


class _ReshapeConfig(XNNPartitionerConfig):
    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        value = node.meta[meta_keys.VAL]
        if value.dim() == 0:
            return "the result has no dimensions"
        return "more than one size is symbolic" if symbolic_sizes(value) > 1 else None


class ViewCopyConfig(_ReshapeConfig):
    target_name = "view_copy.default"


class UnsqueezeCopyConfig(_ReshapeConfig):
    target_name = "unsqueeze_copy.default"


class SqueezeCopyConfig(_ReshapeConfig):
    target_name = "squeeze_copy.dims"


class SliceCopyConfig(XNNPartitionerConfig):
    target_name = "slice_copy.Tensor"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        if _argument(node, 4, "step", 1) != 1:
            return "its step is not 1"
        limits = (_argument(node, 2, "start"), _argument(node, 3, "end"))
        if any(isinstance(limit, Node) for limit in limits):
            return "its limits are calculated by the model"
        return "a size is symbolic" if symbolic_sizes(node.meta[meta_keys.VAL]) else None


class ConstantPadConfig(XNNPartitionerConfig):
    target_name = "constant_pad_nd.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        amounts = node.args[1]
        if any(not isinstance(amount, int) or amount < 0 for amount in amounts):  # type: ignore[union-attr]
            return "it cuts, or pads by amounts that the model calculates"
        return None


class MeanDimConfig(XNNPartitionerConfig):
    target_name = "mean.dim"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        value = node.all_input_nodes[0].meta[meta_keys.VAL]
        dims = sorted(dim % 4 for dim in node.args[1] or ())  # type: ignore[union-attr, operator]
        return None if value.dim() == 4 and dims == [2, 3] else "only height and width of an image are known"


class _PoolingConfig(XNNPartitionerConfig):
    ceil_position = 5

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        if node.all_input_nodes[0].meta[meta_keys.VAL].dim() != 4:
            return "the image has no batch dimension"
        if _argument(node, self.ceil_position, "ceil_mode", False):
            return "ceil_mode is not known"
        size = pair(_argument(node, 1, "kernel_size"))
        return "the window is one pixel" if size == (1, 1) else None


class MaxPool2dConfig(_PoolingConfig):
    target_name = "max_pool2d.default"

    def get_original_aten(self) -> torch._ops.OpOverload | None:
        return torch.ops.aten.max_pool2d.default


class AvgPoolingConfig(_PoolingConfig):
    target_name = "avg_pool2d.default"
    ceil_position = 4

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        padding = (
            pair(_argument(node, 3, "padding", 0), (0, 0)) if _argument(node, 3, "padding", 0) else (0, 0)
        )
        if padding != (0, 0) and _argument(node, 5, "count_include_pad", True):
            return "padding counts, which XNNPACK leaves out"
        if _argument(node, 6, "divisor_override") is not None:
            return "it has a divisor of its own"
        return super().refusal(node, ep)


class UpsampleBilinear2dConfig(XNNPartitionerConfig):
    target_name = "upsample_bilinear2d.vec"

    def get_original_aten(self) -> torch._ops.OpOverload | None:
        return torch.ops.aten.upsample_bilinear2d.vec

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        return "the size is symbolic" if symbolic_sizes(node.meta[meta_keys.VAL]) > 1 else None
