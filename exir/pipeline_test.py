"""The lowering as a value: printed, extended, stopped; its borders checked once each."""

import logging

import pytest
import torch
from torch.fx.passes.infra.pass_base import PassResult

from executorch.dialects import verifiers
from executorch.dialects.edge_ops import aten_op, edge_op
from executorch.dialects.errors import ExportError, SpecViolationError
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower
from executorch.exir.pipeline import (
    DELEGATION,
    EDGE,
    EXECUTION,
    PIPELINES,
    EdgeSettings,
    ExecutionSettings,
    Form,
    JointStage,
    Pipeline,
    Stage,
)
from executorch.partitioner import (
    BackendDetails,
    DelegationSpec,
    Partitioner,
    PartitionResult,
    PreprocessResult,
)
from executorch.passes.infrastructure.pass_base import GraphPass

EDGE_CHECK, EXECUTION_CHECK = "The program is not in the edge dialect", "The program is not in execution form"
ATEN_CHECK = "The program is not in the core ATen dialect"


class _Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        return torch.sin(torch.relu(self.linear(x)) + 1) * x


class PipelineTestBackend(BackendDetails):
    @staticmethod
    def preprocess(edge_program, compile_specs):
        return PreprocessResult(processed_bytes=b"bytes")


class _Nothing(Partitioner):
    def partition(self, exported_program):
        return PartitionResult(exported_program, {})


class _OneOperator(Partitioner):
    """Delegates the first operator that is left of a name."""

    def __init__(self, name):
        super().__init__()
        self.name = name

    def partition(self, exported_program):
        tags = {}
        for node in exported_program.graph.nodes:
            if node.op == "call_function" and self.name in node.name and not tags:
                node.meta["delegation_tag"] = self.name
                tags[self.name] = DelegationSpec("PipelineTestBackend", [])
        return PartitionResult(exported_program, tags)


class _SinToCos(GraphPass):
    """Of graphs in the edge dialect and before."""

    def rewrite_node(self, node):
        if aten_op(node.target) is not torch.ops.aten.sin.default:
            return False
        cos = torch.ops.aten.cos.default
        node.target = cos if node.target is torch.ops.aten.sin.default else edge_op(cos)
        return True


@pytest.fixture
def program():
    return torch.export.export(_Model().eval(), (torch.rand(2, 4),))


@pytest.fixture
def checks(monkeypatch):
    """How often which dialect was verified."""
    counts = {}
    run = verifiers._run

    def counted(root, headline, *rest):
        counts[headline] = counts.get(headline, 0) + 1
        return run(root, headline, *rest)

    monkeypatch.setattr(verifiers, "_run", counted)
    return counts


def test_to_edge_verifies_each_dialect_once(program, checks):
    to_edge(program)
    assert checks == {ATEN_CHECK: 1, EDGE_CHECK: 1}


def test_a_lowering_verifies_once_at_each_border(program, checks):
    """With one pass and five partitioners: as ATen, as edge, after the pass, after the partitioners."""
    five = [_OneOperator(name) for name in ("sin", "mul", "relu", "aten_add_", "addmm")]
    lowered = to_edge_transform_and_lower(
        program, transform_passes=[lambda gm: PassResult(gm, False)], partitioner=five
    )
    targets = [str(node.target) for node in lowered.exported_program().graph.nodes]
    assert targets.count("executorch_call_delegate") == 5
    assert checks == {ATEN_CHECK: 1, EDGE_CHECK: 3}
    checks.clear()
    lowered.to_executorch()
    assert checks == {EXECUTION_CHECK: 1}


def test_each_step_of_a_manager_verifies_once(program, checks):
    edge = to_edge(program)
    checks.clear()
    edge = edge.to_backend(_Nothing())
    assert checks == {EDGE_CHECK: 1}
    checks.clear()
    edge.transform([lambda gm: PassResult(gm, False)])
    assert checks == {EDGE_CHECK: 1}


