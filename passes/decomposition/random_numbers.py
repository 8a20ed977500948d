"""Random tensors by ``rand``, ``randn``, ``randint`` and ``dialects.random_draws``, which have kernels: what samplers of variational
autoencoders, of speech and of diffusion draw from, and what is filled in place (``x.normal_()``).

A generator, which a program cannot hold, is left to the runtime's own.
"""

from collections.abc import Callable
from typing import Any, Final

import torch

from executorch.dialects.random_draws import BINOMIAL, POISSON, STANDARD_GAMMA

_aten = torch.ops.aten


def _kind(tensor: torch.Tensor, dtype: Any = None, device: Any = None) -> dict[str, Any]:
    """The options of a factory whose result is to be like a tensor."""
    return {"dtype": dtype or tensor.dtype, "device": device or tensor.device}


def _like(factory: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """What ``randint_like`` has before its size (``low`` and ``high``) goes on to its factory."""

    def decomposition(
        self: torch.Tensor, *bounds: Any, dtype: Any = None, device: Any = None, **_: Any
    ) -> torch.Tensor:
        return factory(*bounds, list(self.shape), **_kind(self, dtype, device))

    return decomposition


_rand_like: Final = _like(_aten.rand.default)
_randn_like: Final = _like(_aten.randn.default)


def _wide(self: torch.Tensor) -> torch.dtype:
    """What probabilities are compared in: a half type has too few values below one."""
    return torch.float64 if self.dtype == torch.float64 else torch.float32


def _uniform(self: torch.Tensor, low: float = 0.0, high: float = 1.0, **_: Any) -> torch.Tensor:
    return _rand_like(self) * (high - low) + low


def _normal_like(self: torch.Tensor, mean: float = 0.0, std: float = 1.0, **_: Any) -> torch.Tensor:
    return _randn_like(self) * std + mean


def _normal_of_size(
    mean: float, std: float, size: Any, *, dtype: Any = None, device: Any = None, **_: Any
) -> torch.Tensor:
    return _aten.randn.default(list(size), dtype=dtype, device=device) * std + mean


def _normal(mean: Any, std: Any = 1.0, **_: Any) -> torch.Tensor:
    """At least one of both is a tensor."""
    if not isinstance(mean, torch.Tensor):
        return _randn_like(std) * std + mean
    if not isinstance(std, torch.Tensor):
        return _randn_like(mean) * std + mean
    shape = torch.broadcast_shapes(mean.shape, std.shape)
    return _aten.randn.default(list(shape), **_kind(mean)) * std.to(mean.dtype) + mean


def _bernoulli(self: torch.Tensor, p: Any, **_: Any) -> torch.Tensor:
    """Ones with probability ``p``, a number or a tensor, in the type of ``self``."""
    return (_rand_like(self, dtype=_wide(self)) < p).to(self.dtype)


def _random_to(self: torch.Tensor, to: int, **_: Any) -> torch.Tensor:
    return _aten.randint.default(to, list(self.shape), **_kind(self))


def _random(self: torch.Tensor, **_: Any) -> torch.Tensor:
    """Whole numbers from 0 to the largest of the type; of floats, to the one above which some are missing.

    2^63 - 1, which ``high`` cannot be above, is not drawn. (``random_(low, high)`` is an overload called ``from``, with
    which torch.export writes code that Python does not read.)
    """
    if self.dtype == torch.bool:
        most = 1
    elif self.dtype.is_floating_point:
        most = round(2 / torch.finfo(self.dtype).eps)
    else:
        most = min(torch.iinfo(self.dtype).max, torch.iinfo(torch.int64).max - 1)
    return _aten.randint.default(most + 1, list(self.shape), **_kind(self))


def _without_generator(op: Callable[..., torch.Tensor], count: int = 1) -> Callable[..., torch.Tensor]:
    """What ``op`` makes of the first ``count`` arguments."""
    return lambda *args, **_: op(*args[:count])


def _sample_dirichlet(self: torch.Tensor, generator: Any = None) -> torch.Tensor:
    """Shares of gamma's distribution."""
    drawn = STANDARD_GAMMA(self)
    return drawn / drawn.sum(-1, keepdim=True)


def _multinomial(self: torch.Tensor, num_samples: Any, replacement: bool = False, **_: Any) -> torch.Tensor:
    """Indices by weights that need not add up to one. Shapes: (C) or (N, C); the result has ``num_samples`` of them.

    Without replacement by an exponential race: the largest of weight over a draw of the exponential distribution
    comes first with a probability in proportion to its weight, then the next (Efraimidis and Spirakis, 2006). With it, each
    draw is looked up in the running sums.
    """
    if not replacement or (isinstance(num_samples, int) and num_samples == 1):
        # A draw of zero waits for ever; none is one, so that nothing is divided by zero.
        waits = -torch.log(_rand_like(self, dtype=_wide(self)))
        race = self.to(waits.dtype) / waits
        if isinstance(num_samples, int) and num_samples == 1:
            return torch.argmax(race, dim=-1, keepdim=True)
        return torch.topk(race, num_samples, dim=-1)[1]
    sums = torch.cumsum(self.to(_wide(self)), dim=-1)
    whole = sums[..., -1:]
    draws = _aten.rand.default([*self.shape[:-1], num_samples], **_kind(sums)) * whole
    # A draw may round up to the whole sum; the first place that has it is the last with a weight.
    return torch.minimum(torch.searchsorted(sums, draws, right=True), torch.searchsorted(sums, whole))


RANDOM: Final[dict[str, Callable[..., Any]]] = {
    "aten::_sample_dirichlet": _sample_dirichlet,
    "aten::_standard_gamma": _without_generator(STANDARD_GAMMA),
    "aten::bernoulli.Tensor": _bernoulli,
    "aten::bernoulli.p": _bernoulli,
    "aten::binomial": _without_generator(BINOMIAL, 2),
    "aten::multinomial": _multinomial,
    "aten::normal.Tensor_Tensor": _normal,
    "aten::normal.Tensor_float": _normal,
    "aten::normal.float_Tensor": _normal,
    "aten::normal.float_float": _normal_of_size,
    "aten::normal_functional": _normal_like,
    "aten::poisson": _without_generator(POISSON),
    "aten::rand_like": _rand_like,
    "aten::randint_like": _like(_aten.randint.default),
    "aten::randint_like.low_dtype": _like(_aten.randint.low),
    "aten::randn_like": _randn_like,
    "aten::random": _random,
    "aten::random.to": _random_to,
    "aten::uniform": _uniform,
}

__all__ = ["RANDOM"]
