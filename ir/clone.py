"""Copies of programs and graphs that may be edited, and programs with some parts exchanged.

``torch.export`` treats programs as values and pays for it: every constructor call generates Python code for the
graph, verifies it and deep-copies what hangs on it. Lowering edits one program through twenty stages, so these
helpers share tensors and example values, and leave verification to the caller's stages.
"""

import copy
from typing import Any

from torch.export import ExportedProgram
from torch.export.graph_signature import ExportGraphSignature, InputSpec, OutputSpec
from torch.fx import Graph, GraphModule, Node

from executorch.dialects.torch_types import Verifier
from executorch.ir.torch_internals import make_graph_module, rename, with_parts


def copy_node(node: Node, graph: Graph, copies: dict[Node, Node]) -> Node:
    """Copies ``node`` to the end of ``graph`` with its meta and its exact name.

    Args:
        node: of another graph.
        graph: to add to.
        copies: node of the other graph -> its copy, for all arguments of ``node``; the new copy is noted here.
    """
    copied = graph.node_copy(node, copies.__getitem__)
    # A copied graph may hand out other numbers when names were freed in between.
    if copied.name != node.name:
        rename(copied, node.name)
        # No graph gives out the name of a Python built-in, but torch.export does (an argument `input`), and
        # signatures refer to inputs by name.
        copied.name = node.name
    copies[node] = copied
    return copied


def copy_graph_module(module: GraphModule) -> GraphModule:
    """A copy with its own nodes and own ``meta`` dictionaries; values inside ``meta`` are shared.

    Control-flow bodies are copied too, delegates and data are shared. Node names stay.
    """
    graph = Graph()
    copies: dict[Node, Node] = {}
    for node in module.graph.nodes:
        copy_node(node, graph, copies)
    copied = make_graph_module(module, graph)
    copied.meta.update(module.meta)
    for name, child in list(copied.named_children()):
        if isinstance(child, GraphModule):
            setattr(copied, name, copy_graph_module(child))
    return copied


def copy_signature(signature: ExportGraphSignature) -> ExportGraphSignature:
    """A signature with its own entries."""
    inputs = [InputSpec(s.kind, copy.copy(s.arg), s.target, s.persistent) for s in signature.input_specs]
    outputs = [OutputSpec(s.kind, copy.copy(s.arg), s.target) for s in signature.output_specs]
    return ExportGraphSignature(inputs, outputs)


def replace_parts(
    program: ExportedProgram,
    *,
    graph_module: "GraphModule | None" = None,
    signature: "ExportGraphSignature | None" = None,
    state_dict: "dict[str, Any] | None" = None,
    constants: "dict[str, Any] | None" = None,
    range_constraints: "dict[Any, Any] | None" = None,
    verifiers: "list[type[Verifier]] | None" = None,
) -> ExportedProgram:
    """A program with some parts exchanged and the others shared; nothing is verified or copied."""
    parts = {
        "graph_module": graph_module,
        "graph_signature": signature,
        "state_dict": state_dict,
        "constants": constants,
        "range_constraints": range_constraints,
        "verifiers": verifiers,
    }
    return with_parts(program, {name: value for name, value in parts.items() if value is not None})


def clone_program(program: ExportedProgram) -> ExportedProgram:
    """A program whose graph, signature and tables may be edited without touching ``program``; tensors are shared."""
    return replace_parts(
        program,
        graph_module=copy_graph_module(program.graph_module),
        signature=copy_signature(program.graph_signature),
        state_dict=dict(program.state_dict),
        constants=dict(program.constants),
        range_constraints=dict(program.range_constraints),
    )
