"""The definitions against floating point: quantized operators are PyTorch's on what the integers stand for."""

import pytest
import torch
from torch.nn import functional

from executorch.backends.cadence.ops import schemas
from executorch.backends.cadence.reference import operators

assert operators.LIBRARY
cadence = torch.ops.cadence
IN, WEIGHT, OUT = (0.1031, 3), (0.0217, 2), (0.2507, -7)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def integers(*shape, dtype=torch.int8, low=-100, high=100):
    return torch.randint(max(low, torch.iinfo(dtype).min), high, shape).to(dtype)


def floats(values, quant):
    return (values.double() - quant[1]) * quant[0]


def expected(values, quant, dtype=torch.int8):
    info = torch.iinfo(dtype)
    return (values / quant[0]).round().add(quant[1]).clamp(info.min, info.max).to(dtype)


def assert_within_one(made, values, quant):
    """Sums are of single precision: a value between two integers may be rounded to either."""
    wanted = expected(values, quant, made.dtype)
    assert made.shape == wanted.shape
    difference = (made.int() - wanted.int()).abs()
    assert difference.max() <= 1 and difference.float().mean() < 0.01


def test_every_operator_but_one_is_defined():
    assert set(schemas.ARGUMENTS) | set(schemas.OTHERS) == set(operators.FUNCTIONS) | {
        "roi_align_box_processor"
    }


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16])
@pytest.mark.parametrize("tensors", [False, True])
def test_linear(dtype, tensors):
    scale = IN[0] * WEIGHT[0] / OUT[0]
    mantissa, shift = torch.frexp(torch.tensor(scale, dtype=torch.float64))
    multiplier = round(mantissa.item() * 2**31)
    x, weight, bias = (
        integers(2, 3, 5, dtype=dtype),
        integers(4, 5, dtype=dtype),
        integers(4, dtype=torch.int32),
    )
    numbers = (WEIGHT[1], multiplier, int(shift))
    if tensors:
        made = cadence.quantized_linear(x, weight, bias, IN[1], *map(torch.tensor, numbers), OUT[1], None)
    else:
        made = cadence.quantized_linear.per_tensor(x, weight, bias, IN[1], *numbers, OUT[1], None)
    wanted = functional.linear(floats(x, IN), floats(weight, WEIGHT), bias.double() * IN[0] * WEIGHT[0])
    assert_within_one(made, wanted, OUT)
    if dtype == torch.int8 and not tensors:
        typed = cadence.quantized_linear_asym8sxasym8s_asym8s.per_tensor
        assert typed(x, weight, bias, IN[1], *numbers, OUT[1], None).equal(made)
        row = cadence.quantized_fully_connected.per_tensor(x[:1], weight, bias, IN[1], *numbers, OUT[1], None)
        assert row.equal(made[:1])
        y = weight.mT.expand(2, 5, 4)
        for transposed, one in ((False, y), (True, y.mT)):
            product = cadence.quantized_matmul(
                x, IN[1], one, WEIGHT[1], None, multiplier, int(shift), OUT[1], transposed
            )
            assert_within_one(product, floats(x, IN) @ floats(y, WEIGHT), OUT)


@pytest.mark.parametrize("depthwise", [False, True])
@pytest.mark.parametrize("tensors", [False, True])
def test_convolutions(depthwise, tensors):
    groups, inputs, outputs = (6, 6, 12) if depthwise else (2, 4, 6)
    x, weight = integers(2, inputs, 7, 8), integers(outputs, inputs // groups, 3, 2)
    bias = integers(outputs, dtype=torch.int32, low=-3000, high=3000)
    geometry = (2, 1), (1, 2), (1, 2), groups
    scale = IN[0] * WEIGHT[0]
    numbers = [WEIGHT[1], scale]
    rest = (OUT[0], OUT[1], *(map(torch.tensor, (0, 0)) if tensors else (0, 0)))
    first, last = cadence.quantized_conv2d_nchw, cadence.quantized_conv2d_nhwc
    if tensors:
        numbers = list(map(torch.tensor, numbers))
    else:
        first, last = first.per_tensor, last.per_tensor
    wanted = functional.conv2d(floats(x, IN), floats(weight, WEIGHT), bias.double() * scale, *geometry)
    made = first(x, weight, bias, *geometry, IN[1], *numbers, *rest)
    assert_within_one(made, wanted, OUT)
    weight = weight.squeeze(1).permute(1, 2, 0) if depthwise else weight.permute(0, 2, 3, 1)
    made_last = last(x.permute(0, 2, 3, 1), weight, bias, *geometry, IN[1], *numbers, *rest)
    assert made_last.permute(0, 3, 1, 2).equal(made) and made_last.is_contiguous()


def test_convolutions_along_one_dimension():
    x, weight, bias = integers(2, 4, 9), integers(6, 2, 3), integers(6, dtype=torch.int32)
    geometry = (2,), (1,), (2,), 2
    scale = IN[0] * WEIGHT[0]
    numbers = (IN[1], WEIGHT[1], scale, OUT[0], OUT[1], 0, 0)
    wanted = functional.conv1d(floats(x, IN), floats(weight, WEIGHT), bias.double() * scale, *geometry)
    made = cadence.quantized_conv1d_ncl.per_tensor(x, weight, bias, *geometry, *numbers)
    assert_within_one(made, wanted, OUT)
    made_last = cadence.quantized_conv1d_nlc.per_tensor(x.mT, weight.mT, bias, *geometry, *numbers)
    assert made_last.mT.equal(made)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8])
