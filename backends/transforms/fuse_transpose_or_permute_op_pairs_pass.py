"""No pair of permutations that undo each other, also over quantization in between."""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.pass_base import PassResult

from executorch.backends.transforms.graph_edit import permutation_of, view_arguments
from executorch.backends.transforms.permute_pass_utils import FuseOpPairsAcrossBranchesPass
from executorch.dialects.edge_ops import EdgeOpOverloadPacket
from executorch.dialects.ops import ops
from executorch.dialects.verifiers import graph_modules
from executorch.ir.rewriter import call_like
from executorch.ir.values import shape_of

_edge = ops.edge


class FuseTransposeOrPermuteOpPairsPass(FuseOpPairsAcrossBranchesPass):
    """A permutation and all that undo it are replaced by views, where every way from it ends in one that does.

    Dimensions of size 1 may end up elsewhere, which is why a view takes the place of the second permutation.
    """

    bypass_ops = {
        _edge.quantized_decomposed.quantize_per_tensor.default,
        _edge.quantized_decomposed.dequantize_per_tensor.default,
    }

    def can_fuse_for_chain(
        self, producer: Node, consumer: Node, consumer_op_packets: set[EdgeOpOverloadPacket]
    ) -> bool:
        """Whether ``consumer`` puts the dimensions (of size other than 1) back in the order before ``producer``."""
        if not super().can_fuse_for_chain(producer, consumer, consumer_op_packets):
            return False
        first, second, shape = permutation_of(producer), permutation_of(consumer), shape_of(producer.args[0])
        if first is None or second is None or shape is None or len(first) != len(second):
            return False
        kept = [dim for dim in (first[place] for place in second) if str(shape[dim]) != "1"]
        result = shape_of(consumer)
        return kept == sorted(kept) and result is not None and view_arguments(consumer, result) is not None

    def get_fused_node(self, producer: Node, consumer: Node, graph_module: GraphModule) -> Node:
        """A view with the sizes of ``consumer``."""
        shape = shape_of(consumer)
        assert shape is not None
        args = (consumer.args[0], view_arguments(consumer, shape))
        # What it reads is of other sizes once the producer is gone, so its value stands already.
        value = consumer.meta["val"]
        made = call_like(consumer, torch.ops.aten.view_copy.default, args)
        made.meta["val"] = value
        return made

    def call(self, graph_module: GraphModule) -> PassResult:
        packets = {_edge.aten.transpose_copy, _edge.aten.permute_copy}
        modified = False
        for module in list(graph_modules(graph_module)):
            modified |= self.find_and_fuse(module, packets, packets, self.bypass_ops)
        return PassResult(graph_module, modified)


__all__ = ["FuseTransposeOrPermuteOpPairsPass"]
