"""Operators without weights."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.attention import attention_refusal
from executorch.backends.xnnpack.graph.constants import (
    is_empty,
    prepared_constants,
    program_constants,
)
from executorch.backends.xnnpack.graph.fusion import clamp_limits
from executorch.backends.xnnpack.graph.products import sizes_behind, sizes_refusal
from executorch.backends.xnnpack.graph.recovery import recovered_gelu
from executorch.backends.xnnpack.graph.reduce import is_over_image, maximum_dimensions, mean_dimensions
from executorch.backends.xnnpack.graph.spatial import pair
from executorch.backends.xnnpack.partition.config.gemm_configs import BMMConfig as BMMConfig
from executorch.backends.xnnpack.partition.config.quant_configs import (
    DeQuantizedPerTensorConfig as DeQuantizedPerTensorConfig,
)
from executorch.backends.xnnpack.partition.config.quant_configs import (
    QuantizedPerTensorConfig as QuantizedPerTensorConfig,
)
from executorch.backends.xnnpack.partition.config.quant_configs import (
    _get_q_dq_quantization_params as _get_q_dq_quantization_params,
)
from executorch.backends.xnnpack.partition.config.xnnpack_config import (
    GenericNodePartitionerConfig,
    constant_refusal,
    symbolic_sizes,
)
from executorch.dialects import meta_keys


def _argument(node: Node, position: int, name: str, default: Any = None) -> Any:
    return node.args[position] if len(node.args) > position else node.kwargs.get(name, default)


class AbsConfig(GenericNodePartitionerConfig):
    target_name = "abs.default"


class CeilConfig(GenericNodePartitionerConfig):
    target_name = "ceil.default"


class CosConfig(GenericNodePartitionerConfig):
    target_name = "cos.default"


class ExpConfig(GenericNodePartitionerConfig):
    target_name = "exp.default"


class FloorConfig(GenericNodePartitionerConfig):
    target_name = "floor.default"


class LogConfig(GenericNodePartitionerConfig):
    target_name = "log.default"


class NegConfig(GenericNodePartitionerConfig):
    target_name = "neg.default"


class ReciprocalSquareRootConfig(GenericNodePartitionerConfig):
    target_name = "rsqrt.default"


class SigmoidConfig(GenericNodePartitionerConfig):
    target_name = "sigmoid.default"


class SinConfig(GenericNodePartitionerConfig):
    target_name = "sin.default"


class SquareRootConfig(GenericNodePartitionerConfig):
    target_name = "sqrt.default"


class TanhConfig(GenericNodePartitionerConfig):
    target_name = "tanh.default"


class MaximumConfig(GenericNodePartitionerConfig):
    target_name = "maximum.default"


class MinimumConfig(GenericNodePartitionerConfig):
    target_name = "minimum.default"


class MulConfig(GenericNodePartitionerConfig):
    target_name = "mul.Tensor"


class DivConfig(GenericNodePartitionerConfig):
    target_name = "div.Tensor"


class _SumConfig(GenericNodePartitionerConfig):
    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        return None if _argument(node, 2, "alpha", 1) == 1 else "alpha is not 1"


class AddConfig(_SumConfig):
    target_name = "add.Tensor"


class SubConfig(_SumConfig):
    target_name = "sub.Tensor"


class GeluConfig(GenericNodePartitionerConfig):
    target_name = "gelu.default"


class ErfConfig(GenericNodePartitionerConfig):
    """Takes GELUs that the model spells out."""

    target_name = "erf.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        found = recovered_gelu(node, program_constants(ep))
        return "it is no part of a GELU" if found is None else None

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        if not self.check_constraints(node, ep):
            return []
        constants = program_constants(ep)
        found = recovered_gelu(node, constants)
        assert found is not None
        prepared = [one for inside in found.nodes for one in prepared_constants(inside, constants)]
        return list(dict.fromkeys([*prepared, *found.nodes]))


class HardswishConfig(GenericNodePartitionerConfig):
    target_name = "hardswish.default"

    def get_original_aten(self) -> torch._ops.OpOverload | None:
        return torch.ops.aten.hardswish.default


class LeakyReLUConfig(GenericNodePartitionerConfig):
    target_name = "leaky_relu.default"


class EluConfig(GenericNodePartitionerConfig):
    target_name = "elu.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        scales = (_argument(node, 2, "scale", 1), _argument(node, 3, "input_scale", 1))
        return None if scales == (1, 1) else "it is scaled"


class PowConfig(GenericNodePartitionerConfig):
    target_name = "pow.Tensor_Scalar"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        return None if node.args[1] in (2, 3, 0.5, -0.5) else "only squares, cubes and square roots are known"


class _ClampingConfig(GenericNodePartitionerConfig):
    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        return None if clamp_limits(node) is not None else "its limits are not two ascending numbers"


class ClampConfig(_ClampingConfig):
    target_name = "clamp.default"


class HardtanhConfig(_ClampingConfig):
    target_name = "hardtanh.default"


class ReLUConfig(_ClampingConfig):
    target_name = "relu.default"


class PreluConfig(GenericNodePartitionerConfig):
    target_name = "prelu.default"

    def get_original_aten(self) -> torch._ops.OpOverload | None:
        return torch.ops.aten.prelu.default

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        return constant_refusal(node.args[1], "the slope", ep)


class SoftmaxConfig(GenericNodePartitionerConfig):
    target_name = "_softmax.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        rank = node.meta[meta_keys.VAL].dim()
        if rank == 0 or node.args[1] % rank != rank - 1:  # type: ignore[operator]
            return "only the last dimension is known"
        return None


class CloneConfig(GenericNodePartitionerConfig):
    target_name = "clone.default"


class CloneDimOrderConfig(GenericNodePartitionerConfig):
    target_name = "_clone_dim_order.default"


class ToDimOrderCopyConfig(GenericNodePartitionerConfig):
    target_name = "_to_dim_order_copy.default"


class CatConfig(GenericNodePartitionerConfig):
    """Empty inputs add nothing."""

    target_name = "cat.default"

    def tensors(self, node: Node, ep: ExportedProgram) -> list[torch.Tensor]:
        values = [one.meta[meta_keys.VAL] for one in node.all_input_nodes]
        return [*(value for value in values if not is_empty(value)), node.meta[meta_keys.VAL]]

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        ranks = {one.meta[meta_keys.VAL].dim() for one in node.all_input_nodes}
        if len(ranks) != 1:
            return "its inputs differ in rank"
        return "it repeats an input" if len(set(node.args[0])) != len(node.args[0]) else None  # type: ignore[arg-type]


class PermuteConfig(GenericNodePartitionerConfig):
    target_name = "permute_copy.default"


class ExpandCopyConfig(GenericNodePartitionerConfig):
    target_name = "expand_copy.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        before = node.all_input_nodes[0].meta[meta_keys.VAL]
        if before.dim() == 0:
            return "it repeats a number"
        after = node.meta[meta_keys.VAL]
        symbolic = symbolic_sizes(before) or symbolic_sizes(after)
        return "a size is symbolic" if symbolic and before.shape != after.shape else None


class SplitWithSizesConfig(GenericNodePartitionerConfig):
    """A slice for each part."""

    target_name = "split_with_sizes_copy.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        lengths: Any = node.args[1]
        value = node.all_input_nodes[0].meta[meta_keys.VAL]
        symbolic = symbolic_sizes(value) or any(map(_is_symbolic, lengths))
        if symbolic:
            return "a size is symbolic"
        return "a part is empty" if 0 in lengths else None

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        taken = super().get_partition(node, ep)
        return [*taken, *node.users] if taken else []


class SelectCopyConfig(GenericNodePartitionerConfig):
    """A slice of one."""

    target_name = "select_copy.int"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        if _is_symbolic(node.args[2]):
            return "the model calculates which"
        if node.meta[meta_keys.VAL].dim() == 0:
            return "the result has no dimensions"
        return "a size is symbolic" if symbolic_sizes(node.all_input_nodes[0].meta[meta_keys.VAL]) else None


class _ReshapeConfig(GenericNodePartitionerConfig):
    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        value = node.meta[meta_keys.VAL]
        if value.dim() == 0:
            return "the result has no dimensions"
        if symbolic_sizes(value) > 1:
            return "more than one size is symbolic"
        return sizes_refusal(node)

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        taken = super().get_partition(node, ep)
        return [*sizes_behind(node), *taken] if taken else []


class ViewCopyConfig(_ReshapeConfig):
    target_name = "view_copy.default"


class UnsqueezeCopyConfig(_ReshapeConfig):
    target_name = "unsqueeze_copy.default"


class SqueezeCopyConfig(_ReshapeConfig):
    target_name = "squeeze_copy.dims"


class SliceCopyConfig(GenericNodePartitionerConfig):
    target_name = "slice_copy.Tensor"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        if _argument(node, 4, "step", 1) != 1:
            return "its step is not 1"
        limits = (_argument(node, 2, "start"), _argument(node, 3, "end"))
        if any(isinstance(limit, Node) for limit in limits):
            return "its limits are calculated by the model"
        return "a size is symbolic" if symbolic_sizes(node.meta[meta_keys.VAL]) else None


class ConstantPadConfig(GenericNodePartitionerConfig):
    target_name = "constant_pad_nd.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        amounts = node.args[1]
        if any(not isinstance(amount, int) or amount < 0 for amount in amounts):  # type: ignore[union-attr]
            return "it cuts, or pads by amounts that the model calculates"
        return None


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
            return "the size of the last dimension is symbolic" if _is_symbolic(value.shape[-1]) else None
        if dims != list(range(dims[0], dims[-1] + 1)):
            return "its dimensions are not neighbours"
        return "a size is symbolic" if symbolic_sizes(value) else None


class MeanConfig(MeanDimConfig):
    target_name = "mean.default"


class SumDimConfig(GenericNodePartitionerConfig):
    target_name = "sum.dim_IntList"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        value = node.all_input_nodes[0].meta[meta_keys.VAL]
        if value.dim() < 2 or mean_dimensions(node) != [value.dim() - 1]:
            return "only sums over the last dimension of several are known"
        if node.meta[meta_keys.VAL].dtype != value.dtype:
            return "it changes the type"
        if symbolic_sizes(node.meta[meta_keys.VAL]) > 1:
            return "more than one size is symbolic"
        return "the size of the last dimension is symbolic" if _is_symbolic(value.shape[-1]) else None


class _MaximumOverConfig(GenericNodePartitionerConfig):
    """A pool with one window."""

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        value = node.all_input_nodes[0].meta[meta_keys.VAL]
        if value.dim() == 0:
            return "the maximum of a number"
        dims = maximum_dimensions(node)
        if dims != list(range(dims[0], dims[-1] + 1)):
            return "its dimensions are not neighbours"
        if any(map(_is_symbolic, value.shape[dims[0] :])) or symbolic_sizes(value) > 1:
            return "a size is symbolic"
        if math.prod(value.shape[dims[0] : dims[-1] + 1]) == 1:
            return "the maximum of one number"
        values = node.meta[meta_keys.VAL]
        rank = (values[0] if isinstance(values, tuple | list) else values).dim()
        return "the result has no dimensions" if rank == 0 else None


class AMaxConfig(_MaximumOverConfig):
    target_name = "amax.default"


class MaxDimConfig(_MaximumOverConfig):
    """Values only."""

    target_name = "max.dim"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        if any(user.users for user in node.users if user.args[1:] != (0,)):
            return "the positions of the maxima are used"
        return super().refusal(node, ep)

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        taken = super().get_partition(node, ep)
        return [*taken, *node.users] if taken else []


class NativeLayerNormConfig(GenericNodePartitionerConfig):
    """Over the last dimension, from means over it."""

    target_name = "native_layer_norm.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        value = node.all_input_nodes[0].meta[meta_keys.VAL]
        if len(node.args[1]) != 1 or value.dim() < 2:  # type: ignore[arg-type]
            return "only norms over the last dimension of several are known"
        if _is_symbolic(value.shape[-1]):
            return "the size of the last dimension is symbolic"
        if any(user.users for user in node.users if user.args[1:] != (0,)):
            return "its statistics are used"
        return None

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        taken = super().get_partition(node, ep)
        return [*taken, *node.users] if taken else []


class ScaledDotProductAttentionConfig(GenericNodePartitionerConfig):
    target_name = "scaled_dot_product_attention.default"

    def get_original_aten(self) -> torch._ops.OpOverload | None:
        return torch.ops.aten.scaled_dot_product_attention.default

    def tensors(self, node: Node, ep: ExportedProgram) -> list[torch.Tensor]:
        # A boolean mask becomes numbers on the way.
        return [one for one in super().tensors(node, ep) if one.dtype is not torch.bool]

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        query, key, value = (one.meta[meta_keys.VAL] for one in node.args[:3])  # type: ignore[union-attr]
        if _argument(node, 4, "dropout_p", 0.0):
            return "it drops out"
        mask, is_causal = _argument(node, 3, "attn_mask"), bool(_argument(node, 5, "is_causal", False))
        return attention_refusal(
            query, key, value, mask, is_causal, bool(_argument(node, 7, "enable_gqa", False))
        )


def _is_symbolic(size: object) -> bool:
    return not isinstance(size, int)


class _PoolingConfig(GenericNodePartitionerConfig):
    ceil_position = 5

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        if node.all_input_nodes[0].meta[meta_keys.VAL].dim() != 4:
            return "the image has no batch dimension"
        image = node.all_input_nodes[0].meta[meta_keys.VAL]
        if _argument(node, self.ceil_position, "ceil_mode", False) and any(
            map(_is_symbolic, image.shape[2:])
        ):
            return "ceil_mode, and height or width is symbolic"
        size = pair(_argument(node, 1, "kernel_size"))
        steps = pair(_argument(node, 2, "stride", ()) or (), size)
        if any(step > length for step, length in zip(steps, size, strict=True)):
            return "its windows leave out pixels"
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


class AdaptiveAvgPool2dConfig(GenericNodePartitionerConfig):
    """Where all windows have one size: of images whose height and width are multiples of the result's."""

    target_name = "_adaptive_avg_pool2d.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        before, after = (one.meta[meta_keys.VAL].shape for one in (node.all_input_nodes[0], node))
        if len(before) != 4:
            return "the image has no batch dimension"
        if any(map(_is_symbolic, (*before[2:], *after[2:]))):
            return "height or width is symbolic"
        if any(size % windows for size, windows in zip(before[2:], after[2:], strict=True)):
            return "height or width is no multiple of the result's, so that windows overlap"
        return None


class UpsampleBilinear2dConfig(GenericNodePartitionerConfig):
    target_name = "upsample_bilinear2d.vec"

    def get_original_aten(self) -> torch._ops.OpOverload | None:
        return torch.ops.aten.upsample_bilinear2d.vec

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        return "the size is symbolic" if symbolic_sizes(node.meta[meta_keys.VAL]) > 1 else None
