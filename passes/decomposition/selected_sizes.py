"""How many elements a mask can select where torch says too few."""

import math
import operator
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.dialects.verifiers import graph_modules
from executorch.ir.values import value_of

_MASKED_SELECT = torch.ops.aten.masked_select.default


def widen_selections(program: ExportedProgram) -> None:
    """Torch bounds what ``masked_select`` gives by the elements of ``self``; a mask that ``self`` is broadcast to has more.

    Bodies of control flow have such calls as well. What a model says itself (``torch._check(count <= 7)``) stays,
    unless it is what torch says, from which it cannot be told.
    Programs share their symbols with what they were made of, so that the shape environment has the new bound for both.
    """
    for module in graph_modules(program.graph_module):
        for node in module.graph.find_nodes(op="call_function", target=_MASKED_SELECT):
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

    # The environment may have been told by another program of the same symbols.
    known = constraints.get(symbol, env.var_to_range[symbol])
    reach = most(math.prod(torch.broadcast_shapes(values.shape, mask.shape)))
    if known.upper == most(values.numel()) and known.upper < reach:
        env.var_to_range[symbol] = constraints[symbol] = ValueRanges(known.lower, reach)
        _erase_checks(node, known.upper)


def _erase_checks(node: Node, limit: Any) -> None:
    """Takes out what checks at run time that no more than ``limit`` elements are selected."""
    sizes = [user for user in node.users if user.target is torch.ops.aten.sym_size.int]
    for compared in [user for size in sizes for user in size.users]:
        if compared.target is operator.le and compared.args[1] == limit:
            for check in list(compared.users):
                if check.target is torch.ops.aten._assert_scalar.default:
                    node.graph.erase_node(check)


__all__ = ["widen_selections"]
