"""The report on a plan: figures, the peak, and the user's source lines."""

import pytest
import torch

from executorch.dialects import meta_keys
from executorch.memory_planning import MemoryPlanningPass, memory_report
from executorch.memory_planning.testing import ExecutionGraph

TRACE = 'File "model.py", line 12, in forward\n    return torch.relu(x)'


def planned_graph(**flags):
    graph = ExecutionGraph()
    x = graph.input(16)
    wide = graph.call(torch.ops.aten.relu.out, x, shape=(64,))
    wide.meta[meta_keys.STACK_TRACE] = TRACE
    graph.output(graph.call(torch.ops.aten.relu.out, wide, shape=(8,)))
    module, signature = graph.module(), graph.signature()
    MemoryPlanningPass(**flags).run(module, signature)
    return module, signature


def test_figures():
    report = memory_report(*planned_graph())
    assert report.planned_bytes == report.lower_bound_bytes == 256 + 64
    assert report.naive_bytes == 256 + 64 + 32
    assert report.bufsizes == (0, 320)
    assert [value.nbytes for value in report.live_at_peak] == [256, 64]


def test_values_that_the_caller_supplies_do_not_count():
    report = memory_report(*planned_graph(alloc_graph_input=False, alloc_graph_output=False))
    assert report.planned_bytes == report.lower_bound_bytes == 256


def test_the_peak_names_operators_and_source_lines():
    report = memory_report(*planned_graph())
    wide, x = report.live_at_peak
    assert (wide.operator, wide.shape, wide.dtype) == ("aten.relu.out", (64,), "float32")
    assert wide.source == "model.py:12 in forward: return torch.relu(x)"
    assert x.operator == "input"
    table = report.table()
    assert "planned 320 B, lower bound 320 B, without reuse 352 B" in table
    assert "model.py:12" in table


def test_a_graph_without_a_plan_is_refused():
    graph = ExecutionGraph()
    graph.output(graph.input(4))
    with pytest.raises(ValueError, match="run MemoryPlanningPass first"):
        memory_report(graph.module(), graph.signature())
