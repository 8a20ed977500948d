"""Operators that move elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.xnnpack.graph.builder import shape_of, sizes_of
from executorch.backends.xnnpack.graph.constants import is_empty, name_of
from executorch.backends.xnnpack.graph.layout import Layout
from executorch.backends.xnnpack.graph.lowering import Operator, lowers
from executorch.backends.xnnpack.graph.orders import Order, results_of
from executorch.backends.xnnpack.graph.products import same_size
from executorch.backends.xnnpack.serialization import schema
from executorch.dialects import meta_keys

#: The node that joins so many values.
CONCATENATIONS: dict[int, Any] = {
    2: schema.XNNConcatenate2,
    3: schema.XNNConcatenate3,
    4: schema.XNNConcatenate4,
    5: schema.XNNConcatenate5,
}
#: Values that one node of XNNPACK joins.
MOST_JOINED = max(CONCATENATIONS)
_PLACES_ALONG_ONE = "aten.index_select.default"


@lowers("aten.cat.default", order=Order.SAME)
def cat(operator: Operator) -> None:
    """Of any number of tensors: five at a time."""
    builder = operator.builder
    nodes = [node for node in operator.node.args[0] if not is_empty(node.meta[meta_keys.VAL])]
    if len(nodes) == 1:
        builder.same(operator.result, operator.source(nodes[0]))
        return
    dim = operator.argument(1, "dim", 0) % len(shape_of(operator.node))
    _join(operator, [(operator.input(node, operator.layout), shape_of(node)[dim]) for node in nodes], dim)


def _join(operator: Operator, pending: list[tuple[int, int]], dim: int) -> None:
    """The result of ``operator`` from two or more values in its layout, each with its length along ``dim``."""
    builder, layout = operator.builder, operator.layout
    axis = layout.position(dim, len(shape_of(operator.node)))
    while len(pending) > 1:
        taken, pending = pending[:MOST_JOINED], pending[MOST_JOINED:]
        length = sum(size for _, size in taken)
        if pending:
            shape = shape_of(operator.node)
            shape[dim] = length
            target = builder.value(layout.arrange(shape), operator.output_type)
        else:
            target = operator.output(layout)
        inputs = {f"input{i + 1}_id": identifier for i, (identifier, _) in enumerate(taken)}
        operator.add(CONCATENATIONS[len(taken)](axis=axis, output_id=target, **inputs))
        pending.insert(0, (target, length))
        if len(pending) == 1:
            return


@lowers("aten.softmax.int", "aten._softmax.default")
def softmax(operator: Operator) -> None:
    first = operator.input(operator.node.args[0])
    operator.add(schema.XNNSoftmax(input_id=first, output_id=operator.output()))


@lowers("aten.permute.default", "aten.permute_copy.default", order=Order.ANY)
def permute(operator: Operator) -> None:
    """From the order in which the input is there to the wanted one; nothing where both say the same."""
    builder = operator.builder
    rank = len(shape_of(operator.node))
    dims = [dim % rank for dim in operator.node.args[1]]
    target = operator.layout
    source = operator.source(operator.node.args[0])
    ways = []
    for layout in sorted(builder.layouts(source), key=lambda one: one.value) or [Layout.PLAIN]:
        have = layout.axes(rank)
        ways.append((layout, [have.index(dims[axis]) for axis in target.axes(rank)]))
    unmoved = list(range(rank))
    layout, moved = next((way for way in ways if way[1] == unmoved), ways[0])
    first = builder.input(source, layout)
    shape = target.arrange(shape_of(operator.result))
    builder.found(operator.result, target, builder.transpose(first, moved, shape, operator.output_type))


@lowers(
    "aten.squeeze_copy.dim",
    "aten.squeeze_copy.dims",
    "aten.unsqueeze_copy.default",
    "aten.view_copy.default",
)
def view(operator: Operator) -> None:
    first = operator.input(operator.node.args[0])
    sizes, target = sizes_of(operator.result), operator.output()
    operator.builder.reshape(first, sizes, operator.output_type, target, handle=operator.node)


@lowers("aten.slice_copy.Tensor", order=Order.SAME)
def slice_copy(operator: Operator) -> None:
    source = operator.node.args[0]
    rank = len(shape_of(source))
    dim = operator.argument(1, "dim", 0) % rank
    layout = operator.layout
    total = shape_of(source)[dim]
    start = operator.argument(2, "start") or 0
    start = min(start + total if start < 0 else start, total)
    step = operator.argument(4, "step", 1)
    if step != 1:
        _every(operator, dim, start, step)
        return
    offsets, sizes = [0] * rank, [0] * rank
    offsets[dim] = start
    sizes[dim] = _length(sizes_of(operator.result)[dim], sizes_of(source)[dim])
    operator.add(
        schema.XNNStaticSlice(
            num_dims=rank,
            offsets=layout.arrange(offsets),
            sizes=layout.arrange(sizes),
            input_id=operator.input(source, layout),
            output_id=operator.output(layout),
        )
    )


def runs_of(places: torch.Tensor) -> list[tuple[int, int]]:
    """(start, length) of each run of neighbours in a list of places."""
    runs: list[tuple[int, int]] = []
    for place in places.tolist():
        start, length = runs[-1] if runs else (place, 0)
        if place == start + length:
            runs[-1:] = [(start, length + 1)]
        else:
            runs.append((place, 1))
    return runs


def repeats_of(places: torch.Tensor) -> int:
    """How often a list has each place in order (0, 0, 1, 1, ...), 0 if it is no such list of two times and more."""
    times = int((places == 0).sum())
    is_such = times > 1 and torch.equal(places, torch.arange(len(places)).to(places.dtype) // times)
    return times if is_such else 0


def repeated(operator: Operator, value: int, shape: Sequence[Any], axis: int, times: int) -> int:
    """``value`` of ``shape`` that often, one behind the other along ``axis``."""
    if times == 1:
        return value
    grown = [*shape[:axis], shape[axis] * times, *shape[axis + 1 :]]
    target = operator.builder.value(grown, operator.output_type)
    inputs = {f"input{number + 1}_id": value for number in range(times)}
    operator.builder.add(CONCATENATIONS[times](axis=axis, output_id=target, **inputs), operator.node)
    return target


def _repeat_order(node: Node) -> Order:
    return Order.SAME if len(node.args[1]) == len(shape_of(node.all_input_nodes[0])) else Order.PLAIN  # type: ignore[arg-type]


@lowers("aten.repeat.default", order=_repeat_order)
def repeat(operator: Operator) -> None:
    """Joined with itself along one dimension after the other."""
    builder, kind, layout = operator.builder, operator.output_type, operator.layout
    source, times = operator.node.args
    value = operator.input(source, layout)
    shape = layout.arrange([*[1] * (len(times) - len(sizes_of(source))), *sizes_of(source)])
    if len(times) > len(sizes_of(source)):
        value = builder.reshape(value, shape, kind)
    for axis, number in enumerate(layout.arrange(times)):
        value = repeated(operator, value, shape, axis, number)
        shape[axis] *= number
    builder.found(operator.result, layout, value)


def places_of(node: Node) -> tuple[int, Node] | None:
    """The dimension along which ``index_select`` or ``index`` takes places, and these; None if there are several such."""
    if name_of(node) == _PLACES_ALONG_ONE:
        dim, places = node.args[1:3]
        return dim, places  # type: ignore[return-value]
    given: Any = node.args[1]
    found = [(dim, places) for dim, places in enumerate(given) if places is not None]
    return found[0] if len(found) == 1 else None


@lowers(_PLACES_ALONG_ONE, "aten.index.Tensor", order=Order.SAME)
def index_select(operator: Operator) -> None:
    """A slice for each run of neighbours, such as the two of a dimension that is turned, and these joined."""
    builder, kind, layout = operator.builder, operator.output_type, operator.layout
    source, chosen = operator.node.args[0], places_of(operator.node)
    assert chosen is not None
    dim, places = chosen
    first, before = operator.input(source, layout), layout.arrange(sizes_of(source))
    dim %= len(before)
    axis = layout.position(dim, len(before))
    found = builder.constants(places)
    assert found is not None
    times = repeats_of(found)
    if times and times <= MOST_JOINED and same_size(before[axis] * times, len(found)):
        # Each place with what lies within it becomes a row, which is joined with itself.
        rows = [*before[: axis + 1], math.prod(before[axis + 1 :])]
        made = repeated(operator, builder.reshape(first, rows, kind), rows, axis + 1, times)
        builder.reshape(made, layout.arrange(sizes_of(operator.result)), kind, operator.output(layout))
        return
    runs = runs_of(found)
    parts = []
    for start, length in runs:
        shape = [*before[:axis], length, *before[axis + 1 :]]
        part = operator.output(layout) if len(runs) == 1 else builder.value(shape, kind)
        _slice(operator, first, before, axis, start, length, part)
        parts.append((part, length))
    if len(parts) > 1:
        _join(operator, parts, dim)


def _length(part: Any, total: Any) -> int:
    """How much of a dimension a slice takes: 0 stands for all of it, also where the runtime's sizes differ."""
    if same_size(part, total):
        return 0
    length: int = part  # The partitioner takes no other.
    return length


