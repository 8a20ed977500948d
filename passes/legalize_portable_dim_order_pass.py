"""Gives operators whose portable kernels know contiguous inputs only what they ask for."""

from typing import Any, ClassVar, Final

import torch
from torch._ops import OpOverload

from executorch.dialects.dim_order import dim_order_of
from executorch.dialects.dim_order_ops import LIBRARY
from executorch.dialects.edge_ops import EdgeOpOverload, edge_op
from executorch.passes.export_pass import ExportPass, NodeMetadata, ProxyValue

_REGISTERED: Final = LIBRARY  # the copy must exist before it is named below
_aten = torch.ops.aten


class LegalizePortableDimOrderPass(ExportPass):
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
    _copy_op: ClassVar[EdgeOpOverload] = edge_op(torch.ops.dim_order_ops._to_dim_order_copy.default)

    def call_operator(
        self, op: Any, args: tuple[Any, ...], kwargs: dict[str, Any], meta: NodeMetadata
    ) -> ProxyValue:
        target = edge_op(op) if isinstance(op, OpOverload) else op
        if target in self._target_ops and args and isinstance(args[0], ProxyValue):
            tensor = args[0].to_tensor()
            contiguous = list(range(tensor.dim()))
            if list(dim_order_of(tensor.shape, tensor.stride())) != contiguous:
                copied = super().call_operator(self._copy_op, (args[0],), {"dim_order": contiguous}, meta)
                args = (copied, *args[1:])
        return super().call_operator(op, args, kwargs, meta)
