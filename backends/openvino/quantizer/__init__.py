"""Quantization for OpenVINO."""

from executorch.backends.openvino.quantizer.quantizer import (
    OpenVINOQuantizer,
    QuantizationMode,
    quantize_model,
)

__all__ = ["OpenVINOQuantizer", "QuantizationMode", "quantize_model"]
