"""Whether a chain of operators can be quantized as one, under its published name."""

from __future__ import annotations

from torch.fx import Node
from torchao.quantization.pt2e.quantizer import QuantizationConfig


class PatternCheck:
    """To be derived from: what a pattern's operators must be besides being there. This one accepts all."""

    @classmethod
    def check_pattern(cls, pattern: list[Node]) -> bool:
        """Whether these nodes are calculated on integers."""
        return True

    @classmethod
    def check_quantization_config(
        cls, pattern: list[Node], quantization_config: QuantizationConfig | None
    ) -> bool:
        """Whether they are with these types and scales."""
        return True
