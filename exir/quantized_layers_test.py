"""Linear layers and convolutions of quantized models on the integers themselves."""

import pytest
import torch
from torch import nn
from torch.ao.quantization.fx import _decomposed  # noqa: F401  (registers the operators)
from torch.export import export

from executorch.exir import to_edge
from executorch.passes.quantized.quantized_layers import QuantizedLayersPass

quantized = torch.ops.quantized_decomposed
LOW, HIGH = -128, 127
ACT = (0.04, 3, LOW, HIGH, torch.int8)


def requantized(x):
    return quantized.dequantize_per_tensor(quantized.quantize_per_tensor(x, *ACT), *ACT)


class Layer(nn.Module):
    """A layer of floats around int8 weights, in the form that PT2E's conversion leaves behind."""

    def __init__(self, shape, layer, per_channel=True, zero_point=0, bias=True):
        super().__init__()
        self.weight = nn.Buffer(torch.randint(LOW, HIGH, shape, dtype=torch.int8))
        self.scales = nn.Buffer(0.001 + 0.01 * torch.rand(shape[0]))
        self.zeros = nn.Buffer(torch.full((shape[0],), zero_point))
        self.bias = nn.Buffer(torch.randn(shape[0])) if bias else None
        self.per_channel = per_channel
        self.layer = layer

    def forward(self, x):
        if self.per_channel:
            weight = quantized.dequantize_per_channel(
                self.weight, self.scales, self.zeros, 0, LOW, HIGH, torch.int8
            )
        else:
            weight = quantized.dequantize_per_tensor(self.weight, 0.007, 0, LOW, HIGH, torch.int8)
        return requantized(self.layer(requantized(x), weight, self.bias))


def fused(module, *inputs):
    """The program with the pass, and the names of what it calls."""
    edge = to_edge(export(module.eval(), inputs)).transform([QuantizedLayersPass()])
    torch.testing.assert_close(edge.exported_program().module()(*inputs), module(*inputs))
    graph = edge.exported_program().graph
    return edge, [str(node.target) for node in graph.nodes if node.op == "call_function"]


def is_one_layer(calls, name):
    """Whether all that is left between the ends is the layer, apart from views."""
    rest = [call for call in calls if "view_copy" not in call]
    wanted = [
        f"quantized_decomposed.{kind}.default"
        for kind in ("quantize_per_tensor", name, "dequantize_per_tensor")
    ]
    return rest == wanted


@pytest.mark.parametrize("per_channel", [True, False])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(4, 16), (2, 3, 16)])
def test_linear(per_channel, bias, shape):
    module = Layer((10, 16), nn.functional.linear, per_channel, bias=bias)
    assert is_one_layer(fused(module, torch.randn(shape))[1], "linear")


@pytest.mark.parametrize(
    "activation", [nn.Identity(), nn.ReLU(), nn.ReLU6(), nn.Hardtanh(-0.5, 0.25)], ids=str
)
def test_convolution_with_activation(activation):
    def layer(x, weight, bias):
        return activation(nn.functional.conv2d(x, weight, bias, stride=2, padding=1, groups=2))

    assert is_one_layer(fused(Layer((6, 2, 3, 3), layer), torch.randn(2, 4, 9, 9))[1], "convolution")


def test_weights_stay_bytes():
    module = Layer((64, 256), nn.functional.linear, per_channel=False)
    edge, _ = fused(module, torch.randn(3, 256))
    program = edge.to_executorch()
    assert len(program.buffer) < 64 * 256 * 2
    names = {op.name for op in program.executorch_program.execution_plan[0].operators}
    assert names == {
        f"quantized_decomposed::{name}" for name in ("quantize_per_tensor", "linear", "dequantize_per_tensor")
    }


def test_what_stays():
    asymmetric = Layer((10, 16), nn.functional.linear, zero_point=1)
    assert not any(
        "linear.default" in call and "quantized" in call for call in fused(asymmetric, torch.randn(4, 16))[1]
    )
    transposed = Layer((4, 6, 3, 3), lambda x, w, b: nn.functional.conv_transpose2d(x, w), bias=False)
    assert not any(
        "quantized_decomposed.convolution" in call for call in fused(transposed, torch.randn(1, 4, 5, 5))[1]
    )

    class Shared(nn.Module):
        """Somebody wants the layer's result in floating point."""

        def __init__(self):
            super().__init__()
            self.inner = Layer((10, 16), nn.functional.linear)

        def forward(self, x):
            inner = self.inner
            weight = quantized.dequantize_per_tensor(inner.weight, 0.007, 0, LOW, HIGH, torch.int8)
            y = nn.functional.linear(requantized(x), weight)
            return requantized(y), y

    assert not any("quantized_decomposed.linear" in call for call in fused(Shared(), torch.randn(4, 16))[1])
