"""Matrix products, convolution and pooling against eager."""

from __future__ import annotations

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from executorch.kernels.test.op_driver import OpDriver
from executorch.kernels.test.oracle import assert_same, bind, check, resolve, run_kernel
from executorch.kernels.test.samples import FLOATS, tensor

TOLERANCES = {
    torch.float32: (1e-4, 1e-5),
    torch.float16: (3e-2, 4e-3),
    torch.bfloat16: (2e-1, 2e-2),
}
WITH_INTS = (*FLOATS, torch.int64, torch.int32)


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def small(shape, dtype, seed=0, **options):
    """Values whose products do not grow beyond half precision."""
    return tensor(shape, dtype, low=-2, high=2, seed=seed, **options)


SIZES = [
    (1, 1, 1),
    (3, 5, 7),
    (1, 300, 33),
    (5, 1, 9),
    (4, 4, 0),
    (0, 3, 2),
    (130, 17, 300),
    (2, 9, 65),
    (9, 6, 520),
]


@pytest.mark.parametrize("dtype", WITH_INTS, ids=str)
def test_matrix_products(driver, dtype):
    tolerance = TOLERANCES.get(dtype)
    for m, n, k in SIZES:
        a, b = small((m, k), dtype), small((k, n), dtype, 1)
        check(driver, "mm", "mm.out", [a, b], tolerance=tolerance)
        check(
            driver,
            "bmm",
            "bmm.out",
            [small((3, m, k), dtype), small((3, k, n), dtype, 1)],
            tolerance=tolerance,
        )
        for addend in (small((m, n), dtype, 2), small((n,), dtype, 3), small((m, 1), dtype, 4)):
            check(driver, "addmm", "addmm.out", [addend, a, b], tolerance=tolerance)
            scales = {"beta": 2, "alpha": 3}
            check(driver, "addmm", "addmm.out", [addend, a, b], scales, tolerance)
        if dtype.is_floating_point:
            w = small((n, k), dtype, 5)
            for shape in ((m, k), (2, m, k), (k,)):
                x = small(shape, dtype)
                check(driver, "linear", "linear.out", [x, w], tolerance=tolerance)
                check(driver, "linear", "linear.out", [x, w, small((n,), dtype, 6)], tolerance=tolerance)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int32, torch.int64], ids=str)
def test_factors_of_integers_lose_their_fractions(driver, dtype):
    x = torch.tensor([[1, 2], [3, 1]]).to(dtype)
    for beta, alpha in ((0.5, 1.5), (2.7, 1.0), (2, 3.9), (0.9, 0.2)):
        check(driver, "addmm", "addmm.out", [x, x, x], {"beta": beta, "alpha": alpha})


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_linear_with_a_bias_of_one_element(driver, dtype):
    weight = tensor((4, 3), dtype, seed=1)
    for shape in ((3,), (2, 3), (2, 5, 3), (40, 3)):
        for bias in (tensor((1,), dtype, seed=2), tensor((4,), dtype, seed=3)):
            check(driver, "linear", "linear.out", [tensor(shape, dtype), weight, bias])


def test_addmm_with_beta_zero_ignores_nan(driver):
    addend = torch.full((2, 3), float("nan"))
    args = [addend, small((2, 4), torch.float32), small((4, 3), torch.float32)]
    check(driver, "addmm", "addmm.out", args, {"beta": 0})


CONVOLUTIONS = [
    # in, weight, stride, padding, dilation, transposed, output_padding, groups
    ((2, 3, 9, 11), (4, 3, 3, 3), [1, 1], [0, 0], [1, 1], False, [0, 0], 1),
    ((2, 3, 9, 11), (4, 3, 3, 3), [2, 1], [1, 2], [1, 2], False, [0, 0], 1),
    ((1, 40, 7, 7), (130, 40, 1, 1), [1, 1], [0, 0], [1, 1], False, [0, 0], 1),
    ((1, 40, 7, 7), (33, 40, 1, 1), [2, 2], [0, 0], [1, 1], False, [0, 0], 1),
    ((1, 40, 5, 6), (9, 40, 3, 3), [1, 1], [1, 1], [1, 1], False, [0, 0], 1),
    ((2, 6, 9, 8), (6, 1, 3, 3), [1, 1], [1, 1], [1, 1], False, [0, 0], 6),
    ((2, 6, 9, 8), (6, 1, 3, 3), [2, 2], [1, 1], [2, 1], False, [0, 0], 6),
    ((2, 6, 9, 8), (12, 1, 5, 3), [2, 1], [2, 0], [1, 1], False, [0, 0], 6),
    ((2, 6, 9, 8), (8, 3, 3, 3), [1, 1], [1, 1], [1, 1], False, [0, 0], 2),
    ((2, 6, 9, 8), (48, 1, 3, 3), [1, 1], [1, 1], [1, 1], False, [0, 0], 6),
    ((2, 3, 5, 4), (3, 4, 3, 3), [1, 1], [0, 0], [1, 1], True, [0, 0], 1),
    ((2, 4, 5, 4), (4, 3, 3, 2), [2, 3], [1, 0], [1, 2], True, [1, 1], 2),
    ((2, 4, 5, 4), (4, 1, 3, 3), [2, 2], [1, 1], [1, 1], True, [1, 1], 4),
    ((2, 3, 20), (4, 3, 5), [2], [3], [1], False, [0], 1),
    ((2, 4, 9), (4, 2, 3), [2], [1], [1], True, [1], 2),
    ((2, 3, 600), (2, 3, 3), [1], [1], [1], False, [0], 1),
    ((1, 2, 4, 5, 6), (3, 2, 3, 3, 3), [1, 1, 1], [1, 1, 1], [1, 1, 1], False, [0, 0, 0], 1),
    ((0, 3, 9, 11), (4, 3, 3, 3), [1, 1], [0, 0], [1, 1], False, [0, 0], 1),
]


