"""Complex numbers as pairs of floats, in a last dimension of their own; Fourier transforms as linear layers of constant weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Graph, Node

from executorch.backends.transforms.constants import Constants, name_of
from executorch.backends.transforms.operands import front, fronts, permutation, rank, tensor
from executorch.backends.transforms.refusals import listed, operand_types, tensors_around
from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.ir.constants import add_constant
from executorch.ir.rewriter import arguments, call_like, replace

_aten = torch.ops.aten
#: Points of a transform, whose weights grow with their square.
_MOST_POINTS = 1024
_TYPES = {torch.complex64, torch.float32}
#: Complex numbers times or over what is real.
_SCALES = {"aten.mul.Tensor", "aten.div.Tensor"}
_CONVERSIONS = {"aten._to_copy.default", "dim_order_ops._to_dim_order_copy.default"}


class Pairs:
    """The nodes that stand for complex ones of a program."""

    def __init__(self, program: ExportedProgram) -> None:
        self.program, self.constants = program, Constants(program)
        self._made: dict[Node, Node] = {}

    def __getitem__(self, node: Node) -> Node:
        """Pairs of a node; those of a constant are stored when they are asked for."""
        if node not in self._made:
            self._made[node] = self.constant(torch.view_as_real(self.constants[node].resolve_conj()))
        return self._made[node]

    def __setitem__(self, node: Node, pairs: Node) -> None:
        self._made[node] = pairs

    def constant(self, value: torch.Tensor) -> Node:
        """A new constant of the program."""
        return add_constant(self.program, value.contiguous(), "complex_numbers")


#: Says a call on complex numbers by calls on floats: returns pairs where its result is complex, else the result.
Rewrite = Callable[[Pairs, Node], Node]


def is_complex(node: Any) -> bool:
    """Whether a node's tensor has complex numbers."""
    value = node.meta.get(meta_keys.VAL)
    return isinstance(value, torch.Tensor) and value.is_complex()


def has_complex(node: Node) -> bool:
    """Whether a call makes or reads complex numbers."""
    return any(is_complex(one) for one in (node, *node.all_input_nodes))


def complex_groups(graph: Graph, constants: Constants) -> list[list[Node]]:
    """Nodes that give each other complex numbers, in order."""
    groups, seen = [], set()
    for first in graph.nodes:
        found: set[Node] = set()
        open_ = [first] if first not in seen and first not in constants and has_complex(first) else []
        while open_:
            node = open_.pop()
            if node in found or node in constants:
                continue
            found.add(node)
            open_ += [one for one in node.all_input_nodes if is_complex(one)]
            open_ += node.users if is_complex(node) else []
        seen |= found
        if found:
            groups.append(sorted(found))
    return groups


def replace_complex_numbers(program: ExportedProgram, rewrite_of: Callable[[Node], Rewrite]) -> None:
    """Rewrites a program whose inputs and results are real (in place)."""
    pairs, before = Pairs(program), [node for node in program.graph.nodes if has_complex(node)]
    for node in before:
        if node.op != "call_function" or node in pairs.constants:
            continue
        made = rewrite_of(node)(pairs, node)
        if is_complex(node):
            pairs[node] = made
        else:
            replace(node, made)
    if before:
        program.graph.eliminate_dead_code()


def wrong_complex(node: Node, constants: Constants) -> str | None:
    """Why a call on complex numbers is refused by its operands."""
    if not {one.dtype for one in tensors_around(node)} <= _TYPES:
        return f"operands of types {listed(operand_types(node))}; complex numbers are torch.complex64"
    if any(isinstance(one, complex) for one in (*node.args, *node.kwargs.values())):
        return "a complex number that the call says itself"
    given = [one for one in node.all_input_nodes if is_complex(one)]
    if any(one.op == "placeholder" and one not in constants for one in given):
        return "complex numbers that the program is given"
    if name_of(node) == "aten.div.Tensor" and not _is_real(node.args[1], constants):
        return "it divides by complex numbers"
    is_mixed = len(operand_types(node)) > 1 and name_of(node) not in (*_SCALES, *_CONVERSIONS)
    return "real operands beside complex ones" if is_mixed else None


