"""Sizes of tensors for passes that emit them as arguments."""

from typing import Any

import torch

from executorch.dialects.edge_ops import edge_op
from executorch.passes.infrastructure.graph_values import NodeMetadata, ProxyValue


class SizeQueries:
    """What :class:`~executorch.passes.infrastructure.export_pass.ExportPass` offers a pass that needs the sizes of a tensor."""

    call_operator: Any

    def call_size_operator(
        self, tensor_proxy: ProxyValue, dim: int, meta: NodeMetadata, *, edge_dialect: bool = False
    ) -> ProxyValue | int:
        """One size of a tensor: the number itself where it never changes, else an emitted ``aten.sym_size.int``.

        Args:
            tensor_proxy: the tensor.
            dim: which size; negative counts from the last.
            meta: for the node.
            edge_dialect: emit the edge operator instead of torch's.

        Raises:
            IndexError: the tensor has no such dimension.
        """
        size = tensor_proxy.to_tensor().shape[dim]
        if isinstance(size, int):
            return size
        op: Any = torch.ops.aten.sym_size.int
        return self.call_operator(edge_op(op) if edge_dialect else op, (tensor_proxy, dim), {}, meta)

    def call_size_operator_all(
        self, tensor_proxy: ProxyValue, meta: NodeMetadata, *, edge_dialect: bool = False
    ) -> list[ProxyValue | int]:
        """All sizes of a tensor, as :meth:`call_size_operator` gives them."""
        return [
            self.call_size_operator(tensor_proxy, dim, meta, edge_dialect=edge_dialect)
            for dim in range(tensor_proxy.to_tensor().dim())
        ]


__all__ = ["SizeQueries"]
