"""The released passes over operators that give int64, which TOSA has not."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any, Literal

import torch
from torch.fx import Node

from executorch.backends.arm.published._passes.rule_pass import RulePass
from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import EdgeOpOverload, aten_op
from executorch.dialects.ops import ops
from executorch.ir.rewriter import call_like, is_call, new_call
from executorch.ir.values import shape_of, tensor_of
from executorch.passes.to_execution.sym_shape_eval_pass import upper_bound

_aten = torch.ops.aten
_log = logging.getLogger(__name__)

_HIGHEST = torch.iinfo(torch.int32).max
_EXTREMES = (_aten.argmax.default, _aten.argmin.default)
_CONVERSIONS = (
    _aten.to.dtype,
    _aten._to_copy.default,
    torch.ops.dim_order_ops._to_dim_order_copy.default,
)
#: Elements of the operand in other places.
_RELAYS = (
    _aten.clone.default,
    _aten.expand.default,
    _aten.expand_copy.default,
    _aten.permute.default,
    _aten.permute_copy.default,
    _aten.squeeze.dim,
    _aten.squeeze.dims,
    _aten.squeeze_copy.dim,
    _aten.squeeze_copy.dims,
    _aten.unsqueeze.default,
    _aten.unsqueeze_copy.default,
    _aten.view.default,
    _aten.view_copy.default,
)
_SUMS = (_aten.add.Tensor, _aten.add.Scalar, _aten.sub.Tensor, _aten.sub.Scalar)
_PRODUCTS = (_aten.mul.Tensor, _aten.mul.Scalar)

#: Of a conversion back to int64 that the pass has made itself.
_WIDENS = "widens_narrowed_places"


class ConvertInt64OutputOpsToInt32Pass(RulePass):
    """Conversions to int64 are to int32, and what is calculated with the places of extremes is calculated in int32 as far as it fits.

    Places keep their dtype where the graph gives them, and products and sums of them with each other stay in int64, since they may be larger
    than an int32. A single number that is an input of the graph, as constants are, is taken to be small.

    Args:
        on_overflow: what happens where an extreme may lie at a place that has no int32: ``raise``, ``warn`` and leave the operator as it is,
            or ``skip``, which leaves it too.

    Raises:
        ValueError: there is no such way.
        RuntimeError: when it runs, where ``raise`` says so.
    """

    def __init__(
        self, *args: Any, on_overflow: Literal["raise", "warn", "skip"] = "raise", **kwargs: Any
    ) -> None:
        if on_overflow not in ("raise", "warn", "skip"):
            raise ValueError(f"on_overflow must be raise, warn or skip, not {on_overflow!r}")
        super().__init__(*args, **kwargs)
        self.on_overflow = on_overflow
        self.rules = dict.fromkeys(_CONVERSIONS, _narrowed) | dict.fromkeys(_EXTREMES, self._narrow_places)

    def _narrow_places(self, node: Node) -> bool:
        places = _places(node)
        # Counted from 0.
        if places - 1 > _HIGHEST:
            message = f"the places of {node.name} cannot be safely cast to int32: there are {places}"
            if self.on_overflow == "raise":
                raise RuntimeError(message)
            if self.on_overflow == "warn":
                _log.warning(message)
            return False
        takers = _takers(node, places - 1)
        if not takers:
            return False
        narrow = _converted(node, torch.int32)
        _carry(node, narrow, takers)
        return True


def _narrow_constant(node: Node) -> bool:
    """int64 by type or by default, of numbers that an int32 holds."""
    arguments = (*node.args, node.kwargs.get("fill_value"))
    bounds = [_magnitude(one) for one in arguments if isinstance(one, int | float | Node)]
    bound = max(bounds, default=0)
    if node.meta[meta_keys.VAL].dtype is not torch.int64 or not bound <= _HIGHEST:
        return False
    narrow = call_like(node, aten_op(node.target), node.args, {**node.kwargs, "dtype": torch.int32})
    _carry(node, narrow, _takers(node, math.ceil(bound)))
    _widen_but(narrow, {}, node)
    node.replace_all_uses_with(narrow, propagate_meta=False)
    node.graph.erase_node(node)
    return True


def _magnitude(argument: float | Node) -> float:
    """The largest absolute value of an argument; infinite where nothing bounds it."""
    value = argument.meta.get(meta_keys.VAL) if isinstance(argument, Node) else argument
    if isinstance(value, float):
        return abs(value)
    ends = [upper_bound(one) for one in (value, -value)] if isinstance(value, int | torch.SymInt) else [None]
    return max(math.inf if end is None else end for end in ends)


class ConvertInt64ConstOpsToInt32Pass(RulePass):
    """Counting up and filling make int32 in place of int64, where their numbers fit, and what is calculated with them as far as it fits.

    Whoever needs int64 gets it: where the graph gives them, or where they meet other tensors of int64. A single number that is an
    input of the graph, as constants are, is taken to be small.
    """

    rules = dict.fromkeys(
        (_aten.arange.default, _aten.arange.start, _aten.arange.start_step, _aten.full.default),
        _narrow_constant,
    )


def _narrowed(node: Node) -> Node | bool:
    """A conversion to int64 that someone reads, as one to int32."""
    if not node.users or node.meta.get(_WIDENS) or node.meta[meta_keys.VAL].dtype is not torch.int64:
        return False
    if "dtype" in node.kwargs:
        return call_like(node, aten_op(node.target), node.args, {**node.kwargs, "dtype": torch.int32})
    if all(_is_conversion(user, torch.int32) for user in node.users):
        return False
    made = _converted(node, torch.int32)
    node.replace_all_uses_with(made, delete_user_cb=lambda user: user is not made, propagate_meta=False)
    return True


def _places(node: Node) -> int:
    """How many places an extreme may have; where a size has no bound, as many as an int32 can tell apart, if the others are not more."""
    shape: Sequence[Any] = shape_of(node.args[0]) or []
    dim: Any = node.args[1] if len(node.args) > 1 else node.kwargs.get("dim")
    sizes = shape if dim is None else [shape[dim]] if shape else []
    bounds = [upper_bound(one) for one in sizes]
    places = math.prod(one for one in bounds if one is not None)
    return max(places, _HIGHEST + 1) if None in bounds else places


def _takers(node: Node, bound: int) -> dict[Node, int]:
    """Those users that are right on int32, and a bound of what they then give."""
    bounds = {user: _bound(user, node, bound) for user in node.users}
    return {user: one for user, one in bounds.items() if one is not None and one <= _HIGHEST}


def _bound(user: Node, node: Node, bound: int) -> int | None:
    """None where the user needs int64."""
    if is_call(user, *_CONVERSIONS):
        made = tensor_of(user)
        return None if made is None or made.dtype in (torch.int32, torch.int64) else bound
    if is_call(user, *_RELAYS):
        return bound
    if not is_call(user, *_SUMS, *_PRODUCTS) or user.kwargs or len(user.args) != 2:
        return None
    other = user.args[1] if user.args[0] is node else user.args[0]
    if isinstance(other, float):
        return bound
    if isinstance(other, int):
        return bound + abs(other) if is_call(user, *_SUMS) else bound * abs(other)
    return bound if _is_number(other) else None


def _is_number(operand: Any) -> bool:
    value = tensor_of(operand)
    return (
        isinstance(operand, Node)
        and operand.op in ("placeholder", "get_attr")
        and value is not None
        and value.dim() == 0
    )


def _carry(wide: Node, narrow: Node, takers: dict[Node, int]) -> None:
    """Lets users read an int32 in place of an int64, and theirs in turn; whoever needs int64 behind them gets it."""
    for user, bound in takers.items():
        user.replace_input_with(wide, narrow)
        for operand in user.all_input_nodes:
            value = tensor_of(operand)
            if value is not None and value.dtype is torch.int64:
                with user.graph.inserting_before(user):
                    user.replace_input_with(operand, _conversion(user, operand, torch.int32))
        if user.meta[meta_keys.VAL].dtype is torch.int64:
            following = _takers(user, bound)
            user.meta[meta_keys.VAL] = user.meta[meta_keys.VAL].to(torch.int32)
            _widen_but(user, following)
            _carry(user, user, following)


def _widen_but(node: Node, takers: dict[Node, int], before: Node | None = None) -> None:
    """Gives users of a narrowed ``node``, of ``before`` if it is another one, int64 again, but for those that take int32."""
    before = before or node
    others = [user for user in before.users if user not in takers and not _is_conversion(user, torch.int32)]
    if others:
        made = _converted(node, torch.int64)
        made.meta[_WIDENS] = True
        for user in others:
            user.replace_input_with(before, made)


def _converted(node: Node, dtype: torch.dtype) -> Node:
    with node.graph.inserting_after(node):
        return _conversion(node, node, dtype)


def _conversion(like: Node, operand: Node, dtype: torch.dtype) -> Node:
    if isinstance(like.target, EdgeOpOverload):
        return new_call(like, ops.edge.dim_order_ops._to_dim_order_copy.default, (operand,), {"dtype": dtype})
    return new_call(like, _aten.to.dtype, (operand, dtype))


def _is_conversion(user: Node, dtype: torch.dtype) -> bool:
    value = tensor_of(user)
    return is_call(user, *_CONVERSIONS) and value is not None and value.dtype is dtype
