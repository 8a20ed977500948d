"""Readable forms: program objects, instruction listings, and the cursor in a graph."""

import io

import pytest
import torch

from executorch.exir import to_edge
from executorch.exir.print_program import add_cursor_to_graph, inspect_node, pretty_print, print_program
from executorch.exir.schema import KernelCall


class _Model(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda y: y.sin() + 1, lambda y: y.cos(), (x,))


@pytest.fixture(scope="module")
def edge():
    return to_edge(torch.export.export(_Model(), (torch.rand(2, 3),)))


def test_instructions_are_listed(edge):
    out = io.StringIO()
    print_program(edge.to_executorch().executorch_program, out=out)
    text = out.getvalue()
    assert text.startswith("method forward: inputs [")
    assert "call aten::sin.out(" in text and "if not " in text and " at 1:" in text
    out = io.StringIO()
    print_program(edge.to_executorch().executorch_program, show_meminfo=False, out=out)
    assert " at 1:" not in out.getvalue()


def test_objects_are_nested(capsys):
    pretty_print(KernelCall(op_index=3, args=[1, 2]), indent=2)
    assert capsys.readouterr().out == "  KernelCall(\n    op_index=3,\n    args=[1, 2],\n  )\n"


def test_bytes_are_counted_unless_all_are_wanted():
    for verbose, expected in ((False, "<20 bytes>"), (True, repr(bytes(20)))):
        out = io.StringIO()
        pretty_print(bytes(20), verbose=verbose, out=out)
        assert out.getvalue().strip() == expected


def test_the_cursor_stands_at_the_node(edge):
    graph = edge.exported_program().graph
    node = next(node for node in graph.nodes if node.name == "aten_sum_dim_int_list")
    marked = [line for line in add_cursor_to_graph(graph, node).splitlines() if line.startswith("-->")]
    assert len(marked) == 1 and "%aten_sum_dim_int_list" in marked[0]
    assert add_cursor_to_graph(graph, graph.output_node()).splitlines()[-1].startswith("--> return")


def test_a_node_is_inspected(edge):
    graph = edge.exported_program().graph
    node = next(node for node in graph.nodes if node.name == "aten_sum_dim_int_list")
    text = inspect_node(graph, node)
    assert "This node aten_sum_dim_int_list has metadata of:" in text
    assert "The node stacktrace:\nTraceback (most recent call last):" in text and __file__ in text
    placeholder = next(iter(graph.nodes))
    assert "(none was recorded)" in inspect_node(graph, placeholder)
