"""Documented path of the passes that remove what changes nothing."""

from executorch.passes.on_request.normalize_passes import RemoveToCopyPass
from executorch.passes.quantized.quantize_pairs_pass import eliminate_dq_q
from executorch.passes.to_edge.remove_noop_pass import RemoveNoopPass

__all__ = [
    "RemoveNoopPass",
    "RemoveToCopyPass",
    "eliminate_dq_q",
]
