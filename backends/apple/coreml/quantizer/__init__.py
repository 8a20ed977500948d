"""Quantization of captured graphs for Core ML."""

from executorch.backends.apple.coreml.quantizer.coreml_quantizer import CoreMLQuantizer

__all__ = ["CoreMLQuantizer"]
