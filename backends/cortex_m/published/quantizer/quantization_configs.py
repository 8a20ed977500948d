"""Configs of the family, under their published names."""

from __future__ import annotations

from executorch.backends.arm.quantizer.quantization_config import (
    get_symmetric_a16w8_quantization_config,
    get_symmetric_quantization_config,
)

INT8_PER_TENSOR_CONFIG = get_symmetric_quantization_config(is_per_channel=False)
INT8_PER_CHANNEL_CONFIG = get_symmetric_quantization_config()
INT16_PER_TENSOR_CONFIG = get_symmetric_a16w8_quantization_config(is_per_channel=False)
