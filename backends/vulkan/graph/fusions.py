"""Calls that stand for several operators, found by what these calculate together. What nothing else reads of them is not said at all."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any

from torch.fx import Node

from executorch.backends.transforms.constants import Constants
from executorch.backends.transforms.operands import front, rank, tensor
from executorch.backends.vulkan.graph.call import Call, called, item_of
from executorch.ir.rewriter import arguments

_MUL = "aten.mul.Tensor"
_ITEM = "aten._local_scalar_dense.default"


def fused_calls(nodes: Iterable[Node], constants: Constants) -> dict[Node, Call]:
    """Node -> the call that makes the same of what stands further up."""
    found = {}
    for node in nodes:
        calls = (match(node, constants) for match in _MATCHES)
        call = next((one for one in calls if one is not None), None)
        if call is not None:
            found[node] = call
    return found


def needed(results: Iterable[Any], fused: dict[Node, Call]) -> set[Node]:
    """What has to be there for some results, where fused calls read their own arguments only."""
    found: set[Node] = set()
    open_ = [one for one in results if isinstance(one, Node)]
    while open_:
        node = open_.pop()
        if node in found:
            continue
        found.add(node)
        if node in fused:
            open_ += [one for one in fused[node].args if isinstance(one, Node)]
        elif called(node) == _ITEM:
            open_ += [source for source, _ in [item_of(node) or (node, 0)]]
        else:
            open_ += node.all_input_nodes
    return found


def clamp_limits(node: Node) -> tuple[float | None, float | None] | None:
    """Least and greatest result of an operator that does nothing but clamp."""
    name = called(node)
    if name == "aten.relu.default":
        return 0.0, None
    if name not in ("aten.hardtanh.default", "aten.clamp.default"):
        return None
    named = arguments(node)
    low, high = (named.get(one, named.get(f"{one}_val")) for one in ("min", "max"))
    if any(isinstance(one, Node) or (one is not None and math.isnan(one)) for one in (low, high)):
        return None
    return None if low is None else float(low), None if high is None else float(high)


def _silu(node: Node, _: Container[Node]) -> Call | None:
    """x * sigmoid(x)."""
    for gate, x in _operands(node, _MUL):
        if called(gate) == "aten.sigmoid.default" and gate.args[0] is x:
            return Call("aten.silu.default", (x,))
    return None


def _rms_norm(node: Node, constants: Constants) -> Call | None:
    """x / sqrt(mean(x * x) + eps) * weight, over the last dimension."""
    for scaled, weight in _operands(node, _MUL):
        if weight not in constants or tensor(weight).shape != tensor(node).shape[-1:]:
            continue
        for root, x in _operands(scaled, _MUL):
            epsilon = _of_mean_square(root, x, constants) if called(root) == "aten.rsqrt.default" else None
            if epsilon is not None and tensor(x).shape == tensor(node).shape:
                return Call("aten.rms_norm.default", (x, list(tensor(weight).shape), weight, epsilon))
    return None


def _of_mean_square(root: Node, x: Node, constants: Constants) -> float | None:
    """What is added to the mean square of ``x`` under a root; None if it is another."""
    total: Any = root.args[0]
    if called(total) != "aten.add.Tensor" or arguments(total)["alpha"] != 1:
        return None
    mean, epsilon = total.args[:2]
    number = constants.number(epsilon)
    if number is None or called(mean) != "aten.mean.dim":
        return None
    named = arguments(mean)
    square = named["self"]
    is_last = [front(square, dim) for dim in named["dim"] or ()] == [rank(square) - 1]
    is_square = (called(square) == "aten.pow.Tensor_Scalar" and square.args == (x, 2)) or (
        called(square) == _MUL and square.args[:2] == (x, x)
    )
    return float(number) if is_last and is_square and named["keepdim"] else None


def _rotary_embedding(node: Node, constants: Constants) -> Call | None:
    """Where tables of angles begin at some position."""
    turned = rotated(node)
    if turned is None:
        return None
    x, *rows = turned
    tables: list[Any] = [_table(one, constants) for one in rows]
    if tables[0][1] != tables[1][1]:
        return None
    (cosines, start), (sines, _) = tables
    return Call("et_vk.rotary_embedding.default", (x, cosines, sines, start))


def rotated(node: Node) -> tuple[Node, Node, Node] | None:
    """Of what turns neighbouring pairs, (a, b) -> (a cos - b sin, a sin + b cos): the pairs, and cosines and sines of each position."""
    cat: Any = node.args[0] if called(node) == "aten.view_copy.default" else None
    if cat is None or called(cat) != "aten.cat.default" or len(cat.args[0]) != 2:
        return None
    if front(cat, arguments(cat)["dim"]) != rank(cat) - 1:
        return None
    parts = [one.args[0] for one in cat.args[0] if called(one) == "aten.unsqueeze_copy.default"]
    if [called(one) for one in parts] != ["aten.sub.Tensor", "aten.add.Tensor"]:
        return None
    factors: list[Any] = [_by_part(one) for one in parts]
    if None in factors or any(arguments(one)["alpha"] != 1 for one in parts):
        return None
    (x, cosine, sine), (other, other_sine, other_cosine) = _two_products(factors)
    if x is None or x is not other or cosine is not other_cosine or sine is not other_sine:
        return None
    cosines, sines = _rows(cosine), _rows(sine)
    if tensor(x).shape != tensor(node).shape or rank(x) != 4 or cosines is None or sines is None:
        return None
    return x, cosines, sines


def _two_products(factors: list[Any]) -> Any:
    """Of both results: the source, what its even numbers are multiplied by, and what its odd ones."""
    (first, second), (third, fourth) = factors
    in_order = first[1] == 0 and second[1] == 1
    if third[1] == 1:
        third, fourth = fourth, third
    if (
        not in_order
        or (third[1], fourth[1]) != (0, 1)
        or first[0] is not second[0]
        or third[0] is not fourth[0]
    ):
        return (None, None, None), (None, None, None)
    # The first is a cos - b sin, the second a sin + b cos.
    return (first[0], first[2], second[2]), (third[0], third[2], fourth[2])


def _by_part(node: Node) -> list[tuple[Node, int, Node]] | None:
    """Of a sum of two products of a part of a tensor: the tensor, which part, the other factor; for each."""
    found = []
    for product in node.args[:2]:
        for part, factor in _operands(product, _MUL):
            pair = _pair(part)
            if pair is not None:
                found.append((*pair, factor))
                break
    return found if len(found) == 2 else None


def _pair(node: Node) -> tuple[Node, int] | None:
    """The tensor whose even (0) or odd (1) numbers of the last dimension ``node`` is."""
    whole: Any = None
    position: Any = None
    if called(node) in ("aten.squeeze_copy.dims", "aten.squeeze_copy.dim"):
        cut: Any = node.args[0]
        if called(cut) == "aten.slice_copy.Tensor":
            named = arguments(cut)
            whole, position = named["self"], named["start"] or 0
            if named["end"] != position + 1 or front(whole, named["dim"]) != rank(whole) - 1:
                return None
    elif called(node) == "aten.select_copy.int":
        named = arguments(node)
        whole, position = named["self"], named["index"]
        if front(whole, named["dim"]) != rank(whole) - 1:
            return None
    if whole is None or called(whole) != "aten.view_copy.default" or position not in (0, 1):
        return None
    x: Any = whole.args[0]
    is_split = rank(whole) == rank(x) + 1 and tensor(whole).shape[-1] == 2
    is_split = is_split and rank(node) == rank(x) and tensor(whole).shape[:-2] == tensor(x).shape[:-1]
    return (x, position) if is_split else None


def _rows(node: Node) -> Node | None:
    """What has a row for each position, (position, pair), of what is the same for all heads."""
    if called(node) not in ("aten.unsqueeze_copy.default", "aten.view_copy.default"):
        return None
    rows: Any = node.args[0]
    if rank(rows) != 2:
        return None
    positions, pairs = tensor(rows).shape
    *before, first, heads, last = tensor(node).shape if rank(node) > 2 else (0, 0, 0)
    is_spread = all(one == 1 for one in (*before, heads)) and first == positions and last == pairs
    return rows if is_spread else None


def _table(rows: Node, constants: Constants) -> tuple[Node, Any]:
    """A table of angles (position, pair) and the position that its first row is of."""
    if called(rows) != "aten.slice_copy.Tensor" or rows.args[0] not in constants:
        return rows, 0
    named = arguments(rows)
    is_plain = front(rows, named["dim"]) == 0 and named["step"] == 1
    return (named["self"], named["start"] or 0) if is_plain else (rows, 0)


def _operands(node: Any, name: str) -> Iterator[tuple[Node, Node]]:
    """Both orders of the operands of a call that has two tensors."""
    if isinstance(node, Node) and called(node) == name:
        one, other = node.args[:2]
        if isinstance(one, Node) and isinstance(other, Node):
            yield one, other
            yield other, one


_MATCHES: tuple[Callable[[Node, Constants], Call | None], ...] = (_silu, _rms_norm, _rotary_embedding)
