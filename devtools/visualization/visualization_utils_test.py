"""Graphs are written as the viewer reads them, and handed to it."""

import json
import sys
import types

import pytest
import torch

from executorch.devtools import visualization
from executorch.exir import to_edge


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU())

    def forward(self, x):
        values, _ = torch.topk(self.layers(x), 2)
        return values


@pytest.fixture(scope="module")
def program():
    return torch.export.export(Net().eval(), (torch.ones(2, 4),))


def nodes_of(graphs):
    (graph,) = graphs["graphs"]
    return {node["id"]: node for node in graph["nodes"]}


def test_clusters_are_groups_in_the_file(program, tmp_path):
    visualization.visualize_with_clusters(
        program,
        tmp_path / "model.json",
        get_node_partition_name=lambda node: "npu" if node.op == "call_function" else None,
        get_node_qdq_cluster_name=lambda node: "first" if "linear" in node.name else None,
    )
    nodes = nodes_of(json.loads((tmp_path / "model.json").read_text()))
    assert nodes["linear"]["namespace"] == "partition 0 (npu)/cluster (first)"
    assert nodes["relu"]["namespace"] == "partition 0 (npu)"
    assert nodes["x"]["namespace"] == ""
    assert nodes["linear"]["label"] == "aten.linear"
    assert [edge["sourceNodeId"] for edge in nodes["linear"]["incomingEdges"]] == [
        "x",
        "p_layers_0_weight",
        "p_layers_0_bias",
    ]
    assert {"key": "weight", "value": "p_layers_0_weight"} in nodes["linear"]["attrs"]
    assert {"key": "target", "value": "layers.0.weight"} in nodes["p_layers_0_weight"]["attrs"]
    shapes = [output["attrs"][0]["value"] for output in nodes["topk"]["outputsMetadata"]]
    assert shapes == ["torch.float32[2, 2]", "torch.int64[2, 2]"]


def test_tags_of_delegation_are_partitions(program, tmp_path):
    edge = to_edge(program)
    shown = edge.exported_program()
    for node in shown.graph.nodes:
        node.meta["delegation_tag"] = "tag0"
    visualization.visualize_with_clusters(shown, tmp_path / "edge.json")
    nodes = nodes_of(json.loads((tmp_path / "edge.json").read_text()))
    assert {node["namespace"] for node in nodes.values()} == {"partition 0 (tag0)"}


@pytest.fixture
def viewer(monkeypatch):
    """Stands in for the viewer: remembers what it was asked to show."""
    seen = {}

    class Settings:
        def set_reuse_server(self):
            seen["reused"] = True

        def add_model_from_path(self, path):
            with open(path, encoding="utf-8") as file:
                seen["graphs"] = json.load(file)

    module = types.SimpleNamespace(
        config=Settings, visualize_from_config=lambda config, **options: seen.update(options)
    )
    monkeypatch.setitem(sys.modules, "model_explorer", module)
    return seen


def test_the_viewer_gets_groups_of_modules(program, viewer):
    visualization.visualize(to_edge(program), no_open_in_browser=True, port=8000)
    assert viewer["reused"] and viewer["no_open_in_browser"] and viewer["port"] == 8000
    spaces = {node["label"]: node["namespace"] for node in viewer["graphs"]["graphs"][0]["nodes"]}
    assert spaces["aten.relu"] == "Net/layers (Sequential)/1 (ReLU)"
    assert spaces["aten.topk"] == "Net"
    viewer.clear()
    visualization.visualize_with_clusters(program)
    assert "reused" not in viewer and viewer["graphs"]["label"] == "Executorch"


def test_a_graph_of_a_pass_is_shown_with_the_programs_weights(program, viewer):
    graph_module = torch.fx.GraphModule(program.graph_module, program.graph)
    visualization.visualize_graph(graph_module, program)
    assert {"key": "target", "value": "layers.0.bias"} in nodes_of(viewer["graphs"])["p_layers_0_bias"][
        "attrs"
    ]


def test_what_cannot_be_shown_is_refused(program, monkeypatch):
    with pytest.raises(RuntimeError, match="not a Linear"):
        visualization.visualize(torch.nn.Linear(1, 1))
    monkeypatch.setitem(sys.modules, "model_explorer", None)
    with pytest.raises(ModuleNotFoundError, match="ai-edge-model-explorer"):
        visualization.visualize(program)
