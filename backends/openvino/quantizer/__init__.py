"""Quantization for OpenVINO."""

from executorch.backends.openvino.quantizer.llm_compression import apply_nncf_data_aware_compression
from executorch.backends.openvino.quantizer.quantizer import (
    OpenVINOQuantizer,
    QuantizationMode,
    quantize_model,
)

__all__ = ["OpenVINOQuantizer", "QuantizationMode", "apply_nncf_data_aware_compression", "quantize_model"]
