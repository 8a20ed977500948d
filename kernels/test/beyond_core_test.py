"""Operators that models leave beyond core ATen, against eager."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import assert_same, bind, call_out, check, resolve
from executorch.kernels.test.samples import BROADCASTS, FLOATS, INTS, REAL, SHAPES, tensor

INVALID_ARGUMENT = 0x12


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def fails(driver, functional, out_variant, args, like):
    """Whether the kernel refuses arguments that eager refuses."""
    op = resolve(functional)
    with pytest.raises((RuntimeError, IndexError)):
        op(*args)
    outcome = call_out(driver, resolve(out_variant), bind(op, args, {}), [Out(like=like)])
    return outcome.error == INVALID_ARGUMENT


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64], ids=str)
def test_pools_refuse_empty_images(driver, dtype):
    """Of an integer average over such a window the divisor is 0, which ends a process."""
    for spatial in (1, 2, 3):
        image = torch.ones([1, 2, *[3] * (spatial - 1), 0], dtype=dtype)
        window = [[2] * spatial, [1] * spatial, [1] * spatial]
        name = f"avg_pool{spatial}d"
        assert fails(driver, name, f"{name}.out", [image, *window, False, False], image)
        if spatial > 1:
            name = f"max_pool{spatial}d_with_indices"
            op = resolve(f"{name}.out")
            outputs = [Out(like=image), Out(like=image.long())]
            bound = bind(resolve(name), [image, *window], {})
            assert call_out(driver, op, bound, outputs).error == INVALID_ARGUMENT


def test_integer_averages_are_divided_by_what_was_given(driver):
    """The least integer by -1, which traps on x86, among them."""
    least = torch.iinfo(torch.int64).min
    image = torch.tensor([least, 7, -9, 4]).reshape(1, 1, 2, 2)
    for divisor in (-1, -3, 5):
        args = [image, [1, 1], [1, 1], [0, 0], False, True, divisor]
        if divisor != -1:
            check(driver, "avg_pool2d", "avg_pool2d.out", args)
        else:
            op = resolve("avg_pool2d")
            outcome = call_out(driver, resolve("avg_pool2d.out"), bind(op, args, {}), [Out(like=image)])
            assert outcome.outputs[0].flatten().tolist() == [least, -7, 9, -4]


@pytest.mark.parametrize("dtype", REAL, ids=str)
@pytest.mark.parametrize("name", ["exp2", "erfc", "lgamma", "erfinv", "digamma", "angle"])
def test_unary(driver, name, dtype):
    low, high = (-0.999, 0.999) if name == "erfinv" else (-3, 3)
    for shape in SHAPES:
        x = tensor(shape, dtype, low=low, high=high, special=True)
        if name in ("digamma", "lgamma") and not dtype.is_floating_point:
            x = x.clamp(min=1) if dtype != torch.bool else x.fill_(True)
        # Near a pole or a zero of the function the last digit of x counts for many of the result's.
        tolerance = (2e-4, 2e-4) if name in ("digamma", "lgamma") and dtype != torch.float64 else None
        half = dtype in (torch.float16, torch.bfloat16)
        check(driver, name, f"{name}.out", [x], tolerance=None if half else tolerance)


@pytest.mark.parametrize("dtype", REAL, ids=str)
@pytest.mark.parametrize("name", ["i0", "special_i0e", "special_i1", "special_i1e"])
def test_bessel(driver, name, dtype):
    # Eager rounds its series' coefficients to the type, half types to Float.
    tolerance = {torch.float64: (1e-12, 1e-12), torch.float16: None, torch.bfloat16: None}
    for shape in SHAPES:
        if dtype in (torch.float16, torch.bfloat16) and name != "i0":
            continue  # eager has none
        x = tensor(shape, dtype, special=True)
        check(driver, name, f"{name}.out", [x], tolerance=tolerance.get(dtype, (1e-5, 1e-5)))
    if dtype == torch.float64:
        x = torch.tensor([8, 29.9, 30, 30.1, 100, 700, 709, 1e-5, 0]).double()
        check(driver, name, f"{name}.out", [torch.cat([x, -x])], tolerance=(1e-300, 1e-12))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_frexp(driver, dtype):
    x = tensor((3, 700), dtype, special=True)
    for y in (x, x[0, 0], x[:, :0], torch.tensor([0.0, -0.0, 1, -8, 1e-7]).to(dtype)):
        check(driver, "frexp.Tensor", "frexp.Tensor_out", [y])


def test_erfinv_to_the_last_digits(driver):
    x = torch.tensor([0, 1e-12, 0.25, 0.5, 0.9, 0.999999, 1 - 1e-15, 1, -1, 1.5, float("nan")]).double()
    check(driver, "erfinv", "erfinv.out", [torch.cat([x, -x])], tolerance=(1e-300, 1e-11))


def test_digamma_at_its_poles(driver):
    x = torch.tensor([0.0, -0.0, -1, -7, 1e-6, -0.5, 1e20, float("inf"), -float("inf")]).double()
    check(driver, "digamma", "digamma.out", [x])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", ["copysign", "fmax", "fmin", "hypot"])
def test_binary(driver, name, dtype):
    functional = "copysign.Tensor" if name == "copysign" else name
    for a, b in BROADCASTS:
        args = [tensor(a, dtype, special=True), tensor(b, dtype, special=True, seed=1)]
        check(driver, functional, f"{name}.out", args)


def test_fmax_skips_nan_and_keeps_integers(driver):
    nan = float("nan")
    check(driver, "fmax", "fmax.out", [torch.tensor([nan, 1, nan]), torch.tensor([2, nan, nan])])
    for dtype in INTS:
        check(driver, "fmin", "fmin.out", [tensor((40,), dtype), tensor((40,), dtype, seed=1)])


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_signs(driver, dtype):
    x = tensor((3, 5), dtype, special=True)
    check(driver, "signbit", "signbit.out", [x])
    check(driver, "copysign.Scalar", "copysign.Scalar_out", [x, -0.0])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_nextafter(driver, dtype):
    a, b = tensor((60,), dtype, special=True), tensor((60,), dtype, special=True, seed=3)
    check(driver, "nextafter", "nextafter.out", [a, b], tolerance=(0, 0))
    check(driver, "nextafter", "nextafter.out", [a, a], tolerance=(0, 0))
    tiny = torch.finfo(dtype).smallest_normal
    edges = torch.tensor([0.0, -0.0, tiny, -tiny, torch.finfo(dtype).max, 1.0, -1.0], dtype=dtype)
    for towards in (math.inf, -math.inf, 0.0, 1.0):
        b = torch.full_like(edges, towards)
        check(driver, "nextafter", "nextafter.out", [edges, b], tolerance=(0, 0))


@pytest.mark.parametrize("dtype", INTS, ids=str)
@pytest.mark.parametrize("name", ["gcd", "lcm"])
def test_divisors(driver, name, dtype):
    a, b = tensor((7, 50), dtype, low=-120, high=120), tensor((50,), dtype, low=-11, high=11, seed=1)
    check(driver, name, f"{name}.out", [a, b])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("ord", [0, 1, 2, 3, 0.5, -1, math.inf, -math.inf])
def test_vector_norm(driver, dtype, ord):
    for shape in ((5,), (3, 4, 5), (2, 700)):
        x = tensor(shape, dtype)
        for dim in (None, [0], [-1], list(range(len(shape)))):
            for keepdim in (False, True):
                check(
                    driver,
                    "linalg_vector_norm",
                    "linalg_vector_norm.out",
                    [x, ord, dim, keepdim],
                    tolerance=(1e-3, 2e-2) if dtype in (torch.float16, torch.bfloat16) else None,
                )
    x = tensor((2, 3, 4, 5), dtype, channels_last=True)
    check(driver, "linalg_vector_norm", "linalg_vector_norm.out", [x, ord, [1]], tolerance=(1e-2, 2e-2))


def test_vector_norm_of_nothing_and_of_nan(driver):
    check(driver, "linalg_vector_norm", "linalg_vector_norm.out", [torch.zeros(0, 3), 2, [0]])
    x = torch.tensor([[1.0, float("nan")], [float("inf"), -2]])
    for ord in (1, 2, math.inf, -math.inf):
        check(driver, "linalg_vector_norm", "linalg_vector_norm.out", [x, ord, [1]])
    assert fails(
        driver,
        "linalg_vector_norm",
        "linalg_vector_norm.out",
        [torch.zeros(0, 3), math.inf, [0]],
        torch.zeros(3),
    )
    check(
        driver,
        "linalg_vector_norm",
        "linalg_vector_norm.out",
        [torch.ones(3).half(), 2],
        {"dtype": torch.float32},
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16], ids=str)
@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("size", [(7, 3), (1, 1), (12, 15), (4, 5)])
def test_bicubic(driver, dtype, align, size):
    for last in (False, True):
        x = tensor((2, 3, 4, 5), dtype, channels_last=last)
        tolerance = (5e-3, 5e-3) if dtype == torch.float16 else (2e-5, 1e-5)
        check(driver, "upsample_bicubic2d", "upsample_bicubic2d.out", [x, size, align], tolerance=tolerance)
        factors = [x, size, align, size[0] / 4, size[1] / 5]
        check(driver, "upsample_bicubic2d", "upsample_bicubic2d.out", factors, tolerance=tolerance)


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("size", [(2, 7, 3), (1, 1, 1), (6, 8, 10)])
def test_trilinear(driver, align, size):
    x = tensor((2, 3, 3, 4, 5), torch.float32)
    check(
        driver, "upsample_trilinear3d", "upsample_trilinear3d.out", [x, size, align], tolerance=(2e-5, 1e-5)
    )


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_adaptive_max_pool(driver, dtype):
    for x in (tensor((3, 7, 9), dtype), tensor((2, 3, 7, 9), dtype, special=True, channels_last=True)):
        for size in ([1, 1], [3, 4], [7, 9], [10, 2]):
            check(driver, "adaptive_max_pool2d", "adaptive_max_pool2d.out", [x, size])


@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_bincount(driver, dtype):
    x = tensor((50,), dtype, low=0, high=9)
    for weights in (
        None,
        tensor((50,), torch.float32),
        tensor((50,), torch.int32),
        tensor((50,), torch.float16),
    ):
        for least in (0, 20):
            check(driver, "bincount", "bincount.out", [x, weights, least], tolerance=(1e-4, 1e-4))
    check(driver, "bincount", "bincount.out", [x[:0], None, 3])
    if dtype != torch.uint8:
        assert fails(driver, "bincount", "bincount.out", [x - 20], torch.zeros(30, dtype=torch.long))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_histc(driver, dtype):
    x = tensor((4, 33), dtype, low=-2.7, high=2.9)
    for args in ((10, 0, 0), (7, -1, 1), (1, 0, 3), (5, 1, 1)):
        check(driver, "histc", "histc.out", [x, *args])
    check(driver, "histc", "histc.out", [torch.full((6,), 2.0, dtype=dtype), 4, 0, 0])


@pytest.mark.parametrize("name", ["tril_indices", "triu_indices"])
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64], ids=str)
def test_triangle_indices(driver, name, dtype):
    for rows, columns in ((3, 3), (2, 5), (5, 2), (0, 4), (4, 0), (1, 1)):
        for offset in (0, 1, -1, 3, -4, 100, -100):
            check(driver, name, f"{name}.out", [rows, columns, offset], {"dtype": dtype})


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_nonzero_static(driver, dtype):
    for x in (tensor((), dtype), tensor((3, 4), dtype, low=0, high=1), tensor((2, 0), dtype)):
        for size in (0, 2, 20):
            check(driver, "nonzero_static", "nonzero_static.out", [x], {"size": size, "fill_value": -7})


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_complex_parts(driver, dtype):
    a, b = tensor((3, 1, 5), dtype), tensor((4, 1), dtype, seed=1)
    for name in ("complex", "polar"):
        expected = resolve(name)(a, b)
        outcome = call_out(
            driver, resolve(f"{name}.out"), bind(resolve(name), [a, b], {}), [Out(like=expected)]
        )
        assert outcome.error == 0
        assert_same(torch.view_as_real(outcome.outputs[0]), torch.view_as_real(expected))
    z = torch.complex(tensor((3, 5), dtype), tensor((3, 5), dtype, seed=2))
    check(driver, "angle", "angle.out", [z])
    parts = tensor((3, 5, 2), dtype)
    op = resolve("view_as_complex_copy")
    outcome = call_out(
        driver, resolve("view_as_complex_copy.out"), bind(op, [parts], {}), [Out(like=op(parts))]
    )
    assert outcome.error == 0
    assert torch.equal(torch.view_as_real(outcome.outputs[0]), parts)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_shapes_and_dtypes(driver, data):
    """Any shape, dtype and layout, with everything that is not a number among the elements."""
    shape = tuple(data.draw(st.lists(st.integers(0, 6), max_size=4), label="shape"))
    dtype = data.draw(st.sampled_from(REAL), label="dtype")
    last = data.draw(st.booleans(), label="channels last")
    x = tensor(shape, dtype, special=True, channels_last=last)
    y = tensor(shape, data.draw(st.sampled_from(REAL), label="other"), special=True, seed=1)
    for name in ("exp2", "erfc", "angle", "signbit"):
        check(driver, name, f"{name}.out", [x])
    for functional, name in (("copysign.Tensor", "copysign"), ("fmax", "fmax"), ("fmin", "fmin")):
        check(driver, functional, f"{name}.out", [x, y])


# What eager refuses to convert, and what it takes.
@pytest.mark.parametrize(
    "dtype,value,fits",
    [
        (torch.uint8, 255, True),
        (torch.uint8, -255, True),
        (torch.uint8, 256, False),
        (torch.uint8, -256, False),
        (torch.uint8, 254.5, True),
        (torch.uint8, 255.5, False),
        (torch.uint8, -1.0, False),
        (torch.int8, 127, True),
        (torch.int8, -129, False),
        (torch.int32, 2.0**31, False),
        (torch.int64, 2.0**63 + 4096, False),
        (torch.int64, -(2.0**63), True),
        (torch.int32, math.nan, False),
        (torch.int64, math.inf, False),
        (torch.bool, 7, True),
        (torch.bool, math.nan, True),
        (torch.float16, 65504, True),
        (torch.float16, 65536, False),
        (torch.float16, math.inf, True),
        (torch.float32, 1e39, False),
        (torch.float32, math.nan, True),
        (torch.bfloat16, 1e38, True),
    ],
)
def test_scalars_that_overflow(driver, dtype, value, fits):
    like = torch.zeros(3, dtype=dtype)
    mask = torch.ones(3, dtype=torch.bool)
    index = torch.zeros(1, dtype=torch.long)
    calls = [
        ("full", "full.out", [[3], value], {"dtype": dtype}),
        ("fill.Scalar", "fill.Scalar_out", [like, value], {}),
        ("constant_pad_nd", "constant_pad_nd.out", [like, [1, 0], value], {}),
        ("scatter.value", "scatter.value_out", [like, 0, index, value], {}),
    ]
    if not (isinstance(value, float) and not dtype.is_floating_point):
        calls.append(("masked_fill.Scalar", "masked_fill.Scalar_out", [like, mask, value], {}))
    for functional, out_variant, args, kwargs in calls:
        op = resolve(functional)
        try:
            expected = op(*args, **kwargs)
        except RuntimeError:
            expected = None
        assert (expected is not None) == fits, functional
        outcome = call_out(
            driver,
            resolve(out_variant),
            bind(op, args, kwargs),
            [Out(like=torch.zeros(4 if "pad" in functional else 3, dtype=dtype))],
        )
        assert (outcome.error == 0) == fits, out_variant
        if expected is not None:
            assert_same(outcome.outputs[0], expected)


def test_allclose_without_an_output_argument(driver):
    """A functional operator: its result goes where the stack's last value has memory for it."""
    a = torch.tensor([1.0, 2.0])
    types = ["Tensor", "Tensor", "float", "float", "bool", "bool"]
    out_arguments = [*zip([a, a + 1e-7, 1e-5, 1e-8, False, False], types, strict=True)]
    result = driver.call(
        "aten::allclose.out", [*out_arguments, (Out(like=torch.zeros((), dtype=torch.bool)), "Tensor")]
    )
    assert result.error == 0 and result.outputs[0].item()
    # The driver's own result slot has no tensor: the kernel says so instead of guessing.
    assert driver.call("aten::allclose.Tensor", out_arguments).error != 0
