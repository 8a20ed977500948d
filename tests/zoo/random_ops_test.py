"""What draws random numbers: lowered, run, and its moments compared with those of the distribution."""

import math

import pytest
import torch
from torch import nn

from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

_COUNT = 20_000
_ZEROS = torch.zeros(_COUNT)
_WEIGHTS = torch.tensor([1.0, 0.0, 2.0, 5.0])

#: name -> (function of zeros, mean, standard deviation), by what the distributions are.
_DRAWN = {
    "bernoulli of numbers": (lambda x: torch.bernoulli(x, 0.3), 0.3, math.sqrt(0.21)),
    "bernoulli of tensors": (lambda x: x.clone().bernoulli_(x + 0.3), 0.3, math.sqrt(0.21)),
    "binomial, few": (lambda x: torch.binomial(x + 9, x + 0.2), 1.8, 1.2),
    "binomial, many": (lambda x: torch.binomial(x + 400, x[0] + 0.75), 300.0, math.sqrt(75)),
    "Dirichlet": (lambda x: torch._sample_dirichlet(x.reshape(-1, 2) + 2), 0.5, math.sqrt(1 / 20)),
    "exponential": (lambda x: x.clone().exponential_(2.0), 0.5, 0.5),
    "gamma, below 1": (lambda x: torch._standard_gamma(x + 0.3), 0.3, math.sqrt(0.3)),
    "gamma, above 1": (
        lambda x: torch.distributions.Gamma(x + 9, x + 2, validate_args=False).sample(),
        4.5,
        1.5,
    ),
    "geometric": (lambda x: x.clone().geometric_(0.4), 2.5, math.sqrt(0.6) / 0.4),
    "normal in place": (lambda x: x.clone().normal_(1.0, 3.0), 1.0, 3.0),
    "normal of numbers": (lambda x: torch.normal(1.0, 3.0, (_COUNT,)), 1.0, 3.0),
    "normal of means": (lambda x: torch.normal(x + 1, 3.0), 1.0, 3.0),
    "normal of deviations": (lambda x: torch.normal(1.0, x + 3), 1.0, 3.0),
    "normal of both": (lambda x: torch.normal(x + 1, x[:1] + 3), 1.0, 3.0),
    "Poisson, few": (lambda x: torch.poisson(x + 2), 2.0, math.sqrt(2)),
    "Poisson, many": (lambda x: torch.poisson(x + 60), 60.0, math.sqrt(60)),
    "rand_like": (torch.rand_like, 0.5, math.sqrt(1 / 12)),
    "randint_like": (lambda x: torch.randint_like(x, 4), 1.5, math.sqrt(15 / 12)),
    "randint_like from": (lambda x: torch.randint_like(x, 2, 6), 3.5, math.sqrt(15 / 12)),
    "randn_like": (torch.randn_like, 0.0, 1.0),
    "random in place": (lambda x: x.clone().random_(4), 1.5, math.sqrt(15 / 12)),
    "random without limits": (lambda x: x.clone().random_(), 2.0**23, 2.0**24 / math.sqrt(12)),
    "several variables": (
        lambda x: torch.distributions.MultivariateNormal(
            x[:2] + 1, torch.diag(x[:2] + 9), validate_args=False
        ).rsample((_COUNT,)),
        1.0,
        3.0,
    ),
    "uniform": (lambda x: x.clone().uniform_(-1, 3), 1.0, math.sqrt(16 / 12)),
}


