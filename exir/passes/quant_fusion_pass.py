"""Documented path of :mod:`executorch.passes.quant_fusion_pass`."""

from executorch.passes.quant_fusion_pass import QuantFusionPass, quant_fusion_and_const_prop_pass

__all__ = [
    "QuantFusionPass",
    "quant_fusion_and_const_prop_pass",
]
