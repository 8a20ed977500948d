"""Gives operators whose portable kernels know contiguous inputs only what they ask for."""

from typing import Any, ClassVar, Final

import torch
from torch.fx import Node

from executorch.dialects.dim_order import dim_order_of
from executorch.dialects.dim_order_ops import LIBRARY
from executorch.dialects.edge_ops import EdgeOpOverload, edge_op
from executorch.dialects.torch_types import OpOverload
from executorch.ir.rewriter import call_like, refresh_values, source_of
from executorch.ir.values import tensor_of, value_of
from executorch.passes.infrastructure.pass_base import GraphPass

_REGISTERED: Final = LIBRARY  # the copy must exist before it is named below
_COPY: Final[Any] = torch.ops.dim_order_ops._to_dim_order_copy.default
_aten = torch.ops.aten


class LegalizePortableDimOrderPass(GraphPass):
    """Copies the first input of some operators to contiguous order when it has another.

    It concerns what is left to the portable kernels: pooling, reductions over dimensions and ``expand_copy``. Their
    results are contiguous afterwards.
    """

    _target_ops: ClassVar[frozenset[EdgeOpOverload]] = frozenset(
        edge_op(op)
        for op in (
            _aten._adaptive_avg_pool2d.default,
            _aten.avg_pool2d.default,
            _aten.expand_copy.default,
            _aten.mean.dim,
            _aten.sum.dim_IntList,
        )
    )
    #: Values follow each copy at once: what one operator returns may be what the next one asks for.
    describes_values = True
    removes_dead_code = False

    def rewrite_node(self, node: Node) -> bool:
        if node.op != "call_function" or not self._is_concerned(node):
            return False
        source = source_of(node)
        order = list(range(value_of(source).dim()))
        node.update_arg(0, call_like(node, _COPY, (source,), {"dim_order": order}))
        refresh_values(node.graph, [node])
        return True

    def _is_concerned(self, node: Node) -> bool:
        target = edge_op(node.target) if isinstance(node.target, OpOverload) else node.target
        value = tensor_of(node.args[0]) if target in self._target_ops and node.args else None
        return value is not None and not _is_contiguous(value)


def _is_contiguous(value: torch.Tensor) -> bool:
    return list(dim_order_of(value.shape, value.stride())) == list(range(value.dim()))
