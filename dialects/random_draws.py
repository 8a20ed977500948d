"""Random numbers of distributions that no arithmetic on uniform ones gives: ``executorch::poisson`` and its like.

    poisson(Tensor rate) -> Tensor
    binomial(Tensor count, Tensor prob) -> Tensor               of both shapes together
    standard_gamma(Tensor concentration) -> Tensor              scale 1

ATen's operators of the same names take a generator, which programs cannot hold. Parameters and results are of one floating type.
"""

from collections.abc import Callable
from typing import Final

import torch
from torch.library import Library

# Other libraries add operators to this namespace too.
LIBRARY: Final = Library("executorch", "FRAGMENT")

_aten = torch.ops.aten


def _define(name: str, parameters: list[str], draw: Callable[..., torch.Tensor]) -> None:
    arguments = ", ".join(f"Tensor {parameter}" for parameter in parameters)

    def meta(*args: torch.Tensor) -> torch.Tensor:
        torch._check(
            args[0].is_floating_point() and all(arg.dtype == args[0].dtype for arg in args),
            lambda: f"{name} takes parameters of one floating type",
        )
        return args[0].new_empty(torch.broadcast_shapes(*(arg.shape for arg in args)))

    def out_variant(*args: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        result = getattr(torch.ops.executorch, name).default(*args)
        return out.resize_(result.shape).copy_(result)

    LIBRARY.define(f"{name}({arguments}) -> Tensor", tags=[torch.Tag.nondeterministic_seeded])
    LIBRARY.define(f"{name}.out({arguments}, *, Tensor(a!) out) -> Tensor(a!)")
    LIBRARY.impl(name, draw, "CPU")
    LIBRARY.impl(name, meta, "Meta")
    LIBRARY.impl(f"{name}.out", out_variant, "CompositeExplicitAutograd")


_define("poisson", ["rate"], lambda rate: _aten.poisson.default(rate))
_define("binomial", ["count", "prob"], lambda count, prob: _aten.binomial.default(count, prob))
_define("standard_gamma", ["concentration"], lambda shape: _aten._standard_gamma.default(shape))

POISSON: Final = torch.ops.executorch.poisson.default
BINOMIAL: Final = torch.ops.executorch.binomial.default
STANDARD_GAMMA: Final = torch.ops.executorch.standard_gamma.default

__all__ = ["BINOMIAL", "LIBRARY", "POISSON", "STANDARD_GAMMA"]
