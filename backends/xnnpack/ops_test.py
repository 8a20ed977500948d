"""Operator by operator against eager PyTorch, through partitioner, blob and run time."""

import pytest
import torch
from torch.export import Dim

from executorch.backends.xnnpack.lowering_for_tests import Call, lowered, operators_left
from executorch.runtime import Runtime

aten = torch.ops.aten


def check(model, *inputs, left=(), tolerance=1e-5):
    """Everything is delegated, and the result is eager's."""
    edge = lowered(model, inputs)
    assert operators_left(edge) == list(left)
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    expected = model(*inputs)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for got, want in zip(method.execute(list(inputs)), expected, strict=True):
        torch.testing.assert_close(got, want.detach(), atol=tolerance, rtol=tolerance)


IMAGE, KERNEL = torch.rand(2, 6, 9, 11) - 0.5, torch.rand(6, 6, 3, 3) - 0.5
UNARY = {
    "abs": torch.abs,
    "ceil": torch.ceil,
    "clamp": lambda x: x.clamp(-0.25, 0.25),
    "clone": lambda x: torch.sigmoid(x.clone()),
    "cos": torch.cos,
    "elu": torch.nn.functional.elu,
    "exp": torch.exp,
    "floor": torch.floor,
    "gelu": torch.nn.functional.gelu,
    "hardswish": torch.nn.functional.hardswish,
    "hardtanh": torch.nn.functional.hardtanh,
    "hardsigmoid": torch.nn.functional.hardsigmoid,
    "leaky_relu": lambda x: torch.nn.functional.leaky_relu(x, 0.2),
    "log": lambda x: torch.log(x + 1),
    "neg": torch.neg,
    "relu": torch.relu,
    "relu6": torch.nn.functional.relu6,
    "rsqrt": lambda x: torch.rsqrt(x + 1),
    "sigmoid": torch.sigmoid,
    "silu": torch.nn.functional.silu,
    "sin": torch.sin,
    "softmax": lambda x: torch.softmax(x, -1),
    "sqrt": lambda x: torch.sqrt(x + 1),
    "square": lambda x: x**2,
    "tanh": torch.tanh,
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    check(Call(UNARY[name]), IMAGE, tolerance=1e-4 if name in ("exp", "gelu", "tanh", "log") else 1e-5)


@pytest.mark.parametrize(
    "function", [torch.add, torch.sub, torch.mul, torch.div, torch.maximum, torch.minimum]
)
@pytest.mark.parametrize("shape", [(2, 6, 9, 11), (6, 1, 1), (11,), ()], ids=str)
def test_binary(function, shape):
    check(Call(function), IMAGE, torch.rand(shape) + 0.5)


def test_binary_with_a_number_and_an_activation():
    check(Call(lambda x: torch.relu(x * 3 - 1)), IMAGE)


CONVOLUTIONS = {
    "plain": torch.nn.Conv2d(6, 8, 3),
    "strided, padded, dilated": torch.nn.Conv2d(6, 8, 3, stride=2, padding=(2, 1), dilation=2),
    "grouped": torch.nn.Conv2d(6, 9, (1, 3), groups=3),
    "depthwise": torch.nn.Conv2d(6, 12, 3, groups=6, padding=1, bias=False),
    "transposed": torch.nn.ConvTranspose2d(6, 4, 3, stride=2, padding=1, output_padding=1),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolution(name):
    check(CONVOLUTIONS[name], IMAGE, tolerance=1e-4)


@pytest.mark.parametrize("groups", [1, 6])
def test_convolution_of_one_dimension(groups):
    check(torch.nn.Conv1d(6, 12, 3, stride=2, padding=1, groups=groups), torch.rand(2, 6, 20), tolerance=1e-4)


def trained(norm):
    """A batch norm with statistics that are not the initial ones."""
    norm.running_mean.uniform_(-1, 1)
    norm.running_var.uniform_(0.5, 2)
    torch.nn.init.uniform_(norm.weight)
    torch.nn.init.uniform_(norm.bias)
    return norm


@pytest.mark.parametrize("transposed", [False, True])
def test_batch_norm_behind_a_convolution(transposed):
    convolution = torch.nn.ConvTranspose2d(6, 8, 3) if transposed else torch.nn.Conv2d(6, 8, 3)
    model = torch.nn.Sequential(convolution, trained(torch.nn.BatchNorm2d(8)), torch.nn.ReLU())
    check(model, IMAGE, tolerance=1e-4)


@pytest.mark.parametrize(
    ("norm", "shape"), [("BatchNorm2d", (2, 6, 9, 11)), ("BatchNorm1d", (2, 6, 9)), ("BatchNorm1d", (4, 6))]
)
def test_batch_norm_alone(norm, shape):
    check(trained(getattr(torch.nn, norm)(6)), torch.rand(shape), tolerance=1e-4)


POOLS = {
    "max": torch.nn.MaxPool2d(3, 2, 1),
    "max, dilated": torch.nn.MaxPool2d((2, 3), 1, dilation=2),
    "max, rounded up": torch.nn.MaxPool2d(2, 2, ceil_mode=True),
    "max, rounded up, padded, dilated": torch.nn.MaxPool2d(3, 3, 1, dilation=2, ceil_mode=True),
    "average, rounded up": torch.nn.AvgPool2d(2, ceil_mode=True),
    "average, rounded up, padded": torch.nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False),
    "average": torch.nn.AvgPool2d(2),
    "average, padded": torch.nn.AvgPool2d(3, 2, 1, count_include_pad=False),
    "adaptive": torch.nn.AdaptiveAvgPool2d((3, 11)),
    "adaptive, of rows": torch.nn.AdaptiveAvgPool2d((9, 1)),
    "adaptive, behind a convolution": torch.nn.Sequential(
        torch.nn.Conv2d(6, 4, 2), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d((4, 2)), torch.nn.Flatten()
    ),
    "adaptive, which changes nothing": torch.nn.Sequential(
        torch.nn.Conv2d(6, 4, 2), torch.nn.AdaptiveAvgPool2d((8, 10)), torch.nn.ReLU()
    ),
    "adaptive, by itself, which changes nothing": torch.nn.AdaptiveAvgPool2d((9, 11)),
    "adaptive, of one dimension": Call(lambda x: torch.nn.functional.adaptive_avg_pool1d(x[..., 0], 3)),
    "global": torch.nn.AdaptiveAvgPool2d(1),
    "mean": Call(lambda x: x.mean([2, 3])),
    "mean, kept": Call(lambda x: x.mean([-1, -2], keepdim=True)),
    "mean of all": Call(torch.mean),
    "sum over the image": Call(lambda x: x.sum([2, 3])),
    "sum over the image, kept": Call(lambda x: x / x.square().sum((2, 3), keepdim=True)),
    "mean of all by name": Call(lambda x: x.mean(dim=None)),
    "mean of all dimensions": Call(lambda x: x.mean((0, 1, 2, 3)) * 2),
    "mean of a row": Call(lambda x: x[0, 0, 0].mean()),
}


@pytest.mark.parametrize("name", POOLS)
def test_pooling(name):
    check(POOLS[name], IMAGE)


PRODUCTS = {
    "linear": (torch.nn.Linear(11, 5), (IMAGE,)),
    "linear without bias": (torch.nn.Linear(11, 5, bias=False), (IMAGE[0, 0],)),
    "mm": (Call(torch.mm), (torch.rand(3, 4), torch.rand(4, 5))),
    "bmm": (Call(torch.bmm), (torch.rand(2, 3, 4), torch.rand(2, 4, 5))),
    "bilinear": (torch.nn.Upsample(scale_factor=2, mode="bilinear"), (IMAGE,)),
    "bilinear, corners": (torch.nn.Upsample(size=(20, 13), mode="bilinear", align_corners=True), (IMAGE,)),
    "prelu": (torch.nn.PReLU(6), (IMAGE,)),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name):
    model, inputs = PRODUCTS[name]
    check(model, *inputs, tolerance=1e-4)


MOVEMENTS = {
    "permute": lambda x: x.permute(0, 3, 1, 2) + 1,
    "view": lambda x: x.reshape(2, -1) * 2,
    "unsqueeze": lambda x: x.unsqueeze(1) * 2,
    "slice": lambda x: x[:, 1:4, :, 2:] * 2,
    "every second": lambda x: x[:, 1::2] * 2,
    "every second of the last": lambda x: x[..., 1:][..., ::2] * 2,
    "every third from the fourth on": lambda x: x[:, :, 4:8:3] * 2,
    "pad": lambda x: torch.nn.functional.pad(x, (1, 2, 3, 0), value=0.5),
    "cat of 2": lambda x: torch.cat([x, x + 1], 1),
    "cat of 7": lambda x: torch.cat([x + i for i in range(7)], -1),
}


@pytest.mark.parametrize("name", MOVEMENTS)
def test_movement(name):
    check(Call(MOVEMENTS[name]), IMAGE)


@pytest.mark.parametrize(
    "name, channels",
    [("pad", 6), ("slice", 3), ("cat of 2", 12), ("every second", 3), ("every third from the fourth on", 6)],
)
def test_movement_of_channels_last_values(name, channels):
    model = torch.nn.Sequential(
        torch.nn.Conv2d(6, 6, 1), Call(MOVEMENTS[name]), torch.nn.Conv2d(channels, 2, 1)
    )
    check(model, IMAGE, tolerance=1e-4)


def test_rotary_positions_of_neighbours_are_delegated():
    """As RoFormer, GPT-J and GLM write them: the numbers of a pair lie side by side."""

    def rotate(x, cosine, sine):
        even, odd = x[..., ::2], x[..., 1::2]
        return torch.stack([even * cosine - odd * sine, odd * cosine + even * sine], -1).flatten(-2)

    check(Call(rotate), torch.rand(2, 4, 5, 8), torch.rand(5, 4), torch.rand(5, 4))


def test_steps_that_do_not_divide_a_dimension_stay_and_say_why():
    from executorch.exir.backend.utils import get_reasons

    edge = lowered(Call(lambda x: x[:, :, ::2] * 2), (IMAGE,))
    assert operators_left(edge) == ["aten.slice_copy.Tensor"]
    reasons = [reason.reason for reason in get_reasons(edge.exported_program().graph_module)]
    assert "its step of 2 does not divide 9" in reasons


def test_half():
    edge = lowered(Call(lambda x: torch.relu(x) * 2), (IMAGE.half(),))
    assert operators_left(edge) == []


@pytest.mark.parametrize(
    "model",
    [
        lambda x: x.contiguous(memory_format=torch.channels_last_3d),
        lambda x: (x.contiguous(memory_format=torch.channels_last_3d) * 2).contiguous(),
    ],
    ids=["to channels last", "and back"],
)
def test_volumes_in_channels_last_order(model):
    check(Call(model), torch.randn(2, 3, 4, 5, 6))


def test_channels_last_input_is_not_transposed():
    model = torch.nn.Conv2d(6, 4, 3)
    image = IMAGE.to(memory_format=torch.channels_last)
    edge = lowered(model, (image,))
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    torch.testing.assert_close(method.execute([image])[0], model(image).detach(), atol=1e-4, rtol=1e-4)


def test_adaptive_pools_whose_windows_overlap_are_left():
    model = torch.nn.AdaptiveAvgPool2d((4, 11))
    check(model, IMAGE, left=["aten._adaptive_avg_pool2d.default"])
    sizes = {0: Dim("batch", min=1, max=8)}
    assert operators_left(lowered(model, (IMAGE[:, :, :8],), dynamic_shapes=(sizes,))) == []


def test_what_is_refused_stays_and_says_why():
    from executorch.exir.backend.utils import get_reasons

    edge = lowered(Call(lambda x: torch.cumsum(x, 0) + torch.nn.functional.softmax(x, 1)), (IMAGE,))
    reasons = {
        (reason.op, reason.who): reason.reason for reason in get_reasons(edge.exported_program().graph_module)
    }
    assert "last dimension" in reasons["aten._softmax.default", "SoftmaxConfig"]
    assert reasons["aten.cumsum.default", "XnnpackPartitioner"] == "no config for this operator"


_F = torch.nn.functional
TOKENS = torch.randn(2, 5, 8)
FURTHER = {
    "attention": lambda x: _F.scaled_dot_product_attention(x[:, None], x[:, None] + 1, x[:, None] * 2),
    "causal attention": lambda x: _F.scaled_dot_product_attention(x, x + 1, x * 2, is_causal=True),
    "masked attention": lambda x: _F.scaled_dot_product_attention(x, x, x * 2, x @ x.mT, scale=0.5),
    "cube": lambda x: x.pow(3),
    "expand": lambda x: x[:, None].expand(2, 3, 5, 8) + 1,
    "gelu by tanh": lambda x: _F.gelu(x, approximate="tanh"),
    "gelu spelled out": lambda x: x * 0.5 * (1 + torch.erf(x / 2**0.5)),
    "layer norm": lambda x: _F.layer_norm(x, (8,), torch.arange(8.0), torch.ones(8)),
    "layer norm without weights": lambda x: _F.layer_norm(x, (8,)),
    "maximum of columns": lambda x: x.amax(1),
    "maximum of rows, kept": lambda x: x.amax(-1, keepdim=True) * x,
    "maximum of several": lambda x: x.amax((1, 2)),
    "maximum of neighbours": lambda x: (
        _F.max_pool1d(x, 3, 2, padding=1) + _F.max_pool1d(x, 2, ceil_mode=True)
    ),
    "maximum without positions": lambda x: torch.max(x, 1).values + 1,
    "maximum without positions, kept": lambda x: torch.max(x, -1, keepdim=True)[0],
    "mean of all": lambda x: x.mean((0, 1, 2), keepdim=True),
    "mean of columns": lambda x: x.mean(1),
    "mean of rows": lambda x: x.mean(-1),
    "mean of rows, kept": lambda x: x.mean(2, keepdim=True) * x,
    "root mean square norm as torch has it": lambda x: _F.rms_norm(x, (8,), torch.arange(8.0)),
    "root mean square norm": lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5),
    "norm of rows": lambda x: _F.normalize(x, dim=-1),
    "numbers": lambda x: (
        aten.add.Scalar(aten.mul.Scalar(x, 3), 0.5) - aten.div.Scalar(aten.sub.Scalar(x, 2.5), 4)
    ),
    "power of a half": lambda x: (x * x + 1) ** 0.5 - (x * x + 2) ** -0.5,
    "select": lambda x: x[:, -2] + 1,
    "split": lambda x: torch.sub(*torch.split(x, [4, 4], -1)),
    "sum of all": lambda x: x.sum() * 2,
    "sum of columns": lambda x: x.sum(1) + 1,
    "sum of neighbouring dimensions, kept": lambda x: x / x.sum((0, 1), keepdim=True),
    "sum of rows": lambda x: x.sum(-1) + 1,
    "sum of rows, kept": lambda x: x / x.sum(2, keepdim=True),
    "repeated input": lambda x: torch.cat([x, x + 1, x - 1], 1),
}