def wrong_transform(node: Node, _: Any) -> str | None:
    """Why a Fourier transform is refused."""
    named = arguments(node)
    shape, result = tensor(named["self"]).shape, tensor(node).shape
    points = [size for dim in fronts(named["self"], named["dim"]) for size in (shape[dim], result[dim])]
    if not all(isinstance(size, int) and size <= _MOST_POINTS for size in points):
        return f"a transform of {points} points; it takes a known number, {_MOST_POINTS} at most"
    if sum(not isinstance(size, int) for size in shape) > 1:
        return "more than one size changes from run to run"
    return None


def same_shapes(node: Node, _: Any) -> str | None:
    """Of real and imaginary parts."""
    real, imaginary = (tensor(one).shape for one in node.args[:2])
    return None if str(real) == str(imaginary) else "real and imaginary parts are broadcast"


def as_pairs(pairs: Pairs, node: Node) -> Node:
    """The same operator on pairs, where the dimension behind the others changes nothing."""
    given = [pairs[one] if isinstance(one, Node) and is_complex(one) else one for one in node.args]
    return call_like(node, _op(node), given, dict(node.kwargs))


def of_dimensions(pairs: Pairs, node: Node) -> Node:
    """The same operator on pairs, with its dimensions counted from the front."""
    named = arguments(node)
    key = "dim" if "dim" in named else "dims"
    source, dims = named["self"], named[key]
    if _op(node) is _aten.unsqueeze_copy.default:
        named[key] = dims % rank(node)
    elif key == "dims":  # which are flipped; if none are named, none are
        named[key] = [front(source, dim) for dim in dims]
    else:
        named[key] = front(source, dims) if isinstance(dims, int) else fronts(source, dims)
    named["self"] = pairs[source]
    known = {one.name for one in _op(node)._schema.arguments if one.kwarg_only}
    return call_like(
        node,
        _op(node),
        [value for name, value in named.items() if name not in known],
        {name: value for name, value in named.items() if name in known},
    )


def of_sizes(pairs: Pairs, node: Node) -> Node:
    """A view or an expansion to sizes."""
    source, sizes = node.args[:2]
    return call_like(node, _op(node), [pairs[source], [*sizes, 2]])  # type: ignore[index, misc]


def permuted(pairs: Pairs, node: Node) -> Node:
    source, order = permutation(node)
    return _permuted(node, pairs[source], [*order, len(order)])


def joined(pairs: Pairs, node: Node) -> Node:
    """Tensors one behind the other."""
    named = arguments(node)
    parts = [pairs[one] for one in named["tensors"]]
    return call_like(node, _aten.cat.default, [parts, front(named["tensors"][0], named["dim"])])


def the_same(pairs: Pairs, node: Node) -> Node:
    """What only says otherwise what numbers are."""
    (source, *_) = node.args
    assert isinstance(source, Node)
    return pairs[source] if is_complex(source) else source


def of_parts(_: Pairs, node: Node) -> Node:
    return _of_parts(node, *node.args[:2])


def size_of(pairs: Pairs, node: Node) -> Node:
    """Absolute values, by numbers no greater than one, whose squares every type has."""
    (source, *_) = node.args
    both = pairs[source]  # type: ignore[index]
    last = [rank(both) - 1]
    greatest = call_like(node, _aten.amax.default, [call_like(node, _aten.abs.default, [both]), last, True])
    greatest = call_like(node, _aten.clamp.default, [greatest, 2.0**-14])
    scaled = call_like(node, _aten.div.Tensor, [both, greatest])
    square = call_like(node, _aten.mul.Tensor, [scaled, scaled])
    root = call_like(node, _aten.sqrt.default, [call_like(node, _aten.sum.dim_IntList, [square, last, True])])
    found = call_like(node, _aten.mul.Tensor, [root, greatest])
    return call_like(node, _aten.squeeze_copy.dims, [found, last])


