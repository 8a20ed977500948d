"""``executorch::grouped_mm``: products of groups of rows, each with a matrix of its own.

What a mixture of experts does with its tokens once they are sorted by expert: rows ``[offs[g - 1], offs[g])`` of the left
matrix times matrix ``g``. Rows beyond the last group become zero.

    grouped_mm(Tensor self [s, k], Tensor mat2 [g, k, n], Tensor offs [g], int32 or int64) -> Tensor [s, n]
"""

from typing import Final

import torch
from torch.library import Library

# Other libraries add operators to this namespace too.
LIBRARY: Final = Library("executorch", "FRAGMENT")

_ARGUMENTS = "Tensor self, Tensor mat2, Tensor offs"


def _grouped_mm(self: torch.Tensor, mat2: torch.Tensor, offs: torch.Tensor) -> torch.Tensor:
    out = self.new_zeros(self.shape[0], mat2.shape[2])
    start = 0
    for group, end in enumerate(offs.tolist()):
        out[start:end] = self[start:end] @ mat2[group]
        start = end
    return out


def _grouped_mm_meta(self: torch.Tensor, mat2: torch.Tensor, offs: torch.Tensor) -> torch.Tensor:
    torch._check(
        self.dim() == 2 and mat2.dim() == 3 and offs.dim() == 1,
        lambda: "grouped_mm takes [s, k], [g, k, n], [g]",
    )
    torch._check(
        self.shape[1] == mat2.shape[1],
        lambda: f"rows of {self.shape[1]} times matrices of {mat2.shape[1]} rows",
    )
    torch._check(offs.shape[0] == mat2.shape[0], lambda: f"{offs.shape[0]} groups, {mat2.shape[0]} matrices")
    return self.new_empty(self.shape[0], mat2.shape[2])


def _grouped_mm_out(
    self: torch.Tensor, mat2: torch.Tensor, offs: torch.Tensor, *, out: torch.Tensor
) -> torch.Tensor:
    result = torch.ops.executorch.grouped_mm.default(self, mat2, offs)
    return out.resize_(result.shape).copy_(result)


LIBRARY.define(f"grouped_mm({_ARGUMENTS}) -> Tensor")
LIBRARY.define(f"grouped_mm.out({_ARGUMENTS}, *, Tensor(a!) out) -> Tensor(a!)")
LIBRARY.impl("grouped_mm", _grouped_mm, "CPU")
LIBRARY.impl("grouped_mm", _grouped_mm_meta, "Meta")
LIBRARY.impl("grouped_mm.out", _grouped_mm_out, "CompositeExplicitAutograd")

GROUPED_MM: Final = torch.ops.executorch.grouped_mm.default

__all__ = ["GROUPED_MM", "LIBRARY"]
