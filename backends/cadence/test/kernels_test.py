"""The kernels give the integers of the operators' definition in Python, and refuse what does not fit."""

from __future__ import annotations

import os
import pathlib

import pytest
import torch

from executorch.backends.cadence.ops import schemas
from executorch.backends.cadence.reference import operators
from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import bind, call_out

assert operators.LIBRARY
INVALID = 0x12
OPS = torch.ops.cadence
HERE = pathlib.Path(__file__)
TYPES = [torch.int8, torch.uint8, torch.int16]
BYTES = TYPES[:2]
SEEDS = range(4)


@pytest.fixture(scope="module")
def driver():
    path = pathlib.Path(os.environ.get("ET_OP_DRIVER_CADENCE", HERE.with_name("op_driver_cadence")))
    driver = OpDriver(path)
    yield driver
    driver.close()


def overloads(name):
    packet, _, overload = name.partition(".")
    out_packet, _, out_overload = schemas.out_name(name).partition(".")
    return (
        getattr(getattr(OPS, packet), overload or "default"),
        getattr(getattr(OPS, out_packet), out_overload),
    )


def call(driver, name, *args, like=None):
    op, out = overloads(name)
    return call_out(driver, out, bind(op, args, {}), [Out(op(*args) if like is None else like)])


def same(driver, name, *args, tolerance=0.0):
    """Requires the values of the definition; returns them."""
    outcome = call(driver, name, *args)
    assert outcome.error == 0
    wanted = overloads(name)[0](*args)
    torch.testing.assert_close(outcome.outputs[0], wanted, rtol=0, atol=tolerance)
    return wanted


def nearly(driver, name, *args):
    """The same where a transcendental function may round otherwise: by one step, seldom."""
    outcome = call(driver, name, *args)
    assert outcome.error == 0
    difference = (outcome.outputs[0].int() - overloads(name)[0](*args).int()).abs()
    assert difference.max() <= 1 and difference.count_nonzero() <= 1


def refused(driver, name, *args, like):
    assert call(driver, name, *args, like=like).error == INVALID


class Draw:
    """Arguments by a seed."""

    def __init__(self, seed: int) -> None:
        self.generator = torch.Generator().manual_seed(seed)

    def number(self, low: int, high: int) -> int:
        return int(torch.randint(low, high + 1, (), generator=self.generator))

    def integers(self, dtype: torch.dtype, *shape: int) -> torch.Tensor:
        info = torch.iinfo(dtype)
        return torch.randint(info.min, info.max + 1, shape, generator=self.generator).to(dtype)

    def bias(self, n: int) -> torch.Tensor:
        return torch.randint(-20000, 20000, (n,), generator=self.generator).to(torch.int32)

    def floats(self, *shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=self.generator)

    def scale(self) -> float:
        return 0.01 + float(torch.rand((), generator=self.generator))

    def zero_point(self, dtype: torch.dtype) -> int:
        return self.number(max(-40, torch.iinfo(dtype).min), 40)


def weight_type(dtype: torch.dtype) -> torch.dtype:
    return torch.int8 if dtype == torch.int16 else dtype


@pytest.mark.parametrize("kind", ["8s", "8u", "16s", "16u", "32s"])
def test_quantization(driver, kind):
    dtype = operators.TYPES[kind]
    info = torch.iinfo(dtype)
    # Of integers of 32 bits single precision knows no neighbours.
    low, high = max(info.min, -(2**20)), min(info.max, 2**20)
    draw = Draw(0)
    values = torch.cat([draw.floats(60) * 300, torch.tensor([0.05, 0.15, 0.25, 1e9, -1e9, float("inf")])])
    for name in ("quantize_per_tensor", f"quantize_per_tensor_asym{kind}"):
        made = same(driver, name, values, 0.1, 5, low, high, dtype)
        same(driver, f"de{name}", made, 0.1, 5, low, high, dtype)
    same(driver, "dequantize", made, torch.tensor([0.1]), torch.tensor([5]))
    refused(driver, "dequantize", made, torch.tensor([0.1, 0.2]), torch.tensor([5]), like=values)
    refused(driver, "dequantize", values, torch.tensor([0.1]), torch.tensor([5]), like=values)
    nan = call(driver, "quantize_per_tensor", torch.tensor([float("nan")]), 0.1, 5, low, high, dtype)
    assert nan.outputs[0].item() == low
    refused(driver, "quantize_per_tensor", values, 0.0, 0, low, high, dtype, like=made)
    refused(driver, "quantize_per_tensor", values, 0.1, 0, high, low, dtype, like=made)
    refused(driver, "quantize_per_tensor", values.double(), 0.1, 0, low, high, dtype, like=made)


