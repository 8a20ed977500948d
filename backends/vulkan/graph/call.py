"""A call of the delegate's graph before it has numbers: a name and what the operator is given."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.transforms.operands import front, fronts, permutation, rank, spread, tensor
from executorch.ir.rewriter import arguments
from executorch.partitioner.selection.partition_proposals import operator_name

#: Arguments that say nothing to a GPU.
_SILENT = (torch.dtype, torch.layout, torch.device, torch.memory_format)


def called(node: Node) -> str:
    """The operator that a call is of, also where it is wrapped because it writes; the empty string for other nodes."""
    if node.op != "call_function":
        return ""
    is_wrapped = node.target is torch.ops.higher_order.auto_functionalized_v2
    return operator_name(node.args[0] if is_wrapped else node.target)


@dataclass(frozen=True)
class Call:
    """One call.

    Attributes:
        name: as ``schema.fbs`` lists them.
        args: for each parameter a node, number, text, None, or list of such; outputs are left out.
    """

    name: str
    args: tuple[Any, ...]


#: Says a node of the edge program as a call, None where its result is that of its first argument.
Saying = Callable[[Node], Call | None]


def as_it_is(node: Node) -> Call:
    """All arguments as the schema of the operator has them."""
    named = (None if isinstance(one, _SILENT) else one for one in arguments(node).values())
    return Call(operator_name(node.target), tuple(named))


def with_dim(node: Node) -> Call:
    """The same, with ``dim`` counted from the front."""
    named = arguments(node)
    named["dim"] = front(named["self"], named["dim"])
    values = (None if isinstance(one, _SILENT) else one for one in named.values())
    return Call(operator_name(node.target), tuple(values))


def sort(node: Node) -> Call:
    """The greatest or least of all, in their order."""
    named = arguments(node)
    source, dim = named["self"], front(named["self"], named["dim"])
    count = int(tensor(source).shape[dim])
    return Call("aten.topk.default", (source, count, dim, named["descending"], True))


def is_empty(value: torch.Tensor) -> bool:
    """Whether a tensor never has an element."""
    return any(isinstance(size, int) and size == 0 for size in value.shape)


def cat(node: Node) -> Call:
    """Parts without elements add nothing."""
    named = arguments(node)
    parts = [one for one in named["tensors"] if not is_empty(tensor(one))]
    return Call("aten.cat.default", (parts, front(parts[0], named["dim"])))


def renamed(name: str, saying: Saying = as_it_is) -> Saying:
    """The same arguments under another name."""

    def say(node: Node) -> Call | None:
        found = saying(node)
        return None if found is None else Call(name, found.args)

    return say


def select(node: Node) -> Call:
    """One of one is a view."""
    source: Any = node.args[0]
    is_only = _is_one(tensor(source).shape[front(source, int(node.args[1]))])  # type: ignore[arg-type]
    return (as_view(node, source) if is_only else None) or with_dim(node)


def reduction(node: Node) -> Call:
    """``self, dims, keepdim``, and what else there is."""
    named = arguments(node)
    named["dim"] = fronts(named["self"], named["dim"])
    values = (None if isinstance(one, _SILENT) else one for one in named.values())
    return Call(operator_name(node.target), tuple(values))


def convolution(node: Node) -> Call:
    """Lists have one entry for each spatial dimension."""
    named = arguments(node)
    count = rank(named["input"]) - 2
    for name in ("stride", "padding", "dilation", "output_padding"):
        named[name] = spread(named[name], count)
    return Call(operator_name(node.target), tuple(named.values()))


def pool(node: Node) -> Call:
    """Lists have two entries; an empty stride is the kernel."""
    named = arguments(node)
    named["kernel_size"] = spread(named["kernel_size"], 2)
    named["stride"] = spread(named["stride"] or named["kernel_size"], 2)
    for name in ("padding", "dilation"):
        if name in named:
            named[name] = spread(named[name], 2)
    return Call(operator_name(node.target), tuple(named.values()))


def view(node: Node) -> Call:
    """A view of known sizes."""
    named = arguments(node)
    sizes = list(named["size"])
    for position, size in enumerate(sizes):
        if isinstance(size, int) and size == -1 and isinstance(tensor(node).shape[position], int):
            sizes[position] = tensor(node).shape[position]
    return Call("aten.view_copy.default", (named["self"], sizes))


def squeeze(node: Node) -> Call:
    """The dimensions that go, by number."""
    named = arguments(node)
    sizes = tensor(named["self"]).shape
    dims = fronts(named["self"], named.get("dim"))
    gone = [dim for dim in dims if isinstance(sizes[dim], int) and sizes[dim] == 1]
    return Call("aten.squeeze_copy.dims", (named["self"], gone))


def unsqueeze(node: Node) -> Call:
    """The dimension that comes, counted from the front of the result."""
    named = arguments(node)
    return Call("aten.unsqueeze_copy.default", (named["self"], named["dim"] % rank(node)))


def permute(node: Node) -> Call:
    """Every exchange of dimensions is a permutation."""
    source, order = permutation(node)
    moved = [dim for dim in order if not _is_one(tensor(source).shape[dim])]
    found = as_view(node, source) if moved == sorted(moved) else None
    return found or Call("aten.permute_copy.default", (source, order))


def _is_one(size: Any) -> bool:
    return isinstance(size, int) and size == 1


def as_view(node: Node, source: Any) -> Call | None:
    """A call whose result has the elements of its source in their order is a view, which costs nothing."""
    sizes = list(tensor(node).shape)
    if not all(isinstance(size, int) for size in sizes):
        return None
    return Call("aten.view_copy.default", (source, sizes))


def index(node: Node) -> Call:
    """Indices along one dimension select slices; a row of them is said as ``index_select``."""
    named = arguments(node)
    given = [(dim, one) for dim, one in enumerate(named["indices"]) if one is not None]
    if len(given) == 1 and rank(given[0][1]) == 1:
        return Call("aten.index_select.default", (named["self"], *given[0]))
    first = given[0][0]
    return Call("aten.index.Tensor", (named["self"], [*[None] * first, *(one for _, one in given)]))


def rms_norm(node: Node) -> Call:
    """What is added to the mean square is a number."""
    named = arguments(node)
    source = named["input"]
    least = torch.finfo(tensor(source).dtype).eps
    epsilon = named["eps"] if named["eps"] is not None else least
    return Call("aten.rms_norm.default", (source, list(named["normalized_shape"]), named["weight"], epsilon))


def instance_norm(node: Node) -> Call:
    """Statistics of a batch of one are those of groups of one channel."""
    named = arguments(node)
    channels = int(tensor(named["input"]).shape[1])
    plane = math.prod(tensor(named["input"]).shape[2:])
    given = (named["input"], named["weight"], named["bias"], 1, channels, plane, channels, named["eps"])
    return Call("aten.native_group_norm.default", given)


def arange(node: Node) -> Call:
    """Numbers from the start, by steps."""
    named = arguments(node)
    return Call(
        "aten.arange.start_step",
        (named.get("start", 0), named["end"], named.get("step", 1), None, None, None, None),
    )


def empty(node: Node) -> Call:
    """Whatever lies there is as good as zeros."""
    return Call("aten.full.default", (list(arguments(node)["size"]), 0, None, None, None, None))


def clone(node: Node) -> Call | None:
    """A copy in the same order is its source; one of another type is a conversion."""
    source: Any = node.args[0]
    if tensor(source).dtype == tensor(node).dtype:
        return None
    return Call("aten._to_copy.default", (source, None, None, None, None, None, None))


def item_of(node: Node) -> tuple[Node, int] | None:
    """The tensor and the place in it that an item is read from, where the tensor has one dimension or one element."""
    source: Any = node.args[0]
    if called(source) == "aten.select_copy.int":
        named = arguments(source)
        whole, index = named["self"], named["index"]
        size = tensor(whole).shape[0] if rank(whole) == 1 else None
        if isinstance(index, int) and (index >= 0 or isinstance(size, int)) and size is not None:
            return whole, index if index >= 0 else index + int(size)
    return (source, 0) if all(_is_one(size) for size in tensor(source).shape) else None


def item(node: Node) -> Call:
    """An element of an input, which the host reads before it runs anything."""
    found = item_of(node)
    assert found is not None, node
    source, index = found
    return Call("et_vk.select_as_symint.default", (source, 0, index))


def expand(node: Node) -> Call:
    """Sizes of -1 are those of the result."""
    named = arguments(node)
    sizes = list(named["size"])
    for position, size in enumerate(sizes):
        if isinstance(size, int) and size == -1 and isinstance(tensor(node).shape[position], int):
            sizes[position] = tensor(node).shape[position]
    is_same = tensor(named["self"]).numel() == tensor(node).numel()
    found = as_view(node, named["self"]) if is_same else None
    return found or Call("aten.expand_copy.default", (named["self"], sizes, False))


def flip(node: Node) -> Call:
    """Dimensions are counted from the front."""
    source, dims = node.args
    return Call("aten.flip.default", (source, [front(source, dim) for dim in dims]))  # type: ignore[arg-type, union-attr]


def unfold(node: Node) -> Call:
    """Dimensions are counted from the front."""
    source, dim, size, step = node.args
    return Call("aten.unfold_copy.default", (source, front(source, dim), size, step))  # type: ignore[arg-type]


def int8_product(node: Node) -> Call:
    """A linear layer of int8 weights with a scale for each output."""
    return Call("et_vk.linear_q8csw.default", (*node.args, None))


def any_of(node: Node) -> Call:
    """Whether one is true is the greatest of them."""
    named = arguments(node)
    dims = fronts(named["self"], named["dim"])
    return Call("aten.amax.default", (named["self"], dims, named["keepdim"]))
