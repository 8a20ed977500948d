"""The kernels give the integers of the operators' definition in Python, and refuse what does not fit: the loops of this library, and
those that a user's checkout of CMSIS-NN has, of which a small one stands in ``cmsis_nn``."""

from __future__ import annotations

import os
import pathlib
import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from executorch.backends.cortex_m.ops import operators
from executorch.backends.cortex_m.ops.arithmetic import quantize_multiplier
from executorch.backends.cortex_m.ops.softmax import softmax_parameters
from executorch.backends.cortex_m.passes.scratch_buffer_sizes import (
    batch_matmul_scratch,
    convolution_scratch,
    depthwise_scratch,
    wide_convolution_scratch,
)
from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import bind, call_out

INVALID = 0x12
OPS = torch.ops.cortex_m
HERE = pathlib.Path(__file__)
SEEDS = st.integers(0, 2**31 - 1)


@pytest.fixture(scope="module", params=["own", "cmsis_nn", "cmsis_nn with Helium"])
def driver(request, tmp_path_factory):
    has_library = request.param != "own"
    name = "op_driver_cortex_m_cmsis_nn" if has_library else "op_driver_cortex_m"
    notes = tmp_path_factory.mktemp("calls") / "calls"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CMSIS_NN_CALLS", str(notes))
        if "Helium" in request.param:
            patch.setenv("CMSIS_NN_HELIUM", "1")
        # It starts with its first call.
        driver = OpDriver(pathlib.Path(os.environ.get(f"ET_{name.upper()}", HERE.with_name(name))))
        driver.notes, driver.has_library = notes, has_library
        yield driver
        driver.close()


def call(driver, name, *args, like=None, temp_bytes=0):
    op = getattr(OPS, name)
    like = op.default(*args) if like is None else like
    return call_out(driver, op.out, bind(op.default, args, {}), [Out(like)], temp_bytes=temp_bytes)


def same(driver, name, *args, **options):
    """Requires the integers of the definition."""
    # What a library asks for is not known ahead of time.
    outcome = call(driver, name, *args, temp_bytes=driver.has_library << 16, **options)
    assert outcome.error == 0
    torch.testing.assert_close(outcome.outputs[0], getattr(OPS, name).default(*args), rtol=0, atol=0)


class Draw:
    """Arguments by a seed."""

    def __init__(self, seed: int) -> None:
        self.generator = torch.Generator().manual_seed(seed)

    def number(self, low: int, high: int) -> int:
        return int(torch.randint(low, high + 1, (), generator=self.generator))

    def integers(self, *shape: int) -> torch.Tensor:
        return torch.randint(-128, 128, shape, generator=self.generator).to(torch.int8)

    def wide(self, *shape: int) -> torch.Tensor:
        return torch.randint(-32768, 32768, shape, generator=self.generator).to(torch.int16)

    def bias(self, n: int) -> torch.Tensor | None:
        values = torch.randint(-20000, 20000, (n,), generator=self.generator).to(torch.int32)
        return values if self.number(0, 3) else None

    def factors(self, n: int, depth: int) -> tuple[torch.Tensor, ...]:
        """So that most results are in the range; the first one is above 1."""
        reals = (torch.rand(n, generator=self.generator) + 0.05) / (40 * depth**0.5)
        reals[0] = 1.3
        pairs = [quantize_multiplier(float(real)) for real in reals]
        return tuple(torch.tensor(part, dtype=torch.int32) for part in zip(*pairs, strict=True))

    def limits(self) -> tuple[int, int]:
        low = self.number(-128, 0)
        return low, self.number(low, 127)


def room(size):
    return torch.zeros(size, dtype=torch.uint8)