@pytest.mark.parametrize("before", TYPES)
@pytest.mark.parametrize("behind", TYPES)
def test_requantization(driver, before, behind):
    draw = Draw(1)
    x = draw.integers(before, 3, 5)
    numbers = draw.scale(), draw.zero_point(before), draw.scale(), draw.zero_point(behind)
    same(driver, "requantize.per_tensor", x, *numbers, behind)
    same(driver, "requantize", x, *map(torch.tensor, numbers), behind)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("seed", SEEDS)
def test_linear(driver, dtype, seed):
    draw = Draw(seed)
    depth, columns = draw.number(1, 40), draw.number(1, 9)
    x = draw.integers(dtype, draw.number(1, 3), draw.number(1, 3), depth)
    weight, bias = draw.integers(weight_type(dtype), columns, depth), draw.bias(columns)
    zero, weight_zero, out_zero = (draw.zero_point(one) for one in (dtype, weight.dtype, dtype))
    numbers = weight_zero, draw.number(2**30, 2**31 - 1), -draw.number(7, 11)
    same(driver, "quantized_linear.per_tensor", x, weight, bias, zero, *numbers, out_zero, None)
    tensors = [torch.tensor(one) for one in numbers]
    same(driver, "quantized_linear", x, weight, bias, zero, *tensors, out_zero, None)
    row = x[:1, :1]
    same(driver, "quantized_fully_connected.per_tensor", row, weight, bias, zero, *numbers, out_zero, None)
    for transposed in (False, True):
        y = draw.integers(dtype, 2, *((columns, depth) if transposed else (depth, columns)))
        left = draw.integers(dtype, 2, 3, depth)
        rest = draw.zero_point(dtype), None, *numbers[1:], out_zero, transposed
        same(driver, "quantized_matmul", left, zero, y, *rest)


def test_layers_of_one_type(driver):
    draw = Draw(0)
    for kind, dtype in operators.BYTES.items():
        x, weight, bias = draw.integers(dtype, 1, 4), draw.integers(dtype, 3, 4), draw.bias(3)
        three = f"asym{kind}xasym{kind}_asym{kind}"
        numbers = 3, 2, 2**30, -8, 1
        for name in (f"quantized_linear_{three}", f"quantized_fully_connected_{three}"):
            same(driver, f"{name}.per_tensor", x, weight, bias, *numbers, None)
        same(driver, f"quantized_matmul_{three}", x, 3, weight, 2, None, 2**30, -8, 1, True)
        same(driver, f"quantized_add_{three}.per_tensor", x, 0.1, 3, x, 0.2, 4, 0.3, 5)
        same(driver, f"quantized_relu_asym{kind}_asym{kind}.per_tensor", x, 3, 4, 2**30, 0)


