"""What puts elements elsewhere and calculates nothing."""

from __future__ import annotations

import operator
from typing import Any

from torch.fx import Node

from executorch.backends.apple.mps.graph.builder import ABSENT, GraphBuilder
from executorch.backends.apple.mps.serialization import schema
from executorch.backends.transforms.operands import front, fronts, permutation, rank, tensor
from executorch.dialects import meta_keys
from executorch.ir.rewriter import arguments


def _sizes(node: Any) -> list[int]:
    return [int(one) for one in tensor(node).shape]


def permute(builder: GraphBuilder, node: Node) -> None:
    """Every exchange of dimensions is a permutation."""
    source, order = permutation(node)
    number = builder.value(source)
    builder.add(schema.MPSPermute(number, builder.result(node), len(order), order))


def view(builder: GraphBuilder, node: Node) -> None:
    number, sizes = builder.value(node.args[0]), _sizes(node)
    builder.add(schema.MPSView(number, builder.result(node), len(sizes), sizes))


def expand(builder: GraphBuilder, node: Node) -> None:
    number, sizes = builder.value(node.args[0]), _sizes(node)
    builder.add(schema.MPSExpand(number, builder.result(node), len(sizes), sizes))


def cat(builder: GraphBuilder, node: Node) -> None:
    named = arguments(node)
    numbers = [builder.value(one) for one in named["tensors"]]
    builder.add(schema.MPSCat(numbers, builder.result(node), front(node, named["dim"])))


def repeat(builder: GraphBuilder, node: Node) -> None:
    """The same tensor several times, along each dimension."""
    source: Any = node.args[0]
    times = [int(one) for one in arguments(node)["repeats"]]
    sizes = [1] * (len(times) - rank(source)) + _sizes(source)
    number = builder.new(sizes, tensor(node).dtype)
    builder.add(schema.MPSView(builder.value(source), number, len(sizes), list(sizes)))
    for dim, count in enumerate(times):
        if count > 1:
            sizes[dim] *= count
            longer = builder.new(sizes, tensor(node).dtype)
            builder.add(schema.MPSCat([number] * count, longer, dim))
            number = longer
    builder.name(node, number)


def squeeze(builder: GraphBuilder, node: Node) -> None:
    """The dimensions that go, by number."""
    named = arguments(node)
    sizes = _sizes(named["self"])
    gone = [dim for dim in fronts(named["self"], named.get("dim")) if sizes[dim] == 1]
    number = builder.value(named["self"])
    if gone:
        builder.add(schema.MPSSqueeze(number, builder.result(node), gone))
    else:
        builder.name(node, number)


def unsqueeze(builder: GraphBuilder, node: Node) -> None:
    named = arguments(node)
    number = builder.value(named["self"])
    builder.add(schema.MPSUnsqueeze(number, builder.result(node), front(node, named["dim"])))


def select(builder: GraphBuilder, node: Node) -> None:
    named = arguments(node)
    source = named["self"]
    dim = front(source, named["dim"])
    number, index = builder.value(source), named["index"] % _sizes(source)[dim]
    builder.add(schema.MPSSelect(number, builder.result(node), dim, index))


def cut(node: Node) -> tuple[int, int, int, int]:
    """Dimension, start, end and step of a slice, within the size."""
    named = arguments(node)
    dim = front(named["self"], named["dim"])
    size = _sizes(named["self"])[dim]
    start, end, step = slice(named["start"], named["end"], named["step"]).indices(size)
    return dim, start, max(start, end), step


def cut_out(builder: GraphBuilder, node: Node) -> None:
    number = builder.value(node.args[0])
    builder.add(schema.MPSSlice(number, builder.result(node), *cut(node)))


def split(builder: GraphBuilder, node: Node) -> None:
    """All parts at once; those that nobody reads have values too."""
    named = arguments(node)
    source = named["self"]
    dim = front(source, named["dim"])
    parts = node.meta[meta_keys.VAL]
    numbers = [builder.new(one.shape, one.dtype) for one in parts]
    lengths = [int(one.shape[dim]) for one in parts]
    builder.add(schema.MPSSplitWithSizes(builder.value(source), numbers, lengths, dim))
    for user in node.users:
        if user.target is operator.getitem:
            position: Any = user.args[1]
            builder.name(user, numbers[position])


def unbind(builder: GraphBuilder, node: Node) -> None:
    """A selection for each part that is read."""
    named = arguments(node)
    dim, source = front(named["self"], named["dim"]), builder.value(named["self"])
    for user in node.users:
        position: Any = user.args[1]
        builder.add(schema.MPSSelect(source, builder.result(user), dim, position))


def pad(builder: GraphBuilder, node: Node) -> None:
    named = arguments(node)
    margins = [int(one) for one in named["pad"]]
    number = builder.value(named["self"])
    builder.add(schema.MPSConstantPadND(number, builder.result(node), margins, float(named["value"])))


def index_select(builder: GraphBuilder, node: Node) -> None:
    named = arguments(node)
    number, indices = builder.value(named["self"]), builder.value(named["index"])
    dim = front(named["self"], named["dim"])
    builder.add(schema.MPSIndexSelect(number, builder.result(node), dim, indices))


def index(builder: GraphBuilder, node: Node) -> None:
    named = arguments(node)
    number = builder.value(named["self"])
    indices = [ABSENT if one is None else builder.value(one) for one in named["indices"]]
    builder.add(schema.MPSIndexTensor(number, indices, builder.result(node)))


def index_put(builder: GraphBuilder, node: Node) -> None:
    named = arguments(node)
    number, values = builder.value(named["self"]), builder.value(named["values"])
    indices = [builder.value(one) for one in named["indices"]]
    builder.add(schema.MPSIndexPut(number, indices, _sizes(named["values"]), values, builder.result(node)))


def embedding(builder: GraphBuilder, node: Node) -> None:
    named = arguments(node)
    table, indices = builder.value(named["weight"]), builder.value(named["indices"])
    made = schema.MPSEmbedding(table, indices, builder.result(node), int(named["padding_idx"]))
    made.scale_grad_by_freq, made.sparse = bool(named["scale_grad_by_freq"]), bool(named["sparse"])
    builder.add(made)


def scatter(builder: GraphBuilder, node: Node) -> None:
    named = arguments(node)
    number, indices, source = (builder.value(named[one]) for one in ("self", "index", "src"))
    dim = front(named["self"], named["dim"])
    builder.add(schema.MPSScatter(number, builder.result(node), dim, indices, source))


def copy(builder: GraphBuilder, node: Node) -> None:
    """A copy is its source."""
    source: Any = node.args[0]
    builder.alias(node, source)
