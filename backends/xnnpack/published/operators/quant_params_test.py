"""What conversions say of the tensors around them."""

import pytest
import torch
import torch.ao.quantization.fx._decomposed  # Registers the quantized_decomposed operators.

from executorch.backends.xnnpack.operators.quant_params import QuantParams
from executorch.dialects.errors import ExportError

_Q = torch.ops.quantized_decomposed
_INT8 = (-128, 127, torch.int8)


class Layer(torch.nn.Module):
    """A linear layer between conversions, with a weight scaled by output."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.ones(4, 8, dtype=torch.int8))
        self.register_buffer("scales", torch.tensor([0.5, 1.0, 2.0, 4.0]))
        self.register_buffer("zero_points", torch.zeros(4, dtype=torch.int64))
        self.bias = torch.nn.Parameter(torch.ones(4))

    def forward(self, x):
        x = _Q.dequantize_per_tensor(_Q.quantize_per_tensor(x, 0.25, 3, *_INT8), 0.25, 3, *_INT8)
        weight = _Q.dequantize_per_channel(self.weight, self.scales, self.zero_points, 0, *_INT8)
        y = torch.nn.functional.linear(x, weight, self.bias)
        return _Q.dequantize_per_tensor(_Q.quantize_per_tensor(y, 0.125, 1, *_INT8), 0.125, 1, *_INT8)


@pytest.fixture(scope="module")
def program():
    return torch.export.export(Layer(), (torch.rand(2, 8),))


def linear_of(program):
    return next(node for node in program.graph.nodes if node.target is torch.ops.aten.linear.default)


def test_around_a_layer(program):
    source, weight, bias = linear_of(program).args
    before = QuantParams.from_inputs(source, program)
    assert (before.scale, before.zp, before.qmin, before.qmax) == (0.25, 3, -128, 127)
    assert not before.per_channel and not before.is_dynamic
    behind = QuantParams.from_outputs(linear_of(program))
    assert (behind.scale, behind.zp, behind.dtype) == (0.125, 1, torch.int8)
    scales = QuantParams.from_weights(weight, program)
    assert scales.per_channel and scales.axis == 0 and scales.scale.tolist() == [0.5, 1.0, 2.0, 4.0]
    units = QuantParams.from_bias(bias, scales, before)
    assert units.dtype is torch.int32 and units.scale.tolist() == [0.125, 0.25, 0.5, 1.0]
    assert units.quantize_tensor(torch.ones(4)).tolist() == [8, 4, 2, 1]
    assert QuantParams.from_bias(bias, None, before) is None


def test_what_is_not_quantized(program):
    placeholder = next(iter(program.graph.nodes))
    assert QuantParams.from_weights(placeholder, program) is None
    assert QuantParams.from_inputs(placeholder, program) is None
    assert QuantParams.from_outputs(linear_of(program).args[0]) is None
    with pytest.raises(ExportError, match="is no quantization"):
        QuantParams.from_q_dq_node(placeholder)


def test_scales_of_slices_need_the_program(program):
    with pytest.raises(ExportError, match="give the program"):
        QuantParams.from_weights(linear_of(program).args[1])


def test_integers():
    common = {"dtype": torch.int8, "qmax": 127, "qmin": -128, "is_output": False, "is_input": True}
    whole = QuantParams(False, None, 0.5, 3, 0, **common)
    assert whole.quantize_tensor(torch.tensor([0.0, 1.0, 100.0])).tolist() == [3, 5, 127]
    assert "scale=0.5" in str(whole)
    slices = QuantParams(True, None, torch.tensor([0.5, 0.25]), torch.zeros(2), 0, **common)
    assert slices.quantize_tensor(torch.ones(2, 1)).tolist() == [[2], [4]]
    scales = torch.tensor([[0.5, 1.0]])
    groups = QuantParams(True, None, scales, torch.zeros(1, 2), 0, **common, group_size=2)
    assert groups.per_channel_group
    assert groups.quantize_tensor(torch.ones(1, 4)).tolist() == [[2, 2, 1, 1]]


def test_found_at_run_time():
    class Dynamic(torch.nn.Module):
        def forward(self, x):
            scale, zero_point = _Q.choose_qparams.tensor(x, -128, 127, 1e-5, torch.int8)
            return _Q.quantize_per_tensor.tensor(x, scale, zero_point, *_INT8)

    program = torch.export.export(Dynamic(), (torch.rand(2, 8),))
    node = next(one for one in program.graph.nodes if "quantize_per_tensor" in str(one.target))
    found = QuantParams.from_q_dq_node(node)
    assert found.is_dynamic and found.num_nonbatch_dims == 1
