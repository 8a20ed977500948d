"""Operators that leave a value as it is."""

from __future__ import annotations

from typing import Any

from torch.fx import Node

from executorch.backends.cadence.passes.edits import ATEN, EDGE, dtype, filled, full, shape
from executorch.backends.cadence.passes.slices import slice_of
from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface
from executorch.backends.transforms.remove_clone_ops import RemoveCloneOpsTransform
from executorch.ir.rewriter import arguments, call_like, replace, source_of
from executorch.ir.values import have_same_layout

_aten = EDGE.aten


class _RemovesIdentities(RemoveOrReplacePassInterface):
    """Puts the first argument in the place of what gives its value in the same type and layout."""

    def maybe_remove_or_replace(self, node: Node) -> bool:
        source = source_of(node)
        if not have_same_layout(node, source):
            return False
        replace(node, source)
        return True


class RemoveAliasCopyOpPass(_RemovesIdentities):
    """No ``alias_copy``."""

    targets = [_aten.alias_copy.default]  # type: ignore[assignment]


class RemoveDetachCopyPass(_RemovesIdentities):
    """No ``detach_copy``: nothing is trained here."""

    targets = [_aten.detach_copy.default]  # type: ignore[assignment]


class RemoveContiguousOpPass(_RemovesIdentities):
    """No ``contiguous`` of what is contiguous."""

    targets = [_aten.contiguous.default]  # type: ignore[assignment]


class RemoveToOpsPass(_RemovesIdentities):
    """No casts to the type that a value has."""

    targets = [  # type: ignore[assignment]
        _aten.to.dtype,
        _aten.to.dtype_layout,
        _aten._to_copy.default,
        EDGE.dim_order_ops._to_dim_order_copy.default,
    ]


class RemoveNopExpandOpPass(_RemovesIdentities):
    """No ``expand_copy`` to the shape that a value has."""

    targets = [_aten.expand_copy.default, _aten.expand.default]  # type: ignore[assignment]


class RemoveNopSliceOrViewOpPass(_RemovesIdentities):
    """No slices that take all, and no views in the shape that a value has."""

    targets = [_aten.slice_copy.Tensor, _aten.view_copy.default]  # type: ignore[assignment]


class RemoveNopRequantizeOpPass(RemoveOrReplacePassInterface):
    """No ``requantize`` between equal scales and zero points of one type."""

    @property
    def targets(self) -> list[Any]:
        return [EDGE.cadence.requantize.per_tensor]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        source, in_scale, in_zero_point, out_scale, out_zero_point, kind = arguments(node).values()
        if (in_scale, in_zero_point) != (out_scale, out_zero_point) or dtype(source) != kind:
            return False
        replace(node, source)
        return True


class RemoveNopAddOpPass(RemoveOrReplacePassInterface):
    """No sums with zero, where that changes neither shape nor type."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.add.Tensor]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        named = arguments(node)
        left, right = named["self"], named["other"]
        if filled(right) == 0 and have_same_layout(node, left):
            replace(node, left)
            return True
        if filled(left) == 0 and named["alpha"] == 1 and have_same_layout(node, right):
            replace(node, right)
            return True
        return False


class RemoveNopMulOpPass(RemoveOrReplacePassInterface):
    """Zeros for products with zero. (A product with NaN or an infinity would be NaN; such values are not quantized.)"""

    @property
    def targets(self) -> list[Any]:
        return [_aten.mul.Tensor]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        sizes = shape(node)
        if sizes is None or not any(filled(one) == 0 for one in node.args[:2]):
            return False
        replace(node, full(node, sizes, 0, dtype(node)))
        return True


class RemoveZeroSizedConstantPadNd(RemoveOrReplacePassInterface):
    """No pads by nothing."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.constant_pad_nd.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        if any(arguments(node)["pad"]):
            return False
        replace(node, source_of(node))
        return True


class RemoveNopLinalgVectorNormOpPass(RemoveOrReplacePassInterface):
    """Absolute values for norms over dimensions of size 1.

    A norm of one number is its absolute value, of whatever order but zero.
    """

    @property
    def targets(self) -> list[Any]:
        return [_aten.linalg_vector_norm.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        named = arguments(node)
        sizes, after = shape(named["self"]), shape(node)
        if sizes is None or after is None or named["ord"] == 0 or dtype(named["self"]) != dtype(node):
            return False
        dims = range(len(sizes)) if named["dim"] is None else named["dim"]
        if any(sizes[dim] != 1 for dim in dims):
            return False
        made = call_like(node, ATEN.abs.default, (named["self"],))
        if after != sizes:
            made = call_like(node, ATEN.view_copy.default, (made, after))
        replace(node, made)
        return True


class RemoveZeroSizedCatArgsPass(RemoveOrReplacePassInterface):
    """Concatenates only what has elements; nothing for nothing, and no concatenation of one."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.cat.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        parts: list[Any] = list(arguments(node)["tensors"])
        sizes = shape(node)
        kept = [one for one in parts if 0 not in (shape(one) or [])]
        if sizes is None or (len(kept) == len(parts) and len(kept) > 1):
            return False
        if not kept:
            replace(node, full(node, sizes, 0, dtype(node)))
        elif len(kept) > 1:
            node.args = (kept, *node.args[1:])
        elif not have_same_layout(node, kept[0]):
            return False
        else:
            replace(node, kept[0])
        return True


class RemoveCatFromSliceCopyPass(RemoveOrReplacePassInterface):
    """A slice of a concatenation reads the part that it lies in."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.slice_copy.Tensor]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        taken = slice_of(node)
        cat = node.args[0]
        if taken is None or not isinstance(cat, Node) or cat.target != _aten.cat.default:
            return False
        named = arguments(cat)
        if named["dim"] % len(shape(cat) or [0]) != taken.dim:
            return False
        begin = 0
        for part in named["tensors"]:
            sizes = shape(part)
            if sizes is None or dtype(part) != dtype(cat) or len(sizes) <= taken.dim:
                return False
            end = begin + sizes[taken.dim]
            if begin <= taken.start and taken.end <= end:
                args = (part, taken.dim, taken.start - begin, taken.end - begin, taken.step)
                replace(node, call_like(node, ATEN.slice_copy.Tensor, args))
                return True
            begin = end
        return False


class RemoveCloneOpsTransformImported(RemoveCloneOpsTransform):
    """The pass of ``backends/transforms``, which leaves pairs of quantization to others here."""

    def __init__(self) -> None:
        super().__init__(eliminate_quant_dequant_pairs=False)


__all__ = [
    "RemoveAliasCopyOpPass",
    "RemoveCatFromSliceCopyPass",
    "RemoveCloneOpsTransformImported",
    "RemoveContiguousOpPass",
    "RemoveDetachCopyPass",
    "RemoveNopAddOpPass",
    "RemoveNopExpandOpPass",
    "RemoveNopLinalgVectorNormOpPass",
    "RemoveNopMulOpPass",
    "RemoveNopRequantizeOpPass",
    "RemoveNopSliceOrViewOpPass",
    "RemoveToOpsPass",
    "RemoveZeroSizedCatArgsPass",
    "RemoveZeroSizedConstantPadNd",
]
