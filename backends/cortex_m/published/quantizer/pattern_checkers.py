"""What kernels of ``cortex_m`` ask of patterns, under its published name."""

from __future__ import annotations

from typing import Any

from torch.fx import Node

from executorch.backends.arm.published.quantizer.arm_quantizer_utils import PatternCheck


class CortexMAddMulCheck(PatternCheck):
    """Of sums, differences and products: a whole ``alpha``, and int8 with one scale. Kernels broadcast as PyTorch does."""

    @classmethod
    def check_pattern(cls, pattern: list[Node]) -> bool:
        alphas = [node.kwargs.get("alpha", 1) for node in pattern]
        return all(isinstance(one, int) and one != 0 for one in alphas)

    @classmethod
    def check_quantization_config(cls, pattern: list[Node], quantization_config: Any) -> bool:
        if quantization_config is None:
            return True
        specs = (quantization_config.input_activation, quantization_config.output_activation)
        return all(map(cls.is_per_tensor, specs)) and cls.is_int8_activations(
            quantization_config, pattern[-1]
        )
