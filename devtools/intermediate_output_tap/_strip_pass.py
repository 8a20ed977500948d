"""From taps to the operators that reduce, once partitioning cannot take these any more."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from executorch.devtools.intermediate_output_tap._reducers import get_reducer
from executorch.devtools.intermediate_output_tap._tap_pass import find_tap_nodes
from executorch.exir import EdgeProgramManager


def strip_taps_(edge_manager: EdgeProgramManager) -> None:
    """Replaces the taps of all methods by their reductions, in place.

    Call it between ``to_edge_transform_and_lower()`` and ``to_executorch()``: taps themselves have no kernel.
    """
    for method in edge_manager.methods:
        _strip_taps_in_exported_program(edge_manager.exported_program(method))


def _strip_taps_in_exported_program(ep: Any) -> None:
    """As :func:`strip_taps_`, for one edge program."""
    graph = ep.graph_module.graph
    for tap in find_tap_nodes(ep.graph_module):
        source, name = tap.args
        before = set(graph.nodes)
        with graph.inserting_before(tap):
            result = get_reducer(name).emit(graph, source)
        for node in list(graph.nodes):
            if node not in before:
                _fill_metadata(node, tap)
        tap.replace_all_uses_with(result)
        for spec in ep.graph_signature.output_specs:
            if spec.arg.name == tap.name:
                spec.arg.name = result.name
        graph.erase_node(tap)
    graph.lint()
    ep.graph_module.recompile()


def _fill_metadata(node: Node, tap: Node) -> None:
    """Says where a node comes from, and what it gives: computed with the fake values of its arguments."""
    for key in ("stack_trace", "nn_module_stack"):
        if key in tap.meta:
            node.meta[key] = tap.meta[key]
    args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), lambda argument: argument.meta["val"])
    node.meta["val"] = node.target(*args, **kwargs)  # type: ignore[operator]


__all__ = ["strip_taps_"]
