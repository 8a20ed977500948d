"""Documented path of the quantized operators: importing it registers them (:mod:`executorch.dialects.bound_ops`).

What is fused into them is :class:`executorch.passes.quantized.quant_fusion_pass.QuantFusionPass`'s business. For patterns of one's own there is
``_trace_and_lower_to_edge_ops``.
"""

from executorch.dialects.bound_ops import LIBRARIES, QUANTIZED_SCHEMAS
from executorch.passes.to_edge.edge_ops_pass import trace_edge_graph as _trace_and_lower_to_edge_ops

__all__ = [
    "LIBRARIES",
    "QUANTIZED_SCHEMAS",
    "_trace_and_lower_to_edge_ops",
]
