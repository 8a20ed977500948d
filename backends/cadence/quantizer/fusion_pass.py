"""After conversion: dequantization, operator and quantization become one operator on integers, where a pattern says which."""

from __future__ import annotations

from collections.abc import Sequence

from torch.fx import GraphModule
from torch.fx.passes.infra.pass_base import PassBase, PassResult

from executorch.backends.cadence.quantizer.pattern import QuantizationPattern
from executorch.ir.rewriter import edit


class QuantFusionPass(PassBase):
    """Asks the patterns, in order, at each operator.

    Args:
        patterns: of the quantizer that the model was prepared with.
    """

    def __init__(self, patterns: Sequence[QuantizationPattern]) -> None:
        super().__init__()
        self.patterns = list(patterns)

    def call(self, graph_module: GraphModule) -> PassResult:
        return PassResult(graph_module, edit(graph_module, self._fuse, refreshes=False))

    def _fuse(self, module: GraphModule) -> bool:
        fused = False
        for pattern in self.patterns:
            for op in pattern.anchor_ops():
                for node in module.graph.find_nodes(op="call_function", target=op):
                    fused |= pattern.fuse(module, node) is not None
        return fused
