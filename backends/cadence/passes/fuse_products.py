"""Sums and factors that the operator beside them can take over."""

from __future__ import annotations

from typing import Any

from torch.fx import Node

from executorch.backends.cadence.passes.edits import (
    ATEN,
    DEQUANTIZES,
    EDGE,
    QUANTIZES,
    dtype,
    filled,
    full,
    is_one_of,
    shape,
    stand_in,
    view,
)
from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface, set_arg
from executorch.ir.rewriter import arguments, call_like, is_call, replace


class FuseMMWithAdd(RemoveOrReplacePassInterface):
    """``mm`` and the sum behind it, also over a view, become ``addmm``: the bias is added where the product is made.

    The bias must broadcast to the product without changing its shape; behind a view, along the last dimension only. A sum
    that several operators read stays.
    """

    @property
    def targets(self) -> list[Any]:
        return [EDGE.aten.mm.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        if len(node.users) != 1:
            return False
        (last,) = node.users
        between = last if is_call(last, ATEN.view_copy.default) and len(last.users) == 1 else None
        if between is not None:
            (last,) = between.users
        bias = _summand(last, between or node)
        if bias is None or len(last.users) != 1 or not _fits(bias, node, between):
            return False
        if dtype(bias) != dtype(node):
            number = filled(bias)
            if number is None or dtype(last) != dtype(node):
                return False
            bias = full(last, shape(bias) or [], number, dtype(node))
        # Where the sum is: the bias may be made after the product.
        made = call_like(last, ATEN.addmm.default, (bias, *node.args))
        if between is not None:
            made = view(last, made, shape(between) or [])
        stand_in(last, made)
        return True


def _summand(node: Node, product: Node) -> Node | None:
    """What a sum adds to a product; None if the node is no such sum."""
    if not is_call(node, ATEN.add.Tensor):
        return None
    named = arguments(node)
    others = [one for one in (named["self"], named["other"]) if one is not product]
    return others[0] if named["alpha"] == 1 and len(others) == 1 and isinstance(others[0], Node) else None


def _fits(bias: Node, product: Node, between: Node | None) -> bool:
    sizes, wanted = shape(bias), shape(product)
    if sizes is None or wanted is None or shape(between or product) is None:
        return False
    if between is not None:
        # Rows may have been taken apart; what runs along the last dimension is the same in all of them.
        shown = shape(between) or []
        return bool(shown) and shown[-1] == wanted[-1] and sizes in ([], [1], [wanted[-1]])
    if len(sizes) > len(wanted):
        return False
    tail = wanted[len(wanted) - len(sizes) :]
    return all(size in (1, full_size) for size, full_size in zip(sizes, tail, strict=True))


class FuseMulScalarIntoDequantPass(RemoveOrReplacePassInterface):
    """A dequantization times a number becomes a dequantization by a scale that has the factor in it."""

    @property
    def targets(self) -> list[Any]:
        return [EDGE.aten.mul.Scalar]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        return _scale_dequantization(node, node.args[0], node.args[1])


class FuseMulTensorIntoDequantPass(RemoveOrReplacePassInterface):
    """As :class:`FuseMulScalarIntoDequantPass`, where the number fills a tensor."""

    @property
    def targets(self) -> list[Any]:
        return [EDGE.aten.mul.Tensor]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        first, second = node.args[:2]
        return _scale_dequantization(node, first, filled(second)) or _scale_dequantization(
            node, second, filled(first)
        )


def _scale_dequantization(product: Node, source: Any, factor: Any) -> bool:
    if not is_one_of(source, DEQUANTIZES) or len(source.users) != 1 or not _is_factor(factor):
        return False
    if shape(source) != shape(product) or dtype(source) != dtype(product):
        return False
    set_arg(source, "scale", arguments(source)["scale"] * factor)
    replace(product, source)
    return True


class FuseMulTensorIntoQuantPass(RemoveOrReplacePassInterface):
    """A quantization of a product with a filled tensor quantizes what was multiplied, by a smaller scale."""

    @property
    def targets(self) -> list[Any]:
        return list(QUANTIZES)

    def maybe_remove_or_replace(self, node: Node) -> bool:
        product: Any = node.args[0]
        if not is_call(product, ATEN.mul.Tensor) or len(product.users) != 1:
            return False
        for source, constant in (product.args, tuple(reversed(product.args))):
            factor = filled(constant)
            if not _is_factor(factor) or shape(source) != shape(product) or dtype(source) != dtype(product):
                continue
            set_arg(node, "scale", arguments(node)["scale"] / factor)
            node.replace_input_with(product, source)
            return True
        return False


def _is_factor(number: Any) -> bool:
    """Whether a number leaves a scale a scale: positive, and no boolean."""
    return isinstance(number, (int, float)) and not isinstance(number, bool) and number > 0


__all__ = [
    "FuseMMWithAdd",
    "FuseMulScalarIntoDequantPass",
    "FuseMulTensorIntoDequantPass",
    "FuseMulTensorIntoQuantPass",
]
