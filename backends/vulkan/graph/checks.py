"""Why a call of an operator in the table is refused; None where nothing speaks against it."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Container
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.transforms.constants import Constants
from executorch.backends.transforms.operands import rank, tensor
from executorch.backends.transforms.refusals import constant_weights
from executorch.backends.vulkan.graph.call import item_of
from executorch.backends.vulkan.graph.tokens import floats_of, is_given, scales_read, tokens_of
from executorch.ir.rewriter import arguments
from executorch.passes.to_execution.sym_shape_eval_pass import upper_bound

#: Tensors of indices of one call.
_MOST_INDICES = 3
#: Elements among which the greatest are looked for.
_LONGEST_LINE = 1 << 14
#: Says why a call is refused, given the constants of the program.
Check = Callable[[Node, Constants], str | None]


def convolution(node: Node, constants: Container[Node]) -> str | None:
    named = arguments(node)
    if rank(named["input"]) not in (3, 4):
        return f"a convolution over {rank(named['input']) - 2} dimensions; there are one and two"
    return constant_weights(node, constants)


def to_bytes(node: Node, _: Container[Node]) -> str | None:
    least, most = arguments(node)["quant_min"], arguments(node)["quant_max"]
    if tensor(node).dtype is not torch.int8 or not -128 <= least <= most <= 127:
        return f"it quantizes to {tensor(node).dtype} from {least} to {most}"
    return None


def limits_of_32_bits(node: Node, _: Container[Node]) -> str | None:
    if tensor(node).dtype.is_floating_point:
        return None
    known = torch.iinfo(torch.int32)
    limits = [one for one in (arguments(node)["min"], arguments(node)["max"]) if isinstance(one, int | float)]
    return None if all(known.min <= one <= known.max for one in limits) else "limits of more than 32 bits"


def keeps_type(node: Node, _: Container[Node]) -> str | None:
    source: Any = node.args[0]
    if tensor(source).dtype != tensor(node).dtype:
        return f"a result of type {tensor(node).dtype} of an input of type {tensor(source).dtype}"
    return None


def first_result_read(node: Node, _: Container[Node]) -> str | None:
    read = {user.args[1] for user in node.users if user.target is operator.getitem and user.users}
    return None if 0 in read else "its first result is not read"


def keeps_type_or_counts(node: Node, constants: Container[Node]) -> str | None:
    """Sums of integers, and of what is true, are int64; floats may be made integers first."""
    source: Any = node.args[0]
    is_count = tensor(node).dtype is torch.int64 and not tensor(source).dtype.is_floating_point
    is_whole = tensor(source).dtype.is_floating_point and not tensor(node).dtype.is_floating_point
    return None if is_count or is_whole else keeps_type(node, constants)


def planes(node: Node, _: Container[Node]) -> str | None:
    source: Any = node.args[0]
    count = rank(source)
    return None if count in (3, 4) else f"an input of {count} dimensions; it takes three or four"


def row_of_indices(node: Node, _: Container[Node]) -> str | None:
    count = rank(node.args[2])
    return None if count == 1 else f"indices of {count} dimensions; it takes one"


def indices(node: Node, _: Container[Node]) -> str | None:
    """Of one dimension, or of a few beside each other."""
    dims = _indexed(node)
    if not dims or len(dims) > _MOST_INDICES or dims[-1] - dims[0] != len(dims) - 1:
        return f"tensors of indices for the dimensions {dims}; it takes at most {_MOST_INDICES}, beside each other"
    if len(dims) > 1:
        named = arguments(node)
        ranks = [rank(named["indices"][dim]) for dim in dims]
        return None if max(ranks) <= 5 else f"indices of {max(ranks)} dimensions; it takes five at most"
    return None


def _indexed(node: Node) -> list[int]:
    return [dim for dim, one in enumerate(arguments(node)["indices"]) if one is not None]


def puts_slices(node: Node, _: Container[Node]) -> str | None:
    """Of values that are not broadcast, so that each slice goes somewhere."""
    named, dims = arguments(node), _indexed(node)
    if len(dims) != 1:
        return f"{len(dims)} tensors of indices; it takes one"
    if named["accumulate"] and tensor(node).dtype is torch.bool:
        return "it adds booleans"
    (dim,) = dims
    places = named["indices"][dim]
    sizes = list(tensor(named["self"]).shape)
    sizes[dim : dim + 1] = tensor(places).shape
    left_out = len(sizes) - rank(named["values"])
    given = [*[1] * left_out, *tensor(named["values"]).shape]
    if rank(places) != 1 or left_out < 0 or [str(one) for one in sizes] != [str(one) for one in given]:
        return "indices of several dimensions, or values that are broadcast"
    return None


def short_lines(node: Node, _: Container[Node]) -> str | None:
    """Each element is compared with all others of its line."""
    named = arguments(node)
    size = upper_bound(tensor(named["self"]).shape[named["dim"]])
    assert size is not None, "sizes without a bound are refused before"
    return None if size <= _LONGEST_LINE else f"among {size} elements; it takes {_LONGEST_LINE}"


def known_length(node: Node, _: Container[Node]) -> str | None:
    """What is sorted is said as the greatest of so many."""
    named = arguments(node)
    size = tensor(named["self"]).shape[named["dim"]]
    return None if isinstance(size, int) else "lines whose length changes from run to run"


def known_range(node: Node, _: Container[Node]) -> str | None:
    named = arguments(node)
    if named["min"] == named["max"]:
        return "a range that the elements themselves say"
    low, high = torch.tensor([named["min"], named["max"]], dtype=torch.float32)
    return None if 0 < high - low < math.inf else "limits that are no floats or the same one"


def batch_of_one(node: Node, _: Container[Node]) -> str | None:
    """As an instance norm has it: all images beside each other as channels."""
    shape = tensor(arguments(node)["input"]).shape
    if shape[0] != 1 or not all(isinstance(size, int) for size in shape[1:]):
        return "statistics of more than one image"
    return None


def pads(node: Node, _: Container[Node]) -> str | None:
    margins: Any = node.args[1]
    if any(isinstance(one, int) and one < 0 for one in margins):
        return "a negative padding, which cuts off"
    return five_dimensions(node, _)


def rounds(node: Node, _: Container[Node]) -> str | None:
    mode = arguments(node)["rounding_mode"]
    return None if mode in ("floor", "trunc") else f"rounding_mode is {mode!r}; it takes 'floor' and 'trunc'"


def sampling(node: Node, _: Container[Node]) -> str | None:
    return "bicubic interpolation" if arguments(node)["interpolation_mode"] == 2 else None


def has_dimensions(node: Node, _: Container[Node]) -> str | None:
    return None if rank(node.args[0]) else "a tensor without dimensions"


def constant_operands(node: Node, constants: Container[Node]) -> str | None:
    if any(one not in constants for one in node.args[1:]):
        return "its weights or scales are calculated by the model"
    return None


def one_dimension(node: Node, _: Container[Node]) -> str | None:
    return None if arguments(node)["dim"] is not None else "over all dimensions; it takes one"


def last_dimensions(node: Node, _: Container[Node]) -> str | None:
    named = arguments(node)
    sizes = list(named["normalized_shape"])
    known = all(isinstance(one, int) for one in sizes)
    is_last = known and list(tensor(named["input"]).shape)[-len(sizes) :] == sizes
    return None if is_last else f"sizes {sizes} that are not those of the last dimensions"


def five_dimensions(node: Node, _: Container[Node]) -> str | None:
    return None if rank(node) <= 5 else f"{rank(node)} dimensions; it takes five at most"


def item_of_input(node: Node, constants: Constants) -> str | None:
    found = item_of(node)
    if found is None:
        return "an item of a tensor of several dimensions"
    source, _ = found
    is_given = source.op == "placeholder" and source not in constants and not constants.changes(source)
    return None if is_given else "an item of what the program calculates; it is read before anything runs"


def cache_update(node: Node, _: Container[Node]) -> str | None:
    """Of the wrapped call of an operator that writes a cache."""
    value, caches = node.kwargs["value"], node.kwargs["_all_bases"]
    assert isinstance(caches, list | tuple)
    if any(user.args[1] == 0 and user.users for user in node.users):
        return "its first result is read, which says nothing"
    if len(caches) != 1 or rank(value) != 4:
        return "more than one cache, or values that have not four dimensions"
    cache = tensor(caches[0])
    if tensor(value).dtype != cache.dtype:
        return f"values of type {tensor(value).dtype} for a cache of type {cache.dtype}"
    if cache.dtype is torch.int8 and cache.shape[0] != 1 and math.prod(cache.shape[1:]) % 4:
        return "batches of int8 that do not begin with whole words"
    return None


def quantizes_tokens(node: Node, _: Container[Node]) -> str | None:
    if tokens_of(node) is None:
        return "lines of floats are quantized to all of int8 where their scales are chosen, as quantized caches do"
    return None


def makes_floats_of_tokens(node: Node, _: Container[Node]) -> str | None:
    if floats_of(node) is None or tensor(node).dtype is not torch.float32:
        return "floats are made of int8 lines whose zero points are int8, as quantized caches have them"
    return given_scales(node, _)


def given_scales(node: Node, _: Container[Node]) -> str | None:
    return None if all(map(is_given, scales_read(node))) else "scales that are calculated"


def attention_of_bytes(node: Node, constants: Container[Node]) -> str | None:
    named = arguments(node)
    factors = [named[f"{one}_{kind}"] for one in "qkv" for kind in ("scales", "zero_points")]
    if None in factors or named["is_seq_at_dim_2"]:
        return "queries without scales and zero points, or heads before positions"
    return given_scales(node, constants) or attention(node, constants)


def attention(node: Node, _: Container[Node]) -> str | None:
    size = tensor(arguments(node)["query"]).shape[-1]
    if not isinstance(size, int) or size % 4 or size > 256:
        return f"heads of {size} numbers; it takes multiples of 4 up to 256"
    return None
