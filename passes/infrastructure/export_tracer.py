"""``ExportPass.ExportTracer``: a graph that a pass builds from nothing, for the graph builders of backends' tests."""

from typing import Protocol

import torch
from torch.fx import Graph
from torch.fx.graph import CodeGen

from executorch.dialects.torch_types import FakeTensorMode


class Emitting(Protocol):
    """What a tracer asks of a pass: ``ExportPass`` is one."""

    fake_mode: FakeTensorMode | None

    def build_on(self, graph: Graph, root: torch.nn.Module) -> None:
        """Emits into ``graph`` from now on, and puts what it refers to into ``root``."""


class ExportTracer:
    """Where ``callback`` emits what its methods are called with outside of a visit to a graph.

    ::

        class Builder(ExportPass):
            def __init__(self):
                super().__init__()
                self.tracer = self.ExportTracer(self, CodeGen())
                self.tracer.fake_tensor_mode = FakeTensorMode()

        builder = Builder()
        x = builder.placeholder("x", fake_tensor, NodeMetadata({}))
        builder.output([builder.call_operator(op, (x,), {}, NodeMetadata({}))], NodeMetadata({}))
        module = torch.fx.GraphModule(builder.tracer.root, builder.tracer.graph)

    Attributes:
        root: Holds what the graph's ``get_attr`` nodes name.
        graph: The graph under construction.
    """

    def __init__(self, callback: Emitting, codegen: CodeGen) -> None:
        self.callback = callback
        self.root = torch.nn.Module()
        self.graph = Graph()
        self.graph.set_codegen(codegen)
        callback.build_on(self.graph, self.root)

    @property
    def fake_tensor_mode(self) -> FakeTensorMode | None:
        """In which operators without tensors among their arguments are executed."""
        return self.callback.fake_mode

    @fake_tensor_mode.setter
    def fake_tensor_mode(self, mode: FakeTensorMode | None) -> None:
        self.callback.fake_mode = mode
