"""Gives operators whose portable kernels know contiguous inputs only what they ask for."""

from typing import Any, ClassVar, Final

import torch
from torch.fx import GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.dim_order import dim_order_of
from executorch.dialects.dim_order_ops import LIBRARY
from executorch.dialects.edge_ops import EdgeOpOverload, edge_op
from executorch.dialects.torch_types import OpOverload
from executorch.dialects.verifiers import graph_modules
from executorch.passes.infrastructure.export_pass import ExportPass, NodeMetadata, ProxyValue
from executorch.passes.infrastructure.pass_base import PassResult

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

    def call(self, graph_module: GraphModule) -> PassResult:
        # Most programs are contiguous; their graphs need no new one.
        nodes = (node for module in graph_modules(graph_module) for node in module.graph.nodes)
        if not any(node.op == "call_function" and self._is_concerned(node) for node in nodes):
            return PassResult(graph_module, False)
        return super().call(graph_module)

    def _is_concerned(self, node: Node) -> bool:
        target = edge_op(node.target) if isinstance(node.target, OpOverload) else node.target
        source = node.args[0] if node.args else None
        value = source.meta.get(meta_keys.VAL) if isinstance(source, Node) else None
        return target in self._target_ops and isinstance(value, torch.Tensor) and not _is_contiguous(value)

    def call_operator(
        self, op: Any, args: tuple[Any, ...], kwargs: dict[str, Any], meta: NodeMetadata
    ) -> ProxyValue:
        target = edge_op(op) if isinstance(op, OpOverload) else op
        if target in self._target_ops and args and isinstance(args[0], ProxyValue):
            tensor = args[0].to_tensor()
            if not _is_contiguous(tensor):
                kwargs_of_copy = {"dim_order": list(range(tensor.dim()))}
                copied = super().call_operator(self._copy_op, (args[0],), kwargs_of_copy, meta)
                args = (copied, *args[1:])
        return super().call_operator(op, args, kwargs, meta)


def _is_contiguous(value: torch.Tensor) -> bool:
    return list(dim_order_of(value.shape, value.stride())) == list(range(value.dim()))
