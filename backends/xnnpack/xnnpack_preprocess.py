"""Compiles a subgraph into the blob that the run-time half of the backend reads."""

from __future__ import annotations

from dataclasses import dataclass

from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

# Importing a module of operators registers their lowerings.
from executorch.backends.xnnpack.graph import (
    attention,
    convolutions,
    elementwise,
    group_norm,
    matrix,
    reduce,
    shape,
    spatial,
)
from executorch.backends.xnnpack.graph.lowering import lower_graph
from executorch.backends.xnnpack.serialization.blob import pack
from executorch.dialects import meta_keys
from executorch.ir.signature import state_inputs
from executorch.partitioner import BackendDetails, CompileSpec, PreprocessResult

#: Key of the option by which constants are referred to where they lie: nobody writes to them until the program has been written.
FINAL_CONSTANTS = "final_constants"

_EXTERNAL_INPUT = 1
_EXTERNAL_OUTPUT = 2


@dataclass
class ExternalMeta:
    """What comes into a delegate or leaves it.

    Attributes:
        external_id: its number among both.
        io_type: ``XNN_VALUE_FLAG_EXTERNAL_INPUT`` or ``XNN_VALUE_FLAG_EXTERNAL_OUTPUT``.
    """

    external_id: int
    io_type: int


def generate_node_to_external_map(
    exported_program: ExportedProgram, edge_graph_module: GraphModule
) -> dict[Node, ExternalMeta]:
    """What comes into a delegate that is made of this graph and what leaves it, numbered, inputs first."""
    state = state_inputs(exported_program.graph_signature)
    inputs = [one for one in edge_graph_module.graph.find_nodes(op="placeholder") if one.name not in state]
    results = edge_graph_module.graph.output_node().all_input_nodes
    found: dict[Node, ExternalMeta] = {}
    for nodes, flag in ((inputs, _EXTERNAL_INPUT), (results, _EXTERNAL_OUTPUT)):
        for node in nodes:
            found.setdefault(node, ExternalMeta(len(found), flag))
    return found


LOWERINGS = (attention, convolutions, elementwise, group_norm, matrix, reduce, shape, spatial)


class XnnpackBackend(BackendDetails):
    """XNNPACK on the CPU. The name is the backend id in the program."""

    #: Microkernels load whole vectors, of at most 64 bytes; XNNPACK documents 16 (``XNN_EXTRA_BYTES``) for those it had.
    read_ahead = 64

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        """The subgraph as an XNNPACK graph; weights go to the program's named data, where equal ones are one."""
        builder = lower_graph(edge_program, any(spec.key == FINAL_CONSTANTS for spec in compile_specs))
        handles = {
            node.meta[meta_keys.DEBUG_HANDLE]
            for node in edge_program.graph.nodes
            if meta_keys.DEBUG_HANDLE in node.meta
        }
        return PreprocessResult(
            processed_bytes=pack(builder.graph()),
            debug_handle_map={handle: (handle,) for handle in sorted(handles)},
            data_store_output=builder.named_data.get_named_data_store_output(),
        )
