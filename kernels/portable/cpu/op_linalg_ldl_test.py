"""Factors of symmetric matrices that need not be positive, and equations by them, against eager."""

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import assert_same, bind, call_out, resolve
from executorch.kernels.test.samples import tensor

_INVALID_ARGUMENT, _NO_MEMORY = 0x12, 0x21
_FLOATS = [torch.float32, torch.float64]
# Eager factorizes in the matrices' own type, the kernels in double.
_TOLERANCE = {torch.float32: (2e-4, 2e-4), torch.float64: (1e-10, 1e-10)}


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def _symmetric(shape, dtype, seed=0):
    """Small on the diagonal, so that blocks of two rows are needed."""
    x = tensor(shape, torch.float64, seed=seed)
    x = x + x.mT
    return (x - 0.9 * torch.diag_embed(x.diagonal(dim1=-2, dim2=-1))).to(dtype)


def _factor(driver, x, **kwargs):
    bound = bind(resolve("linalg_ldl_factor_ex"), [x], kwargs)
    shapes = ((x.shape, x.dtype), (x.shape[:-1], torch.int32), (x.shape[:-2], torch.int32))
    outs = [Out(like=torch.empty(shape, dtype=dtype)) for shape, dtype in shapes]
    return call_out(driver, resolve("linalg_ldl_factor_ex.out"), bound, outs, temp_bytes=1 << 20)


def _solve(driver, factors, pivots, right, **options):
    bound = bind(resolve("linalg_ldl_solve"), [factors, pivots, right], {})
    batch = torch.broadcast_shapes(factors.shape[:-2], right.shape[:-2])
    outs = [Out(like=right.new_empty((*batch, *right.shape[-2:])))]
    options = options or {"temp_bytes": 1 << 20}
    return call_out(driver, resolve("linalg_ldl_solve.out"), bound, outs, **options)


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
@pytest.mark.parametrize(
    "shape", [(1, 1), (2, 2), (3, 3), (6, 6), (17, 17), (2, 3, 5, 5), (3, 0, 0), (0, 4, 4)], ids=str
)
def test_factors(driver, shape, dtype):
    for seed in range(4):
        x = _symmetric(shape, dtype, seed)
        above = torch.ones_like(x).triu(1) * 99
        for a in (x, x @ x.mT, x.mT, x + above, torch.zeros_like(x)):
            result = _factor(driver, a, hermitian=seed % 2 == 1)
            assert result.error == 0
            for one, other in zip(result.outputs, torch.linalg.ldl_factor_ex(a), strict=True):
                assert_same(one, other, _TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
@pytest.mark.parametrize(
    ("a", "b"),
    [((5, 5), (5, 3)), ((17, 17), (17, 1)), ((2, 1, 5, 5), (3, 5, 2)), ((3, 3), (2, 3, 3)), ((0, 0), (0, 2))],
    ids=str,
)
def test_equations(driver, a, b, dtype):
    pairs = False
    for seed in range(4):
        x, right = _symmetric(a, dtype, seed), tensor(b, dtype, seed=seed)
        factors, pivots = torch.linalg.ldl_factor(x)
        result = _solve(driver, factors, pivots, right)
        assert result.error == 0
        # Eager's solution by factors ends the process where batches have to be expanded.
        assert_same(result.outputs[0], torch.linalg.solve(x, right), _TOLERANCE[dtype])
        pairs = pairs or bool((pivots < 0).any())
    assert pairs or a[-1] == 0


def test_pivots_that_no_factorization_gives_fail(driver):
    factors, right = torch.eye(4), torch.ones(4, 2)
    good, least = [1, 2, 3, 4], -(2**31)
    for bad in (
        [0, 2, 3, 4],
        [1, 2, 3, 5],
        [1, 2, 3, -4],
        [-2, 2, 3, 4],
        [-2, -3, 3, 4],
        [-2, -2, -2, 4],
        [1, 2, -9, -9],
        [least, least, 3, 4],
        good[:3],
        [good],
    ):
        assert _solve(driver, factors, torch.tensor(bad).int(), right).error == _INVALID_ARGUMENT
    assert _solve(driver, factors, torch.tensor(good), right).error == _INVALID_ARGUMENT


def test_bad_arguments_fail(driver):
    good, right, pivots = torch.eye(4), torch.ones(4, 2), torch.arange(1, 5).int()
    for x in (torch.ones(4), torch.ones(4, 5), torch.ones(4, 4).int()):
        assert _factor(driver, x).error == _INVALID_ARGUMENT
        assert _solve(driver, x, pivots, right).error == _INVALID_ARGUMENT
    assert _solve(driver, good.double(), pivots, right).error == _INVALID_ARGUMENT
    for b in (torch.ones(4), torch.ones(3, 2)):
        assert _solve(driver, good, pivots, b).error == _INVALID_ARGUMENT
    assert _factor(driver, torch.zeros(3, 3), check_errors=True).error == _INVALID_ARGUMENT
    assert _solve(driver, good, pivots, right, temp_bytes=0).error == _NO_MEMORY
