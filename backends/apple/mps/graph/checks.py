"""Why a call of an operator in the table is refused; None where nothing speaks against it."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.apple.mps.graph.layers import windows
from executorch.backends.apple.mps.graph.movers import cut
from executorch.backends.transforms.operands import rank, tensor
from executorch.backends.transforms.refusals import constant_weights
from executorch.ir.rewriter import arguments

#: Says why a call is refused, given the constants of the program.
Check = Callable[[Node, Container[Node]], str | None]


def convolution(node: Node, constants: Container[Node]) -> str | None:
    named = arguments(node)
    if rank(named["input"]) not in (3, 4):
        return f"a convolution over {rank(named['input']) - 2} dimensions; there are one and two"
    if named["transposed"]:
        return "a transposed convolution, which the format does not have"
    return constant_weights(node, constants)


def means_of_windows(node: Node, _: Container[Node]) -> str | None:
    pool, is_beyond = windows(node)
    if is_beyond and pool.count_include_pad and not pool.divisor_override:
        return "windows reach beyond a padding that counts (ceil_mode with count_include_pad)"
    return None


def side_by_side(node: Node, _: Container[Node]) -> str | None:
    sizes, counts = tensor(node.args[0]).shape[-2:], tensor(node).shape[-2:]
    if any(size % count for size, count in zip(sizes, counts, strict=True)):
        return f"an image of {tuple(sizes)} is not cut into {tuple(counts)} equal windows"
    return None


def pads(node: Node, _: Container[Node]) -> str | None:
    margins: Any = node.args[1]
    return "a negative padding, which cuts off" if any(one < 0 for one in margins) else None


def forwards(node: Node, _: Container[Node]) -> str | None:
    return None if cut(node)[3] > 0 else "a slice with a negative step"


def integers(node: Node, _: Container[Node]) -> str | None:
    given: Any = node.args[1]
    if any(one is not None and tensor(one).dtype not in (torch.int32, torch.int64) for one in given):
        return "indices that are not of type torch.int32 or torch.int64"
    return None


def replaces(node: Node, _: Container[Node]) -> str | None:
    named = arguments(node)
    if named.get("accumulate"):
        return "values that are added to what is there"
    if any(one is None for one in named["indices"]):
        return "an index that leaves a dimension whole"
    return None


def keeps_type(node: Node, _: Container[Node]) -> str | None:
    source: Any = node.args[0]
    if tensor(source).dtype != tensor(node).dtype:
        return f"a result of type {tensor(node).dtype} of an input of type {tensor(source).dtype}"
    return None


def rounded(node: Node, _: Container[Node]) -> str | None:
    mode = arguments(node).get("rounding_mode")
    return None if mode in (None, "floor", "trunc") else f"the rounding mode {mode!r}"