@pytest.mark.parametrize("name", FURTHER)
def test_further_operators(name):
    check(Call(FURTHER[name]), TOKENS)


def test_maxima_with_positions_are_left():
    edge = lowered(Call(lambda x: torch.max(x, 1)), (TOKENS,))
    assert "aten.max.dim" in str(operators_left(edge))
    check(
        Call(lambda x: _F.max_pool2d(x, 2, return_indices=True)),
        IMAGE,
        left=["aten.max_pool2d_with_indices.default"],
    )


TURNS = {
    "both sides of an image": lambda x: torch.roll(torch.relu(x), (-2, 3), (2, 3)) * 2,
    "all of it": lambda x: torch.roll(x * 2, 4),
    "rows in order": lambda x: x.index_select(2, torch.tensor([0, 1, 5, 6, 7, 2])) + 1,
    "one run": lambda x: x.index_select(-1, torch.arange(2, 5)) + 1,
    "a list": lambda x: x[:, :, [0, 1, 5, 5, 2]] + 1,
    "each pixel twice": lambda x: (
        torch.relu(x)[:, :, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8]] + 1
    ),
    "each channel three times": lambda x: aten.conv2d(x, KERNEL).index_select(1, torch.arange(18) // 3) * 2,
    "each column twice": lambda x: torch.relu(x).index_select(3, torch.arange(22) // 2) + 1,
    "repeated along two dimensions": lambda x: aten.conv2d(x.repeat(1, 1, 2, 3), KERNEL),
    "once, which is a copy": lambda x: torch.relu(x).repeat(1, 1, 1, 1) * x.repeat(1, 1, 1, 1),
    "repeated channels": lambda x: aten.conv2d(x, KERNEL).repeat(2, 2, 1, 1) + 1,
    "repeated with a new dimension": lambda x: torch.relu(x).repeat(3, 1, 2, 1, 1) + 1,
    "upsampled rows": lambda x: _F.interpolate(torch.relu(x).flatten(1, 2), scale_factor=2.0) + 1,
    "a mirrored margin": lambda x: aten.conv2d(_F.pad(torch.relu(x), (4, 4, 3, 1), mode="reflect"), KERNEL),
    "a repeated margin": lambda x: aten.conv2d(_F.pad(torch.relu(x), (1, 1, 2, 0), mode="replicate"), KERNEL),
    "between convolutions": lambda x: aten.conv2d(torch.roll(aten.conv2d(x, KERNEL), 1, 1), KERNEL),
}


@pytest.mark.parametrize("name", TURNS)
def test_turned_dimensions_are_joined_slices(name):
    check(Call(TURNS[name]), IMAGE)


def test_scattered_places_stay_outside():
    places = torch.tensor([8, 6, 4, 2, 0, 3, 1, 5, 7, 2])
    check(
        Call(lambda x: torch.relu(x.index_select(2, places)) * 2), IMAGE, left=["aten.index_select.default"]
    )
    check(Call(lambda x: torch.relu(x[:, :, places]) * 2), IMAGE, left=["aten.index.Tensor"])
    check(Call(lambda x: torch.relu(x[:, :, [1, -1]]) * 2), IMAGE, left=["aten.index.Tensor"])
    check(Call(lambda x: torch.relu(x[:, [1, 2], [3, 4]]) * 2), IMAGE, left=["aten.index.Tensor"])
    check(Call(lambda x: torch.relu(x[:, [[1, 2], [3, 4]]]) * 2), IMAGE, left=["aten.index.Tensor"])
    number = Call(lambda x: torch.relu(x).mean().index_select(0, torch.tensor([0])) * 2)
    check(number, IMAGE, left=["aten.index_select.default"])


def test_sums_of_products():
    x = torch.randn(4, 4)
    check(Call(lambda x, y: torch.addmm(y[0], x, y)), x, x + 1)
    check(Call(lambda x, y: torch.addmm(y, x, y)), x, x + 1)