def test_an_inserted_stage_runs_where_it_was_put(program):
    mine = Stage("mine", lambda settings: [_SinToCos()], leaves="cosines")
    for stages in (EDGE.insert_after("decompose", mine), EDGE.insert_after("scalars", mine)):
        edge = to_edge(program, compile_config=EdgeCompileConfig(pipeline=stages))
        targets = [str(node.target) for node in edge.exported_program().graph.nodes]
        assert "aten.cos.default" in targets and "aten.sin.default" not in targets
    config = ExecutorchBackendConfig(pipeline=EXECUTION.insert_after("own graph", mine))
    operators = to_edge(program).to_executorch(config).executorch_program.execution_plan[0].operators
    assert {"aten::cos"} == {operator.name for operator in operators} & {"aten::cos", "aten::sin"}
    assert (
        "mine" not in [stage.name for stage in EDGE]
        and len(EDGE.insert_after("scalars", mine)) == len(EDGE) + 1
    )


def test_a_pipeline_stops_where_it_is_told(program):
    core = EDGE.until("decompose").run({"forward": program}, {"forward": EdgeSettings()})["forward"]
    targets = [node.target for node in core.graph.nodes]
    assert torch.ops.aten.sin.default in targets and torch.ops.aten.linear.default not in targets
    assert [stage.name for stage in EDGE.until("scalars")] == ["decompose", "identities", "scalars"]
    assert [stage.name for stage in EDGE.after("dim orders")] == ["edge operators", "debug handles"]
    specified = EXECUTION.until("specs").run(
        {"forward": to_edge(program).exported_program()}, {"forward": ExecutionSettings()}
    )["forward"]
    assert all("spec" in node.meta for node in specified.graph.nodes if node.op != "output")
    with pytest.raises(SpecViolationError, match="edge dialect"):
        EXECUTION.until("specs").run({"forward": program}, {"forward": ExecutionSettings()})
    for config in (
        lambda: to_edge(program, compile_config=EdgeCompileConfig(pipeline=EDGE.until("views"))),
        lambda: to_edge(program).to_executorch(ExecutorchBackendConfig(pipeline=EXECUTION.until("specs"))),
    ):
        with pytest.raises(ExportError, match=r"(?s)ends with .*method run"):
            config()


def test_a_border_that_is_not_met_is_an_error(program):
    with pytest.raises(SpecViolationError, match="core ATen"):
        broken = Stage("break", lambda settings: [], requires=EDGE.stages[0].ensures)
        Pipeline("mine", (broken,)).run({"forward": program}, {"forward": EdgeSettings()})


def test_forms_are_checked_once_and_only_where_something_ran(program):
    seen = []

    def form(name):
        return Form(name, lambda program, settings: seen.append(name) or program)

    first, second = form("first"), form("second")
    stages = (
        Stage("one", lambda settings: [lambda gm: PassResult(gm, False)], first, second),
        Stage("left out", lambda settings: [], second, second, when=lambda settings: False),
        JointStage("together", lambda programs, settings: programs, second, second),
        Stage("last", lambda settings: [], second, first),
    )
    Pipeline("mine", stages).run({"forward": program}, {"forward": None})
    assert seen == ["first", "second", "first"]


def test_names_are_unique_and_known():
    with pytest.raises(ExportError, match="more than one stage named"):
        EDGE.insert_after("scalars", EDGE.stages[0])
    with pytest.raises(ExportError, match=r"has no stage 'scalar'; it has .*'scalars'"):
        EDGE.until("scalar")


def test_a_pipeline_prints_its_stages():
    printed = str(EXECUTION).splitlines()
    assert printed[0].split() == ["stage", "leaves", "behind", "requires", "ensures", "only", "with"]
    assert len(printed) == len(EXECUTION) + 1 and printed[-1].startswith("memory plan")
    assert all(stage.leaves for pipeline in PIPELINES for stage in pipeline)
    assert "| batch norm | batch normalisation in" in EXECUTION.table()
    assert DELEGATION.table().count("\n") == len(DELEGATION) + 2


def test_stage_times_are_in_the_log(program, caplog):
    with caplog.at_level(logging.DEBUG, logger="executorch"):
        to_edge(program).to_executorch()
    messages = [record.getMessage() for record in caplog.records if record.name == "executorch.exir.stages"]
    logged = [message.split(" took ")[0] for message in messages]
    assert logged == [
        *(f"to_edge: {stage.name}" for stage in EDGE),
        *(f"to_executorch: {stage.name}" for stage in EXECUTION),
        "to_executorch: emit",
    ]
    assert all(message.endswith(" ms") for message in messages)
