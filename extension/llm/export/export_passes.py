"""Passes over the graph of an exported language model, before it is lowered."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten
_FORMS = frozenset(
    (
        _aten.transpose.int,
        _aten.permute.default,
        _aten.transpose_copy.int,
        _aten.permute_copy.default,
        _aten.t.default,
    )
)


class RemoveRedundantTransposes(GraphPass):
    """Takes out transpositions and permutations that undo the ones right before them.

    ``update_cache`` takes and gives caches with positions first, attention heads first, and each module turns tensors to what it
    takes itself: between two of them a tensor is turned and turned back.
    """

    describes_values = True

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = False
        #: Node to the value that it is a permutation of, and the dimensions of that in its order.
        sources: dict[Node, tuple[Node, tuple[int, ...]]] = {}
        for node in list(graph_module.graph.nodes):
            dims = _dims(node)
            if dims is None:
                continue
            source, before = sources.get(node.args[0], (node.args[0], tuple(range(len(dims)))))
            dims = tuple(before[dim] for dim in dims)
            sources[node] = source, dims
            if dims == tuple(range(len(dims))):
                node.replace_all_uses_with(source)
                changed = True
        return changed


def _dims(node: Node) -> tuple[int, ...] | None:
    """The dimensions of the operand in the order of a permutation's result; None for another node."""
    if node.op != "call_function" or node.target not in _FORMS or not isinstance(node.args[0], Node):
        return None
    rank = node.args[0].meta["val"].dim()
    if node.target in (_aten.permute.default, _aten.permute_copy.default):
        return tuple(dim % rank for dim in node.args[1])  # type: ignore[union-attr]
    dims = list(range(rank))
    if rank:
        one, other = node.args[1:] or (0, 1) if rank > 1 else (0, 0)
        one, other = one % rank, other % rank  # type: ignore[operator]
        dims[one], dims[other] = other, one
    return tuple(dims)


class ReplaceSDPAWithCustomSDPAPass(GraphPass):
    """Attention by ``llama::custom_sdpa``, which takes positions before heads.

    Stays as it is what the operator cannot say: a mask with rows for single heads or batches, and attention without a mask over more or
    fewer keys than queries.

    Args:
        assume_causal_mask: every mask is the causal one, and need not be read.
    """

    def __init__(self, assume_causal_mask: bool = False) -> None:
        super().__init__()
        self.assume_causal_mask = assume_causal_mask

    def rewrite_node(self, node: Node) -> bool:
        if node.op != "call_function" or node.target != _aten.scaled_dot_product_attention.default:
            return False
        query, key, value, mask, dropout, is_causal, scale = _attention_arguments(node)
        graph = node.graph
        if self.assume_causal_mask:
            mask, is_causal = None, True
        if mask is None and not is_causal and query.meta["val"].shape[2] != key.meta["val"].shape[2]:
            return False
        with graph.inserting_before(node):
            if mask is not None:
                mask = _mask_of_two_dims(mask)
                if mask is None:
                    return False
            turned = [_turned(one) for one in (query, key, value)]
            arguments = (*turned, 0, mask, dropout, is_causal, scale)
            attended = graph.call_function(torch.ops.llama.custom_sdpa.default, arguments)
            node.replace_all_uses_with(_turned(attended))
        graph.erase_node(node)
        return True


def _attention_arguments(node: Node) -> tuple[Any, ...]:
    """Query, key, value, mask, dropout, causality and scale of an attention."""
    schema = node.target._schema.arguments  # type: ignore[union-attr]
    given = dict(zip((one.name for one in schema), node.args, strict=False)) | dict(node.kwargs)
    names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale")
    defaults = {"attn_mask": None, "dropout_p": 0.0, "is_causal": False, "scale": None}
    return tuple(given.get(name, defaults.get(name)) for name in names)


def _turned(node: Node) -> Node:
    """Heads and positions exchanged, in memory too."""
    turned = node.graph.call_function(_aten.transpose.int, (node, 1, 2))
    return node.graph.call_function(_aten.contiguous.default, (turned,))


def _mask_of_two_dims(mask: Node) -> Node | None:
    """A mask as floats of ``[queries, keys]``; None if it has rows for single heads or batches."""
    value = mask.meta["val"]
    leading = value.dim() - 2
    if any(size != 1 for size in value.shape[:leading]):
        return None
    graph = mask.graph
    if leading:
        mask = graph.call_function(_aten.squeeze.dims, (mask, tuple(range(leading))))
    if value.dtype == torch.bool:
        mask = graph.call_function(_aten.where.Scalar, (mask, 0.0, float("-inf")))
    return mask


__all__ = ["RemoveRedundantTransposes", "ReplaceSDPAWithCustomSDPAPass"]