def test_elementwise(dtype):
    x, y = integers(4, 5, dtype=dtype), integers(5, dtype=dtype)
    left, right = floats(x, IN), floats(y, WEIGHT)
    assert_within_one(cadence.quantized_add.per_tensor(x, *IN, y, *WEIGHT, *OUT), left + right, OUT)
    assert_within_one(cadence.quantized_mul.per_tensor(x, *IN, y, *WEIGHT, *OUT), left * right, OUT)
    quants = [torch.tensor([one]) for one in (*IN, *WEIGHT)]
    assert_within_one(cadence.quantized_add(x, *quants[:2], y, *quants[2:], *OUT), left + right, OUT)
    assert_within_one(cadence.quantized_mul_Scalar(x, *quants[:2], 1.5, *OUT), left * 1.5, OUT)
    made = cadence.quantized_relu.per_tensor(x, IN[1], OUT[1], round(0.7 * 2**31), 0)
    assert_within_one(made, left.relu() / IN[0] * 0.7 * OUT[0], OUT)
    assert_within_one(cadence.requantize.per_tensor(x, *IN, *OUT, torch.int16), left, OUT)


def test_quantization():
    x = torch.tensor([0.05, 0.15, 0.25, -100.0])
    for name, dtype in (("8s", torch.int8), ("8u", torch.uint8), ("16s", torch.int16)):
        info = torch.iinfo(dtype)
        quantize = getattr(cadence, f"quantize_per_tensor_asym{name}")
        made = quantize(x, 0.1, 5, info.min, info.max, dtype)
        assert made.tolist() == [5, 7, 7, max(info.min, -995)]
        dequantize = getattr(cadence, f"dequantize_per_tensor_asym{name}")
        assert dequantize(made, 0.1, 5, info.min, info.max, dtype)[1].item() == pytest.approx(0.2)
    with pytest.raises(ValueError, match=r"int8\. Got torch\.uint8"):
        cadence.quantize_per_tensor_asym8s(x, 0.1, 0, 0, 255, torch.uint8)


def test_norms_and_softmax():
    x = integers(3, 4, 5)
    weight, bias = torch.randn(5), torch.randn(5)
    normed = functional.layer_norm(floats(x, IN), [5], weight.double(), bias.double())
    assert_within_one(
        cadence.quantized_layer_norm.per_tensor(x, *IN, [5], weight, bias, 1e-5, *OUT), normed, OUT
    )
    out = (1 / 256, -128)
    nothing = torch.zeros(1, dtype=torch.int64)
    mask = torch.zeros(3, 4, 0, dtype=torch.int32)
    made = cadence.quantized_softmax.per_tensor(x, mask, -1, 0, nothing, *IN, *out)
    assert_within_one(made, floats(x, IN).softmax(-1), out)
    with pytest.raises(ValueError, match="mask_type=0"):
        cadence.quantized_softmax.per_tensor(x, mask, -1, 1, nothing, *IN, *out)


def test_windows_as_rows_are_convolutions():
    x, weight = torch.randn(2, 3, 7, 8), torch.randn(4, 3, 3, 2)
    windows = [3, 2], [1, 2], [1, 1], [2, 1]
    rows = cadence.im2row.per_tensor(x, *windows, 0)
    wanted = functional.conv2d(x, weight, None, windows[3], windows[2], windows[1])
    assert torch.allclose((rows @ weight.flatten(1).mT).mT.reshape(wanted.shape), wanted, atol=1e-5)
    assert cadence.im2row.per_tensor(x.permute(0, 2, 3, 1), *windows, 0, True).equal(rows)
    padded = cadence.im2row(integers(1, 3, 7, 8), *windows, torch.tensor([5]))
    assert padded.dtype == torch.int8 and padded[0, 0, 0] == 5


@pytest.mark.parametrize("channels_last", [False, True])
def test_transposed_windows_are_transposed_convolutions(channels_last):
    x, weight = torch.randn(2, 3, 5, 6), torch.randn(3, 4, 3, 2)
    stride, padding, output_padding = [2, 1], [1, 0], [1, 0]
    wanted = functional.conv_transpose2d(x, weight, None, stride, padding, output_padding)
    ours = weight.transpose(0, 1).flip([2, 3])
    if channels_last:
        x, ours = x.permute(0, 2, 3, 1), ours.permute(0, 2, 3, 1)
    made = cadence.transposed_convolution(
        x, ours, torch.zeros(4), stride, padding, [1, 1], output_padding, 1, channels_last
    )
    nothing = torch.tensor([0])
    rows = cadence.transposed_im2row(
        x, [3, 2], [1, 1], padding, stride, output_padding, nothing, channels_last
    )
    product = (rows @ ours.flatten(1).mT).mT.reshape(wanted.shape)
    assert torch.allclose(made.permute(0, 3, 1, 2) if channels_last else made, wanted, atol=1e-5)
    assert torch.allclose(product, wanted, atol=1e-5)


