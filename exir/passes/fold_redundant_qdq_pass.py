"""Documented path of :mod:`executorch.passes.quantized.quantize_pairs_pass`."""

from executorch.passes.quantized.quantize_pairs_pass import FoldRedundantDequantizeQuantizePass

__all__ = [
    "FoldRedundantDequantizeQuantizePass",
]
