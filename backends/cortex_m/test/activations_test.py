"""Activations, pools and products that kernels take although the graph does not have them as kernels do."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional

from executorch.backends.arm.test.lowered import as_model
from executorch.backends.cortex_m.library import cmsis_nn
from executorch.backends.cortex_m.passes.quantized_values import name_of
from executorch.backends.cortex_m.quantizer.quantizer import MOVED
from executorch.backends.cortex_m.test.models import inputs, lowered, quantized

IMAGE = (1, 4, 8, 8)


def _within_a_step(model, example, **options):
    """The edge program; what it makes is within a step of the quantized model."""
    program = quantized(model, example)
    found = lowered(program, **options).exported_program()
    (result,) = found.graph.output_node().args[0]
    wanted = program.module()(*example)
    made = found.module()(*example)
    made = made if isinstance(made, torch.Tensor) else made[0]
    wanted = wanted if isinstance(wanted, torch.Tensor) else wanted[0]
    assert float((made - wanted).abs().max()) <= result.args[1] * 1.01
    return found


def _calls(program):
    return [name_of(node) for node in program.graph.nodes if name_of(node)]


@pytest.mark.parametrize(
    "function",
    [
        torch.relu,
        functional.relu6,
        functional.hardtanh,
        lambda x: torch.clamp(x, -0.5, 0.25),
        lambda x: x.clamp(max=0.1),
    ],
    ids=["relu", "relu6", "hardtanh", "clamp", "clamp below"],
)
def test_an_activation_that_stands_alone_clamps_integers(function):
    found = _within_a_step(as_model(function), inputs((2, 3, 4, 5)))
    assert sorted(_calls(found)) == [
        "aten::clamp",
        "cortex_m::dequantize_per_tensor",
        "cortex_m::quantize_per_tensor",
    ]


@pytest.mark.parametrize("act", [nn.ReLU(), nn.Hardtanh(-0.5, 0.5)], ids=["relu", "hardtanh"])
def test_a_pool_clamps(act):
    found = _within_a_step(nn.Sequential(nn.MaxPool2d(3, 2, 1), act), inputs(IMAGE))
    assert not {"aten::clamp", "cortex_m::quantized_activation"} & set(_calls(found))
    assert any("max_pool2d" in one for one in _calls(found))


def test_an_activation_that_others_read_too_is_its_own():
    model = as_model(lambda x: torch.relu(functional.max_pool2d(x, 2)) + functional.max_pool2d(x, 2))
    assert any("quantized_add" in one for one in _calls(_within_a_step(model, inputs(IMAGE))))


@pytest.mark.parametrize("alpha", [3, -2])
@pytest.mark.parametrize("function", [torch.add, torch.sub], ids=["add", "sub"])
def test_a_whole_factor_of_the_second_operand_is_in_its_scale(function, alpha):
    found = _within_a_step(as_model(lambda x, y: function(x, y, alpha=alpha)), inputs((2, 3, 4), (2, 3, 4)))
    assert _calls(found).count("cortex_m::quantized_add") == 1
    assert not {"aten::add", "aten::sub"} & set(_calls(found))


def test_other_factors_stay_in_floating_point():
    found = _within_a_step(as_model(lambda x, y: torch.add(x, y, alpha=0.5)), inputs((2, 3, 4), (2, 3, 4)))
    assert "aten::add" in _calls(found) and "cortex_m::quantized_add" not in _calls(found)


def test_a_product_of_four_dimensions_is_one_of_batches():
    found = _within_a_step(as_model(torch.matmul), inputs((1, 4, 6, 8), (1, 4, 8, 5)))
    matrices = _within_a_step(as_model(torch.mm), inputs((6, 8), (8, 5)))
    assert _calls(matrices).count("cortex_m::quantized_batch_matmul") == 1
    assert _calls(found).count("cortex_m::quantized_batch_matmul") == 1 and "aten::bmm" not in _calls(found)


@pytest.mark.parametrize("size", [7, 8, 9])
def test_a_pool_that_counts_its_padding_rounds_up(size):
    pool = nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=True)
    found = _within_a_step(pool, inputs((1, 2, size, size)))
    assert any("avg_pool2d" in one for one in _calls(found))


def test_a_bias_has_the_scale_of_the_sums():
    layer = nn.Conv2d(2, 3, 1)
    program = quantized(layer, inputs((1, 2, 4, 4)))
    kinds = [node.args[-1] for node in program.graph.nodes if "dequantize_per_channel" in str(node.target)]
    assert sorted(map(str, kinds)) == ["torch.int32", "torch.int8"]
    _within_a_step(layer, inputs((1, 2, 4, 4)))


@pytest.mark.parametrize(("inputs_", "outputs", "groups"), [(4, 6, 2), (6, 3, 3), (8, 8, 4)])
def test_a_convolution_in_groups(inputs_, outputs, groups):
    # A sum that lies between two integers may be rounded the other way, which a steep table doubles.
    torch.manual_seed(0)
    layer = nn.Sequential(nn.Conv2d(inputs_, outputs, 3, padding=1, groups=groups), nn.Hardswish())
    called = _calls(_within_a_step(layer, inputs((1, inputs_, 5, 6))))
    assert "cortex_m::quantized_conv2d_nhwc" in called and not any("aten::conv" in one for one in called)


def test_sizes_of_work_space_by_their_published_names():
    m55 = cmsis_nn.resolve_backend(cmsis_nn.CortexM.M55)
    assert m55 is cmsis_nn.Backend.MVE
    pool = cmsis_nn.avgpool_buffer_size(m55, cmsis_nn.DataType.A8W8, dim_dst_width=3, ch_src=16)
    geometry = dict(padding_hw=[0, 0], stride_hw=[1, 1], dilation_hw=[1, 1])
    shapes = dict(input_nhwc=[1, 8, 8, 16], filter_nhwc=[8, 3, 3, 16], output_nhwc=[1, 6, 6, 8])
    layer = cmsis_nn.convolve_wrapper_buffer_size(m55, cmsis_nn.DataType.A8W8, **shapes, **geometry)
    # Multipliers of eight outputs, four columns of bytes and one of sums.
    assert pool == 0 and layer == 4 * 8 + 4 * 144 + 4 * 144


_NUMBERS = torch.tensor([2, 0])


@pytest.mark.parametrize(
    ("function", "operator"),
    [
        (lambda x: x.flip(1), "flip"),
        (lambda x: x.repeat(1, 2, 1, 1), "repeat"),
        (lambda x: torch.tile(x, (2, 1, 1)), "repeat"),
        (lambda x: x.unfold(3, 2, 1), "unfold_copy"),
        (lambda x: x.index_select(1, _NUMBERS), "index_select"),
        (lambda x: x[:, _NUMBERS], "index"),
        (lambda x: torch.gather(x, 1, _NUMBERS.view(2, 1, 1, 1)), "gather"),
        (lambda x: x.index_put((_NUMBERS % 2,), x[:, :, :, :] * 1), "index_put"),
        (lambda x: x.amax(1), "amax"),
        (lambda x: x.amin((2, 3), keepdim=True), "amin"),
        (lambda x: torch.max(x, 1).values, "amax"),
        (lambda x: torch.concat([x, x], 1), "cat"),
        (lambda x: torch.ops.aten.view_copy.default(x, [6, 20]), "view_copy"),
        (lambda x: torch.ops.aten.squeeze_copy.dim(x[:, :1], 1), "squeeze_copy"),
        (lambda x: x.movedim(1, 3), "transpose"),
    ],
)
def test_what_is_moved_stays_integers(function, operator):
    found = _within_a_step(as_model(function), inputs((2, 3, 4, 5)))
    (node,) = [one for one in found.graph.nodes if name_of(one).endswith(f"::{operator}")]
    assert node.meta["val"].dtype is torch.int8


#: A call of each mover that the quantizer knows.
_MOVES = {
    "aten.adaptive_avg_pool2d.default": lambda x: functional.adaptive_avg_pool2d(x, 2),
    "aten.alias.default": torch.ops.aten.alias.default,
    "aten.avg_pool2d.default": lambda x: functional.avg_pool2d(x, 2),
    "aten.cat.default": lambda x: torch.cat([x, x]),
    "aten.clone.default": torch.clone,
    "aten.concat.default": lambda x: torch.concat([x, x]),
    "aten.concatenate.default": lambda x: torch.concatenate([x, x]),
    "aten.constant_pad_nd.default": lambda x: torch.ops.aten.constant_pad_nd.default(x, [1, 1]),
    "aten.contiguous.default": lambda x: x.transpose(1, 2).contiguous(),
    "aten.detach.default": torch.detach,
    "aten.dropout.default": lambda x: torch.dropout(x * 2, 0.5, train=False),
    "aten.dropout_.default": lambda x: torch.dropout_(x * 2, 0.5, train=False),
    "aten.expand.default": lambda x: x.expand(3, *x.shape),
    "aten.flatten.using_ints": lambda x: x.flatten(1),
    "aten.flip.default": lambda x: x.flip(0),
    "aten.gather.default": lambda x: torch.gather(x, 1, _NUMBERS.view(2, 1, 1, 1)),
    "aten.index.Tensor": lambda x: x[:, _NUMBERS],
    "aten.index_put.default": lambda x: x.index_put((_NUMBERS % 2,), x * 1),
    "aten.index_select.default": lambda x: x.index_select(1, _NUMBERS),
    "aten.max_pool2d.default": lambda x: functional.max_pool2d(x, 2),
    "aten.moveaxis.int": lambda x: torch.moveaxis(x, 1, 3),
    "aten.moveaxis.intlist": lambda x: torch.moveaxis(x, (1, 0), (3, 2)),
    "aten.movedim.int": lambda x: torch.movedim(x, 1, 3),
    "aten.movedim.intlist": lambda x: torch.movedim(x, (1, 0), (3, 2)),
    "aten.pad.default": lambda x: functional.pad(x, (1, 1)),
    "aten.permute.default": lambda x: x.permute(3, 2, 0, 1),
    "aten.repeat.default": lambda x: x.repeat(2, 1, 1, 1),
    "aten.reshape.default": lambda x: x.reshape(6, 20),
    "aten.select.int": lambda x: x[:, 1],
    "aten.slice.Tensor": lambda x: x[:, 1:],
    "aten.squeeze.default": lambda x: x[:, :1].squeeze(),
    "aten.squeeze.dim": lambda x: x[:, :1].squeeze(1),
    "aten.squeeze.dims": lambda x: x[:, :1].squeeze((1, 2)),
    "aten.t.default": lambda x: x[0, 0].t(),
    "aten.tile.default": lambda x: torch.tile(x, (2, 1)),
    "aten.transpose.int": lambda x: x.transpose(1, 2),
    "aten.unflatten.int": lambda x: x.unflatten(2, (2, 2)),
    "aten.unfold.default": lambda x: x.unfold(3, 2, 1),
    "aten.unsqueeze.default": lambda x: x.unsqueeze(1),
    "aten.view.default": lambda x: x.view(6, 20),
}


@pytest.mark.parametrize("name", sorted(name for name in MOVED if "_copy." not in name))
def test_each_mover_that_the_quantizer_names_is_one(name):
    example = inputs((2, 3, 4, 5))
    model = as_model(_MOVES[name])
    assert name in {str(node.target) for node in torch.export.export(model, example).graph.nodes}
    values = [node.meta["val"] for node in _within_a_step(model, example).graph.nodes if name_of(node)]
    # Only what comes last is a number again.
    assert torch.float32 not in {value.dtype for value in values[:-1]}


@pytest.mark.parametrize(
    ("before", "made", "pools"),
    [((6, 4), (3, 2), 1), ((7, 4), (5, 2), 3), ((5, 7), (3, 5), 9), ((2, 3), (4, 3), 3), ((7, 7), 1, 1)],
)
@pytest.mark.parametrize("memory_format", [torch.contiguous_format, torch.channels_last])
def test_adaptive_pools_of_any_windows(before, made, pools, memory_format):
    (image,) = inputs((2, 3, *before))
    example = (image.contiguous(memory_format=memory_format),)
    found = _within_a_step(as_model(lambda x: functional.adaptive_avg_pool2d(x, made)), example)
    calls = _calls(found)
    assert sum("quantized_avg_pool2d" in name for name in calls) == pools
    assert "aten::_adaptive_avg_pool2d" not in calls


def test_sums_at_numbered_places_are_no_moves():
    model = as_model(lambda x: x.index_put((torch.tensor([1, 1]),), x * 2, accumulate=True))
    program = quantized(model, inputs((2, 3)))
    (node,) = [one for one in lowered(program).exported_program().graph.nodes if "index_put" in name_of(one)]
    assert node.meta["val"].dtype is torch.float32


@pytest.mark.parametrize(
    "model",
    [
        nn.Conv1d(4, 6, 3, padding=1),
        nn.Conv1d(4, 6, 2, stride=2, dilation=2, bias=False),
        nn.Conv1d(4, 8, 3, groups=4),
        nn.Conv1d(4, 6, 3, padding="same"),
        nn.ConvTranspose1d(4, 3, 3, stride=2, output_padding=1),
        nn.Sequential(nn.Conv1d(4, 4, 1), nn.ReLU(), nn.Conv1d(4, 2, 3)),
    ],
    ids=["padding", "dilation", "depthwise", "same", "transposed", "two"],
)
@pytest.mark.parametrize("explicit", [None, False, True])
def test_convolutions_of_rows_are_those_of_images(model, explicit):
    torch.manual_seed(0)
    found = _within_a_step(model, inputs((2, 4, 11)), use_explicit_layout=explicit)
    calls = set(_calls(found))
    assert any("conv2d_nhwc" in name for name in calls)
    assert "aten::convolution" not in calls


def test_convolutions_in_groups_have_a_bias():
    """Kernels of released runtimes read it."""
    model = nn.Sequential(
        nn.Conv2d(4, 4, 3, groups=4, bias=False),
        nn.Conv2d(4, 4, 1, groups=2, bias=False),
        nn.Conv2d(4, 4, 1, bias=False),
    )
    found = _within_a_step(model, inputs(IMAGE))
    given = [node.args[2] is not None for node in found.graph.nodes if "conv2d" in name_of(node)]
    assert given == [True, True, False]


def test_the_smallest_of_one_value_twice():
    found = _within_a_step(as_model(lambda x: torch.minimum(x, x)), inputs((3, 4)))
    assert "cortex_m::minimum" in _calls(found)
