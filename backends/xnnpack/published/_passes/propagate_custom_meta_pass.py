"""What users say about a value, said of its quantized forms too."""

from __future__ import annotations

from torch.fx import GraphModule, Node

from executorch.backends.xnnpack.graph.conversions import is_dequant, is_qparam, is_quant
from executorch.backends.xnnpack.published._passes.xnnpack_pass import XNNPACKPass
from executorch.dialects.verifiers import graph_modules
from executorch.passes.infrastructure.pass_base import PassResult

_CUSTOM = "custom"


class PropagateCustomMetaPass(XNNPACKPass):
    """Quantizations and dequantizations get ``meta["custom"]`` of what they convert, where they have none."""

    def call(self, graph_module: GraphModule) -> PassResult:
        modified = False
        for module in graph_modules(graph_module):
            for node in module.graph.nodes:
                source = node.args[0] if node.op == "call_function" and node.args else None
                if not isinstance(source, Node) or not (
                    is_quant(node) or is_dequant(node) or is_qparam(node)
                ):
                    continue
                if source.meta.get(_CUSTOM) and not node.meta.get(_CUSTOM):
                    node.meta[_CUSTOM] = dict(source.meta[_CUSTOM])
                    modified = True
        return PassResult(graph_module, modified)
