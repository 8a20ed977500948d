"""Numbers for symbolic sizes."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import torch

from executorch.dialects.errors import ExportErrorType, UnboundedShapeError
from executorch.passes.to_execution.sym_shape_eval_pass import upper_bound

if TYPE_CHECKING:
    import sympy


def eval_expr(symint: "int | torch.SymInt") -> "int | None":
    """The number that a size had in the example inputs; None for a size that only the data decide."""
    return symint if isinstance(symint, int) else symint.node.maybe_as_int() or symint.node.hint


def eval_shape(shape: Iterable["int | torch.SymInt"]) -> "list[int | None]":
    """:func:`eval_expr` of every size."""
    return [eval_expr(size) for size in shape]


def eval_upper_bound(maybe_symint: "int | torch.SymInt") -> int:
    """The largest number that a size can be; where nothing bounds it, what it was in the example inputs.

    Memory is planned in the same way.

    Raises:
        UnboundedShapeError: nothing bounds it and only the data decide it.
    """
    bound = upper_bound(maybe_symint)
    if bound is None:
        bound = eval_expr(maybe_symint)
    if bound is None:
        raise UnboundedShapeError(
            ExportErrorType.MISSING_PROPERTY,
            f"the size {maybe_symint} has no upper bound\nWay out: give its dimension one with "
            "torch.export.Dim(name, max=...), or torch._check(size <= bound) in the model",
        )
    return bound


def eval_shape_upper_bound(shape: Iterable["int | torch.SymInt"]) -> list[int]:
    """:func:`eval_upper_bound` of every size."""
    return [eval_upper_bound(size) for size in shape]


def collect_free_symbols(shape: Iterable["int | torch.SymInt"]) -> "set[sympy.Symbol]":
    """The symbols that the sizes depend on."""
    found: set[sympy.Symbol] = set()
    for size in shape:
        if isinstance(size, torch.SymInt):
            found |= size.node.expr.free_symbols
    return found
