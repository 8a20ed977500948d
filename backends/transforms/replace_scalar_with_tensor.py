"""Numbers as second operands become tensors."""

from __future__ import annotations

from typing import Any

import torch

from executorch.dialects.edge_ops import EdgeOpOverload
from executorch.dialects.ops import ops
from executorch.passes.infrastructure.export_pass import ExportPass, NodeMetadata, ProxyValue

_NAMES = ("add", "sub", "mul", "div")


class ReplaceScalarWithTensorArgPass(ExportPass):
    """``add.Scalar(x, 2)`` becomes ``add.Tensor(x, full([1], 2))``; so do ``sub``, ``mul`` and ``div``.

    Args:
        scalar_to_tensor_ops: overload with a number -> overload with a tensor; ``default_ops`` if not given.
    """

    default_ops = {
        getattr(space, name).Scalar: getattr(space, name).Tensor
        for space in (ops.edge.aten, torch.ops.aten)
        for name in _NAMES
    }

    def __init__(self, scalar_to_tensor_ops: dict[Any, Any] | None = None) -> None:
        super().__init__()
        self.scalar_to_tensor_ops = self.default_ops if scalar_to_tensor_ops is None else scalar_to_tensor_ops

    def get_replacement(self, op: Any, args: Any, kwargs: Any, meta: NodeMetadata) -> ProxyValue:
        """Emits ``op`` with its number as a tensor of one element."""
        operand, number, *rest = args
        is_edge = isinstance(op, EdgeOpOverload)
        full = ops.edge.aten.full.default if is_edge else torch.ops.aten.full.default
        value = operand.data
        # As with a number, a float makes the result of integers a float.
        dtype = value.dtype if not _changes_kind(value, number) else torch.get_default_dtype()
        # One element, of rank 1 as kernels prefer; a result of rank 0 keeps its rank.
        shape = [1] if value.dim() else []
        tensor = super().call_operator(full, (shape, number), {"dtype": dtype}, meta)
        kwargs = {**kwargs, "alpha": rest[0]} if rest else kwargs
        return super().call_operator(self.scalar_to_tensor_ops[op], (operand, tensor), kwargs, meta)

    def call_operator(self, op: Any, args: Any, kwargs: Any, meta: NodeMetadata) -> ProxyValue:
        if op not in self.scalar_to_tensor_ops:
            return super().call_operator(op, args, kwargs, meta)
        return self.get_replacement(op, args, kwargs, meta)


def _changes_kind(value: torch.Tensor, number: Any) -> bool:
    return isinstance(number, float) and not value.dtype.is_floating_point and not value.dtype.is_complex


__all__ = ["ReplaceScalarWithTensorArgPass"]
