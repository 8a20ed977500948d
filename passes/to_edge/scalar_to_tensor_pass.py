"""Turns numbers that stand where an operator takes a tensor into tensors.

``aten.add.Tensor(x, 2)`` is legal in ATen, because its second argument promotes; in the edge dialect every tensor
argument is a tensor. The number becomes a rank-0 ``aten.scalar_tensor`` of the element type to which torch
would promote the number next to the operator's other tensors, so no cast is needed later. Plain numbers
become lifted constants in :mod:`~executorch.passes.to_edge.lift_constants_pass`.
"""

from typing import Any

import torch
from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import EdgeOpOverload, aten_op, edge_op
from executorch.dialects.verifiers import bound_arguments
from executorch.ir.values import compute_value, value_of
from executorch.passes.infrastructure.pass_base import GraphPass

_NUMBERS = (int, float, bool, complex, torch.SymInt, torch.SymFloat, torch.SymBool)
_SCALAR_TENSOR = torch.ops.aten.scalar_tensor.default


class ScalarToTensorPass(GraphPass):
    """See the module's description. Works on ATen and on edge graphs."""

    describes_values = True
    removes_dead_code = False

    def rewrite_node(self, node: Node) -> bool:
        op = aten_op(node.target) if node.op == "call_function" else None
        if op is None or not _has_number(node):
            return False
        changed = False
        for arg, value in list(bound_arguments(node)):
            number = value_of(value) if isinstance(value, Node) else value
            if str(arg.type) in ("Tensor", "Optional[Tensor]") and isinstance(number, _NUMBERS):
                _replace_argument(node, arg, _make_tensor(node, value, number))
                changed = True
        return changed


def _has_number(node: Node) -> bool:
    # Cheap test that rules nearly every node out before its schema is read.
    for value in (*node.args, *node.kwargs.values()):
        if isinstance(value, _NUMBERS):
            return True
        if isinstance(value, Node) and isinstance(value_of(value), _NUMBERS):
            return True
    return False


def _make_tensor(node: Node, value: Any, number: Any) -> Node:
    dtype = _promoted_dtype(node, number)
    target: Any = edge_op(_SCALAR_TENSOR) if isinstance(node.target, EdgeOpOverload) else _SCALAR_TENSOR
    with node.graph.inserting_before(node):
        tensor = node.graph.call_function(target, (value,), {"dtype": dtype})
    tensor.meta = {key: item for key, item in node.meta.items() if key not in (meta_keys.VAL, meta_keys.SPEC)}
    tensor.meta[meta_keys.VAL] = compute_value(_SCALAR_TENSOR, (value,), {"dtype": dtype}, node.graph.nodes)
    return tensor


def _promoted_dtype(node: Node, number: Any) -> torch.dtype:
    stand_in = _stand_in(number)
    dtypes = [
        torch.result_type(value_of(source), stand_in)
        for source in node.all_input_nodes
        if isinstance(value_of(source), torch.Tensor)
    ]
    if not dtypes:
        return torch.tensor(stand_in).dtype
    result = dtypes[0]
    for dtype in dtypes[1:]:
        result = torch.promote_types(result, dtype)
    return result


def _stand_in(number: Any) -> Any:
    """A plain number of the same kind; result types depend on the kind only."""
    if isinstance(number, (torch.SymBool, bool)):
        return True
    if isinstance(number, complex):
        return 1j
    return 1 if isinstance(number, (torch.SymInt, int)) else 1.0


def _replace_argument(node: Node, arg: Any, tensor: Node) -> None:
    schema = node.target._schema  # type: ignore[union-attr]
    names = [argument.name for argument in getattr(schema, "_schema", schema).arguments]
    if arg.name in node.kwargs:
        node.update_kwarg(arg.name, tensor)
    else:
        node.update_arg(names.index(arg.name), tensor)
