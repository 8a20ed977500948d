"""An operator that the backend does not have, lowered by a visitor of one's own."""

import pytest
import torch

from executorch.backends.xnnpack.operators.node_visitor import (
    NodeVisitor,
    get_node_visitors,
    register_node_visitor,
)
from executorch.backends.xnnpack.partition.config import ALL_PARTITIONER_CONFIGS, XNNPartitionerConfig
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.serialization import schema
from executorch.backends.xnnpack.serialization.blob import INVALID_ID
from executorch.backends.xnnpack.xnnpack_preprocess import generate_node_to_external_map
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime


class ReciprocalConfig(XNNPartitionerConfig):
    target_name = "reciprocal.default"


@register_node_visitor
class Reciprocal(NodeVisitor):
    """Of positive numbers: the reciprocal square root of the square."""

    target = "aten.reciprocal.default"

    def define_node(self, node, xnn_graph, vals_to_ids, debug_handle):
        self.define_nodes_tensor_inputs_outputs(node, xnn_graph, vals_to_ids)
        between: dict[torch.fx.Node, int] = {}
        self.define_tensor(node, xnn_graph, between)
        source, square, result = vals_to_ids[node.args[0]], between[node], vals_to_ids[node]
        for made in (
            schema.XNNSquare(input_id=source, output_id=square),
            schema.XNNReciprocalSquareRoot(input_id=square, output_id=result),
        ):
            xnn_graph.xnodes.append(schema.XNode(xnode_union=made, debug_handle=debug_handle))


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.reciprocal(x.permute(0, 2, 1) + 1) * 2


def test_it_is_lowered():
    x = torch.rand(2, 3, 5)
    partitioner = XnnpackPartitioner(configs=[*ALL_PARTITIONER_CONFIGS, ReciprocalConfig])
    edge = to_edge_transform_and_lower(torch.export.export(Model(), (x,)), partitioner=[partitioner])
    assert "reciprocal" not in edge.exported_program().graph_module.code
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    torch.testing.assert_close(method.execute([x])[0], Model()(x), atol=1e-5, rtol=1e-5)


def test_all_that_are_registered():
    program = torch.export.export(Model(), (torch.rand(2, 3, 5),))
    found = get_node_visitors(program, {}, None)
    assert isinstance(found["aten.reciprocal.default"], Reciprocal)
    nodes = list(program.graph.nodes)
    visitor = found["aten.reciprocal.default"]
    assert visitor.is_graph_input(nodes[0]) and not visitor.is_graph_input(nodes[1])
    assert visitor.is_graph_output(nodes[-2]) and not visitor.is_graph_output(nodes[0])


def test_numbers_of_what_comes_in_and_goes_out():
    class Linear(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(2))

        def forward(self, x, y):
            return torch.relu(x * self.weight + y), x + y

    program = torch.export.export(Linear(), (torch.ones(2), torch.ones(2)))
    numbers = generate_node_to_external_map(program, program.graph_module)
    graph = schema.XNNGraph(version="0")
    visitor = Reciprocal(program, numbers, None)
    nodes = [node for node in program.graph.nodes if node.op != "output"]
    found = {node.name: visitor.gen_ids_and_flags(node, graph, None) for node in nodes}
    assert found["x"] == (0, 0, 1) and found["y"] == (1, 0, 1)
    assert found["relu"] == (2, 0, 2) and found["add_1"] == (3, 0, 2)
    assert found["p_weight"] == found["mul"] == found["add"] == (INVALID_ID, 0, 0)
    assert (len(graph.input_ids), len(graph.output_ids)) == (2, 2)


def test_an_operator_has_to_be_named():
    with pytest.raises(ValueError, match="Nameless names no operator"):

        @register_node_visitor
        class Nameless(NodeVisitor):
            pass
