"""Elementwise operators of integers and half types, comparisons and powers of the optimized library, against eager."""

from __future__ import annotations

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, driver_path
from executorch.kernels.test.oracle import check
from executorch.kernels.test.samples import tensor

INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
HALVES = [torch.float16, torch.bfloat16]
DTYPES = [*INTEGERS, *HALVES, torch.float32, torch.float64, torch.bool]
SHAPES = [
    ((), ()),
    ((300,), (300,)),
    ((7, 300), (300,)),
    ((300, 3), (3,)),  # lines that are written out several times
    ((7, 300), (7, 1)),
    ((7, 1), (7, 300)),
    ((3, 5, 33), (1, 5, 1)),
    ((30, 100, 4), (30, 100, 1)),  # elements that are written out for short lines
    ((900, 1), (900, 3)),
    ((2, 40000), (2, 40000)),
]


@pytest.fixture(scope="module", params=["op_driver_optimized", "op_driver_threads"])
def driver(request):
    driver = OpDriver(driver_path(request.param))
    yield driver
    driver.close()


def numbers(shape: tuple[int, ...], dtype: torch.dtype, seed: int = 0) -> torch.Tensor:
    """Small ones, so that many are equal, and the most extreme ones of the dtype."""
    x = tensor(shape, dtype, low=0 if dtype == torch.uint8 else -3, high=4, special=True, seed=seed)
    if dtype in INTEGERS and x.numel() > 20:
        x.view(-1)[7] = torch.iinfo(dtype).max
        x.view(-1)[11] = torch.iinfo(dtype).min
    return x


COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_comparisons(driver, name, dtype):
    for a, b in SHAPES:
        operands = [numbers(a, dtype), numbers(b, dtype, seed=1)]
        check(driver, f"{name}.Tensor", f"{name}.Tensor_out", operands)
    last = tensor((2, 5, 9, 11), torch.float32, channels_last=True)
    check(driver, f"{name}.Tensor", f"{name}.Tensor_out", [last, last.contiguous()])
    check(
        driver, f"{name}.Tensor", f"{name}.Tensor_out", [numbers((50,), dtype), numbers((50,), torch.int32)]
    )


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_comparisons_with_numbers(driver, name, dtype):
    x = numbers((7, 300), dtype)
    for number in (1, 0, 0.1, True):
        check(driver, f"{name}.Scalar", f"{name}.Scalar_out", [x, number])
    if dtype.is_floating_point:
        x[0, 0] = 0.1
        for number in (0.1, float("nan"), float("inf"), -1e30):
            check(driver, f"{name}.Scalar", f"{name}.Scalar_out", [x, number])


@pytest.mark.parametrize("name", ["add", "sub", "mul", "maximum", "minimum"])
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers_wrap_around(driver, name, dtype):
    functional = name if name.startswith("m") and name != "mul" else f"{name}.Tensor"
    for a, b in SHAPES:
        check(driver, functional, f"{name}.out", [numbers(a, dtype), numbers(b, dtype, seed=1)])


@pytest.mark.parametrize("name", ["add", "sub", "mul"])
@pytest.mark.parametrize("dtype", DTYPES[:-1], ids=str)
def test_integers_and_numbers(driver, name, dtype):
    x = numbers((7, 301), dtype)
    for number in (3, 100, 2.7):
        check(driver, f"{name}.Scalar", f"{name}.Scalar_out", [x, number])


@pytest.mark.parametrize("name", ["abs", "neg"])
@pytest.mark.parametrize("dtype", DTYPES[:-1], ids=str)
def test_signs(driver, name, dtype):
    for shape in ((), (0, 3), (5,), (3, 257)):
        check(driver, name, f"{name}.out", [numbers(shape, dtype)])
    image = tensor((2, 5, 9, 11), dtype, low=0, high=9, channels_last=True)
    check(driver, name, f"{name}.out", [image])


@pytest.mark.parametrize("dtype", DTYPES[:-1], ids=str)
def test_clamp(driver, dtype):
    x = numbers((7, 301), dtype)
    for bounds in ((1, 3), (None, 2), (1, None), (3, 1), (0.5, 2), (1, 2.5), (0.1, None)):
        check(driver, "clamp", "clamp.out", [x, *bounds])


@pytest.mark.parametrize("dtype", [torch.float32, *HALVES], ids=str)
def test_powers(driver, dtype):
    bases = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, 7.5, 1e-3, float("inf"), -float("inf"), float("nan")]
    exponents = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        3.0,
        -3.0,
        0.5,
        2.5,
        -7.0,
        float("inf"),
        -float("inf"),
        float("nan"),
    ]
    x = torch.tensor(bases, dtype=dtype).repeat_interleave(len(exponents))
    y = torch.tensor(exponents, dtype=dtype).repeat(len(bases))
    check(driver, "pow.Tensor_Tensor", "pow.Tensor_Tensor_out", [x, y])
    base = tensor((9, 300), dtype, low=0.01, high=30)
    exponent = tensor((9, 300), dtype, low=-3, high=3, seed=1)
    check(driver, "pow.Tensor_Tensor", "pow.Tensor_Tensor_out", [base, exponent])
    check(driver, "pow.Tensor_Tensor", "pow.Tensor_Tensor_out", [base, exponent[:1]])
    for number in (-2, 4, 5.0, 1.7, -0.3, 0, 1):
        check(driver, "pow.Tensor_Scalar", "pow.Tensor_Scalar_out", [base, number])
        check(driver, "pow.Tensor_Scalar", "pow.Tensor_Scalar_out", [-base, number])
        check(driver, "pow.Scalar", "pow.Scalar_out", [number, exponent])


def test_powers_at_the_limits(driver):
    x = torch.tensor([1e-40, 3e38, 1e-38, 2.0, 2.0, 2.0, 1.0000001, 0.9999999])
    y = torch.tensor([0.5, 1.5, 1.1, 127.5, -126.5, -149.0, 1e7, 1e9])
    check(driver, "pow.Tensor_Tensor", "pow.Tensor_Tensor_out", [x, y])
    x = torch.tensor(
        [0.0, -0.0, 0.3, -7.25, 127.9, 128.0, -126.5, -151.0, float("nan"), float("inf"), -float("inf")]
    )
    check(driver, "exp2", "exp2.out", [x])
    check(driver, "exp2", "exp2.out", [tensor((9, 300), torch.float32, low=-20, high=20)])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32], ids=str)
def test_quotients_and_remainders(driver, dtype):
    is_integer = not dtype.is_floating_point
    for a, b in SHAPES:
        x = numbers(a, dtype)
        # Integers have no quotient by zero.
        y = tensor(b, dtype, low=1, high=7, seed=1) if is_integer else numbers(b, dtype, seed=1)
        for mode in ("floor", "trunc"):
            check(driver, "div.Tensor_mode", "div.out_mode", [x, y], {"rounding_mode": mode})
            check(driver, "div.Scalar_mode", "div.Scalar_mode_out", [x, 3], {"rounding_mode": mode})
        check(driver, "floor_divide", "floor_divide.out", [x, y])
        for name in ("fmod", "remainder"):
            check(driver, f"{name}.Tensor", f"{name}.Tensor_out", [x, y])
            for number in (3, -2, 0.75):
                check(driver, f"{name}.Scalar", f"{name}.Scalar_out", [x, number])