def converted(pairs: Pairs, node: Node) -> Node:
    """Complex numbers as they are; real ones without an imaginary part."""
    (source, *_) = node.args
    assert isinstance(source, Node)
    if is_complex(source):
        return pairs[source]
    zeros = call_like(node, _aten.full_like.default, [source, 0])
    return _of_parts(node, source, zeros)


def _is_real(node: Any, constants: Constants) -> bool:
    """Whether numbers have no imaginary part, as operands have that ``torch.export`` made complex."""
    if node in constants:
        return not is_complex(node) or not bool(constants[node].imag.any())
    return not is_complex(node) or (name_of(node) in _CONVERSIONS and not is_complex(node.args[0]))


def _factor(pairs: Pairs, node: Node, operand: Any) -> Node:
    """What both parts of complex numbers are multiplied with or divided by: pairs, or one real number for both."""
    if not _is_real(operand, pairs.constants):
        return pairs[operand]
    if operand in pairs.constants and is_complex(operand):
        real = pairs.constant(pairs.constants[operand].real)
    else:
        real = operand.args[0] if is_complex(operand) else operand
    return call_like(node, _aten.unsqueeze_copy.default, [real, -1])


def product(pairs: Pairs, node: Node) -> Node:
    """Products, of elements or of matrices; a real factor of elements scales both parts."""
    operands = list(node.args[:2])
    op = _op(node)
    are_real = [_is_real(one, pairs.constants) for one in operands]
    if name_of(node) in _SCALES and are_real.count(True) == 1:
        return call_like(node, op, [_factor(pairs, node, one) for one in operands])
    (a, b), (c, d) = (_parts(node, pairs[one]) for one in operands)  # type: ignore[index]
    real, other, one, another = (call_like(node, op, both) for both in ([a, c], [b, d], [a, d], [b, c]))
    return _of_parts(
        node,
        call_like(node, _aten.sub.Tensor, [real, other]),
        call_like(node, _aten.add.Tensor, [one, another]),
    )


def transform(pairs: Pairs, node: Node) -> Node:
    """A discrete Fourier transform, one dimension after the other."""
    named, op = arguments(node), _op(node)
    source = named["self"]
    *others, last = fronts(source, named["dim"])
    is_real, gives_real = op is _aten._fft_r2c.default, op is _aten._fft_c2r.default
    signal = tensor(node).shape if gives_real else tensor(source).shape
    lengths = {dim: int(signal[dim]) for dim in (*others, last)}
    total = math.prod(lengths.values())
    factor = {0: 1.0, 1: total**-0.5, 2: 1 / total}[named["normalization"]]
    sign = 1 if gives_real or (not is_real and not named["forward"]) else -1
    found = source if is_real else pairs[source]
    if is_real:
        weights = _from_real(lengths[last], int(tensor(node).shape[last])) * factor
        found = _along(pairs, node, found, last, weights, 1, 2)
    elif not gives_real:
        found = _along(pairs, node, found, last, _turned(lengths[last], sign) * factor, 2, 2)
    for dim in others:
        found = _along(pairs, node, found, dim, _turned(lengths[dim], sign), 2, 2)
    return _along(pairs, node, found, last, _to_real(lengths[last]) * factor, 2, 1) if gives_real else found


def _op(node: Node) -> Any:
    target: Any = node.target
    return aten_op(target)


