"""Registers ``torch.ops.llama.fallback``, a copy that no backend takes: it keeps parts of a graph apart."""

from __future__ import annotations

import torch
from torch.library import Library

fallback_op_lib = Library("llama", "FRAGMENT")
fallback_op_lib.define("fallback(Tensor input) -> Tensor")
fallback_op_lib.define("fallback.out(Tensor input, *, Tensor(a!) output) -> Tensor(a!)")


def fallback_impl(a: torch.Tensor) -> torch.Tensor:
    """A copy."""
    return a.clone()


def fallback_out_impl(a: torch.Tensor, *, output: torch.Tensor) -> torch.Tensor:
    """Copies to ``output``."""
    output.resize_(a.shape).copy_(a)
    return output


fallback_op_lib.impl("fallback", fallback_impl, "CompositeExplicitAutograd")
fallback_op_lib.impl("fallback.out", fallback_out_impl, "CompositeExplicitAutograd")
fallback_op_lib.impl("fallback", torch.empty_like, "Meta")