LAYOUTS = [
    (i, last) for i, c in enumerate(CONVOLUTIONS) for last in (False, True) if not last or len(c[0]) == 4
]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("index,channels_last", LAYOUTS)
def test_convolution(driver, dtype, index, channels_last):
    in_shape, weight_shape, stride, padding, dilation, transposed, output_padding, groups = CONVOLUTIONS[
        index
    ]
    rest = [stride, padding, dilation, transposed, output_padding, groups]
    x = small(in_shape, dtype, channels_last=channels_last)
    channels = weight_shape[1] * groups if transposed else weight_shape[0]
    bias = small((channels,), dtype, 2)
    for weight_last in {False, channels_last}:
        w = small(weight_shape, dtype, 1, channels_last=weight_last)
        for b in (None, bias):
            check(driver, "convolution", "convolution.out", [x, w, b, *rest], tolerance=TOLERANCES.get(dtype))


def test_convolution_of_one_image(driver):
    # The operator itself takes images without a batch dimension; eager's entry point adds one.
    x, w = small((3, 9, 11), torch.float32), small((4, 3, 3, 3), torch.float32, 1)
    rest = [None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1]
    op = resolve("convolution.out")
    expected = torch.nn.functional.conv2d(x, w, padding=1)
    result = run_kernel(driver, op, bind(op, [x, w, *rest], {}), [expected])
    assert result.error == 0
    assert_same(result.outputs[0], expected, TOLERANCES[torch.float32])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_convolution(driver, data):
    draw = data.draw
    groups = draw(st.integers(1, 3))
    transposed = draw(st.booleans())
    in_channels, out_channels = groups * draw(st.integers(1, 5)), groups * draw(st.integers(1, 9))
    kernel = [draw(st.integers(1, 4)) for _ in range(2)]
    dilation = [draw(st.integers(1, 3)) for _ in range(2)]
    stride = [draw(st.integers(1, 3)) for _ in range(2)]
    padding = [draw(st.integers(0, 3)) for _ in range(2)]
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True)]
    size = [
        draw(st.integers(max(1, r - 2 * p), 14)) if r - 2 * p <= 14 else 14
        for r, p in zip(reach, padding, strict=True)
    ]
    output_padding = [
        draw(st.integers(0, max(s, d) - 1)) if transposed else 0
        for s, d in zip(stride, dilation, strict=True)
    ]
    if transposed:
        out = [
            (n - 1) * s - 2 * p + r + op
            for n, s, p, r, op in zip(size, stride, padding, reach, output_padding, strict=True)
        ]
        if min(out) < 1:
            return
        weight_shape = (in_channels, out_channels // groups, *kernel)
    else:
        weight_shape = (out_channels, in_channels // groups, *kernel)
    last = draw(st.booleans())
    x = small((2, in_channels, *size), torch.float64, channels_last=last)
    w = small(weight_shape, torch.float64, 1, channels_last=last)
    args = [x, w, None, stride, padding, dilation, transposed, output_padding, groups]
    check(driver, "convolution", "convolution.out", args)


POOLS = [
    ([2, 2], [], [0, 0]),
    ([3, 3], [2, 2], [1, 1]),
    ([3, 2], [1, 2], [1, 0]),
    ([3], [2], [1]),
    ([4, 4], [4, 3], [2, 0]),
]


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("dtype", [*FLOATS, torch.int64], ids=str)
def test_pooling(driver, dtype, ceil_mode):
    images = [
        tensor((2, 3, 9, 10), dtype, special=True),
        tensor((2, 3, 9, 10), dtype, special=True, channels_last=True),
        tensor((3, 7, 8), dtype),
    ]
    for x in images:
        for kernel, stride, padding in POOLS:
            args = [x, kernel, stride, padding]
            name = "max_pool2d_with_indices"
            check(driver, name, f"{name}.out", [*args, [1, 1], ceil_mode])
            if kernel[0] == 3:
                check(driver, name, f"{name}.out", [*args, [2, 1], ceil_mode])
            for count_pad in (False, True):
                check(driver, "avg_pool2d", "avg_pool2d.out", [*args, ceil_mode, count_pad, None])
            check(driver, "avg_pool2d", "avg_pool2d.out", [*args, ceil_mode, True, 3])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_adaptive_pooling(driver, dtype):
    for last in (False, True):
        x = tensor((2, 3, 9, 10), dtype, channels_last=last)
        for size in ([1, 1], [3, 4], [9, 10], [12, 5]):
            check(driver, "_adaptive_avg_pool2d", "_adaptive_avg_pool2d.out", [x, size])
