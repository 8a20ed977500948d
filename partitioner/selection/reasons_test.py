"""Reasons: every operator that stays outside can say why, by partitioner."""

import io
import logging

import torch
from torch.export import export
from torch.fx.passes.operator_support import OperatorSupportBase

from executorch.partitioner import (
    WhyNoPartition,
    WhyNoPartitionReporter,
    format_reasons,
    get_reasons,
    note_reason,
    print_reasons,
    to_backend,
)
from executorch.partitioner.demo_for_tests import OpPartitioner, op_name


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda a: a.sin() + a, lambda a: a.cos(), (x,)) * x


def program():
    return export(Model(), (torch.rand(3),))


class Explaining(OpPartitioner):
    def partition(self, exported_program):
        for node in exported_program.graph.nodes:
            if op_name(node) == "sum.default":
                note_reason(node, "Explaining", "sums are not for us")
        return super().partition(exported_program)


def test_every_node_left_has_a_reason_from_every_partitioner():
    lowered = to_backend(program(), [Explaining(["mul.Tensor"]), OpPartitioner(["sin.default"])])
    found = {(one.op, one.who, one.reason) for one in get_reasons(lowered.graph_module)}
    silent = "not tagged; the partitioner gave no reason"
    assert ("aten.sum.default", "Explaining", "sums are not for us") in found
    assert ("aten.sum.default", "OpPartitioner", silent) in found
    assert ("aten.cos.default", "OpPartitioner", silent) in found, "in a branch"
    assert not any(op in ("aten.mul.Tensor", "aten.sin.default") for op, _, _ in found)
    assert not any(one.op.startswith("executorch_call") for one in get_reasons(lowered.graph_module))


def test_the_given_program_gets_no_reasons():
    given = program()
    to_backend(given, Explaining(["mul.Tensor"]))
    assert {one.reason for one in get_reasons(given.graph_module)} == {"no partitioner has seen this node"}


def test_the_table():
    given = program()
    sin, cos = (
        next(n for m in given.graph_module.modules() for n in m.graph.nodes if op_name(n) == name)
        for name in ("sin.default", "cos.default")
    )
    note_reason(sin, "Mine", "too round")
    note_reason(sin, "Mine", "too round")
    note_reason(cos, "Mine", "too round")
    out = io.StringIO()
    print_reasons(given.graph_module, file=out)
    lines = out.getvalue().splitlines()
    assert lines[0].split(" | ")[-1] == "reason"
    assert any(line.startswith("aten.cos.default") and "too round" in line for line in lines)
    assert format_reasons(torch.fx.GraphModule({}, torch.fx.Graph())) == "Every operator is delegated."


def test_why_no_partition_logs_and_notes(caplog):
    node = next(n for n in program().graph.nodes if op_name(n) == "sum.default")
    why = WhyNoPartition(logging.getLogger("a.partitioner"))
    with caplog.at_level(logging.DEBUG):
        why(node, "it is a sum")
    text = "WhyNoPartition: Node sum_1 was not partitioned because it is a sum."
    assert caplog.messages[-1] == text and str(why) == text
    assert node.meta["delegation_reasons"] == (("a.partitioner", "it is a sum"),)


def test_the_reporter_keeps_the_first_reason():
    class NoSums(OperatorSupportBase):
        def is_node_supported(self, submodules, node):
            return op_name(node) != "sum.default"

    reporter = WhyNoPartitionReporter()
    assert reporter.get_table_report() == "No nodes rejected."
    check = reporter.wrap_check(NoSums(), "sums are refused")
    calls = [node for node in program().graph.nodes if node.op == "call_function"]
    assert [check.is_node_supported({}, node) for node in calls].count(False) == 1
    reporter.report_reject(next(n for n in calls if op_name(n) == "sum.default"), "again")
    report = reporter.get_table_report()
    assert "aten.sum.default" in report and "sums are refused" in report and "again" not in report
