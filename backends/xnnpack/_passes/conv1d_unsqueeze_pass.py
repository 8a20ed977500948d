"""Convolutions of one dimension as such of two."""

from __future__ import annotations

from typing import Any

import torch
from torch.export.graph_signature import InputKind
from torch.fx import Graph, GraphModule, Node

from executorch.backends.xnnpack._passes.edits import (
    edited,
    is_call,
    new_call,
    rank_of,
    replace,
)
from executorch.backends.xnnpack._passes.quantized_copies import is_dequantized, requantized
from executorch.backends.xnnpack._passes.xnnpack_pass import XNNPACKPass
from executorch.backends.xnnpack.graph.constants import preparation, program_constants
from executorch.dialects import meta_keys
from executorch.passes.fake_values import compute_value
from executorch.passes.pass_base import PassResult
from executorch.passes.program import fake_mode_of

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
        specs = {spec.arg.name: spec for spec in self.exported_program.graph_signature.input_specs}
        if not stored or stored[0].name not in specs or specs[stored[0].name].target is None:
            raise ValueError(f"{kernel_node.name} is no constant of the program")
        spec = specs[stored[0].name]
        state: Any = self.exported_program.state_dict
        home = state if spec.target in state else self.exported_program.constants
        tensor = home[spec.target].detach().unsqueeze(-1)
        is_parameter = spec.kind is InputKind.PARAMETER
        home[spec.target] = torch.nn.Parameter(tensor, requires_grad=False) if is_parameter else tensor
        mode = fake_mode_of(kernel_node.graph.nodes)
        stored[0].meta[meta_keys.VAL] = (
            tensor if mode is None else mode.from_tensor(tensor, static_shapes=True)
        )
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
