"""Products with weights: convolutions, matrix products, batch norm."""

from __future__ import annotations

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.partition.config.xnnpack_config import (
    XNNPartitionerConfig,
    constant_refusal,
    symbolic_sizes,
)
from executorch.dialects import meta_keys


def _rank(node: Node) -> int:
    return int(node.meta[meta_keys.VAL].dim())


class LinearConfig(XNNPartitionerConfig):
    target_name = "linear.default"

    def get_original_aten(self) -> torch._ops.OpOverload | None:
        return torch.ops.aten.linear.default

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        if _rank(node.args[0]) < 2:  # type: ignore[arg-type]
            return "a vector times a matrix"
        return None


class AddmmConfig(XNNPartitionerConfig):
    target_name = "addmm.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        if node.kwargs.get("beta", 1) != 1 or node.kwargs.get("alpha", 1) != 1:
            return "alpha or beta is not 1"
        return None


class MMConfig(XNNPartitionerConfig):
    target_name = "mm.default"


class BMMConfig(XNNPartitionerConfig):
    target_name = "bmm.default"


class ConvolutionConfig(XNNPartitionerConfig):
    target_name = "convolution.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        source, weight, bias = node.args[:3]
        transposed, adjustment, groups = node.args[6:9]
        if _rank(weight) not in (3, 4) or _rank(source) != _rank(weight):  # type: ignore[arg-type]
            return "only one and two spatial dimensions, with a batch, are known"
        if _rank(weight) == 3 and symbolic_sizes(source.meta[meta_keys.VAL]) > 1:  # type: ignore
            return "more than one size is symbolic"
        if transposed and (groups != 1 or _rank(weight) == 3):  # type: ignore[arg-type]
            return "a transposed convolution has groups or one dimension"
        if any(isinstance(amount, Node) or amount < 0 for amount in node.args[4]):  # type: ignore
            return "padding is negative or calculated"
        if not transposed and any(adjustment):  # type: ignore[arg-type]
            return "output padding without transposition"
        return constant_refusal(weight, "the weight", ep) or constant_refusal(bias, "the bias", ep)


class BatchNormConfig(XNNPartitionerConfig):
    target_name = "_native_batch_norm_legit_no_training.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        rank = _rank(node.args[0])  # type: ignore[arg-type]
        if rank not in (2, 3, 4):
            return f"the input has {rank} dimensions"
        if any(user.users for user in node.users if user.args[1:] != (0,)):
            return "its statistics are used"
        names = ("weight", "bias", "mean", "variance")
        refusals = [constant_refusal(one, name, ep) for one, name in zip(node.args[1:5], names, strict=True)]
        return next((why for why in refusals if why), None)

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        return [node, *node.users] if self.check_constraints(node, ep) else []
