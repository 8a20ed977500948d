"""Arithmetic on complex tensors, against eager: mixed with real ones, broadcast, empty, zero-dim, NaN and infinity."""

from __future__ import annotations

import itertools

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import bind, call_out, check, resolve

COMPLEX = [torch.complex64, torch.complex128]
SHAPES = [((), ()), ((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 4)), ((0, 3), (3,)), ((2, 3), ())]


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def numbers(shape, dtype, seed=0):
    generator = torch.Generator().manual_seed(seed)
    if dtype in (torch.int32, torch.bool):
        return torch.randint(1, 5, shape, generator=generator).to(dtype)
    return torch.randn(shape, dtype=dtype, generator=generator)


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
@pytest.mark.parametrize("operator", ["add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor"])
def test_two_tensors(driver, operator, dtype):
    out = operator.replace(".Tensor", ".out")
    for left, right in SHAPES:
        others = (dtype, torch.float32, torch.int32)
        for other, swapped in itertools.product(others, (False, True)):
            pair = [numbers(left, dtype), numbers(right, other, 1)]
            check(driver, operator, out, pair[::-1] if swapped else pair)


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_numbers_and_factors(driver, dtype):
    x = numbers((2, 3), dtype)
    for name in ("add", "sub", "mul", "div"):
        check(driver, f"{name}.Scalar", f"{name}.Scalar_out", [x, 2.5])
    for name in ("add", "sub"):
        check(driver, f"{name}.Tensor", f"{name}.out", [x, x.flip(0)], {"alpha": -1.5})


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (0,)], ids=str)
def test_one_tensor(driver, shape, dtype):
    x = numbers(shape, dtype)
    for name in ("abs", "neg", "_conj_physical", "clone"):
        check(driver, name, f"{name}.out", [x])


def test_transposed_and_extreme_operands(driver):
    x = numbers((3, 4), torch.complex64).t()
    check(
        driver,
        "mul.Tensor",
        "mul.out",
        [x.contiguous(), numbers((4, 3), torch.complex64, 2)],
    )
    inf, nan = float("inf"), float("nan")
    special = torch.tensor([complex(inf, 1), complex(nan, 2), complex(3e38, 3e38), complex(0, 0)])
    check(driver, "abs", "abs.out", [special])
    big = torch.tensor([complex(1e30, 1e30)], dtype=torch.complex128)
    check(driver, "div.Tensor", "div.out", [big, big * (1 + 1j)])


@pytest.mark.parametrize("source", [torch.float32, torch.int32, torch.bool, torch.complex128], ids=str)
def test_conversion_to_complex(driver, source):
    x = numbers((2, 3), source)
    check(driver, "_to_copy", "_to_copy.out", [x], {"dtype": torch.complex64})


@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize("target", [torch.float32, torch.float64, torch.int32, torch.float16], ids=str)
@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_conversion_to_real_parts(driver, dtype, target):
    for shape in ((), (5,), (2, 3, 4)):
        x = numbers(shape, dtype)
        check(driver, "_to_copy", "_to_copy.out", [x], {"dtype": target})
        check(driver, "copy", "copy.out", [torch.zeros(shape, dtype=target), x])


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_sums(driver, dtype):
    x = numbers((2, 3, 4), dtype)
    for dim in ([0], [1], [-1], [0, 2], [], None):
        for keepdim in (False, True):
            check(driver, "sum.dim_IntList", "sum.IntList_out", [x, dim, keepdim])
    for shape in ((), (0,), (2, 0, 3)):
        for dim in ([0], [-1]):
            check(driver, "sum.dim_IntList", "sum.IntList_out", [numbers(shape, dtype), dim])


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_batches_of_products(driver, dtype):
    for b, m, k, n in ((2, 3, 4, 5), (1, 1, 1, 1), (3, 2, 0, 4), (0, 2, 3, 4), (2, 1, 7, 3)):
        check(driver, "bmm", "bmm.out", [numbers((b, m, k), dtype), numbers((b, k, n), dtype, 1)])


def test_a_real_output_is_refused_with_the_reason(driver):
    x = numbers((3,), torch.complex64)
    outs = [Out(like=torch.empty(3))]
    result = call_out(driver, resolve("mul.out"), bind(resolve("mul.Tensor"), [x, x], {}), outs)
    assert result.error == 0x12
