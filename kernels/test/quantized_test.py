"""The quantized kernels against PyTorch's reference implementations."""

from __future__ import annotations

import pytest
import torch
import torch.ao.quantization.fx._decomposed  # registers the reference operators

from executorch.dialects import bound_ops  # noqa: F401  (registers ours)
from executorch.kernels.test.op_driver import OpDriver, Out, driver_path
from executorch.kernels.test.oracle import assert_same

INVALID_ARGUMENT = 0x12

RANGES = {
    torch.uint8: (0, 255),
    torch.int8: (-128, 127),
    torch.int16: (-32768, 32767),
    torch.int32: (-(2**31), 2**31 - 1),
}
reference = torch.ops.quantized_decomposed


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def run(driver, name, args, outs, error=0):
    """Calls a kernel of `quantized_decomposed`; gives its outputs."""
    kinds = {float: "float", list: "List[int]"}
    typed = [(a, kinds.get(type(a), "any")) for a in (*args, *outs)]
    result = driver.call(f"quantized_decomposed::{name}", typed)
    assert result.error == error, f"{name} gave 0x{result.error:x}"
    return result.outputs


def sample(shape, seed=0, dtype=torch.float32):
    return (torch.randn(shape, generator=torch.Generator().manual_seed(seed)) * 3).to(dtype)


@pytest.mark.parametrize("source", [torch.float32, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("dtype", list(RANGES), ids=str)
def test_per_tensor(driver, dtype, source):
    low, high = RANGES[dtype]
    zero_point = 0 if dtype == torch.int32 else 3
    for shape in ((), (0, 3), (7,), (3, 700)):
        x = sample(shape, dtype=source)
        args = [x, 0.025, zero_point, low, high, dtype]
        expected = reference.quantize_per_tensor(*args)
        assert_same(run(driver, "quantize_per_tensor.out", args, [Out(like=expected)])[0], expected)
        tensors = [x, torch.tensor([0.025]), torch.tensor([zero_point]), low, high, dtype]
        expected = reference.quantize_per_tensor.tensor(*tensors)
        actual = run(driver, "quantize_per_tensor.Tensor_out", tensors, [Out(like=expected)])[0]
        # The scale is a float on one side and a double on the other.
        assert (actual.int() - expected.int()).abs().sum() <= 1
        back = reference.dequantize_per_tensor(expected, 0.025, zero_point, low, high, dtype)
        args = [expected, 0.025, zero_point, low, high, dtype, None]
        assert_same(run(driver, "dequantize_per_tensor.out", args, [Out(like=back)])[0], back)
        args = [expected, torch.tensor([0.025]), torch.tensor([zero_point]), low, high, dtype, None]
        assert_same(run(driver, "dequantize_per_tensor.Tensor_out", args, [Out(like=back)])[0], back)


def test_range_is_clamped(driver):
    x = torch.tensor([-1e9, -3.0, 0.0, 3.0, 1e9, float("inf"), -float("inf")])
    args = [x, 1.0, 0, -2, 2, torch.int8]
    actual = run(driver, "quantize_per_tensor.out", args, [Out(like=x.to(torch.int8))])[0]
    assert actual.tolist() == [-2, -2, 0, 2, 2, 2, -2]


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int32], ids=str)
def test_per_channel(driver, dtype):
    low, high = RANGES[dtype]
    for last in (False, True):
        x = sample((2, 3, 4, 5))
        x = x.contiguous(memory_format=torch.channels_last) if last else x
        for axis in (0, 1, 3):
            n = x.shape[axis]
            scales = torch.linspace(0.02, 0.5, n)
            zeros = torch.arange(n) if dtype != torch.int32 else torch.zeros(n, dtype=torch.int64)
            args = [x, scales, zeros, axis, low, high, dtype]
            # The reference gives results of permuted tensors; the values are what counts.
            expected = reference.quantize_per_channel(*args).contiguous()
            like = torch.empty_like(x, dtype=dtype)
            actual = run(driver, "quantize_per_channel.out", args, [Out(like=like)])[0]
            assert torch.equal(actual, expected)
            for zero_points in (zeros, None):
                given = torch.zeros_like(zeros) if zero_points is None else zeros
                back = (
                    expected.float() - given.view([-1 if d == axis else 1 for d in range(4)])
                ) * scales.view([-1 if d == axis else 1 for d in range(4)])
                args = [like.copy_(expected), scales, zero_points, axis, low, high, dtype, None]
                out = Out(like=torch.empty_like(x))
                assert_same(run(driver, "dequantize_per_channel.out", args, [out])[0], back)


