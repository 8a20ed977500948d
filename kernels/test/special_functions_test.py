"""Relatives of the gamma and the error function against eager, which calculates the reference in double."""

from __future__ import annotations

import mpmath
import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import TOLERANCES, assert_same, bind, call_out, check, resolve
from executorch.kernels.test.samples import BROADCASTS, FLOATS, INTS, SHAPES, tensor

_INVALID_ARGUMENT = 0x12
# Eager has the others of these dtypes only.
_WIDE = (torch.float32, torch.float64)
_UNARY = ("special_erfcx", "special_ndtri")
_GAMMAS = ("igamma", "igammac")
_ENDS = [torch.nan, torch.inf, -torch.inf, 0.0, -0.0, 1.0, -1.0]


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def _check(driver, functional, out_variant, args, tolerance=None):
    """Eager's half and single precision forms lose digits where these do not: the reference is that of double, rounded."""
    op = resolve(functional)
    dtype = op(*args).dtype
    wide = [a.double() if isinstance(a, torch.Tensor) else a for a in args]
    expected = op(*wide).to(dtype)
    result = call_out(driver, resolve(out_variant), bind(op, args, {}), [Out(like=expected)])
    assert result.error == 0
    assert_same(result.outputs[0], expected, tolerance or TOLERANCES[dtype])


@pytest.mark.parametrize("dtype", _WIDE, ids=str)
@pytest.mark.parametrize("name", _UNARY)
def test_any_shape(driver, name, dtype):
    for shape in SHAPES:
        _check(driver, name, f"{name}.out", [tensor(shape, dtype, low=0.0, high=1.0)])
    image = tensor((2, 3, 4, 5), dtype, low=0.0, high=1.0, channels_last=True)
    _check(driver, name, f"{name}.out", [image])


@pytest.mark.parametrize("name", _UNARY)
def test_over_the_whole_range(driver, name):
    ends = torch.tensor(_ENDS)
    for x in (
        torch.linspace(-30, 30, 1001, dtype=torch.float64),
        torch.linspace(0, 1, 1001, dtype=torch.float64),
        torch.logspace(-300, 2, 500, dtype=torch.float64),
        -torch.logspace(-300, 2, 500, dtype=torch.float64),
        torch.linspace(-30, 30, 1001),
        ends,
    ):
        _check(driver, name, f"{name}.out", [x])
    for dtype in (*INTS, torch.bool):
        check(driver, name, f"{name}.out", [tensor((7,), dtype)])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_polygamma(driver, dtype):
    for order in (0, 1, 2, 3, 6):
        # Eager's first derivative has nine digits.
        tolerance = (1e-9, 1e-9) if dtype == torch.float64 and order == 1 else None
        for shape in SHAPES:
            x = tensor(shape, dtype, low=0.4, high=9.0)
            _check(driver, "polygamma", "polygamma.out", [order, x], tolerance)
            # In the middle between poles.
            x = x.round().clamp(max=4) - 4.5
            _check(driver, "polygamma", "polygamma.out", [order, x], tolerance)
    for order in (2, 3, 20):
        _check(
            driver, "polygamma", "polygamma.out", [order, torch.tensor([*_ENDS, -2.0, 40.0, 1e3]).to(dtype)]
        )
    for other in INTS:
        check(driver, "polygamma", "polygamma.out", [2, tensor((7,), other)])


def test_poles_of_the_first_derivative(driver):
    """Eager gives what is left of the sine of a multiple of pi."""
    op, x = resolve("polygamma"), torch.tensor([0.0, -1.0, -7.0])
    result = call_out(driver, resolve("polygamma.out"), bind(op, [1, x], {}), [Out(like=x)])
    assert result.error == 0 and (result.outputs[0] == torch.inf).all()


