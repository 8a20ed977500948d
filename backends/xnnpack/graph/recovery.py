"""Operators that models spell out: what is found is one XNNPACK node again.

A formula is recognised by what it computes, not by how it is written: its nodes are evaluated on a grid of numbers and
compared with the operator, so that every spelling of ``x * (1 + erf(x / sqrt(2))) / 2`` is a GELU.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.constants import Constants, name_of
from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op

#: Where such a formula cannot be anything but elementwise arithmetic on one value.
_POINTWISE = {"aten.add.Tensor", "aten.div.Tensor", "aten.erf.default", "aten.mul.Tensor", "aten.neg.default"}
_MOST_NODES = 8
#: Numbers where GELU is neither the identity nor zero, and some where it is.
_GRID = torch.linspace(-6, 6, 97, dtype=torch.float64)
_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Recovery:
    """A formula that is one operator.

    Attributes:
        name: under which the operator's lowering is registered.
        source: the value that the formula is of.
        nodes: all of the formula, the last one last.
    """

    name: str
    source: Node
    nodes: tuple[Node, ...]


def recoveries(program: ExportedProgram, constants: Constants) -> dict[Node, Recovery]:
    """The last node of each formula in a graph -> what it spells out."""
    found = (recovered_gelu(node, constants) for node in program.graph.nodes)
    return {one.nodes[-1]: one for one in found if one is not None}


def recovered_gelu(node: Node, constants: Constants) -> Recovery | None:
    """The GELU whose error function is ``node``; None if that is part of something else."""
    if name_of(node) != "aten.erf.default":
        return None
    inner = node.args[0]
    source = _scaled(inner, constants) if isinstance(inner, Node) else None
    if source is None:
        return None
    nodes = {inner, node}
    last = node
    while len(nodes) <= _MOST_NODES:
        if _is_gelu(nodes, last, source, constants):
            ordered = tuple(one for one in node.graph.nodes if one in nodes)
            return Recovery("recovered.gelu", source, ordered) if _is_closed(nodes, last) else None
        following = _next(last, nodes, source, constants)
        if following is None:
            return None
        nodes |= following
        last = next(iter(last.users))
    return None


def _scaled(node: Node, constants: Constants) -> Node | None:
    """The value of which ``node`` is a multiple, None if it is nothing like that."""
    if name_of(node) not in ("aten.mul.Tensor", "aten.div.Tensor"):
        return None
    variable = [one for one in node.all_input_nodes if _number(one, constants) is None]
    return variable[0] if len(variable) == 1 else None


def _number(node: object, constants: Constants) -> torch.Tensor | None:
    """The one element of a constant."""
    value = node.meta.get(meta_keys.VAL) if isinstance(node, Node) else None
    if not isinstance(value, torch.Tensor) or value.numel() != 1:
        return None
    return constants(node)  # type: ignore[arg-type]


def _next(last: Node, nodes: set[Node], source: Node, constants: Constants) -> set[Node] | None:
    """The only reader of ``last``, with what else it reads if that is the source times a number."""
    if len(last.users) != 1:
        return None
    user = next(iter(last.users))
    found = {user}
    for one in user.all_input_nodes:
        if one in nodes or one is source or _number(one, constants) is not None:
            continue
        if _scaled(one, constants) is not source:
            return None
        found.add(one)
    return found if all(name_of(one) in _POINTWISE for one in found) else None


def _is_closed(nodes: set[Node], last: Node) -> bool:
    """Whether nothing but the formula reads what lies inside it."""
    return all(user in nodes for one in nodes if one is not last for user in one.users)


def _is_gelu(nodes: set[Node], last: Node, source: Node, constants: Constants) -> bool:
    values: dict[Node, torch.Tensor] = {source: _GRID}

    def value(one: Node) -> torch.Tensor:
        if one not in values:
            number = _number(one, constants)
            values[one] = torch.tensor(0.0) if number is None else number.detach().double()
        return values[one]

    for node in source.graph.nodes:
        if node in nodes:
            op = aten_op(node.target)
            args = torch.fx.node.map_arg(node.args, value)
            kwargs = torch.fx.node.map_arg(node.kwargs, value)
            values[node] = op(*args, **kwargs)  # type: ignore[misc]
    wanted = torch.nn.functional.gelu(_GRID)
    return values[last].shape == wanted.shape and bool((values[last] - wanted).abs().max() < _TOLERANCE)