def test_per_token_and_group(driver):
    x = sample((2, 5, 64))
    for choose in ("choose_qparams_per_token_asymmetric", "choose_qparams_per_token"):
        scales, zeros = getattr(reference, choose)(x, torch.int8)
        outs = [Out(like=scales), Out(like=zeros)]
        actual = run(driver, f"{choose}.out", [x, torch.int8], outs)
        assert_same(actual[0], scales, (1e-7, 1e-6))
        assert_same(actual[1], zeros)
    scales, zeros = reference.choose_qparams_per_token_asymmetric(x, torch.int8)
    args = [x, scales, zeros, -128, 127, torch.int8]
    expected = reference.quantize_per_token(*args)
    actual = run(driver, "quantize_per_token.out", args, [Out(like=expected)])[0]
    assert (actual.int() - expected.int()).abs().max() <= 1
    args = [expected, scales, zeros, -128, 127, torch.int8, torch.float32]
    back = reference.dequantize_per_token(*args)
    assert_same(run(driver, "dequantize_per_token.out", args, [Out(like=back)])[0], back.float())
    weight = sample((6, 64))
    scales, zeros = torch.rand(6, 4) + 0.1, torch.zeros(6, 4, dtype=torch.int32)
    args = [weight, scales, zeros, -8, 7, torch.int8, 16]
    expected = reference.quantize_per_channel_group(*args)
    assert_same(run(driver, "quantize_per_channel_group.out", args, [Out(like=expected)])[0], expected)
    args = [expected, scales, zeros, -8, 7, torch.int8, 16, torch.float32]
    back = reference.dequantize_per_channel_group(*args)
    assert_same(run(driver, "dequantize_per_channel_group.out", args, [Out(like=back)])[0], back)


@pytest.mark.parametrize("scale", [1.0, 0.0, -1.0])
def test_choose_parameters(driver, scale):
    x = sample((3, 700)) * scale + 1.5 * scale
    for dtype in (torch.uint8, torch.int8):
        low, high = RANGES[dtype]
        args = [x, low, high, 1e-6, dtype]
        for name in ("choose_qparams", "choose_qparams_symmetric"):
            expected = getattr(reference, name).tensor(*args)
            outs = [Out(like=t.to(torch.float64 if i == 0 else torch.int64)) for i, t in enumerate(expected)]
            actual = run(driver, f"{name}.Tensor_out", args, outs)
            assert_same(actual[0], expected[0].double(), (1e-8, 1e-5))
            assert_same(actual[1], expected[1].long())


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8], ids=str)
def test_add(driver, dtype):
    low, high = RANGES[dtype]
    a, b = (torch.randint(low, high + 1, (3, 700)).to(dtype) for _ in range(2))
    args = [a, 0.05, 3, low, high, b, 0.1, -2, low, high, 0.11, 5, low, high]
    total = (a.float() - 3) * 0.05 + (b.float() + 2) * 0.1
    for name, wanted in (("add.out", total), ("add_relu.out", total.relu())):
        expected = reference.quantize_per_tensor(wanted, 0.11, 5, low, high, dtype)
        actual = run(driver, name, args, [Out(like=expected)])[0]
        assert (actual.int() - expected.int()).abs().max() <= 1
        assert (actual != expected).float().mean() < 0.01


