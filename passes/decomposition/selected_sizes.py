"""How many elements a mask can select where torch says too few."""

import math
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.ir.values import value_of

_MASKED_SELECT = torch.ops.aten.masked_select.default


def widen_selections(program: ExportedProgram) -> None:
    """Torch bounds what ``masked_select`` gives by the elements of ``self``; a mask that ``self`` is broadcast to has more.

    What a model says itself (``torch._check(count <= 7)``) stays. Programs that are decomposed share their symbols with
    what they were made of, which is told as well.
    """
    for node in program.graph.find_nodes(op="call_function", target=_MASKED_SELECT):
        _widen(node, program.range_constraints)


def _widen(node: Node, constraints: dict[Any, Any]) -> None:
    values, mask = (value_of(arg) for arg in node.args[:2])  # type: ignore[arg-type]
    count = value_of(node).shape[0]
    if isinstance(count, int) or not count.node.expr.is_Symbol:
        return
    from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy  # slow to import

    symbol, env = count.node.expr, count.node.shape_env

    def most(number: "int | torch.SymInt") -> Any:
        return number if isinstance(number, int) else bound_sympy(number.node.expr, env.var_to_range).upper

    known, reach = env.var_to_range[symbol], most(math.prod(torch.broadcast_shapes(values.shape, mask.shape)))
    if known.upper == most(values.numel()) and known.upper < reach:
        env.var_to_range[symbol] = constraints[symbol] = ValueRanges(known.lower, reach)


__all__ = ["widen_selections"]
