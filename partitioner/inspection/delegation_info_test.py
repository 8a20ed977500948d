"""Counts, tables and prints of what was delegated; comparison of graphs."""

import torch
from torch.export import Dim, export

from executorch.partitioner import (
    format_delegated_graph,
    get_delegated_payload,
    get_delegates,
    get_delegation_info,
    get_non_lowered_nodes,
    is_identical_graph,
    is_shape_dynamic,
    print_delegated_graph,
    print_delegation_info,
    to_backend,
)
from executorch.partitioner.demo_for_tests import OpPartitioner


class Model(torch.nn.Module):
    def forward(self, x, y):
        return ((x + y) * y).sin() + x


PAIR = (torch.rand(3), torch.rand(3))


def lowered():
    return to_backend(export(Model(), PAIR), OpPartitioner(["add.Tensor", "mul.Tensor"])).graph_module


def test_counts_and_tables(capsys):
    info = get_delegation_info(lowered())
    assert (info.num_delegated_subgraphs, info.num_delegated_nodes, info.num_non_delegated_nodes) == (2, 3, 3)
    add, sin = info.delegation_by_operator["add"], info.delegation_by_operator["sin"]
    assert (add.delegated, add.non_delegated, sin.delegated, sin.non_delegated) == (2, 0, 0, 1)
    assert info.get_summary() == (
        "Total delegated subgraphs: 2\nNumber of delegated nodes: 3\nNumber of non-delegated nodes: 3\n"
    )
    frame = info.get_operator_delegation_dataframe()
    assert list(frame.columns) == [
        "op_type",
        "occurrences_in_delegated_graphs",
        "occurrences_in_non_delegated_graphs",
    ]
    assert frame.values.tolist() == [
        ["add", 2, 0],
        ["getitem", 0, 2],
        ["mul", 1, 0],
        ["sin", 0, 1],
        ["Total", 3, 3],
    ]
    print_delegation_info(lowered())
    assert "Total" in capsys.readouterr().out


def test_delegates_in_delegates_and_branches_count():
    inner = lowered()
    program = to_backend(export(Model(), PAIR), OpPartitioner(["add.Tensor", "mul.Tensor"]))
    whole = to_backend("TextBackend", program, []).exported_program().graph_module
    assert (
        get_delegation_info(whole).num_delegated_nodes == get_delegation_info(inner).num_delegated_nodes + 3
    )

    class Choice(torch.nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda a: a + 1, lambda a: a.cos(), (x,))

    branches = to_backend(export(Choice(), PAIR[:1]), OpPartitioner(["add.Tensor"])).graph_module
    assert get_delegation_info(branches).num_delegated_subgraphs == 1


def test_what_is_where(capsys):
    graph_module = lowered()
    assert [node.target for node in get_delegates(graph_module.graph)] == [
        "lowered_module_0",
        "lowered_module_1",
    ]
    assert [node.name for node in get_non_lowered_nodes(graph_module.graph)] == ["sin"]
    payload = get_delegated_payload(graph_module)
    assert payload["lowered_module_0"] == ("TextBackend", [], b"op add.Tensor\nop mul.Tensor")
    text = format_delegated_graph(graph_module)
    lines = text.splitlines()
    at = lines.index("    backend_id: TextBackend")
    assert "get_attr[target=lowered_module_0]" in lines[at - 1]
    assert lines[at + 1] == "    lowered graph():"
    assert lines[at + 2].startswith("      %x ")
    print_delegated_graph(graph_module)
    assert capsys.readouterr().out == text + "\n"


def test_identical_graphs():
    class Renamed(torch.nn.Module):
        def forward(self, left, right):
            return ((left + right) * right).sin() + left

    class Swapped(torch.nn.Module):
        def forward(self, x, y):
            return ((y + x) * y).sin() + x

    one = export(Model(), PAIR).graph_module
    assert is_identical_graph(one, export(Renamed(), PAIR).graph_module)
    assert not is_identical_graph(one, export(Swapped(), PAIR).graph_module)
    larger = (torch.rand(4), torch.rand(4))
    assert not is_identical_graph(one, export(Model(), larger).graph_module)
    assert is_identical_graph(lowered(), lowered())


def test_dynamic_shapes_are_seen():
    program = export(torch.nn.ReLU(), (torch.rand(4, 3),), dynamic_shapes=({0: Dim("n", min=2, max=8)},))
    assert all(is_shape_dynamic(node) for node in program.graph.nodes if node.op == "call_function")
    program = export(torch.nn.ReLU(), (torch.rand(4, 3),))
    assert not any(is_shape_dynamic(node) for node in program.graph.nodes)
