"""Products: convolutions, matrix products, batch norm, attention."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.attention import attention_refusal
from executorch.backends.xnnpack.graph.constants import name_of
from executorch.backends.xnnpack.graph.convolutions import is_of_frames, is_over_frames
from executorch.backends.xnnpack.graph.products import product_of
from executorch.backends.xnnpack.graph.quantized import StaticCall
from executorch.backends.xnnpack.partition.config.xnnpack_config import (
    GenericNodePartitionerConfig,
    XNNPartitionerConfig,
    argument,
    constant_refusal,
    is_symbolic,
    symbolic_sizes,
)
from executorch.dialects import meta_keys
from executorch.dialects.dim_order import example_int
from executorch.dialects.torch_types import OpOverload

_CLAMPS = ["relu.default", "hardtanh.default"]
#: With fewer, a delegate takes as long as a kernel outside (864: 3.8 and 4.0 us; 27,648: 10 and 22).
_FEWEST_PRODUCTS = 2000


def _rank(node: Node) -> int:
    return int(node.meta[meta_keys.VAL].dim())


def _is_of_volumes(node: Node) -> bool:
    """Whether this is a convolution of volumes that has products enough for a delegate."""
    return (
        name_of(node) == "aten.convolution.default"
        and _rank(node) == 5
        and _products(node) >= _FEWEST_PRODUCTS
    )


def _products(convolution: Node) -> int:
    """How many numbers a convolution multiplies."""
    weight, made = (one.meta[meta_keys.VAL].shape for one in (convolution.args[1], convolution))  # type: ignore[union-attr]
    return math.prod(map(example_int, (made[0], *weight, *made[2:])))


class GEMMConfig(XNNPartitionerConfig):
    """A product with a weight.

    Args:
        weight_idx: position of the weight among the operator's arguments.
        bias_idx: of the bias, None if the operator has none.
        act_idx: of the input.
        fused_acts: activations that are done with it, by name; what XNNPACK clamps for nothing is found in any case.
    """

    def __init__(
        self, weight_idx: int, bias_idx: int | None, act_idx: int, fused_acts: list[str] | None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.weight_idx = weight_idx
        self.bias_idx = bias_idx
        self.act_idx = act_idx
        self.fused_acts = list(fused_acts or [])

    def get_deps(self, node: Node, ep: ExportedProgram) -> tuple[bool, list[Node]]:
        """Whether the product is taken, and what is done with it: constants and their preparation, conversions, views."""
        taken = self.get_partition(node, ep)
        return bool(taken), [one for one in taken if one is not node]


class _MatrixConfig(GEMMConfig):
    """A product of matrices, in bfloat16 if its weights are constants, quantized at run time or not at all."""

    def dtypes(self, node: Node, ep: ExportedProgram) -> tuple[torch.dtype, ...]:
        known, product = super().dtypes(node, ep), product_of(node)
        if not self.enable_bf16 or product is None or isinstance(self.quantized_call(node, ep), StaticCall):
            return known
        packed = [constant_refusal(one, "it", ep) is None for one in (product.weight, product.bias)]
        return (*known, torch.bfloat16) if all(packed) else known

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        # The node packs a matrix of the sizes that it was made with.
        summed = node.args[self.act_idx].meta[meta_keys.VAL].shape[-1]  # type: ignore[union-attr]
        return (
            "the size that is summed over is symbolic" if is_symbolic(summed) else super().refusal(node, ep)
        )


class LinearConfig(_MatrixConfig):
    target_name = "linear.default"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(weight_idx=1, bias_idx=2, act_idx=0, fused_acts=_CLAMPS, **kwargs)

    def get_original_aten(self) -> OpOverload | None:
        return torch.ops.aten.linear.default

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        if _rank(node.args[0]) < 2:  # type: ignore[arg-type]
            return "a vector times a matrix"
        return super().refusal(node, ep)


class AddmmConfig(_MatrixConfig):
    target_name = "addmm.default"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(weight_idx=2, bias_idx=0, act_idx=1, fused_acts=_CLAMPS, **kwargs)

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        if node.kwargs.get("beta", 1) != 1 or node.kwargs.get("alpha", 1) != 1:
            return "alpha or beta is not 1"
        return super().refusal(node, ep)


class MMConfig(_MatrixConfig):
    target_name = "mm.default"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(weight_idx=1, bias_idx=None, act_idx=0, fused_acts=_CLAMPS, **kwargs)


class BMMConfig(XNNPartitionerConfig):
    target_name = "bmm.default"


class ConvolutionConfig(GEMMConfig):
    target_name = "convolution.default"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(weight_idx=1, bias_idx=2, act_idx=0, fused_acts=_CLAMPS, **kwargs)

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        source, weight, bias = node.args[:3]
        transposed, adjustment = node.args[6:8]
        if _rank(weight) not in (3, 4, 5) or _rank(source) != _rank(weight):  # type: ignore[arg-type]
            return "only one to three spatial dimensions, with a batch, are known"
        if _rank(weight) != 4 and symbolic_sizes(source.meta[meta_keys.VAL]) > 1:  # type: ignore
            return "more than one size is symbolic"
        if any(isinstance(amount, Node) or amount < 0 for amount in node.args[4]):  # type: ignore
            return "padding is negative or calculated"
        if not transposed and any(adjustment):  # type: ignore[arg-type]
            return "output padding without transposition"
        if _rank(weight) == 5 and (why := self._volume_refusal(node, ep)) is not None:  # type: ignore[arg-type]
            return why
        return constant_refusal(weight, "the weight", ep) or constant_refusal(bias, "the bias", ep)

    def _volume_refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        """Why a convolution of volumes is none of images."""
        source, weight = (one.meta[meta_keys.VAL].shape for one in node.args[:2])  # type: ignore[union-attr]
        if node.args[6]:
            return "a transposed convolution of volumes"
        if self.quantized_call(node, ep) is not None:
            return "a quantized convolution of volumes"
        if _products(node) < _FEWEST_PRODUCTS:
            return "so few products that a delegate saves nothing"
        moves = (weight, node.args[3], node.args[4])
        if is_symbolic(source[2]) and not (is_of_frames(*moves) or is_over_frames(*moves)):  # type: ignore[arg-type]
            return "the number of frames is symbolic, and filters reach over frames and pixels"
        return None


class BatchNormConfig(XNNPartitionerConfig):
    target_name = "_native_batch_norm_legit_no_training.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        rank = _rank(node.args[0])  # type: ignore[arg-type]
        if rank not in (2, 3, 4, 5):
            return f"the input has {rank} dimensions"
        if rank == 5 and not any(map(_is_of_volumes, node.graph.nodes)):
            return "of volumes, and none is convolved: a kernel outside takes less time"
        if any(user.users for user in node.users if user.args[1:] != (0,)):
            return "its statistics are used"
        names = ("weight", "bias", "mean", "variance")
        refusals = [constant_refusal(one, name, ep) for one, name in zip(node.args[1:5], names, strict=True)]
        return next((why for why in refusals if why), None)

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        return [node, *node.users] if self.check_constraints(node, ep) else []


class ScaledDotProductAttentionConfig(GenericNodePartitionerConfig):
    target_name = "scaled_dot_product_attention.default"

    def get_original_aten(self) -> OpOverload | None:
        return torch.ops.aten.scaled_dot_product_attention.default

    def tensors(self, node: Node, ep: ExportedProgram) -> list[torch.Tensor]:
        # A boolean mask becomes numbers on the way.
        return [one for one in super().tensors(node, ep) if one.dtype is not torch.bool]

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        query, key, value = (one.meta[meta_keys.VAL] for one in node.args[:3])  # type: ignore[union-attr]
        if argument(node, 4, "dropout_p", 0.0):
            return "it drops out"
        mask, is_causal = argument(node, 3, "attn_mask"), bool(argument(node, 5, "is_causal", False))
        return attention_refusal(
            query, key, value, mask, is_causal, bool(argument(node, 7, "enable_gqa", False))
        )
