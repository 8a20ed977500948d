"""Distributions by their probabilities: how often each number is drawn, against what they say of it."""

import math

import pytest
import torch

from executorch.dialects import random_draws  # noqa: F401  defines the operators
from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import bind, call_out, resolve

_INVALID_ARGUMENT = 0x12
_COUNT = 40_000


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def _run(driver, name, args, shape=None):
    like = args[0].new_empty(shape or args[0].shape)
    bound = bind(resolve(f"executorch::{name}"), args, {})
    return call_out(driver, resolve(f"executorch::{name}.out"), bound, [Out(like=like)])


def _draw(driver, name, *args, shape=None):
    result = _run(driver, name, list(args), shape)
    assert result.error == 0
    return result.outputs[0]


def _full(number, dtype=torch.float64):
    return torch.full((_COUNT,), number, dtype=dtype)


def _check_shares(drawn, probabilities):
    """Counts of whole numbers; each may be six standard deviations off, one in 500 million."""
    assert (drawn == drawn.round()).all() and drawn.min() >= 0
    counts = torch.bincount(drawn.long(), minlength=len(probabilities)).double()
    for count, p in zip(counts.tolist(), probabilities, strict=False):
        assert abs(count - _COUNT * p) <= 6 * math.sqrt(_COUNT * p * (1 - p)) + 1
    assert counts[len(probabilities) :].sum() == 0


@pytest.mark.parametrize("rate", [0.0, 0.01, 0.7, 4.0, 9.99, 10.0, 12.5, 47.0])
def test_poisson(driver, rate):
    numbers = torch.arange(int(rate + 12 * math.sqrt(rate) + 12)).double()
    law = torch.exp(numbers * math.log(max(rate, 1e-300)) - rate - torch.lgamma(numbers + 1))
    _check_shares(_draw(driver, "poisson", _full(rate)), law.tolist())


@pytest.mark.parametrize(
    ("count", "probability"),
    [
        (0, 0.5),
        (1, 0.3),
        (9, 0.2),
        (9, 0.9),
        (40, 0.24),
        (40, 0.25),
        (60, 0.5),
        (80, 0.6),
        (30, 0.0),
        (30, 1.0),
    ],
)
def test_binomial(driver, count, probability):
    law = [math.comb(count, k) * probability**k * (1 - probability) ** (count - k) for k in range(count + 1)]
    _check_shares(_draw(driver, "binomial", _full(count), _full(probability)), law)


@pytest.mark.parametrize("concentration", [0.05, 0.5, 1.0, 1.5, 8.0, 200.0])
def test_gamma(driver, concentration):
    """The part of the draws below each of some numbers is the regularized incomplete gamma function."""
    drawn = _draw(driver, "standard_gamma", _full(concentration))
    assert (drawn > 0).all()
    for x in torch.quantile(drawn, torch.tensor([0.02, 0.1, 0.3, 0.5, 0.8, 0.97]).double()).tolist():
        p = float(torch.special.gammainc(torch.tensor(concentration).double(), torch.tensor(x).double()))
        assert abs(float((drawn <= x).double().mean()) - p) <= 6 * math.sqrt(p * (1 - p) / _COUNT) + 1e-9


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_types_shapes_and_layouts(driver, dtype):
    image = torch.full((2, 3, 4, 5), 3.0, dtype=dtype).contiguous(memory_format=torch.channels_last)
    for x in (image, torch.tensor(3.0, dtype=dtype), torch.ones(0, 3, dtype=dtype)):
        for name in ("poisson", "standard_gamma"):
            drawn = _draw(driver, name, x)
            assert drawn.dtype == dtype and torch.isfinite(drawn).all()
    counts = torch.tensor([[0.0], [50.0]], dtype=dtype)
    drawn = _draw(driver, "binomial", counts, torch.full((7,), 0.5, dtype=dtype), shape=(2, 7))
    assert (drawn[0] == 0).all() and (drawn[1] > 0).all()
    least = _draw(driver, "standard_gamma", torch.full((9,), 1e-4, dtype=dtype))
    assert (least > 0).all()


def test_parameters_without_a_distribution_fail(driver):
    for bad in (torch.nan, -1.0):
        for name in ("poisson", "standard_gamma"):
            assert _run(driver, name, [_full(bad)]).error == _INVALID_ARGUMENT
    assert _run(driver, "binomial", [_full(3.0), _full(torch.nan)]).error == _INVALID_ARGUMENT
    assert _run(driver, "binomial", [_full(3.0), _full(0.5, torch.float32)]).error == _INVALID_ARGUMENT
    for huge in (1e300, torch.inf):
        assert _run(driver, "poisson", [_full(huge)[:3]]).error in (0, _INVALID_ARGUMENT)
        assert _run(driver, "binomial", [_full(huge)[:3], _full(0.5)[:3]]).error in (0, _INVALID_ARGUMENT)
        assert _run(driver, "standard_gamma", [_full(huge)[:3]]).error in (0, _INVALID_ARGUMENT)