@pytest.fixture(scope="module", params=["op_driver", "op_driver_threads"])
def layers(request):
    """The plain loops, and the optimized library's with threads."""
    driver = OpDriver(driver_path(request.param))
    yield driver
    driver.close()


def integers(shape, dtype, seed):
    low, high = RANGES[dtype]
    return torch.randint(low, high + 1, shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def assert_one_step_at_most(actual, expected):
    """Sums of integers are exact; eager's of floats are not, so that some results lie on the other side of a half."""
    assert actual.shape == expected.shape
    distance = (actual.int() - expected.int()).abs()
    assert (distance <= 1).all()
    assert distance.sum() <= max(1, 0.01 * distance.numel())


def layer_arguments(x, weight, bias, per_channel, *geometry):
    channels = weight.shape[0]
    scales = 0.002 + 0.01 * torch.rand(channels if per_channel else 1)
    bias = torch.randn(channels) if bias else None
    low, high = RANGES[x.dtype]
    return [x, 0.04, 5, weight, scales, bias, *geometry, 0.31, 9, low + 3, high - 4]


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8], ids=str)
@pytest.mark.parametrize("per_channel", [True, False])
@pytest.mark.parametrize(
    "shape,outs", [((16,), 1), ((3, 700), 130), ((2, 5, 31), 7), ((9, 256), 64), ((0, 8), 3)]
)
def test_linear(layers, dtype, per_channel, shape, outs):
    weight = integers((outs, shape[-1]), torch.int8, 1)
    for bias in (True, False):
        args = layer_arguments(integers(shape, dtype, 2), weight, bias, per_channel)
        expected = reference.linear(*args)
        actual = run(layers, "linear.out", args, [Out(like=expected)])[0]
        assert_one_step_at_most(actual, expected)


