"""The memory operators of the execution form.

They appear as ``call_function`` targets after the to-out-variant and view passes and print as
``executorch.exir.memory.<name>``, their documented import path. They become no instruction of their own: the
emitter turns ``alloc`` into a planned tensor value, ``view`` into a second value over the same bytes and ``free``
into a free instruction. Called from Python (a graph interpreted with torch) they behave as described.
"""

from collections.abc import Sequence
from typing import Any

import torch

#: ``(shape, dtype)`` with the upper bounds of the sizes.
AllocSpec = tuple[Sequence[int], torch.dtype]


def alloc(spec: AllocSpec | list[AllocSpec]) -> "torch.Tensor | list[torch.Tensor]":
    """An uninitialised tensor for an ``out=`` argument; a list of specs gives a list of tensors.

    Shapes are upper bounds; the tensor is contiguous whatever the dim order of the planned value.
    """
    if isinstance(spec, list):
        return [torch.empty(tuple(shape), dtype=dtype) for shape, dtype in spec]
    shape, dtype = spec
    return torch.empty(tuple(shape), dtype=dtype)


def free(value: Any) -> None:
    """Marks the last use of a value of unbounded size; does nothing when called from Python."""
    del value


def view(base: torch.Tensor, size: Sequence[int | torch.SymInt]) -> torch.Tensor:
    """``base`` read with sizes ``size`` (one ``-1`` allowed) without a copy; ``base`` must be contiguous."""
    return base.view(tuple(size))


# The qualified name is what fx prints and what generated code imports; it must be the documented path.
for _function in (alloc, free, view):
    _function.__module__ = "executorch.exir.memory"
del _function
