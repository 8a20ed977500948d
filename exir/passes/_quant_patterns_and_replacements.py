"""Documented path of the quantized operators: importing it registers them (:mod:`executorch.dialects.bound_ops`).

What is fused into them is :class:`executorch.passes.quant_fusion_pass.QuantFusionPass`'s business.
"""

from executorch.dialects.bound_ops import LIBRARIES, QUANTIZED_SCHEMAS

__all__ = [
    "LIBRARIES",
    "QUANTIZED_SCHEMAS",
]