def test_far_from_zero_it_takes_no_longer(driver):
    op, x = resolve("polygamma"), torch.tensor([-1e9 - 0.5, -1e15 - 0.5], dtype=torch.float64)
    result = call_out(driver, resolve("polygamma.out"), bind(op, [3, x], {}), [Out(like=x)])
    # Of all whole numbers: twice the sum over one half and what follows.
    wanted = 2 * torch.special.polygamma(3, torch.tensor(0.5, dtype=torch.float64))
    assert_same(result.outputs[0], wanted.expand(2))


@pytest.mark.parametrize("dtype", _WIDE, ids=str)
def test_zeta(driver, dtype):
    for a, b in BROADCASTS:
        s = tensor(a, dtype, low=1.1, high=9.0)
        _check(driver, "special_zeta", "special_zeta.out", [s, tensor(b, dtype, low=0.1, high=9.0)])
    ends = torch.tensor([*_ENDS, 2.0, 3.0, 1.5, 7.0]).to(dtype)
    negative = torch.tensor([-1.5, -2.5, -70.25]).to(dtype)
    _check(driver, "special_zeta", "special_zeta.out", [ends, ends[:, None]])
    _check(driver, "special_zeta", "special_zeta.out", [ends[ends < torch.inf], negative[:, None]])
    x = tensor((9,), dtype, low=1.1, high=9.0)
    for number in (2, 2.5):
        _check(driver, "special_zeta.other_scalar", "special_zeta.other_scalar_out", [x, number])
        _check(driver, "special_zeta.self_scalar", "special_zeta.self_scalar_out", [number, x])
    whole = torch.arange(1, 6)
    check(driver, "special_zeta", "special_zeta.out", [whole + 1, whole])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", _GAMMAS)
def test_parts_of_the_gamma_function(driver, name, dtype):
    for a, b in BROADCASTS:
        args = [tensor(a, dtype, low=0.01, high=9.0), tensor(b, dtype, low=0.0, high=12.0, seed=1)]
        _check(driver, name, f"{name}.out", args)
    ends = torch.tensor([*_ENDS, 0.5, 9.0]).to(dtype)
    _check(driver, name, f"{name}.out", [ends, ends[:, None]])


@pytest.mark.parametrize("name", _GAMMAS)
def test_small_and_large_parts(driver, name):
    """Up to where eager's series ends before it has converged."""
    a = torch.logspace(-5, 6, 60, dtype=torch.float64)[:, None]
    near = a + a.sqrt() * torch.linspace(-6, 6, 41, dtype=torch.float64)
    for x in (near.clamp(min=0), a * torch.logspace(-3, 3, 41, dtype=torch.float64)):
        _check(driver, name, f"{name}.out", [a, x], (1e-10, 1e-9))


def test_what_is_above_for_small_parameters(driver):
    """The truth: eager's is twice as much at 1e-20."""
    a = torch.tensor([1e-300, 1e-20, 1e-5, 0.1, 0.5], dtype=torch.float64)[:, None]
    x = torch.tensor([1e-20, 0.01, 0.5, 1.1, 1.4, 2.0], dtype=torch.float64)
    with mpmath.workdps(50):
        truth = [
            [float(mpmath.gammainc(p, q, regularized=True)) for q in x.tolist()] for p in a[:, 0].tolist()
        ]
    expected = torch.tensor(truth, dtype=torch.float64)
    result = call_out(
        driver, resolve("igammac.out"), bind(resolve("igammac"), [a, x], {}), [Out(like=expected)]
    )
    assert result.error == 0
    torch.testing.assert_close(result.outputs[0], expected, rtol=1e-13, atol=0)


def test_what_eager_refuses_fails(driver):
    whole, real = torch.ones(3, dtype=torch.int64), torch.ones(3)
    for name, args, like in (
        ("igamma", [whole, whole], whole),
        ("igammac", [whole, whole], whole),
        ("polygamma", [-1, real], real),
    ):
        op = resolve(name)
        with pytest.raises(RuntimeError):
            op(*args)
        outcome = call_out(driver, resolve(f"{name}.out"), bind(op, args, {}), [Out(like=like)])
        assert outcome.error == _INVALID_ARGUMENT
