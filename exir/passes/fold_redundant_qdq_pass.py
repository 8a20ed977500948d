"""Documented path of :mod:`executorch.passes.quantize_pairs_pass`."""

from executorch.passes.quantize_pairs_pass import FoldRedundantDequantizeQuantizePass

__all__ = [
    "FoldRedundantDequantizeQuantizePass",
]