def test_linear_layers_that_do_not_fit(driver):
    draw = Draw(0)
    x, weight, bias = draw.integers(torch.int8, 2, 4), draw.integers(torch.int8, 3, 4), draw.bias(3)
    like = torch.zeros(2, 3, dtype=torch.int8)
    name = "quantized_linear.per_tensor"
    refused(driver, name, x, weight[:, :3].contiguous(), bias, 0, 0, 2**30, 0, 0, None, like=like)
    refused(driver, name, x, weight, bias[:2], 0, 0, 2**30, 0, 0, None, like=like)
    refused(driver, name, x, weight, bias.float(), 0, 0, 2**30, 0, 0, None, like=like)
    refused(driver, name, x, weight.byte(), bias, 0, 0, 2**30, 0, 0, None, like=like)
    refused(driver, name, x, weight, bias, 128, 0, 2**30, 0, 0, None, like=like)
    refused(driver, name, x, weight, bias, 0, 0, 2**31, 0, 0, None, like=like)
    refused(driver, name, x, weight, bias, 0, 0, 2**30, 1000, 0, None, like=like)
    refused(driver, "quantized_matmul", x, 0, weight, 0, None, 2**30, 0, 0, False, like=like)
    refused(driver, "quantized_matmul", x, 0, weight, 0, bias, 2**30, 0, 0, True, like=like)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("depthwise", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_convolutions(driver, dtype, depthwise, seed):
    draw = Draw(seed)
    groups = draw.number(2, 4) if depthwise else draw.number(1, 2)
    inputs = groups * (1 if depthwise else draw.number(1, 3))
    outputs = groups * draw.number(1, 3)
    x = draw.integers(dtype, draw.number(1, 2), inputs, draw.number(4, 8), draw.number(4, 8))
    weight = draw.integers(
        weight_type(dtype), outputs, inputs // groups, draw.number(1, 3), draw.number(1, 3)
    )
    geometry = [[draw.number(low, 2) for _ in range(2)] for low in (1, 0, 1)]
    geometry[2] = [1, 1] if seed % 2 else geometry[2]
    head = draw.bias(outputs), *geometry, groups, draw.zero_point(dtype)
    numbers = draw.zero_point(weight.dtype), 0.0004 * draw.scale()
    rest = 0.05 * draw.scale(), draw.zero_point(dtype)
    ends = torch.tensor(0), torch.tensor(0)
    same(driver, "quantized_conv2d_nchw.per_tensor", x, weight, *head, *numbers, *rest, 0, 0)
    same(driver, "quantized_conv2d_nchw", x, weight, *head, *map(torch.tensor, numbers), *rest, *ends)
    x = x.permute(0, 2, 3, 1).contiguous()
    weight = (weight.squeeze(1).permute(1, 2, 0) if depthwise else weight.permute(0, 2, 3, 1)).contiguous()
    same(driver, "quantized_conv2d_nhwc.per_tensor", x, weight, *head, *numbers, *rest, 0, 0, None)
    same(driver, "quantized_conv2d_nhwc", x, weight, *head, *map(torch.tensor, numbers), *rest, *ends)
    if depthwise:
        same(driver, "quantized_conv2d_depthwise_nhwc", x, weight, *head, *numbers, *rest, 0, 0)
    if dtype in BYTES:
        kind = "s" if dtype == torch.int8 else "u"
        name = f"quantized_conv2d_nhwc_dilated_asym8{kind}xsym8{kind}_asym8{kind}.per_tensor"
        same(driver, name, x, weight, *head, *numbers, *rest, 0, 0)


@pytest.mark.parametrize("dtype", TYPES)
def test_convolutions_along_one_dimension(driver, dtype):
    draw = Draw(2)
    x, weight = draw.integers(dtype, 2, 4, 9), draw.integers(weight_type(dtype), 6, 2, 3)
    head = draw.bias(6), [2], [1], [2], 2, 3
    numbers = 2, 0.002, 0.1, 5, 0, 0
    same(driver, "quantized_conv1d_ncl.per_tensor", x, weight, *head, *numbers)
    last = x.mT.contiguous(), weight.mT.contiguous()
    same(driver, "quantized_conv1d_nlc.per_tensor", *last, *head, *numbers, None)
    # Of lists for images the last entries count.
    head = head[0], [1, 2], [0, 1], [1, 2], 2, 3
    same(driver, "quantized_conv2d_nchw.per_tensor", x, weight, *head, *numbers)


def test_convolutions_that_do_not_fit(driver):
    draw = Draw(0)
    x, weight = draw.integers(torch.int8, 1, 4, 5, 5), draw.integers(torch.int8, 6, 2, 3, 3)
    like = torch.zeros(1, 6, 3, 3, dtype=torch.int8)

    def call_with(stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=2, bias=6, out_scale=0.1):
        geometry = list(stride), list(padding), list(dilation), groups
        rest = 0, 0, 0.01, out_scale, 0, 0, 0
        name = "quantized_conv2d_nchw.per_tensor"
        return call(driver, name, x, weight, draw.bias(bias), *geometry, *rest, like=like).error

    assert call_with() == 0
    assert call_with(stride=(0, 1)) == INVALID
    assert call_with(stride=()) == INVALID
    assert call_with(padding=(-1, 0)) == INVALID
    assert call_with(padding=(2**62, 0)) == INVALID
    assert call_with(dilation=(2**62, 1)) == INVALID
    assert call_with(dilation=(3, 3)) == INVALID
    assert call_with(groups=0) == INVALID
    assert call_with(groups=3) == INVALID
    assert call_with(bias=5) == INVALID
    assert call_with(out_scale=-1.0) == INVALID


@pytest.mark.parametrize("dtype", BYTES)
@pytest.mark.parametrize("shapes", [((3, 4), (3, 4)), ((2, 3, 4), (4,)), ((2, 1, 4), (3, 1)), ((), (2, 2))])
def test_elementwise(driver, dtype, shapes):
    draw = Draw(3)
    x, y = (draw.integers(dtype, *shape) for shape in shapes)
    left, right = [(draw.scale(), draw.zero_point(dtype)) for _ in range(2)]
    out = 2 * draw.scale(), draw.zero_point(dtype)
    for name in ("quantized_add", "quantized_mul"):
        same(driver, f"{name}.per_tensor", x, *left, y, *right, *out)
        same(driver, name, x, *map(torch.tensor, left), y, *map(torch.tensor, right), *out)


@pytest.mark.parametrize("dtype", TYPES)
def test_with_a_number(driver, dtype):
    draw = Draw(3)
    x, quant = draw.integers(dtype, 3, 4), [torch.tensor(one) for one in (0.1, draw.zero_point(dtype))]
    for name in ("quantized_add_Scalar", "quantized_mul_Scalar"):
        for number in (2, -1.5):
            same(driver, name, x, *quant, number, 0.3, 5)
        refused(driver, name, x.int(), *quant, 2, 0.3, 5, like=x)
        refused(driver, name, x, *quant, 2, 0.0, 5, like=x)


@pytest.mark.parametrize("dtype", TYPES)
def test_activations(driver, dtype):
    draw = Draw(4)
    x, zero, out = draw.integers(dtype, 4, 5), draw.zero_point(dtype), draw.zero_point(dtype)
    same(driver, "quantized_relu.per_tensor", x, zero, out, 1503238553, 1)
    numbers = torch.tensor(1503238553), torch.tensor(-1)
    same(driver, "quantized_relu", x, torch.tensor([zero]), out, *numbers)


@pytest.mark.parametrize("dtype", BYTES)
def test_layer_norms(driver, dtype):
    draw = Draw(5)
    x, quant = draw.integers(dtype, 3, 4, 5), (0.1031, draw.zero_point(dtype))
    weight, bias = draw.floats(4, 5), draw.floats(4, 5)
    nearly(driver, "quantized_layer_norm.per_tensor", x, *quant, [4, 5], weight, bias, 1e-5, 0.0217, 3)
    quant = [torch.tensor(one) for one in quant]
    nearly(driver, "quantized_layer_norm", x, *quant, [5], weight[0], bias[0], 1e-5, 0.0217, 3)
    rest = 1e-5, 0.1, 0
    name = "quantized_layer_norm.per_tensor"
    refused(driver, name, x, 0.1, 0, [4], weight[0, :4], bias[0, :4], *rest, like=x)
    refused(driver, name, x, 0.1, 0, [5], weight, bias, *rest, like=x)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_softmax(driver, dtype, dim):
    draw = Draw(6)
    x = draw.integers(dtype, 3, 4, 5)
    nothing = torch.zeros(3, 4, 0, dtype=torch.int32), torch.zeros(1, dtype=torch.int64)
    zero = torch.iinfo(dtype).min
    quants = 0.0031 if dtype == torch.int16 else 0.05, 3, 1 / 255, zero
    nearly(driver, "quantized_softmax.per_tensor", x, nothing[0], dim, 0, nothing[1], *quants)
    tensors = [torch.tensor(one) for one in quants]
    nearly(driver, "quantized_softmax", x, nothing[0], dim, 0, nothing[1], *tensors)
    name = "quantized_softmax.per_tensor"
    refused(driver, name, x, nothing[0], dim, 1, nothing[1], *quants, like=x)
    refused(driver, name, x, nothing[0], 3, 0, nothing[1], *quants, like=x)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_softmax_of_floats(driver, dim):
    x = 20 * Draw(6).floats(3, 4, 5)
    same(driver, "_softmax_f32_f32", x, dim, tolerance=1e-6)
    same(driver, "_softmax_f32_f32", x, dim, False, tolerance=1e-6)
    refused(driver, "_softmax_f32_f32", x, dim, True, like=x)
    refused(driver, "_softmax_f32_f32", x, 3, like=x)
    refused(driver, "_softmax_f32_f32", x.double(), dim, like=x)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("ceil_mode", [False, True])
def test_pools(driver, dtype, ceil_mode):
    draw = Draw(7)
    x = draw.integers(dtype, 2, 3, 7, 8)
    last = x.permute(0, 2, 3, 1).contiguous()
    geometry = [3, 2], [2, 3], [1, 1]
    same(driver, "quantized_max_pool2d_nchw", x, *geometry, [1, 2], ceil_mode)
    same(driver, "quantized_max_pool2d_nhwc", last, *geometry, [1, 2], ceil_mode)
    zero = torch.tensor([3], dtype=torch.int32)
    for count in (False, True):
        same(driver, "avg_pool2d", x, *geometry, ceil_mode, count, None, zero, False)
        same(driver, "avg_pool2d", last, *geometry, ceil_mode, count, None, zero, True)
        floats = draw.floats(2, 3, 7, 8)
        same(driver, "avg_pool2d", floats, *geometry, ceil_mode, count, 5, None, False, tolerance=1e-6)
    name = "quantized_max_pool2d_nchw"
    refused(driver, name, x, [2, 2], [1, 1], [2, 2], [1, 1], False, like=x)


@pytest.mark.parametrize("dtype", [*TYPES, torch.int32, torch.float32])
def test_windows_as_rows(driver, dtype):
    draw = Draw(8)
    x = draw.floats(2, 3, 7, 8) if dtype == torch.float32 else draw.integers(dtype, 2, 3, 7, 8)
    windows = [3, 2], [1, 2], [1, 1], [2, 1]
    same(driver, "im2row.per_tensor", x, *windows, 5, False)
    same(driver, "im2row.per_tensor", x.permute(0, 2, 3, 1).contiguous(), *windows, 5, True)
    same(driver, "im2row", x, *windows, torch.tensor([5], dtype=torch.int32), False)
    same(driver, "im2row", x, *windows, torch.tensor([5, 7], dtype=torch.int32), False)
    line = x[:, :, 0].contiguous()
    same(driver, "im2row.per_tensor", line, [1, 3], [1, 2], [0, 1], [1, 2], 5, False)
    refused(driver, "im2row.per_tensor", x, [2**40, 2**40], *windows[1:], 0, False, like=x)


@pytest.mark.parametrize("dtype", [*TYPES, torch.float32])
@pytest.mark.parametrize("seed", SEEDS)
def test_windows_of_transposed_convolutions_as_rows(driver, dtype, seed):
    draw = Draw(seed)
    x = draw.floats(2, 3, 5, 6) if dtype == torch.float32 else draw.integers(dtype, 2, 3, 5, 6)
    kernel, dilation, stride = ([draw.number(1, 3) for _ in range(2)] for _ in range(3))
    # Some of the paddings cut rows off.
    padding, more = ([draw.number(0, 2) for _ in range(2)] for _ in range(2))
    windows = kernel, dilation, padding, stride, more
    last = x.permute(0, 2, 3, 1).contiguous()
    for zero in (torch.tensor([5], dtype=torch.int32), torch.tensor([5, 7], dtype=torch.int32)):
        same(driver, "transposed_im2row", x, *windows, zero, False)
        same(driver, "transposed_im2row", last, *windows, zero, True)
    huge = [2**40, 2**40]
    refused(driver, "transposed_im2row", x, huge, *windows[1:], zero, False, like=x)
    refused(driver, "transposed_im2row", x, kernel, dilation, [9, 9], *windows[3:], zero, False, like=x)


@pytest.mark.parametrize("dtype", [*TYPES, torch.float32, torch.int64])
def test_transfers_copy(driver, dtype):
    x = (torch.arange(24) - 5).reshape(2, 3, 4).to(dtype)
    for name in ("idma_copy", "idma_load", "idma_store"):
        same(driver, name, x, 1, 2)
    same(driver, "idma_wait", x, 1)
    refused(driver, "idma_copy", x, 0, 0, like=torch.zeros(2, 3, 4, dtype=torch.bool))


def test_rotations(driver):
    draw = Draw(13)
    angle = draw.floats(9, 4)
    table = angle.sin().contiguous(), angle.cos().contiguous()
    x = draw.floats(1, 5, 2, 8)
    at = torch.tensor([8, 0, 3, 3, 1])
    for name in ("rope", "rope_rotate_stacked_halves"):
        same(driver, name, x, *table, at, tolerance=1e-6)
        same(driver, name, x, *table, at.int(), tolerance=1e-6)
        same(driver, name, x, table[0][:5].contiguous(), table[1][:5].contiguous(), None, tolerance=1e-6)
        refused(driver, name, x, *table, at + 1, like=x)
        refused(driver, name, x, *table, at - 1, like=x)
        refused(driver, name, x, *table, at[:4], like=x)
        refused(driver, name, x, *table, None, like=x)
        refused(driver, name, x[..., :6].contiguous(), *table, at, like=x[..., :6].contiguous())
    for dtype in TYPES:
        integers, quants = draw.integers(dtype, 1, 5, 2, 8), (0.1013, 3, 0.1219, 7)
        nearly(driver, "quantized_rope_rotate_stacked_halves", integers, *table, at, *quants)


def test_masks_of_bits(driver):
    mask = Draw(14).floats(3, 2, 24)
    mask[0, 0, :3] = torch.tensor([0.5, float("nan"), float("-inf")])
    same(driver, "sdpa_bitwise_mask_gen", mask, 0.5)
    like = torch.zeros(3, 2, 1, dtype=torch.uint8)
    refused(driver, "sdpa_bitwise_mask_gen", mask[..., :12].contiguous(), 0.5, like=like)


def test_steps_of_grus(driver):
    draw = Draw(15)
    x, state = draw.floats(1, 1, 5), draw.floats(1, 8)
    weights = draw.integers(torch.int8, 24, 5), 0.01, draw.integers(torch.int8, 24, 8), 0.02
    biases = draw.integers(torch.int8, 24), 0.03, draw.integers(torch.int8, 24)
    made = same(driver, "quantized_w8a32_gru", x, state, *weights, *biases, tolerance=1e-5)
    assert made.shape == (2, 1, 1, 8)
    name = "quantized_w8a32_gru"
    refused(driver, name, x[..., :4].contiguous(), state, *weights, *biases, like=made)
    refused(driver, name, x, state[:, :4].contiguous(), *weights, *biases, like=made)
    refused(driver, name, x, state, *weights, biases[0][:3], *biases[1:], like=made)


def test_floating_point(driver):
    draw = Draw(9)
    x = draw.floats(2, 4, 6, 7)
    close = {"tolerance": 1e-5}
    same(driver, "conv2d", x, draw.floats(6, 2, 3, 2), draw.floats(6), [2, 1], [1, 0], [1, 2], 2, **close)
    same(driver, "conv1d", x[0], draw.floats(5, 6, 3), draw.floats(5), [2], [1], [1], 1, **close)
    volume = draw.floats(1, 2, 4, 5, 6)
    ones = [1, 1, 1]
    same(driver, "conv3d", volume, draw.floats(3, 2, 2, 2, 2), draw.floats(3), ones, ones, ones, 1, **close)
    row = draw.floats(1, 5)
    same(driver, "fully_connected", row, draw.floats(3, 5), draw.floats(3), **close)
    same(driver, "fully_connected", row, draw.floats(3, 5), None, **close)
    same(driver, "where_Scalar", x > 0, 1.5, -2.0)


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("groups", [1, 2])
def test_transposed_convolutions(driver, channels_last, groups):
    draw = Draw(10)
    x, weight, bias = draw.floats(2, 4, 5, 6), draw.floats(3, 4, 3, 2), draw.floats(3 * groups)
    if groups > 1:
        # In PyTorch the weight's channels are those of all groups.
        with pytest.raises(RuntimeError):
            torch.nn.functional.conv_transpose2d(x, weight.transpose(0, 1)[:2], bias, groups=groups)
    if channels_last:
        x, weight = x.permute(0, 2, 3, 1).contiguous(), weight.permute(0, 2, 3, 1).contiguous()
    rest = [2, 1], [1, 0], [1, 2], [1, 0], groups, channels_last
    same(driver, "transposed_convolution", x, weight, bias, *rest, tolerance=1e-5)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_quantized_transposed_convolutions(driver, dtype, channels_last, seed):
    draw = Draw(seed)
    groups = draw.number(1, 2)
    outputs, inputs = draw.number(1, 3), groups * draw.number(1, 3)
    sizes = [draw.number(3, 6) for _ in range(1 if seed == 0 else 2)]
    taps = [draw.number(1, 3) for _ in sizes]
    x = draw.integers(dtype, draw.number(1, 2), inputs, *sizes)
    weight = draw.integers(weight_type(dtype), outputs, inputs, *taps)
    if channels_last:
        x, weight = x.movedim(1, -1).contiguous(), weight.movedim(1, -1).contiguous()
    stride, dilation = ([draw.number(2, 3) for _ in sizes] for _ in range(2))
    padding, more = ([draw.number(0, 1) for _ in sizes] for _ in range(2))
    zero, weight_zero, out_zero = (draw.zero_point(one) for one in (dtype, weight.dtype, dtype))
    numbers = zero, torch.tensor(weight_zero), torch.tensor([0.0004 * draw.scale()])
    ends = 0.05 * draw.scale(), out_zero, torch.tensor(0), torch.tensor(0), channels_last
    rest = stride, padding, dilation, more, groups, *numbers, *ends
    name, bias = "quantized_transposed_conv", draw.bias(groups * outputs)
    made = same(driver, name, x, weight, bias, *rest)
    refused(driver, name, x, weight, bias.float(), *rest, like=made)
    refused(driver, name, x, weight.int(), bias, *rest, like=made)
    refused(driver, name, x, weight, torch.cat([bias, bias]), *rest, like=made)
    refused(driver, name, x, weight, bias, [0] * len(sizes), *rest[1:], like=made)


@pytest.mark.parametrize("shape", [(3, 3), (5, 2), (2, 5), (2, 3, 4)])
@pytest.mark.parametrize("full", [False, True])
def test_singular_values(driver, shape, full):
    a = Draw(16).floats(*shape)
    u, s, vh = OPS.linalg_svd(a, full)

    def decompose(*args, likes=(u, s, vh)):
        bound = bind(OPS.linalg_svd.default, args, {})
        return call_out(driver, OPS.linalg_svd.out, bound, [Out(one) for one in likes], temp_bytes=4096)

    outcome = decompose(a, full)
    assert outcome.error == 0
    left, values, right = outcome.outputs
    torch.testing.assert_close(values, s)
    n = s.shape[-1]
    torch.testing.assert_close(left[..., :n] * values.unsqueeze(-2) @ right[..., :n, :], a)
    for one in (left.mT @ left, right @ right.mT):
        torch.testing.assert_close(one, torch.eye(one.shape[-1]).expand_as(one), rtol=0, atol=1e-5)
    outcome = decompose(a, full, False, likes=OPS.linalg_svd(a, full, False))
    assert outcome.error == 0 and outcome.outputs[0].numel() == outcome.outputs[2].numel() == 0
    torch.testing.assert_close(outcome.outputs[1], s)
    assert decompose(a.int(), full).error == INVALID


def test_weights_of_bytes(driver):
    draw = Draw(11)
    close = {"tolerance": 1e-4}
    weight, bias = draw.integers(torch.int8, 5, 7), draw.integers(torch.int8, 7)
    same(driver, "quantized_w8a32_linear", draw.floats(2, 1, 5), weight, 0.01, bias, 0.02, **close)
    taps = draw.integers(torch.int8, 3, 7, 5)
    same(driver, "quantized_w8a32_conv", draw.floats(2, 9, 5), taps, 0.01, bias, 0.02, **close)


@pytest.mark.parametrize("dtype", BYTES)
def test_rows_of_bytes(driver, dtype):
    draw = Draw(12)
    table, at = draw.integers(dtype, 10, 6), torch.tensor([[1, 9, 3], [0, 1, 5]])
    scales, zeros = draw.floats(10, 2), draw.floats(10, 2)
    name = "quantized_embedding_byte"
    same(driver, name, table, scales, zeros, at, False, tolerance=1e-5)
    same(driver, name, table, scales[:, 0].contiguous(), None, at.int(), False, tolerance=1e-5)
    like = torch.zeros(1, 6)
    refused(driver, name, table, scales, zeros, torch.tensor([10]), False, like=like)
    refused(driver, name, table, scales, zeros, torch.tensor([-1]), False, like=like)
    refused(driver, name, table, scales, zeros, torch.tensor([1]), True, like=like)
