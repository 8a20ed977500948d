"""Biases that folding adds to quantized convolutions."""

import pytest
import torch

# Before anything else that registers quantized_decomposed: the pass is imported alone by its users.
from executorch.backends.transforms.quantize_fused_convbn_bias_pass import QuantizeFusedConvBnBiasAtenPass

_quantized = torch.ops.quantized_decomposed
INPUT = torch.linspace(-1, 1, 48).reshape(1, 3, 4, 4)


class Quantized(torch.nn.Module):
    """A quantized convolution as ``convert_pt2e`` leaves it, with a bias of floats or none."""

    def __init__(self, per_channel, bias):
        super().__init__()
        self.per_channel = per_channel
        self.register_buffer("weight", torch.arange(-27, 27, dtype=torch.int8).reshape(2, 3, 3, 3))
        self.register_buffer("scales", torch.tensor([0.01, 0.02]))
        self.register_buffer("zero_points", torch.zeros(2, dtype=torch.int64))
        self.bias = torch.nn.Parameter(torch.tensor([0.5, -0.25])) if bias else None

    def forward(self, x):
        x = _quantized.quantize_per_tensor.default(x, 0.0625, 0, -128, 127, torch.int8)
        x = _quantized.dequantize_per_tensor.default(x, 0.0625, 0, -128, 127, torch.int8)
        if self.per_channel:
            weight = _quantized.dequantize_per_channel.default(
                self.weight, self.scales, self.zero_points, 0, -127, 127, torch.int8
            )
        else:
            weight = _quantized.dequantize_per_tensor.default(self.weight, 0.01, 0, -127, 127, torch.int8)
        return torch.nn.functional.conv2d(x, weight, self.bias)


def _bias_of(graph_module):
    (conv,) = [n for n in graph_module.graph.nodes if n.target is torch.ops.aten.conv2d.default]
    return conv.args[2] if len(conv.args) > 2 else None


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("as_program", [False, True])
def test_the_bias_is_quantized_with_the_scales_of_input_and_weight(per_channel, as_program):
    program = torch.export.export(Quantized(per_channel, True), (INPUT,))
    graph_module = program.graph_module if as_program else program.module()
    expected = program.module()(INPUT)
    make = QuantizeFusedConvBnBiasAtenPass(program if as_program else None)
    result = make(graph_module)
    assert result.modified
    bias = _bias_of(result.graph_module)
    kind = "channel" if per_channel else "tensor"
    assert str(bias.target) == f"quantized_decomposed.dequantize_per_{kind}.default"
    assert bias.args[-3:] == (-(2**31), 2**31 - 1, torch.int32)
    assert tuple(bias.meta["val"].shape) == (2,)
    if not per_channel:
        assert bias.args[1] == pytest.approx(0.0625 * 0.01)
    run = program.module() if as_program else result.graph_module
    torch.testing.assert_close(run(INPUT), expected, atol=2e-3, rtol=0)
    stored = dict(program.state_dict if as_program else result.graph_module.named_parameters())
    assert stored["bias"].dtype == torch.int32
    assert not make(result.graph_module).modified


def test_convolutions_without_a_bias_get_one_only_if_asked():
    program = torch.export.export(Quantized(True, False), (INPUT,))
    assert not QuantizeFusedConvBnBiasAtenPass(program)(program.graph_module).modified
    make = QuantizeFusedConvBnBiasAtenPass(program, default_zero_bias=True, symmetric_quant=True)
    assert make(program.graph_module).modified
    assert _bias_of(program.graph_module).args[-3] == -(2**31) + 1
    assert torch.equal(program.state_dict["conv2d_default_zero_bias"], torch.zeros(2, dtype=torch.int32))
    assert program.state_dict["conv2d_bias_scale"].tolist() == pytest.approx([0.000625, 0.00125])


def test_what_is_not_quantized_stays():
    program = torch.export.export(torch.nn.Conv2d(3, 2, 3), (INPUT,))
    assert not QuantizeFusedConvBnBiasAtenPass(program, default_zero_bias=True)(program.graph_module).modified