def _along(
    pairs: Pairs, node: Node, source: Node, dim: int, weights: torch.Tensor, parts: int, parts_made: int
) -> Node:
    """Lines along a dimension times weights (results, elements), of sides of one part or two."""
    dims = rank(source) - (parts - 1)
    order = [*(one for one in range(dims) if one != dim), dim]
    moved = _permuted(node, source, order + [dims] * (parts - 1))
    before = [size if isinstance(size, int) else -1 for size in tensor(moved).shape[: dims - 1]]
    lines = call_like(node, _aten.view_copy.default, [moved, [*before, weights.shape[1]]])
    made = call_like(node, _aten.linear.default, [lines, pairs.constant(weights.to(torch.float32))])
    results = [weights.shape[0]] if parts_made == 1 else [weights.shape[0] // 2, 2]
    found = call_like(node, _aten.view_copy.default, [made, [*before, *results]])
    back = sorted(range(dims), key=order.__getitem__)
    return _permuted(node, found, back + [dims] * (parts_made - 1))


def _permuted(node: Node, source: Node, order: Sequence[int]) -> Node:
    if list(order) == sorted(order):
        return source
    return call_like(node, _aten.permute_copy.default, [source, list(order)])


def _parts(node: Node, both: Node) -> list[Node]:
    """Real and imaginary parts of pairs."""
    last = rank(both) - 1
    return [call_like(node, _aten.select_copy.int, [both, last, part]) for part in (0, 1)]


def _of_parts(node: Node, *parts: Any) -> Node:
    """Pairs of real and imaginary parts."""
    last = rank(parts[0])
    columns = [call_like(node, _aten.unsqueeze_copy.default, [one, last]) for one in parts]
    return call_like(node, _aten.cat.default, [columns, last])


def _angles(results: int, elements: int, points: int) -> torch.Tensor:
    """(results, elements); multiples of whole turns are left out, so that they stay exact."""
    turns = torch.outer(torch.arange(results), torch.arange(elements)) % points
    return turns.to(torch.float64) * (2 * math.pi / points)


def _from_real(points: int, results: int) -> torch.Tensor:
    angles = _angles(results, points, points)
    return torch.stack([angles.cos(), -angles.sin()], 1).reshape(2 * results, points)


def _turned(points: int, sign: int) -> torch.Tensor:
    angles = _angles(points, points, points)
    cosines, sines = angles.cos(), sign * angles.sin()
    real, imaginary = (torch.stack(one, -1) for one in ((cosines, -sines), (sines, cosines)))
    return torch.stack([real, imaginary], 1).reshape(2 * points, 2 * points)


def _to_real(points: int) -> torch.Tensor:
    """Of half of a spectrum, whose other half is its mirror image."""
    half = points // 2 + 1
    angles = _angles(points, half, points)
    times = torch.full((half,), 2.0, dtype=torch.float64)
    times[0] = 1.0
    if points % 2 == 0:
        times[-1] = 1.0
    return torch.stack([angles.cos() * times, -angles.sin() * times], -1).reshape(points, 2 * half)


_ATEN: dict[Rewrite, str] = {
    as_pairs: "add.Tensor sub.Tensor neg.default mul.Scalar div.Scalar",
    of_dimensions: "flip.default mean.dim select_copy.int slice_copy.Tensor squeeze_copy.dims sum.dim_IntList unsqueeze_copy.default",
    of_sizes: "expand_copy.default view_copy.default",
    permuted: "permute_copy.default transpose_copy.int",
    the_same: "alias_copy.default clone.default view_as_complex_copy.default view_as_real_copy.default",
    product: "mul.Tensor div.Tensor mm.default bmm.default",
    transform: "_fft_c2c.default _fft_c2r.default _fft_r2c.default",
    size_of: "abs.default",
    of_parts: "complex.default",
    joined: "cat.default",
}
#: Operators that take or make complex numbers -> how they are said.
ON_PAIRS: dict[str, Rewrite] = {
    **{f"aten.{name}": rewrite for rewrite, names in _ATEN.items() for name in names.split()},
    **dict.fromkeys(_CONVERSIONS, converted),
    "dim_order_ops._clone_dim_order.default": the_same,
}
