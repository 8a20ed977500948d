"""Small programs for the tests of passes."""

from collections.abc import Callable
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from executorch.dialects.edge_ops import aten_op
from executorch.dialects.verifiers import EdgeVerifier
from executorch.ir.clone import replace_parts
from executorch.ir.signature import sync_signature
from executorch.passes.decomposition.decompose import decompose
from executorch.passes.infrastructure.pass_manager import ExportedProgramPassManager
from executorch.passes.to_edge.edge_ops_pass import EdgeOpsPass
from executorch.passes.to_edge.functionalize_views_pass import FunctionalizeViewsPass
from executorch.passes.to_edge.lift_constants_pass import LiftConstantsPass
from executorch.passes.to_edge.memory_format_ops_pass import MemoryFormatOpsPass
from executorch.passes.to_edge.remove_graph_asserts_pass import RemoveGraphAssertsPass
from executorch.passes.to_edge.remove_noop_pass import RemoveNoopPass
from executorch.passes.to_edge.scalar_to_tensor_pass import ScalarToTensorPass
from executorch.passes.to_edge.type_promotion_pass import TypePromotionPass


class _Call(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


def export(model: Any, *args: Any, dynamic_shapes: Any = None) -> ExportedProgram:
    """An ATen program of a module or a function."""
    module = model if isinstance(model, torch.nn.Module) else _Call(model)
    if dynamic_shapes is not None and not isinstance(model, torch.nn.Module):
        dynamic_shapes = {"args": dynamic_shapes}
    return torch.export.export(module.eval(), args, dynamic_shapes=dynamic_shapes)


def core(model: Any, *args: Any, dynamic_shapes: Any = None) -> ExportedProgram:
    """A functional core ATen program without assertions."""
    program = decompose(export(model, *args, dynamic_shapes=dynamic_shapes))
    RemoveGraphAssertsPass()(program.graph_module)
    return program


def edge(model: Any, *args: Any, dynamic_shapes: Any = None) -> ExportedProgram:
    """An edge program."""
    passes = [
        RemoveNoopPass(),
        ScalarToTensorPass(),
        LiftConstantsPass(),
        TypePromotionPass(),
        FunctionalizeViewsPass(),
        MemoryFormatOpsPass(),
        EdgeOpsPass(),
    ]
    program = core(model, *args, dynamic_shapes=dynamic_shapes)
    program = ExportedProgramPassManager(passes)(program).exported_program
    sync_signature(program)
    return replace_parts(program, verifiers=[EdgeVerifier])


def calls(program: "ExportedProgram | GraphModule") -> list[str]:
    """Names of the operators that a program calls, in order (``aten.add.Tensor``)."""
    return [str(aten_op(node.target) or node.target) for node in call_nodes(program)]


def call_nodes(program: "ExportedProgram | GraphModule") -> list[Node]:
    graph = program.graph
    return [node for node in graph.nodes if node.op == "call_function"]


def find(program: "ExportedProgram | GraphModule", name: str) -> Node:
    """The one node that calls the operator ``name``."""
    (node,) = [node for node in call_nodes(program) if str(aten_op(node.target) or node.target) == name]
    return node
