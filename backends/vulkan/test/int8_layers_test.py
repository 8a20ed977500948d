"""Layer by layer: what the delegate makes of int8 is the quantized graph's own arithmetic, calculated exactly, within one step.

Rounding differs where a sum lies between two integers, and what comes behind it differs as well; so each layer is given what the delegate made
before it, not what PyTorch did.
"""

import pytest
import torch
from torch.fx import GraphModule, Interpreter, Node
from torch.fx.graph import CodeGen

from executorch.backends.vulkan.test import models
from executorch.backends.vulkan.test.harness import delegates, lower
from executorch.runtime import Runtime

_OPS = torch.ops.quantized_decomposed
_EXACT = torch.float64


class Exactly(Interpreter):
    """A quantized graph in double precision, where int8 tensors are those that a device made; counts what differs."""

    def __init__(self, module: GraphModule, made: dict[Node, torch.Tensor]) -> None:
        super().__init__(module)
        self.made = made
        self.elements = 0
        self.different = 0
        self.largest = 0

    def get_attr(self, target, args, kwargs):
        value = super().get_attr(target, args, kwargs)
        return value.to(_EXACT) if value.is_floating_point() else value

    def call_function(self, target, args, kwargs):
        if target is _OPS.dequantize_per_tensor.default:
            return (args[0].to(_EXACT) - args[2]) * args[1]
        if target is _OPS.dequantize_per_channel.default:
            scales = args[1].to(_EXACT).reshape(-1, *[1] * (args[0].dim() - 1))
            return args[0].to(_EXACT) * scales
        if target is _OPS.quantize_per_tensor.default:
            value, scale, zero, least, most = args[:5]
            return torch.clamp(torch.round(value / scale) + zero, least, most)
        return super().call_function(target, args, kwargs)

    def run_node(self, n):
        value = super().run_node(n)
        if n not in self.made:
            return value
        difference = (value - self.made[n]).abs()
        self.elements += difference.numel()
        self.different += int((difference > 0).sum())
        self.largest = max(self.largest, int(difference.max()))
        return self.made[n]


def returning_int8(model, inputs):
    """The graph, which returns what each of its nodes quantizes as well, and these nodes."""
    module = torch.export.export(model, inputs).module()
    graph = module.graph
    nodes = graph.find_nodes(op="call_function", target=_OPS.quantize_per_tensor.default)
    (output,) = graph.find_nodes(op="output")
    output.args = (tuple(nodes),)
    graph.set_codegen(CodeGen())
    return GraphModule(module, graph), nodes


@pytest.mark.parametrize("size", [32, 28])
def test_each_layer_is_exact_within_a_step(size):
    model, inputs = models.static_mobilenet(size)
    module, nodes = returning_int8(model, inputs)
    edge = lower(module, inputs)
    (delegate,) = delegates(edge)
    names = [call.name for call in delegate.graph.chain]
    assert [names.count(f"et_vk.{one}_int8.default") for one in ("conv", "add")] == [10, 1]
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    made = dict(zip(nodes, method.execute(list(inputs)), strict=True))
    assert all(len(torch.unique(one)) > 20 for one in made.values())
    exactly = Exactly(module, made)
    exactly.run(*(one.to(_EXACT) for one in inputs))
    assert exactly.largest <= 1
    assert exactly.different <= exactly.elements / 1000, (exactly.different, exactly.elements)
