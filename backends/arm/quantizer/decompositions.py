"""Operators of a captured graph that are written with others, each of which has scales of its own."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection
from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.backends.arm.quantizer.annotations import is_real
from executorch.backends.arm.quantizer.borders import padded_with_itself
from executorch.backends.arm.quantizer.finite import DISALLOW_TFA_META_KEY
from executorch.backends.transforms.inline_traced import inline_traced
from executorch.dialects import meta_keys
from executorch.dialects.torch_types import OpOverload
from executorch.ir.constants import add_attribute
from executorch.ir.rewriter import arguments, call_like, in_dialect_of, new_call, replace

_aten = torch.ops.aten
#: Called with the node, before which it inserts, it gives what stands for it. True if it replaced its readers itself, None or False
#: leave the node as it is.
Rule = Callable[[Node], Node | bool | None]
_RULES: dict[OpOverload, Rule] = {}


def _rule(*targets: OpOverload) -> Callable[[Rule], Rule]:
    def declare(function: Rule) -> Rule:
        _RULES.update(dict.fromkeys(targets, function))
        return function

    return declare


def has_rule(target: OpOverload) -> bool:
    """Whether calls of an operator may be written otherwise."""
    return target in _RULES


def take_apart(model: GraphModule, left: Collection[OpOverload] = ()) -> None:
    """Applies each rule to the calls that it names, in place; only calls on real numbers are written otherwise, and not those ``left``."""
    for node in list(model.graph.nodes):
        rule = _RULES.get(node.target) if node.op == "call_function" else None  # type: ignore[arg-type]
        if (
            rule is None
            or node.target in left
            or node.meta.get(DISALLOW_TFA_META_KEY)
            or not any(is_real(one) for one in node.all_input_nodes)
        ):
            continue
        apply_rule(rule, node)


def apply_rule(rule: Rule, node: Node) -> bool:
    """Whether the node is written otherwise now."""
    with node.graph.inserting_before(node):
        made = rule(node)
    if isinstance(made, Node):
        replace(node, made)
    return bool(made)


def _value(node: Any) -> torch.Tensor:
    value: torch.Tensor = node.meta[meta_keys.VAL]
    return value


def _filled(node: Node, shape: list[int], number: float, like: torch.Tensor) -> Node:
    """A constant that goes along where the model is moved to another device."""
    return call_like(node, _aten.full.default, (shape, number), {"dtype": like.dtype, "device": like.device})


@_rule(_aten.mm.default)
def _mm(node: Node) -> Node:
    return call_like(node, _aten.matmul.default, node.args)


@_rule(_aten.addmm.default)
def _addmm(node: Node) -> Node:
    given = arguments(node)
    product = call_like(node, _aten.matmul.default, (given["mat1"], given["mat2"]))
    parts = [
        one if factor == 1 else call_like(node, _aten.mul.Tensor, (one, factor))
        for one, factor in ((given["self"], given["beta"]), (product, given["alpha"]))
    ]
    return call_like(node, _aten.add.Tensor, tuple(parts))


@_rule(_aten.glu.default)
def _glu(node: Node) -> Node | None:
    """One half times the sigmoid of the other."""
    given = arguments(node)
    source, dim = given["self"], given["dim"]
    half = _value(source).shape[dim] // 2
    if not isinstance(half, int):
        return None
    value, gate = (call_like(node, _aten.slice.Tensor, (source, dim, at, at + half)) for at in (0, half))
    opened = call_like(node, _aten.sigmoid.default, (gate,))
    return call_like(node, _aten.mul.Tensor, (value, opened))


@_rule(_aten.clamp.Tensor)
def _clamp(node: Node) -> Node | None:
    """Of floating-point numbers; integers are clamped as they are."""
    if not all(is_real(one) for one in node.all_input_nodes):
        return None
    given = arguments(node)
    made = given["self"]
    for limit, target in ((given["min"], _aten.maximum.default), (given["max"], _aten.minimum.default)):
        made = made if limit is None else call_like(node, target, (made, limit))
    return made  # type: ignore[no-any-return]


@_rule(_aten.div.Tensor, _aten.div_.Tensor)
def quotient(node: Node) -> Node | None:
    """Of two tensors; a division by a number is a product."""
    if not isinstance(node.args[1], Node) or not is_real(node):
        return None
    reciprocal = call_like(node, _aten.reciprocal.default, (node.args[1],))
    return call_like(node, _aten.mul.Tensor, (node.args[0], reciprocal))


def _divided(node: Node, x: Any, y: Any) -> Node:
    made = call_like(node, _aten.div.Tensor, (x, y))
    return quotient(made) or made


@_rule(
    _aten.div.Tensor_mode,
    _aten.div_.Tensor_mode,
    _aten.div.Scalar_mode,
    _aten.floor_divide.default,
    _aten.floor_divide.Scalar,
)
def _whole_quotient(node: Node) -> Node:
    mode = node.kwargs.get("rounding_mode", "floor" if "floor_divide" in str(node.target) else None)
    made = _divided(node, *node.args[:2])
    if mode is None:
        return made
    return call_like(node, _aten.floor.default if mode == "floor" else _aten.trunc.default, (made,))


@_rule(
    _aten.remainder.Tensor,
    _aten.remainder.Scalar,
    _aten.fmod.Tensor,
    _aten.fmod.Scalar,
    _aten.remainder_.Tensor,
)
def _remainder(node: Node) -> Node:
    x, y = node.args[:2]
    rounding = _aten.trunc.default if "fmod" in str(node.target) else _aten.floor.default
    times = call_like(node, rounding, (_divided(node, x, y),))
    return call_like(node, _aten.sub.Tensor, (x, call_like(node, _aten.mul.Tensor, (times, y))))


@_rule(_aten.prelu.default)
def _prelu(node: Node) -> Node:
    x, weight = node.args
    rank, count = _value(x).dim(), _value(weight).numel()
    if count > 1 and rank > 2:
        weight = call_like(node, _aten.view.default, (weight, [1, count, *[1] * (rank - 2)]))
    above = call_like(node, _aten.relu.default, (x,))
    below = call_like(node, _aten.clamp.default, (x, None, 0.0))
    return call_like(node, _aten.add.Tensor, (above, call_like(node, _aten.mul.Tensor, (below, weight))))


@_rule(_aten.masked_fill.Scalar, _aten.masked_fill_.Scalar)
def masked_fill(node: Node) -> Node:
    x, mask, value = node.args
    return call_like(node, _aten.where.ScalarSelf, (mask, float(value), x))  # type: ignore[arg-type]


@_rule(_aten.masked_fill.Tensor, _aten.masked_fill_.Tensor)
def _masked_fill_by_tensor(node: Node) -> Node:
    x, mask, value = node.args
    return call_like(node, _aten.where.self, (mask, value, x))


@_rule(_aten.tril.default, _aten.triu.default)
def _triangle(node: Node) -> Node | None:
    x, diagonal = node.args[0], node.args[1] if len(node.args) > 1 else 0
    sizes = _value(x).shape[-2:]
    if not all(isinstance(one, int) for one in sizes):
        return None
    ones = torch.ones(sizes)
    part = ones.tril(diagonal) if node.target is _aten.tril.default else ones.triu(diagonal)  # type: ignore[arg-type]
    return call_like(
        node, _aten.mul.Tensor, (x, add_attribute(node.graph, part, f"_constant_{node.name}_mask"))
    )


_rule(_aten.pad.default)(padded_with_itself)


@_rule(_aten.selu.default, _aten.selu_.default, _aten.celu.default, _aten.celu_.default)
def _as_elu(node: Node) -> Node:
    """With the numbers that SELU is defined by, or that make a CELU."""
    if "selu" in str(node.target):
        return call_like(node, _aten.elu.default, (node.args[0], 1.6732632423543772, 1.0507009873554805))
    alpha = float(arguments(node)["alpha"])
    return call_like(node, _aten.elu.default, (node.args[0], alpha, 1.0, 1.0 / alpha))


@_rule(_aten.max_pool1d.default, _aten.avg_pool1d.default)
def _pool1d(node: Node) -> Node:
    """Of images of one row."""
    given = arguments(node)
    stride = given["stride"] or given["kernel_size"]
    wide = call_like(node, _aten.unsqueeze.default, (given["self"], -2))
    sizes = [[1, *given["kernel_size"]], [1, *stride], [0, *given["padding"]]]
    if node.target is _aten.max_pool1d.default:
        args = (wide, *sizes, [1, *given["dilation"]], given["ceil_mode"])
        made = call_like(node, _aten.max_pool2d.default, args)
    else:
        args = (wide, *sizes, given["ceil_mode"], given["count_include_pad"])
        made = call_like(node, _aten.avg_pool2d.default, args)
    return call_like(node, _aten.squeeze.dim, (made, -2))


@_rule(_aten.einsum.default, _aten.repeat_interleave.self_int)
def _traced(node: Node) -> bool:
    """As PyTorch writes it with products and movers."""
    given, target = dict(arguments(node)), node.target
    tensors = given.pop("tensors", None) or [given.pop("self")]

    def written(*values: torch.Tensor) -> Any:
        if target is _aten.einsum.default:
            return torch.einsum(given["equation"], *values)
        return target(*values, **given)  # type: ignore[operator]

    inline_traced(node, written, list(tensors), f"_constant_{node.name}")
    return True


@_rule(_aten.batch_norm.default)
def _batch_norm(node: Node) -> Node | None:
    """One product and one sum, of a norm that no convolution has taken in; not while it is trained."""
    given = arguments(node)
    stored = [given[name] for name in ("weight", "bias", "running_mean", "running_var")]
    if (
        given["training"]
        or any(one is not None and one.op != "get_attr" for one in stored)
        or None in stored[2:]
    ):
        return None
    owner = node.graph.owning_module
    weight, bias, mean, var = (
        None if one is None else operator.attrgetter(str(one.target))(owner).detach() for one in stored
    )
    assert mean is not None and var is not None
    factor = (var.double() + given["eps"]).rsqrt()
    factor = factor if weight is None else factor * weight
    summand = (0 if bias is None else bias) - mean * factor
    shape = [1, -1, *[1] * (_value(given["input"]).dim() - 2)]
    factor, summand = (
        add_attribute(node.graph, one.float().reshape(shape), f"_constant_{node.name}_{kind}")
        for one, kind in ((factor, "factor"), (summand, "summand"))
    )
    product = call_like(node, _aten.mul.Tensor, (given["input"], factor))
    return call_like(node, _aten.add.Tensor, (product, summand))


@_rule(_aten.rms_norm.default)
def _rms_norm(node: Node) -> Node:
    given = arguments(node)
    x, count = given["input"], len(given["normalized_shape"])
    epsilon = torch.finfo(_value(x).dtype).eps if given["eps"] is None else given["eps"]
    squares = call_like(node, _aten.mul.Tensor, (x, x))
    mean = call_like(node, _aten.mean.dim, (squares, [-one for one in range(count, 0, -1)], True))
    over = call_like(node, _aten.rsqrt.default, (call_like(node, _aten.add.Tensor, (mean, epsilon)),))
    made = call_like(node, _aten.mul.Tensor, (x, over))
    return made if given["weight"] is None else call_like(node, _aten.mul.Tensor, (made, given["weight"]))


@_rule(_aten.mse_loss.default)
def _squared_error(node: Node) -> Node:
    given = arguments(node)
    apart = call_like(node, _aten.sub.Tensor, (given["self"], given["target"]))
    squares = call_like(node, _aten.mul.Tensor, (apart, apart))
    ends = (None, _aten.mean.default, _aten.sum.default)[given["reduction"]]
    return squares if ends is None else call_like(node, ends, (squares,))


@_rule(_aten.roll.default)
def _roll(node: Node) -> Node | None:
    """The end before the beginning."""
    given = arguments(node)
    made = given["self"]
    if not given["dims"]:
        return None
    for shift, dim in zip(given["shifts"], given["dims"], strict=True):
        size = _value(made).shape[dim]
        if not isinstance(size, int):
            return None
        if shift % size:
            cut = size - shift % size
            halves = [
                call_like(node, _aten.slice.Tensor, (made, dim, *bounds))
                for bounds in ((cut, size), (0, cut))
            ]
            made = call_like(node, _aten.cat.default, (halves, dim))
    return made if made is not given["self"] else None


@_rule(_aten.instance_norm.default)
def _instance_norm(node: Node) -> Node | None:
    """A norm of each channel: as many groups as channels."""
    given = arguments(node)
    if not given["use_input_stats"]:
        return None
    channels = _value(given["input"]).shape[1]
    args = (given["input"], channels, given["weight"], given["bias"], given["eps"])
    return call_like(node, _aten.group_norm.default, args)


@_rule(_aten.stack.default)
def _stack(node: Node) -> Node:
    given = arguments(node)
    dim = given["dim"] % (_value(given["tensors"][0]).dim() + 1)
    wide = [call_like(node, _aten.unsqueeze.default, (one, dim)) for one in given["tensors"]]
    return call_like(node, _aten.cat.default, (wide, dim))


def _power(node: Node, x: Any, exponent: float) -> Node:
    return call_like(node, _aten.pow.Tensor_Scalar, (x, exponent))


@_rule(_aten.cosine_similarity.default)
def cosine_similarity(node: Node) -> Node:
    """A product of vectors over that of their lengths, neither of which is below ``eps``."""
    given = arguments(node)
    dim = [given["dim"]]

    def summed(x: Any, y: Any) -> Node:
        return call_like(node, _aten.sum.dim_IntList, (call_like(node, _aten.mul.Tensor, (x, y)), dim))

    lengths = []
    for one in (given["x1"], given["x2"]):
        least = _filled(node, [1], given["eps"], _value(one))
        length = _power(node, summed(one, one), 0.5)
        lengths.append(call_like(node, _aten.maximum.default, (length, least)))
    both = call_like(node, _aten.mul.Tensor, tuple(lengths))
    over = call_like(node, _aten.reciprocal.default, (both,))
    return call_like(node, _aten.mul.Tensor, (summed(given["x1"], given["x2"]), over))


@_rule(_aten.linalg_vector_norm.default)
def norm(node: Node) -> Node | None:
    """The orders that need no power of a fraction."""
    given = arguments(node)
    x, order, dim, keeps = given["self"], given["ord"], given["dim"], given["keepdim"]
    dim = list(range(_value(x).dim())) if dim is None else dim
    if order == 2:
        total = call_like(node, _aten.sum.dim_IntList, (_power(node, x, 2), dim, keeps))
        return _power(node, total, 0.5)
    if order not in (1, float("inf")):
        return None
    sizes = call_like(node, _aten.abs.default, (x,))
    return call_like(node, _aten.sum.dim_IntList if order == 1 else _aten.amax.default, (sizes, dim, keeps))


@_rule(_aten.var.correction, _aten.var.dim, _aten.var.default)
def variance(node: Node) -> Node | None:
    """The sum of squared differences from the mean, over their number."""
    given = arguments(node)
    x, dim, keeps = given["self"], given.get("dim"), given.get("keepdim", False)
    value = _value(x)
    dim = [dim] if isinstance(dim, int) else list(dim or range(value.dim()))
    sizes = [value.shape[one] for one in dim]
    if not all(isinstance(one, int) for one in sizes):
        return None
    correction = given["correction"] if "correction" in given else int(given["unbiased"])
    count = math.prod(sizes) - (1 if correction is None else correction)
    mean = call_like(node, _aten.mean.dim, (x, dim, True))
    centred = call_like(node, _aten.sub.Tensor, (x, mean))
    squares = call_like(node, _aten.mul.Tensor, (centred, centred))
    total = call_like(node, _aten.sum.dim_IntList, (squares, dim, keeps))
    shape = [1] if _value(total).dim() else []
    over = _filled(node, shape, 1 / count if count > 0 else math.inf, value)
    return call_like(node, _aten.mul.Tensor, (total, over))


@_rule(_aten.ne.Scalar, _aten.ne.Tensor)
def _differs(node: Node) -> Node:
    return call_like(
        node,
        _aten.logical_not.default,
        (call_like(node, getattr(_aten.eq, node.target._overloadname), node.args),),  # type: ignore[union-attr]
    )


def _part(node: Node, user: Node, whole: bool, args: tuple[Any, ...]) -> Node:
    """Of the variant, view or copy, that ``node`` is of, and of its dialect."""
    copies = "_copy" in str(node.target)
    views = (_aten.slice.Tensor, _aten.select.int)
    op = (_aten.slice_copy.Tensor, _aten.select_copy.int)[whole] if copies else views[whole]
    with user.graph.inserting_before(user):
        return new_call(user, in_dialect_of(node, op), args)


@_rule(
    _aten.split.Tensor,
    _aten.split_copy.Tensor,
    _aten.split_with_sizes.default,
    _aten.split_with_sizes_copy.default,
    _aten.chunk.default,
    _aten.unbind.int,
    _aten.unbind_copy.int,
)
def parts(node: Node) -> bool:
    """Each part that is read is a slice of its own, where it begins and ends at known places."""
    source = node.args[0]
    dim = arguments(node)["dim"] % _value(source).dim()
    starts = [0]
    whole = "unbind" in str(node.target)
    for one in node.meta[meta_keys.VAL]:
        starts.append(starts[-1] + (1 if whole else one.shape[dim]))
    if not all(isinstance(one, int) for one in starts):
        return False
    for user in [one for one in node.users if one.target is operator.getitem]:
        at = int(user.args[1]) % (len(starts) - 1)  # type: ignore[arg-type, call-overload]
        args = (source, dim, at) if whole else (source, dim, starts[at], starts[at + 1])
        replace(user, _part(node, user, whole, args))
    return True
