"""Nodes that compute symbolic sizes, found or made on demand."""

import functools
import operator
from typing import Any

import torch
from torch.fx import Graph, Node

from executorch.dialects import meta_keys

_SYM_SIZE = torch.ops.aten.sym_size.int
_SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)


class SizeNodes:
    """Knows a node for every symbolic number that the graph has computed so far.

    New nodes go to the graph's insertion point; walk the graph front to back, so that they stand before their uses.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[Any, Node] = {}
        self._sources: dict[Any, tuple[Node, int]] = {}

    def visit(self, node: Node) -> None:
        """Learns from a node of the graph: what it computes, and which symbols are sizes of it."""
        value = node.meta.get(meta_keys.VAL)
        if isinstance(value, _SYMBOLIC):
            self.define(value, node)
        elif isinstance(value, torch.Tensor):
            for dim, size in enumerate(value.shape):
                if isinstance(size, torch.SymInt) and size.node.expr not in self._sources:
                    self._sources[size.node.expr] = (node, dim)

    def define(self, value: Any, node: Node) -> None:
        """``node`` computes ``value``."""
        self._known.setdefault(value.node.expr, node)

    def node_of(self, value: Any, meta: dict[str, Any]) -> Any:
        """The node that computes ``value``; a plain number when it is constant. New nodes get ``meta``.

        Raises:
            KeyError: no tensor of the graph has a size from which it could be computed.
        """
        if value.node.is_constant():
            return (
                value.node.maybe_as_int() if isinstance(value, torch.SymInt) else value.node.maybe_as_float()
            )
        return self._node(value.node.expr, value.node.shape_env, meta)

    def _node(self, expr: Any, shape_env: Any, meta: dict[str, Any]) -> Any:
        if expr.is_Integer:
            return int(expr)
        known = self._known.get(expr)
        if known is not None:
            return known
        source = self._sources.get(expr)
        if source is not None:
            tensor, dim = source
            node = self._create(_SYM_SIZE, (tensor, dim), tensor.meta[meta_keys.VAL].shape[dim], meta)
        else:
            node = self._compute(expr, shape_env, meta)
        self._known[expr] = node
        return node

    def _compute(self, expr: Any, shape_env: Any, meta: dict[str, Any]) -> Node:
        target, operands = _as_operation(expr)
        arguments = [self._node(operand, shape_env, meta) for operand in operands]
        return functools.reduce(lambda left, right: self._apply(target, left, right, meta), arguments)

    def _apply(self, target: Any, left: Any, right: Any, meta: dict[str, Any]) -> Node:
        return self._create(target, (left, right), target(_value(left), _value(right)), meta)

    def _create(self, target: Any, args: tuple[Any, ...], value: Any, meta: dict[str, Any]) -> Node:
        node = self._graph.call_function(target, args)
        node.meta = {**meta, meta_keys.VAL: value}
        return node


def _value(item: Any) -> Any:
    return item.meta[meta_keys.VAL] if isinstance(item, Node) else item


def _as_operation(expr: Any) -> tuple[Any, tuple[Any, ...]]:
    """The Python operator and operands of the outermost operation of ``expr``."""
    kind = type(expr).__name__
    if expr.is_Add:
        return operator.add, expr.args
    if expr.is_Mul:
        return operator.mul, expr.args
    if kind in ("FloorDiv", "CleanDiv"):
        return operator.floordiv, expr.args
    if kind in ("Mod", "PythonMod"):
        return operator.mod, expr.args
    if kind in ("Max", "Min"):
        return (torch.sym_max if kind == "Max" else torch.sym_min), expr.args
    if kind in ("Pow", "PowByNatural") and expr.args[1].is_Integer and 0 < int(expr.args[1]) <= 4:
        return operator.mul, (expr.args[0],) * int(expr.args[1])
    raise KeyError(f"no node computes the size {expr}")
