"""Brings ``index_put`` into the form whose in-place variant every released runtime has a kernel for.

Released kernels of ``index_put_`` know one case: one vector of integers indexes one dimension, nothing is accumulated,
and the values have the shape of what they replace. That is a write into a key-value cache; but PyTorch drops leading
dimensions of size one from the values of an assignment, and broadcasts them.
"""

from typing import Any, Final

import torch
from torch.fx import Graph, Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op, edge_op
from executorch.ir.values import compute_value, is_contiguous_value, value_of
from executorch.ir.views import RESHAPE_COPIES

_aten = torch.ops.aten
_INDEX_TYPES: Final = (torch.int64, torch.int32)


def prepare_in_place(node: Node) -> bool:
    """Gives an ``index_put`` node values of full shape, where it can be done in place.

    Returns whether released runtimes can do it in place; the node is left alone where they cannot.
    """
    replaced = _replaced_shape(node)
    values = node.args[2]
    if replaced is None or not isinstance(values, Node):
        return False
    if not _same_shape(value_of(values).shape, replaced):
        full = _full_values(node, values, replaced)
        if full is None:
            return False
        node.update_arg(2, full)
        if not values.users:
            node.graph.erase_node(values)
    return True


def _replaced_shape(node: Node) -> "list[Any] | None":
    """The shape of the part of the tensor that the node replaces; None if the node is not of the known case."""
    target, indices, *rest = node.args
    accumulate = node.kwargs.get("accumulate", rest[1] if len(rest) > 1 else False)
    if accumulate or not isinstance(target, Node) or not isinstance(indices, (list, tuple)):
        return None
    used = [position for position, index in enumerate(indices) if index is not None]
    index = value_of(indices[used[0]]) if len(used) == 1 and isinstance(indices[used[0]], Node) else None
    if not isinstance(index, torch.Tensor) or index.dim() != 1 or index.dtype not in _INDEX_TYPES:
        return None
    shape = list(value_of(target).shape)
    shape[used[0]] = index.shape[0]
    return shape


def _same_shape(first: Any, second: Any) -> bool:
    # As text: asking symbolic sizes "==" would add guards to the program.
    return [str(size) for size in first] == [str(size) for size in second]


def _full_values(node: Node, values: Node, shape: list[Any]) -> "Node | None":
    """``values`` in ``shape``: what they were reshaped from, with leading dimensions again, or broadcast."""
    source = (
        values.args[0] if values.op == "call_function" and aten_op(values.target) in RESHAPE_COPIES else None
    )
    if isinstance(source, Node) and _stays(source) and _same_shape(value_of(source).shape, shape):
        return source
    given = value_of(values).shape
    missing = len(shape) - len(given)
    if missing > 0 and _same_shape([1] * missing + list(given), shape):
        for _ in range(missing):
            values = _insert(node, _aten.unsqueeze_copy.default, (values, 0))
        return values
    if all(isinstance(size, int) for size in shape):
        return _insert(node, _aten.expand_copy.default, (values, shape))
    return None


def _stays(source: Node) -> bool:
    """Whether a value is the same, in the same order, when it is read later; a buffer may be written in between."""
    op = aten_op(source.target) if source.op == "call_function" else None
    return op is not None and not op._schema.is_mutable and is_contiguous_value(value_of(source))


def _insert(before: Node, op: Any, args: tuple[Any, ...]) -> Node:
    graph: Graph = before.graph
    with graph.inserting_before(before):
        created = graph.call_function(edge_op(op), args)
    kept = (meta_keys.VAL, meta_keys.SPEC)
    created.meta = {key: item for key, item in before.meta.items() if key not in kept}
    created.meta[meta_keys.VAL] = compute_value(op, args, {}, (before,))
    return created


__all__ = ["prepare_in_place"]
