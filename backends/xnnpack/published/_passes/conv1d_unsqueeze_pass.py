"""Convolutions of one dimension as such of two."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from executorch.backends.xnnpack.graph.constants import preparation, program_constants
from executorch.backends.xnnpack.published._passes.edits import edited, new_call
from executorch.backends.xnnpack.published._passes.quantized_copies import is_dequantized, requantized
from executorch.backends.xnnpack.published._passes.xnnpack_pass import XNNPACKPass
from executorch.dialects import meta_keys
from executorch.ir.constants import set_constant
from executorch.ir.rewriter import is_call, replace
from executorch.ir.signature import state_inputs, state_value
from executorch.ir.values import compute_value, rank_of
from executorch.passes.infrastructure.pass_base import PassResult

_aten = torch.ops.aten


class Conv1dUnsqueezePass(XNNPACKPass):
    """A convolution of one dimension becomes one of two, whose second has the size one.

    Weights get that dimension in the program's state. One that something else reads too, or that the model
    calculates, leaves the convolution as it is.
    """

    def call(self, graph_module: GraphModule) -> PassResult:
        return edited(graph_module, self._unsqueeze)

    def _unsqueeze(self, graph: Graph) -> bool:
        modified = False
        for node in list(graph.nodes):
            if not is_call(node, _aten.convolution.default) or rank_of(node.args[1]) != 3:
                continue
            if self._is_own_constant(node.args[1], node):
                self.unsqueeze_kernel_weights(node.args[1])
                self._replace(node, graph)
                modified = True
        return modified

    def _is_own_constant(self, weight: Any, reader: Node) -> bool:
        if not isinstance(weight, Node) or not program_constants(self.exported_program).has(weight):
            return False
        chain = [*preparation(weight), *_stored(weight)]
        # The last of a chain is read by the convolution, the others by the next of the chain.
        return all(len(one.users) == 1 for one in chain) and list(weight.users) == [reader]

    def unsqueeze_kernel_weights(self, kernel_node: Node) -> None:
        """Gives a convolution's weight, as it is stored, a last dimension of one.

        Raises:
            ValueError: it is no constant of the program.
        """
        stored = _stored(kernel_node)
        state = state_inputs(self.exported_program.graph_signature)
        if not stored or stored[0].name not in state:
            raise ValueError(f"{kernel_node.name} is no constant of the program")
        tensor = state_value(self.exported_program, state[stored[0].name]).detach().unsqueeze(-1)
        set_constant(self.exported_program, stored[0], tensor)
        for one in preparation(kernel_node):
            one.meta[meta_keys.VAL] = compute_value(one.target, one.args, one.kwargs, one.graph.nodes)  # type: ignore[arg-type]

    def _replace(self, node: Node, graph: Graph) -> None:
        source: Any = node.args[0]
        with graph.inserting_before(node):
            image = new_call(source, _aten.unsqueeze_copy.default, (source, -1))
        if is_dequantized(source):
            image = requantized(image, source)[-1]
        stride, padding, dilation, transposed, adjustment, groups = node.args[3:9]
        spatial = [[*stride, 1], [*padding, 0], [*dilation, 1]]  # type: ignore[misc]
        rest = (*spatial, transposed, [*adjustment, 0], groups)  # type: ignore[misc]
        with graph.inserting_before(node):
            made = new_call(node, _aten.convolution.default, (image, *node.args[1:3], *rest))
            result = new_call(node, _aten.squeeze_copy.dim, (made, -1))
        replace(node, result)


def _stored(weight: Node) -> list[Node]:
    """The placeholder of a weight, behind its dequantization."""
    node: Any = weight
    while node.op == "call_function":
        node = node.args[0]
    return [node] if node.op == "placeholder" else []