def test_pools():
    x = integers(2, 3, 7, 8)
    geometry = [3, 2], [2, 1], [1, 0]
    wanted = functional.max_pool2d(x.float(), *geometry, [1, 2], True).to(torch.int8)
    assert cadence.quantized_max_pool2d_nchw(x, *geometry, [1, 2], True).equal(wanted)
    last = cadence.quantized_max_pool2d_nhwc(x.permute(0, 2, 3, 1), *geometry, [1, 2], True)
    assert last.permute(0, 3, 1, 2).equal(wanted)
    values = torch.randn(2, 3, 7, 8)
    assert torch.allclose(cadence.avg_pool2d(values, *geometry), functional.avg_pool2d(values, *geometry))
    zero = torch.tensor([IN[1]])
    odd = [3, 3], [2, 1], [1, 0]
    means = functional.avg_pool2d(floats(x, IN), *odd)
    assert_within_one(cadence.avg_pool2d(x, *odd, in_zero_point=zero), means, IN)


def test_rotations():
    x, angle = torch.randn(1, 5, 2, 8), torch.randn(9, 4)
    at = torch.tensor([3, 0, 1, 8, 4])
    turned = torch.view_as_complex(x.reshape(1, 5, 2, 4, 2)) * torch.polar(
        torch.ones(5, 1, 4), angle[at][:, None]
    )
    wanted = torch.view_as_real(turned)
    assert torch.allclose(cadence.rope(x, angle.sin(), angle.cos(), at), wanted.flatten(-2), atol=1e-6)
    halves = x.reshape(1, 5, 2, 4, 2).mT.flatten(-2)
    made = cadence.rope_rotate_stacked_halves(halves, angle.sin(), angle.cos(), at)
    assert torch.allclose(made, wanted.mT.flatten(-2), atol=1e-6)


def test_weights_of_bytes():
    weight, bias = integers(5, 7), integers(7)
    x = torch.randn(3, 1, 5)
    made = cadence.quantized_w8a32_linear(x, weight, 0.1, bias, 0.2)
    assert torch.allclose(made, functional.linear(x, weight.mT * 0.1, bias * 0.2), atol=1e-4)
    with pytest.raises(AssertionError, match="vector-matrix"):
        cadence.quantized_w8a32_linear(x.mT.mT.expand(3, 2, 5), weight, 0.1, bias, 0.2)
    gru = torch.nn.GRU(5, 4)
    weights = [integers(12, 5), integers(12, 4), integers(12), integers(12)]
    with torch.no_grad():
        for parameter, values, scale in zip(gru.parameters(), weights, (0.01, 0.02, 0.03, 0.03), strict=True):
            parameter.copy_(values * scale)
        x, hidden = torch.randn(1, 5), torch.randn(1, 4)
        _, state = gru(x, hidden)
    made = cadence.quantized_w8a32_gru(
        x, hidden, weights[0], 0.01, weights[1], 0.02, weights[2], 0.03, weights[3]
    )
    assert made.shape == (2, 1, 5, 4) and torch.allclose(made, state.expand(2, 1, 5, 4), atol=1e-5)


def test_rows_of_bytes():
    table, at = integers(10, 6), torch.tensor([[1, 9], [0, 1]])
    scales, zeros = torch.rand(10, 2), torch.rand(10, 2)
    values = ((table.reshape(10, 2, 3) - zeros[..., None]) * scales[..., None]).reshape(10, 6)
    assert torch.allclose(cadence.quantized_embedding_byte(table, scales, zeros, at), values[at])


def test_out_variants_write_what_they_are_given():
    x = torch.randn(2, 3)
    out = torch.empty(0, dtype=torch.int8)
    made = cadence.quantize_per_tensor.out(x, 0.1, 0, -128, 127, torch.int8, out=out)
    assert made is out and out.equal(cadence.quantize_per_tensor(x, 0.1, 0, -128, 127, torch.int8))


def test_other_operators():
    assert cadence.where_Scalar(torch.tensor([True, False]), 1.0, -1.0).tolist() == [1, -1]
    with pytest.raises(ValueError, match="bool"):
        cadence.where_Scalar(torch.tensor([1]), 1.0, 0.0)
    bits = cadence.sdpa_bitwise_mask_gen(torch.tensor([[0.0, 1, 1, 1, 1, 1, 1, 0]]), 0.5)
    assert bits.tolist() == [[0b10000001]]
    u, s, vh = cadence.linalg_svd(torch.randn(4, 3))
    assert u.shape == (4, 3) and s.shape == (3,) and vh.shape == (3, 3)
    values = torch.zeros(5)
    assert cadence.slice_scatter_(values, torch.ones(2), 0, 1, 5, 2) is not None
    assert values.tolist() == [0, 1, 0, 1, 0]
    assert cadence.idma_load(values).equal(values)
