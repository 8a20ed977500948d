"""No copies that change nothing."""

from __future__ import annotations

from executorch.dialects.ops import ops
from executorch.passes.to_edge.remove_noop_pass import RemoveClonesPass


class RemoveCloneOpsTransform(RemoveClonesPass):
    """Removes ``clone`` and ``_clone_dim_order`` that keep the dim order.

    Where that leaves ``dequantize -> quantize`` with equal parameters, both go too.

    Args:
        preserve_input_output_copies: keep a copy from an input of the graph straight to an output of it.
        eliminate_quant_dequant_pairs: remove such pairs.
    """

    clone_ops = {ops.edge.aten.clone.default, ops.edge.dim_order_ops._clone_dim_order.default}

    def __init__(
        self, preserve_input_output_copies: bool = False, eliminate_quant_dequant_pairs: bool = True
    ) -> None:
        super().__init__(preserve_input_output_copies, eliminate_quant_dequant_pairs)


__all__ = ["RemoveCloneOpsTransform"]
