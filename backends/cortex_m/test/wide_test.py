"""Quotients, and models in int16: what kernels calculate on int16, and what is left in floating point."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional

from executorch.backends.arm.test.lowered import as_model
from executorch.backends.cortex_m.passes.quantized_values import name_of
from executorch.backends.cortex_m.quantizer.quantization_configs import INT16_PER_TENSOR_CONFIG
from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer
from executorch.backends.cortex_m.test.models import inputs, lowered, quantized

BORDERS = ["cortex_m::dequantize_per_tensor", "cortex_m::quantize_per_tensor"]


def _calls(model, example, dtype, samples=None):
    """Names of calls between the borders; the results are within a step of the quantized model."""
    quantizer = CortexMQuantizer(INT16_PER_TENSOR_CONFIG) if dtype is torch.int16 else None
    program = quantized(model, example, quantizer, samples=samples)
    found = lowered(program).exported_program()
    (result,) = found.graph.output_node().args[0]
    assert name_of(result) == BORDERS[0]
    assert result.args[5] is dtype
    made, wanted = found.module()(*example), program.module()(*example)
    assert float((made - wanted).abs().max()) <= result.args[1] * 1.01
    names = [name_of(node) for node in found.graph.nodes]
    assert not [name for name in names if name.startswith("quantized_decomposed")]
    return [name for name in names if name and name not in BORDERS]


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16])
@pytest.mark.parametrize("shape", [(7,), (2, 3, 4, 5)])
def test_a_quotient_of_equal_shapes_is_one_operator(shape, dtype):
    x, y = inputs(shape, shape)
    model = as_model(lambda x, y: x / (y * y + 0.5))
    calls = _calls(model, (x, y), dtype)
    assert calls == ["cortex_m::quantized_mul", "cortex_m::quantized_add", "cortex_m::quantized_div"]


def test_other_quotients_are_products():
    calls = _calls(as_model(lambda x: x / (x[:1] * x[:1] + 2)), inputs((3, 4)), torch.int8)
    assert "cortex_m::quantized_div" not in calls
    assert "cortex_m::quantized_mul" in calls


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (lambda x: x + x[:, :1], ["aten::slice_copy", "cortex_m::quantized_add"]),
        (lambda x: x - 0.25, ["cortex_m::quantized_add"]),
        (lambda x: x * x, ["cortex_m::quantized_mul"]),
        (lambda x: functional.relu(x * x.flip(0)), ["aten::flip", "cortex_m::quantized_mul", "aten::clamp"]),
        (lambda x: torch.relu(x + x), ["cortex_m::quantized_add"]),
        (lambda x: torch.maximum(x, x.flip(0)), ["aten::flip", "cortex_m::maximum"]),
        (
            lambda x: functional.pad(x, (1, 2)).permute(0, 2, 1),
            ["aten::constant_pad_nd", "aten::permute_copy"],
        ),
        (lambda x: torch.cat([x, x], 1).reshape(2, -1), ["aten::cat", "aten::view_copy"]),
    ],
    ids=["add", "sub", "mul", "mul relu", "add relu", "maximum", "pad", "cat"],
)
def test_elements_and_movers_in_int16(function, calls):
    found = _calls(as_model(function), inputs((2, 3, 4)), torch.int16)
    assert [name for name in found if name not in ("aten::alias_copy", "aten::clone")] == calls


class _Images(nn.Module):
    """Convolutions in one group, in two, of each channel, and of rows, and a classifier."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 6, 3, stride=2, padding=1)
        self.groups = nn.Conv2d(6, 4, (3, 2), padding=(1, 1), groups=2, bias=False)
        self.each = nn.Conv2d(4, 8, 3, groups=4)
        self.rows = nn.Conv1d(8, 5, 3, padding=1)
        self.classes = nn.Linear(80, 4)

    def forward(self, x):
        x = self.each(self.groups(functional.relu(self.first(x))))
        return self.classes(self.rows(x.flatten(2)).flatten(1))


@pytest.mark.parametrize("channels_last", [False, True])
def test_layers_in_int16(channels_last):
    torch.manual_seed(0)
    (image,) = inputs((1, 3, 12, 10))
    if channels_last:
        image = image.contiguous(memory_format=torch.channels_last)
    calls = _calls(_Images(), (image,), torch.int16)
    assert calls.count("cortex_m::quantized_linear_int16") == 1
    assert sum(name.startswith("cortex_m::quantized_conv2d_int16") for name in calls) == 4
    assert not {"aten::convolution", "aten::addmm", "aten::relu"} & set(calls)


def test_other_layers_stay_in_floating_point_in_int16():
    model = nn.Sequential(nn.ConvTranspose2d(2, 3, 2), nn.Sigmoid())
    calls = _calls(model, inputs((2, 2, 4, 4)), torch.int16)
    assert {"aten::convolution", "aten::sigmoid"} <= set(calls)


def test_a_bias_of_more_than_32_bits_stays_outside():
    layer = nn.Linear(4, 2)
    with torch.no_grad():
        layer.weight *= 1e-4
        layer.bias.fill_(1e4)
    assert "aten::addmm" in _calls(layer, inputs((3, 4)), torch.int16)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16])
@pytest.mark.parametrize(("wide", "fits"), [(1.0, True), (1e6, False)])
def test_operands_that_cancel(wide, fits, dtype):
    """What is left of them may have a scale so fine that sums cannot be shifted to it: they stay in floating point."""
    x = torch.linspace(-wide, wide, 32)
    calls = _calls(as_model(lambda x, y: x - y), (x, -x), dtype, samples=[(x, x)])
    assert calls == ["cortex_m::quantized_add" if fits else "aten::sub"]


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16])
@pytest.mark.parametrize(("wide", "fits"), [(1.0, True), (1e6, False)])
def test_products_that_were_nothing(wide, fits, dtype):
    x, none = torch.linspace(-wide, wide, 32), torch.zeros(32)
    none[0] = 1.0
    samples = [(x * none, 1 - none), (x, none * 0)]
    calls = _calls(as_model(lambda x, y: x * y), (x, none), dtype, samples=samples)
    assert calls == ["cortex_m::quantized_mul" if fits else "aten::mul"]


@pytest.mark.parametrize("function", [torch.add, torch.mul, torch.div])
@pytest.mark.parametrize("offsets", [(5, 0), (0, 5), (0, 0)], ids=["operand", "result", "none"])
def test_zero_points_of_int16_stay_outside(function, offsets):
    """Kernels of int16 have no room for them, and refuse them in the run."""

    def through_integers(x, offset):
        params = (0.01, offset, -32768, 32767, torch.int16)
        quantized_decomposed = torch.ops.quantized_decomposed
        integers = quantized_decomposed.quantize_per_tensor(x, *params)
        return quantized_decomposed.dequantize_per_tensor(integers, *params)

    def model(x, y):
        before, behind = offsets
        return through_integers(function(through_integers(x, before), through_integers(y, 0)), behind)

    found = lowered(torch.export.export(as_model(model), inputs((4,), (4,)))).exported_program()
    names = {name_of(node) for node in found.graph.nodes}
    assert (f"cortex_m::quantized_{function.__name__}" in names) == (not any(offsets))
