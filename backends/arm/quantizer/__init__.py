"""Quantizers of the family."""

import pkgutil

# In a checkout, what is generated lies below bazel-bin.
__path__ = pkgutil.extend_path(__path__, __name__)

from executorch.backends.arm.quantizer.annotations import is_annotated
from executorch.backends.arm.quantizer.arm_quantizer import EthosUQuantizer, TOSAQuantizer, VgfQuantizer
from executorch.backends.arm.quantizer.quantization_config import (
    QuantizationConfig,
    get_symmetric_a8w4_quantization_config,
    get_symmetric_a16w8_quantization_config,
    get_symmetric_quantization_config,
    get_uint8_io_quantization_config,
    get_vgf_snorm_quantization_config,
)

__all__ = [
    "EthosUQuantizer",
    "QuantizationConfig",
    "TOSAQuantizer",
    "VgfQuantizer",
    "get_symmetric_a8w4_quantization_config",
    "get_symmetric_a16w8_quantization_config",
    "get_symmetric_quantization_config",
    "get_uint8_io_quantization_config",
    "get_vgf_snorm_quantization_config",
    "is_annotated",
]
