"""Linear layers of quantized weights, found by the operators that quantization leaves around them."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.transforms.constants import Constants, name_of
from executorch.backends.transforms.operands import tensor
from executorch.backends.vulkan.custom_ops_lib import pack_q4
from executorch.ir.rewriter import arguments

LINEAR = "aten.linear.default"
_EMBEDDING = "aten.embedding.default"
_CHOOSE = "torchao.choose_qparams_affine.default"
_QUANTIZE = "torchao.quantize_affine.default"
_DEQUANTIZE = "torchao.dequantize_affine.default"
CONVERSIONS = frozenset({_CHOOSE, _QUANTIZE, _DEQUANTIZE})
#: What quantizes at run time, back from floats: torchao by a scale for each row, PT2E by one for the whole tensor.
_CHAINS = {
    _DEQUANTIZE: (_QUANTIZE, _CHOOSE),
    "quantized_decomposed.dequantize_per_tensor.tensor": (
        "quantized_decomposed.quantize_per_tensor.tensor",
        "quantized_decomposed.choose_qparams.tensor",
    ),
}
PER_CHANNEL = "quantized_decomposed.dequantize_per_channel.default"
#: Bits -> columns of a word, by which shaders read rows and groups.
_COLUMNS = {4: 8, 8: 4}


@dataclass(frozen=True)
class Weights:
    """A quantized matrix, (N, K), without zero points.

    Attributes:
        stored: node of the integers.
        scales: node of the scales.
        bits: 4 or 8.
        group_size: columns that share a scale; K for a scale for each row.
        is_whole: whether a row is one group.
    """

    stored: Node
    scales: Node
    bits: int
    group_size: int

    @property
    def is_whole(self) -> bool:
        return self.group_size == int(tensor(self.stored).shape[1])

    @property
    def has_whole_words(self) -> bool:
        """Whether rows and groups begin with words."""
        columns = int(tensor(self.stored).shape[1])
        return columns % self.group_size == 0 and self.group_size % _COLUMNS[self.bits] == 0


@dataclass(frozen=True)
class Rows:
    """Rows that are quantized at run time, each by a scale of its own or all by one.

    Attributes:
        source: what is quantized.
        choose: the call that finds scales and zero points.
        results: its two results, None where that is not read.
        nodes: all calls of the chain.
    """

    source: Node
    choose: Node
    results: tuple[Node, Node]
    nodes: tuple[Node, ...]


def weights_of(node: Node, constants: Constants) -> Weights | None:
    """The quantized weights of a linear layer; None where they are not, or in another way than the delegate has."""
    if name_of(node) != LINEAR:
        return None
    named = arguments(node)
    bias = named["bias"]
    return _matrix(named["weight"], constants) if bias is None or bias in constants else None


def table_of(node: Node, constants: Constants) -> Weights | None:
    """The quantized table of an embedding; None where it is not quantized, or in another way than the delegate has."""
    table = _matrix(arguments(node)["weight"], constants) if name_of(node) == _EMBEDDING else None
    return None if table is None or (table.bits == 8 and not table.is_whole) else table


def _matrix(weight: Node, constants: Constants) -> Weights | None:
    if weight not in constants:
        return None
    if name_of(weight) == _DEQUANTIZE:
        return _affine(weight, constants)
    return _per_channel(weight, constants) if name_of(weight) == PER_CHANNEL else None


def _affine(weight: Node, constants: Constants) -> Weights | None:
    named = arguments(weight)
    block, least, greatest = list(named["block_size"]), named["quant_min"], named["quant_max"]
    if len(block) != 2 or block[0] != 1 or not _is_symmetric(named["zero_point"], constants):
        return None
    bits = 4 if (least, greatest) == (-8, 7) else 8
    found = Weights(named["input"], named["scale"], bits, int(block[1]))
    return found if found.has_whole_words or (bits == 8 and found.is_whole) else None


def _per_channel(weight: Node, constants: Constants) -> Weights | None:
    named = arguments(weight)
    if named["axis"] != 0 or not _is_symmetric(named["zero_points"], constants):
        return None
    is_four = (named["quant_min"], named["quant_max"]) in ((-8, 7), (-7, 7))
    columns = int(tensor(weight).shape[1])
    bits = 4 if is_four and columns % _COLUMNS[4] == 0 else 8
    return Weights(named["input"], named["scales"], bits, columns)


def _is_symmetric(zero_point: Any, constants: Constants) -> bool:
    return zero_point is None or (zero_point in constants and not bool(constants[zero_point].any()))


def rows_of(node: Node, constants: Constants) -> Rows | None:
    """The chain that quantizes the rows that a linear layer of such weights reads; None if there is none."""
    weights = weights_of(node, constants)
    if weights is None or not weights.has_whole_words:
        return None
    back: Any = node.args[0]
    if name_of(back) not in _CHAINS:
        return None
    quantize: Any = back.args[0]
    if name_of(quantize) != _CHAINS[name_of(back)][0] or len(quantize.users) != 1:
        return None
    for user in back.users:
        of_user = weights_of(user, constants)
        if of_user is None or not of_user.has_whole_words or user.args[0] is not back:
            return None
    return _chain(back, quantize)


def _chain(back: Node, quantize: Node) -> Rows | None:
    source, scale, zero = (arguments(quantize)[name] for name in ("input", "scale", "zero_point"))
    if any(not isinstance(one, Node) or one.target is not operator.getitem for one in (scale, zero)):
        return None
    choose: Any = scale.args[0]
    if name_of(choose) != _CHAINS[name_of(back)][1] or not _is_of_rows(choose, source):
        return None
    one, other = arguments(quantize), arguments(back)
    same = all(
        one.get(name) == other.get(name)
        for name in ("block_size", "scale", "zero_point", "quant_min", "quant_max")
    )
    read = {user for result in (scale, zero) for user in result.users}
    if not same or set(choose.users) != {scale, zero} or read != {quantize, back}:
        return None
    return Rows(source, choose, (scale, zero), (choose, scale, zero, quantize, back))


def _is_of_rows(choose: Node, source: Node) -> bool:
    """Whether a call finds how to make int8 of whole rows of a tensor."""
    named = arguments(choose)
    if named["input"] is not source or (named["quant_min"], named["quant_max"]) != (-128, 127):
        return False
    if "block_size" not in named:
        return True
    *before, last = named["block_size"]
    return last == tensor(source).shape[-1] and all(size == 1 for size in before)


def groups_of(nodes: list[Node], constants: Constants) -> list[list[Node]]:
    """Chains with all linear layers that read them: taken together or not at all."""
    found: dict[Node, list[Node]] = {}
    for node in nodes:
        rows = rows_of(node, constants)
        if rows is not None:
            found.setdefault(rows.choose, list(rows.nodes)).append(node)
    return list(found.values())


def packed(weights: Weights, constants: Constants) -> tuple[torch.Tensor, torch.Tensor]:
    """Integers and scales as the delegate reads them."""
    stored, scales = constants[weights.stored], constants[weights.scales].float()
    by_group = scales.reshape(stored.shape[0], -1).t().contiguous()
    if weights.bits == 8:
        return stored.to(torch.int8), by_group.reshape(-1) if weights.is_whole else by_group
    return pack_q4(stored), by_group


def sums(weights: Weights, constants: Constants) -> torch.Tensor:
    """Sums of the integers of a group, (K / group_size, N)."""
    stored = constants[weights.stored].to(torch.int32)
    return stored.unflatten(1, (-1, weights.group_size)).sum(-1).t().to(torch.int32).contiguous()