CONVOLUTIONS = [
    # input, weight, stride, padding, dilation, groups
    ((2, 3, 9, 11), (8, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((1, 6, 8, 7), (210, 2, 3, 2), (2, 1), (0, 1), (1, 2), 3),
    ((1, 5, 6, 6), (10, 1, 3, 3), (1,), (1,), (1,), 5),
    ((1, 300, 2, 3), (4, 300, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    ((2, 4, 17), (6, 4, 5), (2,), (2,), (1,), 1),
    ((2, 3, 7, 150), (6, 1, 3, 5), (1, 2), (1, 9), (2, 1), 3),
    ((1, 2, 4, 5), (2, 1, 1, 2), (2, 7), (0, 3), (1, 1), 2),
]


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8], ids=str)
@pytest.mark.parametrize("case", CONVOLUTIONS, ids=str)
def test_convolution(layers, dtype, case):
    shape, weights, *geometry = case
    x, weight = integers(shape, dtype, 3), integers(weights, torch.int8, 4)
    for per_channel in (True, False):
        args = layer_arguments(x, weight, per_channel, per_channel, *map(list, geometry[:3]), geometry[3])
        expected = reference.convolution(*args)
        assert_one_step_at_most(run(layers, "convolution.out", args, [Out(like=expected)])[0], expected)
        if len(shape) == 4:
            args[0] = x.contiguous(memory_format=torch.channels_last)
            expected = expected.contiguous(memory_format=torch.channels_last)
            assert_one_step_at_most(run(layers, "convolution.out", args, [Out(like=expected)])[0], expected)


def test_layers_refuse(layers):
    weight = integers((4, 8), torch.int8, 1)
    good = layer_arguments(integers((2, 8), torch.int8, 2), weight, True, True)
    out = [Out(like=torch.zeros(2, 4, dtype=torch.int8))]
    for position, wrong in [
        (0, torch.zeros(2, 8)),  # not integers
        (0, torch.zeros(2, 7, dtype=torch.int8)),
        (2, 128),  # no int8
        (3, torch.zeros(4, 8, dtype=torch.uint8)),
        (4, torch.ones(3)),
        (5, torch.zeros(3)),
        (6, 0.0),
        (9, 128),
    ]:
        run(layers, "linear.out", [*good[:position], wrong, *good[position + 1 :]], out, INVALID_ARGUMENT)
    image = torch.zeros(1, 4, 5, 5, dtype=torch.int8)
    out = [Out(like=image)]
    kernel = torch.zeros(4, 4, 3, 3, dtype=torch.int8)
    for geometry in [
        ([0], [1], [1], 1),
        ([1], [-1], [1], 1),
        ([1], [1], [9], 1),
        ([1, 1, 1], [1], [1], 1),
        ([1], [1], [1], 3),
    ]:
        args = layer_arguments(image, kernel, True, True, *geometry)
        run(layers, "convolution.out", args, out, INVALID_ARGUMENT)


def pack(values, bits):
    """Integers as the packed embeddings store them."""
    unsigned = (values + (1 << (bits - 1))).to(torch.uint8)
    per_byte = 8 // bits
    parts = unsigned.reshape(values.shape[0], -1, per_byte)
    shifts = [4, 0] if bits == 4 else [0, 2, 4, 6]
    packed = torch.zeros(parts.shape[:2], dtype=torch.uint8)
    for i, shift in enumerate(shifts):
        packed |= parts[..., i] << shift
    return packed


@pytest.mark.parametrize("bits,name", [(8, "embedding_byte"), (4, "embedding_4bit"), (2, "embedding_2bit")])
@pytest.mark.parametrize("groups", [None, 1, 4])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
def test_embeddings(driver, bits, name, groups, dtype):
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    values = torch.randint(low, high + 1, (5, 32), generator=torch.Generator().manual_seed(bits))
    weight = values.to(torch.int8) if bits == 8 else pack(values, bits)
    shape = (5,) if groups is None else (5, groups)
    scales = (torch.rand(shape) + 0.1).to(dtype)
    indices = torch.tensor([[4, 0], [2, 2]])
    wide = (5, groups or 1, 32 // (groups or 1))
    for zeros in (None, torch.ones(shape).to(dtype)):
        given = torch.zeros(shape) if zeros is None else zeros.float()
        rows = (values.reshape(wide) - given.reshape(5, -1, 1)) * scales.float().reshape(5, -1, 1)
        expected = rows.reshape(5, 32)[indices].to(dtype)
        args = [weight, scales, zeros, low, high, indices]
        assert_same(run(driver, f"{name}.out", args, [Out(like=expected)])[0], expected)
        args.append(dtype)
        assert_same(run(driver, f"{name}.dtype_out", args, [Out(like=expected)])[0], expected)
    run(
        driver,
        f"{name}.out",
        [weight, scales, None, low, high, indices + 1],
        [Out(like=expected)],
        error=0x12,
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
def test_mixed_products(driver, dtype):
    x = sample((3, 40), dtype=dtype)
    weight = torch.randint(-128, 128, (40, 21), generator=torch.Generator().manual_seed(3)).to(torch.int8)
    scales = (torch.rand(40) * 0.02).to(dtype)
    expected = (x.float() @ (weight * scales.float()[:, None])).to(dtype)
    out = Out(like=expected)
    tolerance = (1e-4, 1e-5) if dtype == torch.float32 else (2e-2, 2e-3)
    assert_same(run(driver, "mixed_mm.out", [x, weight, scales, None], [out])[0], expected, tolerance)
    transposed = weight.t().contiguous()
    for groups in (None, 4):
        scales = (torch.rand(21) * 0.02 if groups is None else torch.rand(21, groups) * 0.02).to(dtype)
        full = scales.float().reshape(21, -1).repeat_interleave(40 // (groups or 1), 1)
        expected = (x.float() @ (transposed * full).t()).to(dtype)
        args = [x, transposed, scales, None, None]
        assert_same(run(driver, "mixed_linear.out", args, [Out(like=expected)])[0], expected, tolerance)
