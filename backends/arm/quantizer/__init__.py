"""Quantizers of the family."""

from executorch.backends.arm.quantizer.arm_quantizer import EthosUQuantizer, TOSAQuantizer, VgfQuantizer
from executorch.backends.arm.quantizer.quantization_config import (
    get_symmetric_a16w8_quantization_config,
    get_symmetric_quantization_config,
)

__all__ = [
    "EthosUQuantizer",
    "TOSAQuantizer",
    "VgfQuantizer",
    "get_symmetric_a16w8_quantization_config",
    "get_symmetric_quantization_config",
]
