"""From an eager model to a table: exported, run and recorded by the runtime, inspected."""

from __future__ import annotations

import json
import pathlib

import pytest
import torch
from absl.testing import flagsaver

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.devtools import BundledProgram, Inspector
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer
from executorch.devtools.inspector import compare_results, inspector_cli
from executorch.exir import to_edge_transform_and_lower
from executorch.extension.pybindings import portable_lib
from executorch.runtime import Runtime


class _Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)
        self.softmax = torch.nn.Softmax(1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.softmax(self.linear(x)) + x.sum()


X = torch.rand(2, 4)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[_Model, pathlib.Path]:
    """A model, and a folder with what was recorded of three runs of it."""
    folder = tmp_path_factory.mktemp("recorded")
    model = _Model().eval()
    manager = to_edge_transform_and_lower(
        torch.export.export(model, (X,)), generate_etrecord=True
    ).to_executorch()
    record = manager.get_etrecord()
    record.update_representative_inputs([X])
    record.save(folder / "model.etrecord")
    program = Runtime.get().load_program(manager.buffer, enable_etdump=True, debug_buffer_size=1 << 16)
    method = program.load_method("forward")
    for _ in range(3):
        torch.testing.assert_close(method.execute([X])[0], model(X).detach())
    program.write_etdump_result_to_file(str(folder / "run.etdp"), str(folder / "run.bin"))
    cases = [MethodTestCase((X + i,), (model(X + i),)) for i in range(2)]
    bundle = BundledProgram(manager, [MethodTestSuite("forward", cases)])
    (folder / "model.bpte").write_bytes(serialize_from_bundled_program_to_flatbuffer(bundle))
    return model, folder


def test_a_model_that_one_delegate_takes_has_one_row_of_values(tmp_path: pathlib.Path) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3)).eval()
    manager = to_edge_transform_and_lower(
        torch.export.export(model, (X,)), partitioner=[XnnpackPartitioner()], generate_etrecord=True
    ).to_executorch()
    record = manager.get_etrecord()
    record.update_representative_inputs([X])
    program = Runtime.get().load_program(manager.buffer, enable_etdump=True, debug_buffer_size=1 << 16)
    program.load_method("forward").execute([X])
    program.write_etdump_result_to_file(tmp_path / "run.etdp", tmp_path / "run.bin")
    inspector = Inspector(tmp_path / "run.etdp", etrecord=record, debug_buffer_path=tmp_path / "run.bin")
    (row,) = inspector.calculate_numeric_gap("MSE").to_dict("records")
    assert row["runtime_ops"] == ["DELEGATE_CALL"] and len(row["aot_ops"]) == 3
    assert row["gap"][0] < 1e-10 and tuple(row["runtime_intermediate_output"].shape) == (2, 3)
    # Its steps were timed; the call around them is not counted again.
    table = inspector.to_dataframe(include_units=False)
    steps = table[table["is_delegated_op"]]
    assert inspector.find_total_for_module("0") == pytest.approx(steps.iloc[0]["avg"])


def test_the_table(recorded: tuple[_Model, pathlib.Path]) -> None:
    model, folder = recorded
    inspector = Inspector(
        etdump_path=str(folder / "run.etdp"),
        etrecord=str(folder / "model.etrecord"),
        debug_buffer_path=str(folder / "run.bin"),
    )
    load, execute = inspector.event_blocks
    assert (load.name, execute.name) == ("Default", "Execute")
    assert [event.name for event in load.events] == ["Method::init", "Program::load_method"]
    assert execute.events[-1].name == "Method::execute"
    assert all(event.perf_data is not None and len(event.perf_data.raw) == 3 for event in execute.events)
    softmax = next(event for event in execute.events if event.name == "native_call__softmax.out")
    assert softmax.op_types == ["aten._softmax.default"]
    assert "self.softmax(self.linear(x))" in next(iter(softmax.stack_traces.values()))
    assert execute.run_output is not None
    results = compare_results([model(X)], execute.run_output)
    assert results["mse"][0] < 1e-10
    assert 0 < inspector.find_total_for_module("softmax") < inspector.find_total_for_module("L__self__")
    gap = inspector.calculate_numeric_gap("L1")
    assert {"native_call__softmax.out", "native_call_add.out"} <= {ops[0] for ops in gap["runtime_ops"]}
    assert max(value for row in gap["gap"] for value in row) < 1e-4


