"""What becomes of a tapped value: the value itself, or a row of statistics about it.

A reducer exists twice, and both must give the same: eagerly, for the reference, and as nodes of an edge graph that
take the place of the tap in the lowered program. Statistics are of float32, whatever the value is.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch.fx import Graph, Node

from executorch.dialects.ops import ops

EmitFn: TypeAlias = Callable[[Graph, Node], Node]
EagerFn: TypeAlias = Callable[[torch.Tensor], torch.Tensor]

_STATS_FIELDS = (
    "min",
    "max",
    "mean",
    "abs_max",
    "abs_mean",
    "std",
    "rms",
    "l1_norm",
    "l2_norm",
    "nan_count",
    "inf_count",
    "zero_count",
    "p99_abs",
)
#: ``p99_abs`` is the smallest of the largest hundredth of the magnitudes, at least of one of them.
_TAIL = 100


@dataclass(frozen=True)
class StatReducer:
    """A reduction.

    Attributes:
        name: What rules and specs call it.
        fields: The elements of its 1-D result; empty if the result is the value as it is.
        emit: Appends the reduction of a node to an edge graph, at the graph's insertion point, and returns its last
            node. Metadata are filled in afterwards.
        eager: The same on a tensor.
    """

    name: str
    fields: tuple[str, ...]
    emit: EmitFn
    eager: EagerFn


def _emit_full_tensor(_graph: Graph, src: Node) -> Node:
    return src


def _eager_full_tensor(t: torch.Tensor) -> torch.Tensor:
    return t


def _tail_length(numel: int) -> int:
    return max(1, -(-numel // _TAIL))


def _least_tail(value: torch.Tensor) -> int:
    """How many magnitudes are the largest hundredth; of a dynamic shape, no more than its smallest has."""
    numel = value.numel()
    if not isinstance(numel, torch.SymInt):
        return _tail_length(numel)
    bounds = numel.node.shape_env.bound_sympy(numel.node.expr)
    lower = int(bounds.lower) if bounds.lower.is_finite else 1
    hint = numel.node.hint
    return max(1, min(lower, _tail_length(lower if hint is None else int(hint))))


class _Emitter:
    """Calls of edge operators at the insertion point of a graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def call(self, target: Any, *args: Any, **kwargs: Any) -> Node:
        return self._graph.call_function(target, args, kwargs)

    def as_float(self, value: Node, known: torch.Tensor | None) -> Node:
        if known is not None and known.dtype == torch.float32:
            return value
        order = None if known is None else list(range(known.dim()))
        return self.call(
            ops.edge.dim_order_ops._to_dim_order_copy.default, value, dtype=torch.float32, dim_order=order
        )

    def total(self, value: Node) -> Node:
        return self.call(ops.edge.aten.sum.dim_IntList, value, [])

    def count(self, mask: Node) -> Node:
        """How many elements of a mask are true; the sum of booleans would be of int64."""
        return self.call(ops.edge.aten.sum.dim_IntList, mask, [], dtype=torch.float32)

    def mean(self, value: Node) -> Node:
        return self.call(ops.edge.aten.mean.dim, value, [])

    def product(self, one: Node, other: Node) -> Node:
        return self.call(ops.edge.aten.mul.Tensor, one, other)

    def root(self, value: Node) -> Node:
        return self.call(ops.edge.aten.sqrt.default, value)


def _emit_stats(graph: Graph, src: Node) -> Node:
    known = src.meta.get("val")
    emit = _Emitter(graph)
    aten = ops.edge.aten
    value = emit.as_float(src, known)
    magnitude = emit.call(aten.abs.default, value)
    square = emit.product(value, value)
    mean, square_mean = emit.mean(value), emit.mean(square)
    # Rounding may take a variance of nothing below zero.
    variance = emit.call(aten.abs.default, emit.call(aten.sub.Tensor, square_mean, emit.product(mean, mean)))
    infinite = emit.call(aten.isinf.default, value)
    zero = emit.call(aten.eq.Scalar, value, 0.0)
    flat = emit.call(aten.view_copy.default, magnitude, [-1])
    tail = 1 if known is None else _least_tail(known)
    top = emit.call(aten.topk.default, flat, tail)
    largest = graph.call_function(operator.getitem, (top, 0))
    fields = {
        "min": emit.call(aten.amin.default, value),
        "max": emit.call(aten.amax.default, value),
        "mean": mean,
        "abs_max": emit.call(aten.amax.default, magnitude),
        "abs_mean": emit.mean(magnitude),
        "std": emit.root(variance),
        "rms": emit.root(square_mean),
        "l1_norm": emit.total(magnitude),
        "l2_norm": emit.root(emit.total(square)),
        "nan_count": emit.count(emit.call(aten.isnan.default, value)),
        "inf_count": emit.count(infinite),
        "zero_count": emit.count(zero),
        "p99_abs": emit.call(aten.select_copy.int, largest, 0, tail - 1),
    }
    rows = [emit.call(aten.view_copy.default, fields[name], [1]) for name in _STATS_FIELDS]
    return emit.call(aten.cat.default, rows)


def _eager_stats(t: torch.Tensor) -> torch.Tensor:
    value = t.detach().to(torch.float32)
    magnitude = value.abs().reshape(-1)
    square_mean = (value * value).mean()
    mean = value.mean()
    fields = {
        "min": value.amin(),
        "max": value.amax(),
        "mean": mean,
        "abs_max": magnitude.amax(),
        "abs_mean": magnitude.mean(),
        "std": (square_mean - mean * mean).abs().sqrt(),
        "rms": square_mean.sqrt(),
        "l1_norm": magnitude.sum(),
        "l2_norm": (magnitude * magnitude).sum().sqrt(),
        "nan_count": value.isnan().sum().float(),
        "inf_count": value.isinf().sum().float(),
        "zero_count": (value == 0).sum().float(),
        "p99_abs": magnitude.topk(_tail_length(math.prod(value.shape))).values[-1],
    }
    return torch.stack([fields[name] for name in _STATS_FIELDS])


FULL_TENSOR = StatReducer("FULL_TENSOR", (), _emit_full_tensor, _eager_full_tensor)
"""The value as it is."""

STATS = StatReducer("STATS", _STATS_FIELDS, _emit_stats, _eager_stats)
"""Thirteen numbers: range, means, deviation, norms, counts of what is not a number, infinite or zero, and a tail."""

_BUILTIN_REDUCERS = {reducer.name: reducer for reducer in (FULL_TENSOR, STATS)}
_known = dict(_BUILTIN_REDUCERS)


def get_reducer(name_or_reducer: str | StatReducer) -> StatReducer:
    """A reducer by its name; a reducer is returned as it is.

    Raises:
        ValueError: There is none of this name.
    """
    if isinstance(name_or_reducer, StatReducer):
        return name_or_reducer
    if name_or_reducer not in _known:
        raise ValueError(f"Unknown reducer {name_or_reducer!r}; available: {sorted(_known)}")
    return _known[name_or_reducer]


def register_reducer(reducer: StatReducer) -> None:
    """Makes a reducer known under its name, which is all that a tap in a graph keeps of it.

    Raises:
        ValueError: The name is that of a built-in one.
    """
    if _BUILTIN_REDUCERS.get(reducer.name, reducer) is not reducer:
        raise ValueError(f"{reducer.name!r} is a built-in reducer: give yours another name")
    _known[reducer.name] = reducer


__all__ = ["FULL_TENSOR", "STATS", "StatReducer", "get_reducer", "register_reducer"]
