"""Another element type inside of a graph; its inputs and outputs keep theirs."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import EdgeOpOverload, aten_op
from executorch.dialects.ops import ops
from executorch.dialects.torch_types import OpOverload
from executorch.ir.values import DERIVED_META, compute_value
from executorch.passes.infrastructure.pass_base import GraphPass


class ConvertDtypePass(GraphPass):
    """Calculates in ``dst_dtype`` what is calculated in ``src_dtype``.

    Inputs and constants are cast behind their placeholders, results before the output; ``dtype`` arguments follow. An
    operator that yields ``src_dtype`` whatever it is given (``argmax``) is followed by a cast, and one that takes
    ``src_dtype`` only (``gather`` its indices) gets its operands as they were.

    Args:
        src_dtype: element type to replace.
        dst_dtype: element type to calculate in.
        _skip_dim_order: cast by ``aten._to_copy`` instead of ``dim_order_ops._to_dim_order_copy``.
    """

    def __init__(self, src_dtype: torch.dtype, dst_dtype: torch.dtype, _skip_dim_order: bool = False) -> None:
        super().__init__()
        self.src_dtype = src_dtype
        self.dst_dtype = dst_dtype
        edge = ops.edge
        self._cast_op = (
            edge.aten._to_copy.default if _skip_dim_order else edge.dim_order_ops._to_dim_order_copy.default
        )

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        modified = False
        for node in list(graph_module.graph.nodes):
            if node.op in ("placeholder", "get_attr"):
                modified |= self._cast_users(node)
            elif node.op == "call_function":
                modified |= self._convert(node)
            elif node.op == "output":
                modified |= self._restore(node, self._types_before)
        return modified

    def call(self, graph_module: GraphModule) -> Any:
        self._types_before: dict[Node, Any] = {}
        for module in graph_module.modules():
            if isinstance(module, GraphModule):
                output = module.graph.output_node()
                self._types_before.update({arg: _dtype(arg) for arg in output.all_input_nodes})
        return super().call(graph_module)

    def _is_cast(self, node: Node) -> bool:
        return node.target is self._cast_op and node.kwargs.get("dtype") is self.dst_dtype

    def _cast_users(self, node: Node) -> bool:
        if _dtype(node) is not self.src_dtype:
            return False
        users = [user for user in node.users if user.op != "output" and not self._is_cast(user)]
        if not users:
            return False
        # Placeholders stand together.
        last = node.graph.find_nodes(op="placeholder")[-1] if node.op == "placeholder" else node
        cast = self._cast(node, self.dst_dtype, last.next)
        for user in users:
            user.replace_input_with(node, cast)
        return True

    def _convert(self, node: Node) -> bool:
        if not isinstance(node.target, (EdgeOpOverload, OpOverload)) or self._is_cast(node):
            return False
        was = _dtype(node)
        modified = False
        if node.kwargs.get("dtype") is self.src_dtype and not _widens(node, self.dst_dtype):
            node.kwargs = {**node.kwargs, "dtype": self.dst_dtype}
            modified = True
        if not modified and all(_dtype(arg) is not self.dst_dtype for arg in node.all_input_nodes):
            return self._cast_users(node) if was is self.src_dtype and _creates(node) else modified
        try:
            value = compute_value(node.target, node.args, node.kwargs, node.graph.nodes)
        except (RuntimeError, TypeError, IndexError):
            modified |= self._restore(node, None)
            value = compute_value(node.target, node.args, node.kwargs, node.graph.nodes)
        for key in DERIVED_META:
            node.meta.pop(key, None)
        node.meta[meta_keys.VAL] = value
        if was is self.src_dtype and _dtype(node) is self.src_dtype:
            modified |= self._cast_users(node)
        return modified

    def _restore(self, node: Node, types: dict[Node, Any] | None) -> bool:
        """Gives ``node`` its operands in ``src_dtype`` again; of an output those that had it before."""
        modified = False
        for arg in node.all_input_nodes:
            was_source = types is None or types.get(arg) is self.src_dtype
            if _dtype(arg) is self.dst_dtype and was_source:
                back = self._cast(arg, self.src_dtype, node)
                node.replace_input_with(arg, back)
                modified = True
        return modified

    def _cast(self, source: Node, dtype: torch.dtype, before: Node) -> Node:
        graph: Graph = source.graph
        with graph.inserting_before(before):
            cast = graph.call_function(self._cast_op, (source,), {"dtype": dtype})
        cast.meta = {key: value for key, value in source.meta.items() if key not in DERIVED_META}
        cast.meta[meta_keys.VAL] = compute_value(self._cast_op, cast.args, cast.kwargs, graph.nodes)
        return cast


class I64toI32(ConvertDtypePass):
    """Calculates with ``int32`` instead of ``int64``."""

    def __init__(self, _skip_dim_order: bool = False) -> None:
        super().__init__(torch.int64, torch.int32, _skip_dim_order)


def _dtype(node: Node) -> torch.dtype | None:
    value = node.meta.get(meta_keys.VAL)
    return value.dtype if isinstance(value, torch.Tensor) else None


def _widens(node: Node, dtype: torch.dtype) -> bool:
    """Whether ``node`` is already the cast of a ``dtype`` value back, which this pass makes before outputs."""
    op = aten_op(node.target)
    is_cast = op in (torch.ops.aten._to_copy.default, torch.ops.dim_order_ops._to_dim_order_copy.default)
    source = node.args[0] if node.args else None
    feeds_output = all(user.op == "output" for user in node.users)
    return is_cast and feeds_output and isinstance(source, Node) and _dtype(source) is dtype


def _creates(node: Node) -> bool:
    """Whether ``node`` yields its type whatever its operands are: no operand has it."""
    return all(_dtype(arg) is not _dtype(node) for arg in node.all_input_nodes)


__all__ = ["ConvertDtypePass", "I64toI32"]
