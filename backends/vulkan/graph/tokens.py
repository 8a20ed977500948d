"""Lines that are quantized at run time, each by a scale and a zero point of its own, as caches of int8 keep tokens."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.transforms.operands import tensor
from executorch.backends.vulkan.graph.call import Call, called
from executorch.ir.rewriter import arguments

CHOOSE = "quantized_decomposed.choose_qparams_per_token_asymmetric.default"
QUANTIZE = "quantized_decomposed.quantize_per_token.default"
DEQUANTIZE = "quantized_decomposed.dequantize_per_token.default"
UPDATE_CACHE = "llama.update_cache.default"
ATTENTION = "llama.custom_quantized_sdpa.default"
_CONVERT = "dim_order_ops._to_dim_order_copy.default"


@dataclass(frozen=True)
class Tokens:
    """The calls that quantize lines.

    Attributes:
        source: what is quantized.
        results: integers, scales and zero points, int8, float32 and int8.
        nodes: all calls, in order of dependency.
    """

    source: Node
    results: tuple[Node, Node, Node]
    nodes: tuple[Node, ...]


def tokens_of(node: Node) -> Tokens | None:
    """The chain that a call chooses scales for, or quantizes at the end of; None where it is another."""
    if called(node) == CHOOSE:
        found = (tokens_of(user) for user in node.args[0].users if called(user) == QUANTIZE)  # type: ignore[union-attr]
        return next((one for one in found if one is not None and node in one.nodes), None)
    if called(node) != QUANTIZE:
        return None
    named = arguments(node)
    scales, zeros = named["scales"], named["zero_points"]
    pairs = [_chosen(scales, torch.float32), _chosen(zeros, torch.int8)]
    if any(one is None for one in pairs) or (named["quant_min"], named["quant_max"]) != (-128, 127):
        return None
    (choose, first), (other, second) = pairs  # type: ignore[misc]
    source = arguments(choose)["input"]
    is_whole = choose is other and set(choose.users) == {first, second}
    is_whole = is_whole and (first.args[1], second.args[1]) == (0, 1)
    is_whole = is_whole and source is named["input"] and tensor(source).dtype is torch.float32
    nodes = (choose, first, second, scales, zeros, node)
    return Tokens(source, (node, scales, zeros), nodes) if is_whole else None


def _chosen(converted: Any, dtype: torch.dtype) -> tuple[Node, Node] | None:
    """The call that chooses what is converted to a type, and which of its results that is; read by nothing else."""
    if called(converted) != _CONVERT or tensor(converted).dtype is not dtype:
        return None
    result: Any = converted.args[0]
    if result.target is not operator.getitem or called(result.args[0]) != CHOOSE or len(result.users) != 1:
        return None
    return result.args[0], result


def token_groups(nodes: Iterable[Node]) -> list[Tokens]:
    """All chains of a graph."""
    return [one for node in nodes if called(node) == QUANTIZE and (one := tokens_of(node)) is not None]


def floats_of(node: Node) -> Call | None:
    """What makes floats of int8 lines whose zero points are kept in int8, and converted for nothing else; None where it is another."""
    if called(node) != DEQUANTIZE:
        return None
    named = arguments(node)
    zeros = named["zero_points"]
    if called(zeros) != _CONVERT or len(zeros.users) != 1 or tensor(zeros.args[0]).dtype is not torch.int8:
        return None
    return Call(DEQUANTIZE, (named["input"], named["scales"], zeros.args[0]))


def scales_read(node: Node) -> list[Any]:
    """The scales by which a call reads int8 lines."""
    if called(node) == DEQUANTIZE:
        return [arguments(node)["scales"]]
    if called(node) == ATTENTION:
        return [arguments(node)[f"{one}_scales"] for one in "qkv"]
    return []


def is_given(scales: Any) -> bool:
    """Whether scales are an input or state, or found at run time where lines are quantized."""
    if not isinstance(scales, Node) or scales.op == "placeholder":
        return isinstance(scales, Node)
    is_kept = scales.target is operator.getitem and called(scales.args[0]) == UPDATE_CACHE  # type: ignore[arg-type]
    return is_kept or _chosen(scales, torch.float32) is not None


def exact_scales(nodes: Iterable[Node], chains: Iterable[Tokens]) -> set[Node]:
    """Scales, where they are found, kept and read: float32 whatever other floats are."""
    nodes = list(nodes)
    found = {one.results[1] for one in chains} | {scales for node in nodes for scales in scales_read(node)}
    writers = [node for node in nodes if called(node) == UPDATE_CACHE]
    while True:
        before = len(found)
        for writer in writers:
            bases: Any = writer.kwargs["_all_bases"]
            around = {writer.kwargs["value"], *bases, *writer.users}
            found |= around if found & around else set()  # type: ignore[arg-type]
        if len(found) == before:
            return found
