"""The programs of an ETRecord as graphs for viewers, and their operators by debug handle."""

from __future__ import annotations

from collections.abc import Iterator

from torch.export import ExportedProgram
from torch.fx import GraphModule

from executorch.devtools.debug_format.base_schema import OperatorGraph, OperatorNode
from executorch.devtools.debug_format.et_schema import RESERVED_METADATA_ARG, FXOperatorGraph
from executorch.devtools.etrecord import ETRecord
from executorch.devtools.inspector.debug_handles import handles_of

FORWARD = "forward"
#: The name of the edge program of ``forward`` among the graphs of a record.
EDGE_DIALECT_GRAPH_KEY = "edge_dialect_graph_module"


def gen_graphs_from_etrecord(
    etrecord: ETRecord, enable_module_hierarchy: bool = False
) -> dict[str, OperatorGraph]:
    """The graphs of a record.

    Args:
        etrecord: The record.
        enable_module_hierarchy: Groups calls by modules of the model.

    Returns:
        ``edge_dialect_graph_module`` to the edge program, with the method's name behind a slash if it is not
        ``forward``; and the user's names to the programs that were added to the record.
    """
    programs = dict(etrecord.graph_map or {})
    for method, program in etrecord.edge_programs().items():
        suffix = "" if method == FORWARD else f"/{method}"
        programs[EDGE_DIALECT_GRAPH_KEY + suffix] = program
    return {
        name: FXOperatorGraph.gen_operator_graph(
            program.graph_module, enable_module_hierarchy=enable_module_hierarchy
        )
        for name, program in programs.items()
    }


def create_debug_handle_to_op_node_mapping(op_graph: OperatorGraph) -> dict[int, list[OperatorNode]]:
    """Debug handle to the operators of a graph, and of the graphs in it, that have it."""
    found: dict[int, list[OperatorNode]] = {}
    for node in _operators(op_graph):
        handles = (node.metadata or {}).get(RESERVED_METADATA_ARG.DEBUG_HANDLE.value)
        for handle in handles_of(handles):
            found.setdefault(handle, []).append(node)
    return found


def body_graphs(program: ExportedProgram) -> Iterator[OperatorGraph]:
    """The graphs of the bodies of a program's control flow, which those of :func:`gen_graphs_from_etrecord` leave out."""
    for module in program.graph_module.modules():
        if isinstance(module, GraphModule) and module is not program.graph_module:
            yield FXOperatorGraph.gen_operator_graph(module)


def _operators(graph: OperatorGraph) -> Iterator[OperatorNode]:
    for element in graph.elements:
        if isinstance(element, OperatorGraph):
            yield from _operators(element)
        elif isinstance(element, OperatorNode):
            yield element


__all__ = [
    "EDGE_DIALECT_GRAPH_KEY",
    "FORWARD",
    "body_graphs",
    "create_debug_handle_to_op_node_mapping",
    "gen_graphs_from_etrecord",
]
