"""Operators that look at one element at a time, and softmax."""

from __future__ import annotations

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.constants import (
    prepared_constants,
    program_constants,
)
from executorch.backends.xnnpack.graph.fusion import clamp_limits
from executorch.backends.xnnpack.graph.recovery import recovered_gelu
from executorch.backends.xnnpack.partition.config.xnnpack_config import (
    GenericNodePartitionerConfig,
    argument,
    constant_refusal,
)
from executorch.dialects import meta_keys
from executorch.dialects.torch_types import OpOverload

_LEAST_HALF, _LARGEST_HALF = torch.finfo(torch.float16).tiny, torch.finfo(torch.float16).max


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
        return None if argument(node, 2, "alpha", 1) == 1 else "alpha is not 1"


class AddConfig(_SumConfig):
    target_name = "add.Tensor"


class SubConfig(_SumConfig):
    target_name = "sub.Tensor"


class _NumberConfig(_SumConfig):
    """A tensor and a number, which norms are decomposed to."""

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        number = node.args[1]
        if not isinstance(number, int | float):
            return "the number is known only at run time"
        is_half = node.meta[meta_keys.VAL].dtype is torch.float16
        if is_half and number != 0 and not _LEAST_HALF <= abs(number) <= _LARGEST_HALF:
            return f"half precision does not have the number {number}"
        return super().refusal(node, ep)


class AddNumberConfig(_NumberConfig):
    target_name = "add.Scalar"


class SubNumberConfig(_NumberConfig):
    target_name = "sub.Scalar"


class MulNumberConfig(_NumberConfig):
    target_name = "mul.Scalar"


class DivNumberConfig(_NumberConfig):
    target_name = "div.Scalar"


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

    def get_original_aten(self) -> OpOverload | None:
        return torch.ops.aten.hardswish.default


class LeakyReLUConfig(GenericNodePartitionerConfig):
    target_name = "leaky_relu.default"


class EluConfig(GenericNodePartitionerConfig):
    target_name = "elu.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        scales = (argument(node, 2, "scale", 1), argument(node, 3, "input_scale", 1))
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

    def get_original_aten(self) -> OpOverload | None:
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


__all__ = [
    "AbsConfig",
    "AddConfig",
    "AddNumberConfig",
    "CeilConfig",
    "ClampConfig",
    "CosConfig",
    "DivConfig",
    "DivNumberConfig",
    "EluConfig",
    "ErfConfig",
    "ExpConfig",
    "FloorConfig",
    "GeluConfig",
    "HardswishConfig",
    "HardtanhConfig",
    "LeakyReLUConfig",
    "LogConfig",
    "MaximumConfig",
    "MinimumConfig",
    "MulConfig",
    "MulNumberConfig",
    "NegConfig",
    "PowConfig",
    "PreluConfig",
    "ReLUConfig",
    "ReciprocalSquareRootConfig",
    "SigmoidConfig",
    "SinConfig",
    "SoftmaxConfig",
    "SquareRootConfig",
    "SubConfig",
    "SubNumberConfig",
    "TanhConfig",
]