def last(tensor):
    return tensor.contiguous(memory_format=torch.channels_last)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_convolutions(driver, seed):
    draw = Draw(seed)
    inputs, outputs = draw.number(1, 21), draw.number(1, 9)
    kernel = [draw.number(1, 3), draw.number(1, 4)]
    stride, padding = [draw.number(1, 2), draw.number(1, 3)], [draw.number(0, 2), draw.number(0, 2)]
    dilation = [draw.number(1, 2), draw.number(1, 2)]
    reach = [(size - 1) * step + 1 for size, step in zip(kernel, dilation, strict=True)]
    size = [draw.number(one, one + 6) for one in reach]
    image = draw.integers(draw.number(1, 2), *size, inputs)
    depth = kernel[0] * kernel[1] * inputs
    weight = draw.integers(outputs, *kernel, inputs)
    tail = (draw.number(-127, 128), draw.number(-128, 127), *draw.factors(outputs, depth), *draw.limits())
    geometry = (weight, draw.bias(outputs), stride, padding, dilation)
    scratch = room(convolution_scratch(outputs, depth))
    same(driver, "quantized_conv2d_nhwc", image, *geometry, *tail, scratch)
    same(driver, "quantized_conv2d", last(image.permute(0, 3, 1, 2)), *geometry, *tail, scratch)
    extra = [draw.number(0, stride[0] - 1), draw.number(0, stride[1] - 1)]
    if any(
        (one - 1) * step - 2 * pad + far + more < 1
        for one, step, pad, far, more in zip(size, stride, padding, reach, extra, strict=True)
    ):
        return
    spread = (weight, draw.bias(outputs), stride, padding, extra, dilation)
    same(driver, "quantized_transpose_conv2d_nhwc", image, *spread, *tail, scratch, room(0))


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_convolutions_in_groups(driver, seed):
    draw = Draw(seed)
    groups, each, outputs = draw.number(2, 4), draw.number(1, 9), draw.number(1, 6)
    kernel = [draw.number(1, 3), draw.number(1, 3)]
    padding, dilation = [draw.number(0, 2), draw.number(0, 2)], [draw.number(1, 2), draw.number(1, 2)]
    size = [(one - 1) * step + draw.number(1, 5) for one, step in zip(kernel, dilation, strict=True)]
    image = draw.integers(draw.number(1, 2), *size, groups * each)
    depth, channels = kernel[0] * kernel[1] * each, groups * outputs
    weight = draw.integers(channels, *kernel, each)
    tail = (draw.number(-127, 128), draw.number(-128, 127), *draw.factors(channels, depth), *draw.limits())
    geometry = (weight, draw.bias(channels), [draw.number(1, 2), draw.number(1, 2)], padding, dilation)
    scratch = room(convolution_scratch(channels, depth))
    same(driver, "quantized_conv2d_nhwc", image, *geometry, *tail, scratch)
    same(driver, "quantized_conv2d", last(image.permute(0, 3, 1, 2)), *geometry, *tail, scratch)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_depthwise_convolutions(driver, seed):
    draw = Draw(seed)
    inputs, multiplier = draw.number(1, 21), draw.number(1, 4) // 3 + 1
    kernel = [draw.number(1, 3), draw.number(1, 4)]
    stride, padding = [draw.number(1, 2), draw.number(1, 2)], [draw.number(0, 2), draw.number(0, 2)]
    image = draw.integers(
        draw.number(1, 2), kernel[0] + draw.number(0, 5), kernel[1] + draw.number(0, 5), inputs
    )
    outputs = inputs * multiplier
    taps = kernel[0] * kernel[1]
    args = (
        draw.integers(1, *kernel, outputs),
        draw.bias(outputs),
        stride,
        padding,
        [1, 1],
        multiplier,
        draw.number(-127, 128),
        draw.number(-128, 127),
        *draw.factors(outputs, taps),
        *draw.limits(),
        room(depthwise_scratch(inputs, outputs, taps)),
    )
    same(driver, "quantized_depthwise_conv2d_nhwc", image, *args)
    same(driver, "quantized_depthwise_conv2d", last(image.permute(0, 3, 1, 2)), *args)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_products_of_matrices(driver, seed):
    draw = Draw(seed)
    rows, depth, outputs = draw.number(1, 5), draw.number(1, 70), draw.number(1, 37)
    offset = draw.number(-127, 128)
    weight, bias = draw.integers(outputs, depth), draw.bias(outputs)
    multipliers, shifts = (part.tolist() for part in draw.factors(outputs, depth))
    if draw.number(0, 1):
        multipliers, shifts = multipliers[-1:], shifts[-1:]
    low, high = draw.limits()
    tail = (offset, 0, draw.number(-128, 127), multipliers, shifts, high, low)
    same(driver, "quantized_linear", draw.integers(2, rows, depth), weight, bias, None, *tail)
    sums = (weight.sum(1, dtype=torch.int32) * offset).reshape(1, -1)
    same(driver, "quantized_linear", draw.integers(rows, depth), weight, bias, sums, *tail)
    factor = quantize_multiplier(1 / (60 * depth**0.5))
    left, right = draw.integers(2, rows, depth), draw.integers(2, outputs, depth)
    args = (left, offset, right, draw.number(-127, 128), draw.number(-128, 127), *factor)
    same(driver, "quantized_batch_matmul", *args, room(batch_matmul_scratch(outputs)))


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_elements(driver, seed):
    draw = Draw(seed)
    shape = [draw.number(1, 3) for _ in range(draw.number(1, 4))] + [draw.number(1, 19)]
    first = draw.integers(*shape)
    second = (
        draw.integers(*(size if draw.number(0, 3) else 1 for size in shape))
        if draw.number(0, 1)
        else draw.integers(*shape)
    )
    half, other = quantize_multiplier(0.5), quantize_multiplier((draw.number(0, 1) * 2 - 1) * 0.37)
    factor = quantize_multiplier((draw.number(50, 400) / 100) / (1 << 20))
    zero = draw.number(-128, 127)
    sums = (first, zero, *half, second, -zero // 2, *other, draw.number(-128, 127), *factor, *draw.limits())
    same(driver, "quantized_add", *sums)
    product = (first, zero, second, -zero // 2, draw.number(-128, 127), *quantize_multiplier(0.0071))
    same(driver, "quantized_mul", *product)
    same(driver, "minimum", first, second)
    same(driver, "maximum", first, second)
    same(driver, "quantized_activation", first, draw.integers(256))
    order = torch.randperm(len(shape), generator=draw.generator).tolist()
    same(driver, "transpose", first, order)
    pads = [draw.number(0, 2) * (place >= 4 - len(shape)) for place in range(4)]
    if len(shape) <= 4:
        same(driver, "pad", first, pads, [*pads[:3], 1], zero)
    real = torch.randn(shape, generator=draw.generator) * 3
    same(driver, "quantize_per_tensor", real, 0.0213, zero, -128, 127, torch.int8)
    same(driver, "dequantize_per_tensor", first, 0.0213, zero, -128, 127, torch.int8)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_quotients(driver, seed):
    draw = Draw(seed)
    shape = [draw.number(1, 3), draw.number(1, 19)]
    zeros = [draw.number(-128, 127) for _ in range(3)]
    scale = 10.0 ** draw.number(-2, 4)
    first, second = draw.integers(*shape), draw.integers(*shape)
    second[0, 0] = zeros[1]  # No quotient.
    same(driver, "quantized_div", first, zeros[0], second, zeros[1], zeros[2], scale)
    same(driver, "quantized_div", draw.wide(*shape), 0, draw.wide(*shape) // 1000, 0, 0, scale)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_elements_of_int16(driver, seed):
    draw = Draw(seed)
    shape = [draw.number(1, 3), draw.number(1, 3), draw.number(1, 19)]
    first = draw.wide(*shape)
    second = draw.wide(*(size if draw.number(0, 3) else 1 for size in shape))
    half, other = quantize_multiplier(0.5), quantize_multiplier((draw.number(0, 1) * 2 - 1) * 0.37)
    factor = quantize_multiplier((draw.number(50, 400) / 100) / (1 << 15))
    low = draw.number(-32768, 0)
    sums = (first, 0, *half, second, 0, *other, 0, *factor, low, draw.number(low, 32767))
    same(driver, "quantized_add", *sums)
    same(driver, "quantized_mul", first, 0, second, 0, 0, *quantize_multiplier(0.000031))
    same(driver, "minimum", first, second)
    same(driver, "maximum", first, second)
    real = torch.randn(shape, generator=draw.generator) * 3
    bounds = (0, -32767, 32767, torch.int16)
    same(driver, "quantize_per_tensor", real, 0.000131, *bounds)
    same(driver, "dequantize_per_tensor", first, 0.000131, *bounds)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_layers_of_int16(driver, seed):
    draw = Draw(seed)
    groups, each, outputs = draw.number(1, 3), draw.number(1, 9), draw.number(1, 6)
    kernel = [draw.number(1, 3), draw.number(1, 3)]
    geometry = [[draw.number(1, 2), draw.number(1, 2)], [draw.number(0, 2), draw.number(0, 2)]]
    dilation = [draw.number(1, 2), draw.number(1, 2)]
    size = [(one - 1) * step + draw.number(1, 5) for one, step in zip(kernel, dilation, strict=True)]
    image = draw.wide(draw.number(1, 2), *size, groups * each)
    depth, channels = kernel[0] * kernel[1] * each, groups * outputs
    weight, low = draw.integers(channels, *kernel, each), draw.number(-32768, 0)
    tail = (*draw.factors(channels, depth), low, draw.number(low, 32767))
    args = (weight, draw.bias(channels), *geometry, dilation, *tail, room(wide_convolution_scratch(depth)))
    same(driver, "quantized_conv2d_int16_nhwc", image, *args)
    same(driver, "quantized_conv2d_int16", last(image.permute(0, 3, 1, 2)), *args)
    # Sums of more than 32 bits, and a depth of more than one block.
    depth = draw.number(1, 2000)
    rows, weight = draw.wide(2, draw.number(1, 3), depth), draw.integers(channels, depth)
    if draw.number(0, 1):
        rows, weight = torch.full_like(rows, -32768), torch.full_like(weight, -128)
    same(driver, "quantized_linear_int16", rows, weight, draw.bias(channels), *tail)


WIDE, NARROW = torch.ones(2, dtype=torch.int16), torch.ones(2, dtype=torch.int8)
FACTOR = (1 << 30, 0)
ONES = (torch.ones(1, dtype=torch.int32), torch.ones(1, dtype=torch.int32))


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("quantized_mul", (WIDE, 3, WIDE, 0, 0, *FACTOR)),
        ("quantized_mul", (WIDE, 0, NARROW, 0, 0, *FACTOR)),
        ("quantized_add", (WIDE, 0, *FACTOR, WIDE, 0, *FACTOR, 1, *FACTOR, -5, 5)),
        ("quantized_div", (WIDE, 0, NARROW, 0, 0, 1.0)),
        ("quantized_div", (NARROW, 0, NARROW, 0, 0, float("inf"))),
        ("quantized_div", (NARROW, 0, NARROW, 0, 0, 1e300)),
        ("quantized_div", (NARROW, 0, NARROW[:1], 0, 0, 1.0)),
        ("minimum", (WIDE, NARROW)),
        ("quantized_linear_int16", (NARROW, NARROW[None], None, *ONES, -5, 5)),
        ("quantized_linear_int16", (WIDE, WIDE[None], None, *ONES, -5, 5)),
        ("quantized_linear_int16", (WIDE, NARROW[None], None, *ONES, -5, 40000)),
        ("quantized_linear_int16", (WIDE, NARROW[None], None, ONES[0], ONES[0] * 15, -5, 5)),
        ("quantize_per_tensor", (torch.ones(2), 0.1, 0, -128, 127, torch.int16)),
        ("dequantize_per_tensor", (WIDE, 0.1, 0, -128, 127, torch.int8)),
    ],
)
def test_integers_of_several_types_are_refused(driver, name, args):
    # The program's output is of the type of the first operand, or of int8 where that is real.
    like = (
        args[0].float()
        if name.startswith("dequantize")
        else args[0].to(torch.int8)
        if args[0].is_floating_point()
        else args[0]
    )
    assert call(driver, name, *args, like=like).error == INVALID


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_softmax(driver, seed):
    draw = Draw(seed)
    values = draw.integers(draw.number(1, 3), draw.number(1, 40))
    scale = 2.0 ** draw.number(-9, 1) * 0.83
    found = OPS.softmax(values, -1, 0, -128, *softmax_parameters(scale))
    outcome = call(driver, "softmax", values, -1, 0, -128, *softmax_parameters(scale))
    assert outcome.error == 0
    # The small library's is in floating point.
    assert (outcome.outputs[0].int() - found.int()).abs().max() <= driver.has_library
    # What the integers mean, rounded; exponentials are exact to more bits than results have.
    real = ((values.double() * scale).softmax(-1) * 256 - 128).round().clamp(-128, 127)
    assert (found - real).abs().max() <= 1


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_pools(driver, seed):
    draw = Draw(seed)
    kernel = [draw.number(1, 3), draw.number(1, 4)]
    stride = [draw.number(1, 3), draw.number(1, 3)]
    padding = [draw.number(0, size // 2) for size in kernel]
    ceil_mode = bool(draw.number(0, 1))
    image = draw.integers(2, kernel[0] + draw.number(0, 6), kernel[1] + draw.number(0, 6), draw.number(1, 35))
    zero = draw.number(-128, 127)
    most = (kernel, stride, padding, [1, 1], ceil_mode, zero, zero, *draw.limits())
    mean = (kernel, stride, padding, ceil_mode, zero, 1 << 30, 1, room(0))
    for name, args in (("max", most), ("avg", mean)):
        same(driver, f"quantized_{name}_pool2d_nhwc", image, *args)
        same(driver, f"quantized_{name}_pool2d", last(image.permute(0, 3, 1, 2)), *args)


@pytest.mark.parametrize(
    ("function", "name", "args"),
    [
        ("arm_convolve_wrapper_s8", "quantized_conv2d_nhwc", lambda: a_convolution()),
        (
            "arm_depthwise_conv_wrapper_s8",
            "quantized_depthwise_conv2d_nhwc",
            lambda: a_depthwise_convolution(),
        ),
        ("arm_fully_connected_s8", "quantized_linear", lambda: a_linear([1 << 30], [-7])),
        (None, "quantized_linear", lambda: a_linear([1 << 30] * 3, [-7] * 3)),
        ("arm_max_pool_s8", "quantized_max_pool2d_nhwc", lambda: a_pool([1, 1], False, 0, 0, -128, 127)),
        (None, "quantized_max_pool2d_nhwc", lambda: a_pool([2, 1], False, 0, 0, -128, 127)),
        ("arm_avgpool_s8", "quantized_avg_pool2d_nhwc", lambda: a_pool(False, 0, 1 << 30, 1, room(0))),
        (
            "arm_softmax_s8",
            "softmax",
            lambda: [Draw(0).integers(3, 7), -1, 0, -128, *softmax_parameters(0.1)],
        ),
    ],
)
def test_a_library_is_asked_first(driver, function, name, args):
    """One note for each call; none where it has nothing for the arguments, or there is no library."""
    driver.notes.unlink(missing_ok=True)
    assert call(driver, name, *args(), temp_bytes=1 << 16).error == 0
    notes = driver.notes.read_text().split() if driver.notes.exists() else []
    assert set(notes) == ({function} if driver.has_library and function else set())


def a_pool(*rest):
    return [Draw(0).integers(2, 4, 5, 3), [2, 2], [1, 1], [1, 0], *rest]


def a_linear(multipliers, shifts):
    draw = Draw(0)
    return [draw.integers(2, 5), draw.integers(3, 5), None, None, 3, 0, -4, multipliers, shifts, 127, -128]


def a_depthwise_convolution():
    draw = Draw(0)
    factors = (torch.full((3,), 1 << 30, dtype=torch.int32), torch.full((3,), -7, dtype=torch.int32))
    geometry = ([1, 1], [0, 0], [1, 1], 1)
    bias = torch.arange(3, dtype=torch.int32)
    scratch = room(depthwise_scratch(3, 3, 9))
    image, weight = draw.integers(1, 4, 4, 3), draw.integers(1, 3, 3, 3)
    return [image, weight, bias, *geometry, 3, 0, *factors, -128, 127, scratch]


def test_schemas_are_those_that_kernels_are_registered_for():
    text = HERE.parents[1].joinpath("ops/operators.yaml").read_text(encoding="utf-8")
    registered = set(re.findall(r"^- func: cortex_m::(.*)$", text, re.MULTILINE))
    assert registered == {operators.schema(name, out=True) for name in operators.FUNCTIONS}


def a_convolution(**changed):
    draw = Draw(0)
    args = {
        "input": draw.integers(1, 4, 4, 3),
        "weight": draw.integers(2, 3, 3, 3),
        "bias": draw.bias(2),
        "stride": [1, 1],
        "padding": [0, 0],
        "dilation": [1, 1],
        "input_offset": 3,
        "output_offset": 0,
        "multipliers": torch.tensor([1 << 30, 1 << 30], dtype=torch.int32),
        "shifts": torch.tensor([-7, -7], dtype=torch.int32),
        "low": -128,
        "high": 127,
        "scratch": room(convolution_scratch(2, 27)),
    }
    return list((args | changed).values())


def test_scratch_that_is_too_small_is_replaced_or_refused(driver):
    good = OPS.quantized_conv2d_nhwc(*a_convolution())
    small = a_convolution(scratch=room(8))
    assert call(driver, "quantized_conv2d_nhwc", *small, like=good).error != 0
    outcome = call(driver, "quantized_conv2d_nhwc", *small, like=good, temp_bytes=4096)
    assert outcome.error == 0
    assert torch.equal(outcome.outputs[0], good)


@pytest.mark.parametrize(
    "changed",
    [
        {"input": torch.zeros(1, 4, 4, 3)},
        {"input": Draw(0).integers(4, 4, 3)},
        {"weight": Draw(0).integers(2, 3, 3, 4)},
        {"weight": Draw(0).integers(2, 3, 3, 1)},
        {"weight": Draw(0).integers(2, 3, 3, 0)},
        {"bias": torch.zeros(3, dtype=torch.int32)},
        {"stride": [0, 1]},
        {"padding": [-1, 0]},
        {"input_offset": 400},
        {"output_offset": -300},
        {"multipliers": torch.tensor([1 << 30], dtype=torch.int32)},
        {"shifts": torch.tensor([-7, 40], dtype=torch.int32)},
        {"low": 5, "high": 4},
        {"high": 300},
    ],
)
def test_what_does_not_fit_is_refused(driver, changed):
    like = OPS.quantized_conv2d_nhwc(*a_convolution())
    assert call(driver, "quantized_conv2d_nhwc", *a_convolution(**changed), like=like).error == INVALID
