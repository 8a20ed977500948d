"""Copies of a program's graph that share its tensors, and a fingerprint to see whether a graph was changed."""

from __future__ import annotations

import copy
import hashlib

import torch
from torch.export import ExportedProgram


def copy_node(
    node: torch.fx.Node, graph: torch.fx.Graph, mapping: dict[torch.fx.Node, torch.fx.Node]
) -> torch.fx.Node:
    """Copies ``node`` to the end of ``graph`` with its meta and its exact name, and notes it in ``mapping``."""
    copied = graph.node_copy(node, lambda arg: mapping[arg])
    # A graph gives no node the name of a Python built-in, but torch.export does (an argument called `input`),
    # and signatures refer to placeholders by name.
    copied.name = node.name
    mapping[node] = copied
    return copied


def copy_graph_module(source: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """A new graph module with its own nodes, node meta and control-flow submodules; tensors are shared."""
    graph = torch.fx.Graph()
    mapping: dict[torch.fx.Node, torch.fx.Node] = {}
    for node in source.graph.nodes:
        copy_node(node, graph, mapping)
    result = torch.fx.GraphModule(source, graph)
    result.meta.update(source.meta)
    for name, child in source.named_children():
        if isinstance(child, torch.fx.GraphModule) and hasattr(result, name):
            setattr(result, name, copy_graph_module(child))
    return result


def copy_program(program: ExportedProgram) -> ExportedProgram:
    """A program with its own graph, signature and dictionaries of state; tensors are shared.

    Cheaper than ``copy.deepcopy``, which copies every weight and the fake tensor of every node, and cheaper
    than the constructor, which verifies the graph once more.
    """
    result = copy.copy(program)
    result._graph_module = copy_graph_module(program.graph_module)
    result._graph_signature = copy.deepcopy(program.graph_signature)
    result._state_dict = dict(program.state_dict)
    result._constants = dict(program.constants)
    return result


def fingerprint(graph_module: torch.fx.GraphModule) -> bytes:
    """A digest of everything in the graph but node meta, control-flow submodules included."""
    digest = hashlib.sha256()
    for module in graph_module.modules():
        if isinstance(module, torch.fx.GraphModule):
            for node in module.graph.nodes:
                line = f"{node.op}|{node.name}|{node.target}|{node.args}|{node.kwargs}\n"
                digest.update(line.encode())
    return digest.digest()
