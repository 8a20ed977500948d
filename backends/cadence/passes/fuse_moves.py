"""One operator for several that only choose or move elements."""

from __future__ import annotations

from typing import Any

from torch.fx import Node

from executorch.backends.cadence.passes.edits import ATEN, EDGE, dtype, filled, full, shape
from executorch.backends.cadence.passes.slices import Slice, slice_of
from executorch.backends.transforms.fuse_transpose_or_permute_op_pairs_pass import (
    FuseTransposeOrPermuteOpPairsPass as _FusePairs,
)
from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface
from executorch.ir.rewriter import call_like, replace, source_of

_aten = EDGE.aten


class FuseTransposeOrPermuteOpPairsPass(_FusePairs):
    """The pass of ``backends/transforms``, which knows that quantized ReLU does not mind either."""

    bypass_ops = _FusePairs.bypass_ops | {
        EDGE.cadence.quantize_per_tensor.default,
        EDGE.cadence.dequantize_per_tensor.default,
        EDGE.cadence.quantized_relu.per_tensor,
    }


class FuseFullThenReshapePass(RemoveOrReplacePassInterface):
    """A tensor with one number in all places is made in the shape that it is read in."""

    @property
    def targets(self) -> list[Any]:
        return [
            _aten.view_copy.default,
            _aten.permute_copy.default,
            _aten.transpose_copy.int,
            _aten.squeeze_copy.default,
            _aten.squeeze_copy.dim,
            _aten.squeeze_copy.dims,
            _aten.unsqueeze_copy.default,
        ]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        number, sizes = filled(node.args[0]), shape(node)
        if number is None or sizes is None:
            return False
        replace(node, full(node, sizes, number, dtype(node)))
        return True


class FuseSliceSameDimPass(RemoveOrReplacePassInterface):
    """A slice of a slice along the same dimension reads the first one's input, where both take neighbours."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.slice_copy.Tensor]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        outer = slice_of(node)
        inner = slice_of(node.args[0])
        if outer is None or inner is None or outer.dim != inner.dim or (inner.step, outer.step) != (1, 1):
            return False
        both = Slice(
            inner.dim,
            inner.start + outer.start,
            min(inner.start + outer.end, inner.end),
            1,
        )
        replace(node, call_like(node, ATEN.slice_copy.Tensor, (source_of(source_of(node)), *both)))
        return True


__all__ = ["FuseFullThenReshapePass", "FuseSliceSameDimPass", "FuseTransposeOrPermuteOpPairsPass"]
