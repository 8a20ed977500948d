"""Graphs for viewers."""

from __future__ import annotations

import torch

from executorch.devtools.debug_format.base_schema import OperatorGraph, OperatorNode, ValueNode
from executorch.devtools.debug_format.et_schema import RESERVED_METADATA_ARG, FXOperatorGraph
from executorch.exir import to_edge


def _model() -> torch.fx.GraphModule:
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU()).eval()
    program = torch.export.export(model, (torch.rand(4, 2),))
    return to_edge(program).exported_program().graph_module


def test_a_graph_has_inputs_calls_and_outputs() -> None:
    graph = FXOperatorGraph.gen_operator_graph(_model())
    inputs, forward, outputs = graph.elements
    assert isinstance(inputs, OperatorGraph) and isinstance(forward, OperatorGraph)
    assert isinstance(outputs, OperatorGraph)
    assert [part.graph_name for part in (graph, inputs, forward, outputs)] == [
        "base",
        "inputs",
        "forward",
        "outputs",
    ]
    assert [len(inputs.elements), len(outputs.elements)] == [3, 1]
    calls = {node.name: node for node in forward.elements if isinstance(node, OperatorNode)}
    relu, addmm = calls["aten_relu_default"], calls["aten_addmm_default"]
    assert relu.op == "aten.relu.default" and relu.inputs == [addmm] and relu.named_args == ["self"]
    assert relu.output_shapes == [[4, 3]]
    assert addmm.metadata is not None and {"debug_handle", "stack_trace"} >= set(addmm.metadata) - {
        "nn_module_stack"
    }
    (permutation,) = [node for node in forward.elements if isinstance(node, ValueNode)]
    assert permutation.val == [1, 0] and permutation in (calls["aten_permute_copy_default"].inputs or [])
    (output,) = outputs.elements
    assert isinstance(output, ValueNode) and output.inputs == [relu] and output.dtype == "torch.float32"


def test_stack_traces_can_be_left_out() -> None:
    graph = FXOperatorGraph.gen_operator_graph(_model(), skip_stack_trace=True)
    forward = graph.elements[1]
    assert isinstance(forward, OperatorGraph)
    assert all("stack_trace" not in (node.metadata or {}) for node in forward.elements)


def test_calls_are_grouped_by_module() -> None:
    graph = FXOperatorGraph.gen_operator_graph(_model(), enable_module_hierarchy=True)
    forward = graph.elements[1]
    assert isinstance(forward, OperatorGraph)
    assert [part.graph_name for part in forward.elements if isinstance(part, OperatorGraph)] == ["0", "1"]
    (linear, relu) = forward.elements
    assert isinstance(linear, OperatorGraph) and isinstance(relu, OperatorGraph)
    kind = RESERVED_METADATA_ARG.MODULE_TYPE.value
    assert (linear.metadata or {})[kind].endswith("Linear") and len(linear.elements) == 3
    assert len(relu.elements) == 1