def test_the_command_line(
    recorded: tuple[_Model, pathlib.Path], capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path
) -> None:
    _, folder = recorded
    flags = inspector_cli.flags.FLAGS
    if not flags.is_parsed():
        flags.mark_as_parsed()
    with flagsaver.flagsaver(
        etdump_path=str(folder / "run.etdp"),
        etrecord_path=str(folder / "model.etrecord"),
        tsv_path=str(tmp_path / "table.tsv"),
        timeline_path=str(tmp_path / "run.json"),
        target_time_scale="us",
    ):
        inspector_cli.main(["inspector_cli"])
    output = capsys.readouterr().out
    assert "native_call__softmax.out" in output and "avg (us)" in output and "aten._softmax.default" in output
    assert "native_call_add.out" in (tmp_path / "table.tsv").read_text()
    trace = json.loads((tmp_path / "run.json").read_text())
    spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    (softmax,) = [
        event for event in spans if event["name"] == "native_call__softmax.out" and event["tid"] == 0
    ]
    assert "self.softmax(self.linear(x))" in softmax["args"]["source"]
    (whole,) = [event for event in spans if event["name"] == "Method::execute" and event["tid"] == 0]
    assert whole["ts"] <= softmax["ts"] < softmax["ts"] + softmax["dur"] <= whole["ts"] + whole["dur"]


def test_a_bundle_runs_and_its_module_records(
    recorded: tuple[_Model, pathlib.Path], tmp_path: pathlib.Path
) -> None:
    _, folder = recorded
    bundle = portable_lib._load_bundled_program_from_buffer((folder / "model.bpte").read_bytes())
    for index in range(2):
        bundle.verify_result_with_bundled_expected_output("forward", index)
    module = portable_lib._load_for_executorch_from_bundled_program(bundle, enable_etdump=True)
    module.forward([X])
    module.write_etdump_result_to_file(str(tmp_path / "run.etdp"))
    assert [block.name for block in Inspector(etdump_path=str(tmp_path / "run.etdp")).event_blocks] == [
        "Default",
        "Execute",
    ]


def test_values_are_compared_with_a_program_of_the_record(tmp_path: pathlib.Path) -> None:
    class Counter(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(1))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.count += 1
            return torch.relu(x) * 3 + self.count

    exported = torch.export.export(Counter(), (X,))
    manager = to_edge_transform_and_lower(exported, generate_etrecord=True).to_executorch()
    record = manager.get_etrecord()
    record.update_representative_inputs([X])
    edge = record.edge_programs()["forward"]
    record.graph_map = {"again/forward": edge}
    program = Runtime.get().load_program(manager.buffer, enable_etdump=True, debug_buffer_size=1 << 16)
    program.load_method("forward").execute([X])
    program.write_etdump_result_to_file(str(tmp_path / "run.etdp"), str(tmp_path / "run.bin"))
    inspector = Inspector(str(tmp_path / "run.etdp"), etrecord=record, debug_buffer_path=tmp_path / "run.bin")
    for name in (None, "edge_dialect_exported_program", "exported_program", "again", "again/forward"):
        gap = inspector.calculate_numeric_gap("L1", reference_graph=name)
        assert max(value for row in gap["gap"] for value in row) == 0
        lines = [line for traces in gap["stacktraces"] for line in traces.values()]
        assert any("torch.relu(x)" in str(line) for line in lines)
    assert edge.state_dict["count"] == 0, "comparing changed the program"
    with pytest.raises(ValueError, match="'other/forward' was not found"):
        inspector.calculate_numeric_gap("L1", reference_graph="other")
    record.exported_program = torch.export.export(Counter(), (X,))
    record.export_graph_id = 0
    with pytest.raises(ValueError, match="backpropagation failed"):
        inspector.calculate_numeric_gap("L1", reference_graph="exported_program")
