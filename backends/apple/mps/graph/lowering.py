"""From a subgraph to the delegate's graph."""

from __future__ import annotations

import operator

from torch.export import ExportedProgram

from executorch.backends.apple.mps.graph.builder import GraphBuilder
from executorch.backends.apple.mps.operators import OPERATORS
from executorch.backends.transforms.constants import Constants, name_of
from executorch.backends.transforms.fuse_batch_norm_with_conv import FuseBatchNormWithConvPass
from executorch.backends.transforms.safe_softmax import simplify_softmaxes
from executorch.dialects.errors import ExportError
from executorch.ir.graph import output_arguments


def lower_graph(program: ExportedProgram, use_fp16: bool) -> GraphBuilder:
    """The graph of a subgraph that the partitioner chose; the program is rewritten on the way.

    Args:
        program: the subgraph.
        use_fp16: float32 is calculated in half precision; what comes in and goes out stays float32.

    Raises:
        ExportError: it has an operator that the partitioner should not have chosen.
    """
    FuseBatchNormWithConvPass(program)(program.graph_module)
    simplify_softmaxes(program.graph, Constants(program))
    builder = GraphBuilder(program, use_fp16)
    for node in program.graph.find_nodes(op="placeholder"):
        if node not in builder.constants:
            builder.add_input(node)
    for node in program.graph.nodes:
        if node.op != "call_function" or node in builder.constants or node.target is operator.getitem:
            continue
        row = OPERATORS.get(name_of(node))
        if row is None:
            raise ExportError(f"MPS: {name_of(node)} (node {node.name}) is not in the table of operators")
        row.lower(builder, node)
    builder.add_outputs(output_arguments(program.graph))
    return builder