def _every(operator: Operator, dim: int, start: int, step: int) -> None:
    """Each ``step``-th element along ``dim``: a slice of one along a dimension that has the places within a step.

    XNNPACK's slices have no steps. Theirs copy row by row: where the last dimension is cut, its rows would be single
    elements, so that the steps are turned round before.
    """
    builder, kind, layout = operator.builder, operator.output_type, operator.layout
    source = operator.node.args[0]
    shape, wanted = layout.arrange(sizes_of(source)), layout.arrange(sizes_of(operator.result))
    steps = layout.position(dim, len(shape))
    within = steps + 1
    split = [*shape[:steps], shape[steps] // step, step, *shape[within:]]
    part = builder.reshape(operator.input(source, layout), split, kind)
    if within == len(shape):
        split[steps], split[within] = split[within], split[steps]
        steps, within = within, steps
        part = builder.transpose(part, [*range(within), steps, within], split, kind)
    offsets, sizes = [0] * len(split), [0] * len(split)
    offsets[steps], offsets[within] = divmod(start, step)
    length = wanted[min(steps, within)]
    sizes[steps], sizes[within] = _length(length, split[steps]), 1
    split[steps], split[within] = length, 1
    chosen = builder.value(split, kind)
    made = schema.XNNStaticSlice(
        num_dims=len(split), offsets=offsets, sizes=sizes, input_id=part, output_id=chosen
    )
    operator.add(made)
    builder.reshape(chosen, wanted, kind, operator.output(layout))


@lowers("aten.constant_pad_nd.default", order=Order.SAME)
def constant_pad_nd(operator: Operator) -> None:
    source, amounts = operator.node.args[:2]
    rank = len(shape_of(source))
    layout = operator.layout
    before, after = [0] * rank, [0] * rank
    for i in range(len(amounts) // 2):
        before[rank - 1 - i], after[rank - 1 - i] = amounts[2 * i], amounts[2 * i + 1]
    operator.add(
        schema.XNNStaticConstantPad(
            pre_paddings=layout.arrange(before),
            post_paddings=layout.arrange(after),
            padding_value=float(operator.argument(2, "value", 0)),
            input_id=operator.input(source, layout),
            output_id=operator.output(layout),
        )
    )


def _slice(
    operator: Operator, source: int, shape: Sequence[Any], dim: int, start: int, length: int, target: int
) -> None:
    """``length`` elements along ``dim`` of a value of ``shape``, whose sizes may be symbolic."""
    rank = len(shape)
    offsets, sizes = [0] * rank, [0] * rank
    offsets[dim], sizes[dim] = start, _length(length, shape[dim])
    made = schema.XNNStaticSlice(
        num_dims=rank, offsets=offsets, sizes=sizes, input_id=source, output_id=target
    )
    operator.builder.add(made, operator.node)


@lowers("aten.split_with_sizes_copy.default")
def split(operator: Operator) -> None:
    """A slice for each part that is read."""
    source, lengths = operator.node.args[:2]
    shape = sizes_of(source)
    dim = operator.argument(2, "dim", 0) % len(shape)
    first = operator.input(source)
    for part in results_of(operator.node):
        number = part.args[1]
        start = sum(lengths[:number])
        target = operator.builder.output(part)
        _slice(operator, first, shape, dim, start, lengths[number], target)


@lowers("aten.select_copy.int")
def select(operator: Operator) -> None:
    """A slice of one, without its dimension."""
    source, dim, index = operator.node.args
    builder, shape = operator.builder, sizes_of(source)
    dim %= len(shape)
    chosen = list(shape)
    chosen[dim] = 1
    part = builder.value(chosen, operator.output_type)
    start = index if index >= 0 else index + shape[dim]
    _slice(operator, operator.input(source), shape, dim, start, 1, part)
    builder.reshape(part, sizes_of(operator.result), operator.output_type, operator.output())


@lowers("aten.expand_copy.default")
def expand(operator: Operator) -> None:
    """Times ones, which XNNPACK broadcasts; where nothing grows, the input in its new shape."""
    source = operator.node.args[0]
    builder = operator.builder
    before, after = shape_of(source), shape_of(operator.result)
    padded = [1] * (len(after) - len(before)) + before
    first = operator.input(source)
    if before == after:
        builder.found(operator.result, Layout.PLAIN, first)
        return
    if len(after) > len(before):
        target = operator.output() if padded == after else None
        given = [1] * (len(after) - len(before)) + sizes_of(source)
        first = builder.reshape(first, given, operator.output_type, target)
    if padded != after:
        grown = [new if new != old else 1 for old, new in zip(padded, after, strict=True)]
        ones = builder.constant(torch.ones(grown, dtype=operator.result.meta[meta_keys.VAL].dtype))
        operator.add(schema.XNNMultiply(input1_id=first, input2_id=ones, output_id=operator.output()))


@lowers("getitem")
def named(operator: Operator) -> None:
    """Results have been named by the operator before, if they are read."""
