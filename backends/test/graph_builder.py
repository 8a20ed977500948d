"""Graphs written operator by operator, for tests of passes: what stands there is what the pass gets.

::

    builder = GraphBuilder()
    x = builder.placeholder("x", torch.randn(1, 3))
    y = builder.call_operator(ops.edge.aten.neg.default, (x,))
    builder.output([y])
    module = builder.get_graph_module()
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import GraphModule
from torch.fx.graph import CodeGen

from executorch.dialects.torch_types import FakeTensor, FakeTensorMode
from executorch.passes.infrastructure.export_pass import ExportPass, NodeMetadata, ProxyValue


class GraphBuilder(ExportPass):
    """Collects the nodes of one graph; values between them are ``ProxyValue`` objects, as passes see them.

    Operators are run once on fake tensors, so that each node has its example value in ``meta["val"]``. Real tensors
    among the arguments become attributes of the module.

    Args:
        fake_tensor_mode: of the example values, a new one by default.
    """

    def __init__(self, fake_tensor_mode: FakeTensorMode | None = None) -> None:
        super().__init__()
        self.fake_tensor_mode = fake_tensor_mode or FakeTensorMode(allow_non_fake_inputs=True)
        self.tracer = self.ExportTracer(self, CodeGen())
        self.tracer.fake_tensor_mode = self.fake_tensor_mode

    def placeholder(self, target: str, fake_tensor: Any, meta: NodeMetadata | None = None) -> ProxyValue:
        """An input; it stands before all operators, however late it is asked for.

        Args:
            target: its name.
            fake_tensor: its example value; of a real tensor only shape, strides and dtype are kept.
            meta: more metadata of the node.
        """
        if isinstance(fake_tensor, torch.Tensor) and not isinstance(fake_tensor, FakeTensor):
            fake_tensor = self.fake_tensor_mode.from_tensor(fake_tensor, static_shapes=True)
        graph = self.tracer.graph
        behind = next((node for node in graph.nodes if node.op != "placeholder"), None)
        with graph.inserting_before(behind) if behind is not None else contextlib.nullcontext():
            return super().placeholder(target, fake_tensor, meta or NodeMetadata())

    def call_operator(
        self,
        op: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any] | None = None,
        meta: NodeMetadata | None = None,
    ) -> ProxyValue:
        return super().call_operator(op, args, kwargs or {}, meta or NodeMetadata())

    def call_getitem(self, value: ProxyValue, key: int, meta: NodeMetadata | None = None) -> ProxyValue:
        return super().call_getitem(value, key, meta or NodeMetadata())

    def output(self, results: list[Any], meta: NodeMetadata | None = None) -> ProxyValue:
        """The results, in order; the last call."""
        made = super().output(results, meta or NodeMetadata())
        made.node.args = (list(made.node.args[0]),)  # type: ignore[arg-type]
        made.node.meta["val"] = [one.data if isinstance(one, ProxyValue) else one for one in results]
        return made

    def get_graph_module(self) -> GraphModule:
        """The module with the graph as it stands."""
        return GraphModule(self.tracer.root, self.tracer.graph)


def single_op_builder(
    placeholders: Sequence[torch.Tensor],
    op: Any,
    args: Sequence[Any],
    kwargs: dict[str, Any] | None = None,
) -> GraphModule:
    """A graph with one operator.

    Args:
        placeholders: example inputs.
        op: the operator.
        args: its arguments; objects among them that are in ``placeholders`` stand for these inputs.
        kwargs: likewise.
    """
    builder = GraphBuilder()
    made = {id(one): builder.placeholder(f"p_{i}", one) for i, one in enumerate(placeholders)}

    def through(value: Any) -> Any:
        return torch.utils._pytree.tree_map(lambda one: made.get(id(one), one), value)

    result = builder.call_operator(op, tuple(through(list(args))), through(dict(kwargs or {})))
    builder.output([result])
    return builder.get_graph_module()
