"""Functions of a complex number by its parts: each takes a real and an imaginary part, and gives those of the result."""

import math
from collections.abc import Callable
from typing import Final

import torch

Parts = tuple[torch.Tensor, torch.Tensor]


def _exp(real: torch.Tensor, imaginary: torch.Tensor) -> Parts:
    size = torch.exp(real)
    return size * torch.cos(imaginary), size * torch.sin(imaginary)


def _expm1(real: torch.Tensor, imaginary: torch.Tensor) -> Parts:
    half = torch.sin(imaginary / 2)
    return torch.expm1(real) * torch.cos(imaginary) - 2 * half * half, torch.exp(real) * torch.sin(imaginary)


def _log(real: torch.Tensor, imaginary: torch.Tensor) -> Parts:
    return torch.log(torch.hypot(real, imaginary)), torch.atan2(imaginary, real)


def _log_to(base: float) -> Callable[[torch.Tensor, torch.Tensor], Parts]:
    def logarithm(real: torch.Tensor, imaginary: torch.Tensor) -> Parts:
        size, angle = _log(real, imaginary)
        return size / math.log(base), angle / math.log(base)

    return logarithm


def _log1p(real: torch.Tensor, imaginary: torch.Tensor) -> Parts:
    size = torch.log1p(real * (real + 2) + imaginary * imaginary) / 2
    return size, torch.atan2(imaginary, real + 1)


def _sqrt(real: torch.Tensor, imaginary: torch.Tensor) -> Parts:
    """Nothing cancels: the larger part is a sum of what is positive, the other one is what makes the product right."""
    larger = torch.sqrt((torch.hypot(real, imaginary) + torch.abs(real)) / 2)
    other = torch.where(larger == 0, 0.0, torch.abs(imaginary) / (2 * larger))
    right = real >= 0
    upper = torch.where(right, other, larger)
    return torch.where(right, larger, other), torch.where(imaginary < 0, -upper, upper)


def _reciprocal(real: torch.Tensor, imaginary: torch.Tensor) -> Parts:
    """Twice by the size, whose square may be too large or too small for the type; infinite at zero, as in eager."""
    size = torch.hypot(real, imaginary)
    return torch.where(size == 0, 1 / size, real / size / size), -(imaginary / size / size)


def _rsqrt(real: torch.Tensor, imaginary: torch.Tensor) -> Parts:
    return _reciprocal(*_sqrt(real, imaginary))


def _sin(real: torch.Tensor, imaginary: torch.Tensor) -> Parts:
    return torch.sin(real) * torch.cosh(imaginary), torch.cos(real) * torch.sinh(imaginary)


def _cos(real: torch.Tensor, imaginary: torch.Tensor) -> Parts:
    return torch.cos(real) * torch.cosh(imaginary), -(torch.sin(real) * torch.sinh(imaginary))


def _sinh(real: torch.Tensor, imaginary: torch.Tensor) -> Parts:
    return torch.sinh(real) * torch.cos(imaginary), torch.cosh(real) * torch.sin(imaginary)


def _cosh(real: torch.Tensor, imaginary: torch.Tensor) -> Parts:
    return torch.cosh(real) * torch.cos(imaginary), torch.sinh(real) * torch.sin(imaginary)


def _tanh(real: torch.Tensor, imaginary: torch.Tensor) -> Parts:
    """``1 - tanh²`` is taken from ``cosh``, since it cancels."""
    along, across, inverse = torch.tanh(real), torch.tan(imaginary), 1 / torch.cosh(real)
    below = 1 + along * along * across * across
    return along * (1 + across * across) / below, across * inverse * inverse / below


def _tan(real: torch.Tensor, imaginary: torch.Tensor) -> Parts:
    above, below = _tanh(-imaginary, real)
    return below, -above


def _sigmoid(real: torch.Tensor, imaginary: torch.Tensor) -> Parts:
    above, below = _exp(-real, -imaginary)
    return _reciprocal(1 + above, below)


#: By the operator that calculates them.
FUNCTIONS: Final[dict[str, Callable[[torch.Tensor, torch.Tensor], Parts]]] = {
    "aten::cos": _cos,
    "aten::cosh": _cosh,
    "aten::exp": _exp,
    "aten::expm1": _expm1,
    "aten::log": _log,
    "aten::log10": _log_to(10),
    "aten::log1p": _log1p,
    "aten::log2": _log_to(2),
    "aten::reciprocal": _reciprocal,
    "aten::rsqrt": _rsqrt,
    "aten::sigmoid": _sigmoid,
    "aten::sin": _sin,
    "aten::sinh": _sinh,
    "aten::sqrt": _sqrt,
    "aten::tan": _tan,
    "aten::tanh": _tanh,
}


def power(base: Parts, exponent: Parts, *, is_real: bool) -> Parts:
    """``base`` to the power of ``exponent``; ``is_real`` where the latter has no imaginary part."""
    size, angle = torch.hypot(*base), torch.atan2(base[1], base[0])
    grown, turned = torch.pow(size, exponent[0]), angle * exponent[0]
    if not is_real:
        grown = grown * torch.exp(-angle * exponent[1])
        turned = turned + torch.where(size == 0, 0.0, torch.log(size) * exponent[1])
    return grown * torch.cos(turned), grown * torch.sin(turned)


__all__ = ["FUNCTIONS", "Parts", "power"]