class _Call(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def _run(function, x, dynamic_shapes=None, runs_on=None):
    program = torch.export.export(_Call(function), (x,), dynamic_shapes=dynamic_shapes)
    buffer = to_edge_transform_and_lower(program).to_executorch().buffer
    return (
        Runtime.get().load_program(buffer).load_method("forward").execute([x if runs_on is None else runs_on])
    )


@pytest.mark.parametrize("name", _DRAWN)
def test_moments(name):
    function, mean, deviation = _DRAWN[name]
    (drawn,) = _run(function, _ZEROS)
    expected = function(_ZEROS)
    assert (drawn.shape, drawn.dtype) == (expected.shape, expected.dtype)
    # Six standard errors: one run in 500 million.
    assert abs(drawn.double().mean() - mean) < 6 * deviation / math.sqrt(_COUNT)
    assert abs(drawn.double().std() / deviation - 1) < 0.1


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_of_the_type_of_what_they_are_like(dtype):
    x = torch.zeros(64, dtype=dtype)
    for drawn in _run(lambda x: (torch.rand_like(x), torch.randn_like(x), x.clone().uniform_()), x):
        assert drawn.dtype == dtype
        assert drawn.unique().numel() > 8


def test_another_type_and_whole_numbers():
    (drawn,) = _run(lambda x: torch.randn_like(x, dtype=torch.float64), torch.zeros(3))
    assert drawn.dtype == torch.float64
    (drawn,) = _run(lambda x: torch.bernoulli(x, 0.5), torch.zeros(64, dtype=torch.int64))
    assert drawn.dtype == torch.int64 and set(drawn.tolist()) == {0, 1}


@pytest.mark.parametrize(
    "dtype", [torch.bool, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16]
)
def test_random_without_limits_reaches_what_the_type_has(dtype):
    x = torch.zeros(_COUNT, dtype=dtype)
    (drawn,) = _run(lambda x: x.clone().random_(), x)
    most = x.random_().double().max()
    assert drawn.dtype == dtype and drawn.min() >= 0
    assert 0.99 <= drawn.double().max() / most <= 1.01


def test_two_draws_differ():
    first, second = _run(lambda x: (torch.randn_like(x), torch.randn_like(x)), torch.zeros(8))
    assert not torch.equal(first, second)


def test_sizes_known_at_run_time_only():
    count = torch.export.Dim("count", max=32)
    (drawn,) = _run(
        torch.randn_like,
        torch.zeros(4, 3),
        {
            "x": {0: count},
        },
        torch.zeros(9, 3),
    )
    assert drawn.shape == (9, 3) and drawn.unique().numel() == 27


@pytest.mark.parametrize(("samples", "replacement"), [(1, False), (1, True), (3, True)])
def test_multinomial(samples, replacement):
    rows = _WEIGHTS.repeat(5_000, 1)
    (drawn,) = _run(lambda x: torch.multinomial(x, samples, replacement=replacement), rows)
    assert drawn.shape == (5_000, samples) and drawn.dtype == torch.int64
    shares = torch.bincount(drawn.flatten(), minlength=4) / drawn.numel()
    torch.testing.assert_close(shares, _WEIGHTS / 8, rtol=0, atol=6 * 0.5 / math.sqrt(drawn.numel()))
    assert shares[1] == 0


@pytest.mark.parametrize(("samples", "replacement"), [(1, False), (1, True), (2, True)])
def test_multinomial_in_half_precision_takes_nothing_without_weight(samples, replacement):
    rows = torch.zeros(400, 257, dtype=torch.float16)
    rows[:, 5], rows[:, 100] = 1000, 1000
    (drawn,) = _run(lambda x: torch.multinomial(x, samples, replacement=replacement), rows)
    assert set(drawn.flatten().tolist()) == {5, 100}


def test_small_probabilities_in_half_precision():
    (drawn,) = _run(lambda x: torch.bernoulli(x, 0.001), _ZEROS.half())
    assert abs(drawn.double().mean() - 0.001) < 6 * math.sqrt(0.001 / _COUNT)


def test_deviations_of_another_type_leave_that_of_the_means():
    (drawn,) = _run(lambda x: torch.normal(x.half(), x + 2), torch.zeros(8))
    assert drawn.dtype == torch.float16


def test_multinomial_without_replacement():
    (drawn,) = _run(lambda x: torch.multinomial(x, 2), _WEIGHTS.repeat(5_000, 1))
    assert (drawn[:, 0] != drawn[:, 1]).all() and not (drawn == 1).any()
    # First 3, then 2: 5/8 of all times 2/3 of the rest; the other way round 1/4 times 5/6.
    third_first = (drawn == torch.tensor([3, 2])).all(1).double().mean()
    assert abs(third_first - 5 / 12) < 6 * 0.5 / math.sqrt(5_000)
