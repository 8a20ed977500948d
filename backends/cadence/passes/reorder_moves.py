"""Slices earlier, and permutations later: less is moved."""

from __future__ import annotations

import math
from typing import Any

from torch.fx import GraphModule, Node

from executorch.backends.cadence.passes.edits import (
    ATEN,
    DEQUANTIZES,
    EDGE,
    QUANTIZES,
    is_one_of,
    permute,
    shape,
    stand_in,
    view,
)
from executorch.backends.cadence.passes.slices import Slice, slice_of
from executorch.backends.transforms.graph_edit import permutation_of
from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface
from executorch.dialects.edge_ops import aten_op
from executorch.ir.rewriter import arguments, call_like, is_call, source_of

_aten = EDGE.aten


def _slice(before: Node, source: Any, taken: Slice) -> Node:
    return call_like(before, ATEN.slice_copy.Tensor, (source, *taken))


class MovePermuteAfterConcat(RemoveOrReplacePassInterface):
    """A concatenation of tensors that are permuted alike is permuted instead: one permutation for all."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.cat.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        named = arguments(node)
        parts: list[Node] = list(named["tensors"])
        dims = permutation_of(parts[0])
        if dims is None or len(set(parts)) != len(parts):
            return False
        if any(permutation_of(part) != dims or len(part.users) != 1 for part in parts):
            return False
        args = ([part.args[0] for part in parts], dims[named["dim"] % len(dims)])
        stand_in(node, permute(node, call_like(node, ATEN.cat.default, args), dims))
        return True


class MoveSliceBeforePermutePass(RemoveOrReplacePassInterface):
    """A slice of a permuted tensor slices the tensor, so that less is permuted.

    A slice along the first dimension is a part of the memory as it lies, and costs nothing; it moves only if it takes less than
    half of the tensor.
    """

    @property
    def targets(self) -> list[Any]:
        return [_aten.slice_copy.Tensor]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        permuted, taken = node.args[0], slice_of(node)
        dims, sizes = permutation_of(permuted), shape(permuted)
        if dims is None or taken is None or sizes is None or len(permuted.users) != 1:  # type: ignore[union-attr]
            return False
        if taken.dim == 0 and 2 * taken.length >= sizes[0]:
            return False
        made = _slice(node, source_of(source_of(node)), taken._replace(dim=dims[taken.dim]))
        stand_in(node, permute(node, made, dims))
        return True


class MoveSliceBeforeViewPass(RemoveOrReplacePassInterface):
    """A slice along a dimension that a view made of a part of another becomes a slice of that one, before the view.

    That is so for the outermost part, where the slice takes neighbours, and for the innermost, where it takes one element.
    """

    @property
    def targets(self) -> list[Any]:
        return [_aten.slice_copy.Tensor]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        viewed, taken, after = node.args[0], slice_of(node), shape(node)
        if taken is None or after is None or not is_call(viewed, ATEN.view_copy.default):
            return False
        before, sizes = shape(source_of(viewed)), shape(viewed)  # type: ignore[arg-type]
        if (
            before is None
            or sizes is None
            or 0 in sizes
            or taken.length == 0
            or taken.length == sizes[taken.dim]
        ):
            return False
        found = _before_view(before, sizes, taken)
        if found is None:
            return False
        stand_in(node, view(node, _slice(node, source_of(viewed), found), after))  # type: ignore[arg-type]
        return True


def _before_view(before: list[int], sizes: list[int], taken: Slice) -> Slice | None:
    """The slice of a tensor of sizes ``before`` that takes what ``taken`` takes of it viewed in ``sizes``; None if no slice does."""
    inner = math.prod(sizes[taken.dim + 1 :])
    # The dimension before the view whose elements those of the slice's dimension are.
    for dim in range(len(before)):
        behind = math.prod(before[dim + 1 :])
        if inner % behind or (behind * before[dim]) % (inner * sizes[taken.dim]):
            continue
        step = inner // behind
        outer = before[dim] // (step * sizes[taken.dim])
        if outer == 1 and (taken.step == 1 or taken.length == 1 or step == 1):
            if step == 1:
                return taken._replace(dim=dim)
            # The last element that is taken, not where the steps would go on.
            last = taken.start + taken.step * (taken.length - 1)
            return Slice(dim, taken.start * step, (last + 1) * step, 1)
        if step == 1 and taken.length == 1:
            return Slice(dim, taken.start, before[dim], sizes[taken.dim])
    return None


#: Of two operands that broadcast.
_BINARIES = (ATEN.add.Tensor, ATEN.sub.Tensor, ATEN.mul.Tensor, ATEN.div.Tensor)


class PropagateSlice(RemoveOrReplacePassInterface):
    """Slices what quantization reads, or what one operand broadcasts along: less is calculated.

    Where both operands have the dimension, one slice would become two, so it stays.
    """

    def _apply_flat_inplace(self, graph_module: GraphModule) -> bool:
        changed = False
        while super()._apply_flat_inplace(graph_module):
            graph_module.graph.eliminate_dead_code()
            changed = True
        return changed

    @property
    def targets(self) -> list[Any]:
        return [_aten.slice_copy.Tensor]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        parent, taken = node.args[0], slice_of(node)
        if taken is None or not isinstance(parent, Node) or len(parent.users) != 1:
            return False
        if shape(parent) == shape(node):
            return False
        if is_one_of(parent, (*QUANTIZES, *DEQUANTIZES)):
            sliced: Any = parent.args[0]
        elif is_call(parent, *_BINARIES):
            sliced = _only_wide(parent, taken.dim)
        else:
            sliced = None
        sizes = shape(sliced)
        if sizes is None:
            return False
        dim = taken.dim - (len(shape(parent) or []) - len(sizes))
        made = _slice(node, sliced, taken._replace(dim=dim))
        op = aten_op(parent.target)
        assert op is not None
        args = [made if arg is sliced else arg for arg in parent.args]
        stand_in(node, call_like(node, op, args, dict(parent.kwargs)))
        return True


def _only_wide(node: Node, dim: int) -> Node | None:
    """The operand that alone has a dimension of the result; None if both have it, or if one is no tensor."""
    rank = len(shape(node) or [])
    wide = []
    for operand in node.args[:2]:
        sizes = shape(operand)
        if sizes is None:
            return None
        place = dim - (rank - len(sizes))
        if place >= 0 and sizes[place] != 1:
            wide.append(operand)
    return wide[0] if len(wide) == 1 else None  # type: ignore[return-value]


__all__ = [
    "MovePermuteAfterConcat",
    "MoveSliceBeforePermutePass",
    "MoveSliceBeforeViewPass",
    "PropagateSlice",
]
