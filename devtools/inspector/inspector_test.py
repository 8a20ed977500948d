"""The inspector over recordings made here, event by event, with and without an ETRecord."""

from __future__ import annotations

import io
import pathlib

import numpy as np
import pytest
import torch

from executorch.devtools import BundledProgram, ETRecord, Inspector, generate_etrecord, parse_etrecord
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.etdump import schema_flatcc as flatcc
from executorch.devtools.etdump.serialize import serialize_to_etdump_flatcc
from executorch.devtools.inspector import Event, PerfData, TimeScale, compare_results
from executorch.devtools.inspector.numerical_comparator import (
    L1Comparator,
    MSEComparator,
    NumericalComparatorBase,
    SNRComparator,
)
from executorch.exir import EdgeProgramManager, ExecutorchProgramManager, to_edge
from executorch.schema.scalar_type import ScalarType

NS_IN_MS = 1_000_000


class _Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)
        self.activation = torch.nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.activation(self.linear(x)) + 1


X = torch.rand(2, 4)


@pytest.fixture(scope="module")
def model() -> _Model:
    return _Model().eval()


@pytest.fixture(scope="module")
def edge(model: _Model) -> EdgeProgramManager:
    return to_edge(torch.export.export(model, (X,)), generate_etrecord=True)


@pytest.fixture(scope="module")
def manager(edge: EdgeProgramManager) -> ExecutorchProgramManager:
    return edge.to_executorch()


class _Recording:
    """An ETDump of a few runs of one method, with a value for each instruction."""

    def __init__(self) -> None:
        self.buffer = bytearray()
        self.runs: list[flatcc.RunData] = []

    def _logged(self, tensor: torch.Tensor, chain: int, instruction: int, output: bool) -> flatcc.Event:
        described = flatcc.Tensor(
            ScalarType.FLOAT, list(tensor.shape), list(tensor.stride()), len(self.buffer)
        )
        self.buffer += tensor.detach().numpy().tobytes()
        mark = flatcc.Bool(True) if output else None
        value = flatcc.Value("Tensor", described, None, None, None, None, None, mark)
        return flatcc.Event(None, None, flatcc.DebugEvent(None, chain, instruction, -1, None, value))

    def add_run(
        self, values: list[torch.Tensor], milliseconds: int, delegate: int | None = None, index: int = -1
    ) -> None:
        events = []
        for number, value in enumerate(values):
            start = 1000 * number
            end = start + milliseconds * NS_IN_MS
            if number == delegate:
                for identifier, name in ((7, None), (-1, "fused")):
                    events.append(
                        flatcc.Event(
                            flatcc.ProfileEvent(None, 0, number, identifier, name, b"m", start, end),
                            None,
                            None,
                        )
                    )
            for name in (f"native_call_{number}", "OPERATOR_CALL"):
                event = flatcc.ProfileEvent(name, 0, number, -1, None, None, start, end)
                events.append(flatcc.Event(event, None, None))
            events.append(self._logged(value, 0, number, output=False))
        whole = flatcc.ProfileEvent("Method::execute", -1, 0, -1, None, None, 0, 10 * milliseconds * NS_IN_MS)
        events.append(flatcc.Event(whole, None, None))
        events.append(self._logged(values[-1], -1, 0, output=True))
        self.runs.append(flatcc.RunData("Execute", index, [], events))

    def etdump(self) -> bytes:
        return serialize_to_etdump_flatcc(flatcc.ETDumpFlatCC(0, self.runs))

    def save_buffer(self, folder: pathlib.Path) -> pathlib.Path:
        path = folder / "debug.bin"
        path.write_bytes(self.buffer)
        return path


def _instruction_values(model: _Model, manager: ExecutorchProgramManager) -> list[torch.Tensor]:
    """What each instruction gives; the last ones are those of the graph."""
    linear = model.linear(X)
    known = [linear, model.activation(linear), model(X)]
    count = len(manager.debug_handle_map["forward"])
    return [model.linear.weight.T.contiguous()] * (count - len(known)) + known


def test_runs_are_grouped(model: _Model, manager: ExecutorchProgramManager, tmp_path: pathlib.Path) -> None:
    recording = _Recording()
    values = _instruction_values(model, manager)
    for milliseconds in (3, 1, 2):
        recording.add_run(values, milliseconds)
    recording.add_run(values, 5, index=0)
    path = tmp_path / "run.etdp"
    path.write_bytes(recording.etdump())
    inspector = Inspector(etdump_path=str(path), buffer_path=str(recording.save_buffer(tmp_path)))
    first, bundled = inspector.event_blocks
    assert (first.name, bundled.name, bundled.bundled_input_index) == ("Execute", "Execute_2", 0)
    assert [event.name for event in first.events][:2] == ["native_call_0", "OPERATOR_CALL"]
    perf = first.events[0].perf_data
    assert perf is not None and perf.raw == [3.0, 1.0, 2.0]
    assert (perf.min, perf.max, perf.avg, perf.p50) == (1.0, 3.0, 2.0, 2.0)
    assert first.run_output is not None and torch.equal(first.run_output[0], model(X))
    assert torch.equal(first.events[-3].debug_data[0], model(X))
    assert first.events[-1].name == "Method::execute" and first.events[-1].perf_data.avg == 20.0
    table = inspector.to_dataframe()
    assert len(table) == 2 * len(first.events) and "avg (ms)" in table.columns
    assert list(table["event_block_name"].unique()) == ["Execute", "Execute_2"]
    out = io.StringIO()
    inspector.print_data_tabular(file=out)
    assert "native_call_0" in out.getvalue() and "OPERATOR_CALL" not in out.getvalue()
    tsv = io.StringIO()
    inspector.save_data_to_tsv(tsv)
    assert tsv.getvalue().startswith("\tevent_block_name\tevent_name\t")


def test_events_lead_to_the_models_source(
    model: _Model, manager: ExecutorchProgramManager, tmp_path: pathlib.Path
) -> None:
    recording = _Recording()
    recording.add_run(_instruction_values(model, manager), 2)
    record = manager.get_etrecord()
    record.update_representative_inputs([X])
    path = tmp_path / "model.etrecord"
    record.save(path)
    for source in (record, str(path)):
        inspector = Inspector(
            etdump_data=recording.etdump(),
            etrecord=source,
            debug_buffer_path=recording.save_buffer(tmp_path),
        )
        (block,) = inspector.event_blocks
        events = {
            op: event for event in block.events for op in event.op_types if event.name != "OPERATOR_CALL"
        }
        relu = events["aten.relu.default"]
        (hierarchy,) = relu.module_hierarchy.values()
        assert any("activation" in entry[0] for entry in hierarchy.values())
        assert any("self.activation(self.linear(x)) + 1" in trace for trace in relu.stack_traces.values())
        assert inspector.find_total_for_module("activation") == 2.0
        assert inspector.find_total_for_module("L__self___activation") == 2.0
        assert inspector.find_total_for_module("") == 0 or inspector.find_total_for_module("nothing") == 0
        assert inspector.get_op_list("Execute")["aten.relu.default"] == [relu]
        gap = inspector.calculate_numeric_gap("L1")
        assert {"aten_relu_default", "aten_add_tensor"} <= {name for ops in gap["aot_ops"] for name in ops}
        assert np.allclose([value for row in gap["gap"] for value in row], 0, atol=1e-5)
        assert inspector.get_exported_program() is not None
    with pytest.raises(ValueError, match="no graph 'another', only"):
        Inspector(etdump_data=recording.etdump(), etrecord=record, reference_graph_name="another")


def test_a_wrong_value_is_a_gap(
    model: _Model, manager: ExecutorchProgramManager, tmp_path: pathlib.Path
) -> None:
    values = _instruction_values(model, manager)
    values[-2] = values[-2] + 1
    recording = _Recording()
    recording.add_run(values, 1)
    record = manager.get_etrecord().copy()
    record.add_executorch_program(manager)
    with pytest.raises(ValueError, match="update_representative_inputs"):
        Inspector(etdump_data=recording.etdump(), etrecord=record).calculate_numeric_gap("MSE")
    record.update_representative_inputs([X])
    buffer = recording.save_buffer(tmp_path)
    inspector = Inspector(etdump_data=recording.etdump(), etrecord=record, debug_buffer_path=buffer)
    gap = inspector.calculate_numeric_gap("MSE").set_index("runtime_ops", drop=False)
    by_op = {ops[-1]: value[0] for ops, value in zip(gap["aot_ops"], gap["gap"], strict=True)}
    assert by_op["aten_relu_default"] == pytest.approx(1.0, rel=1e-4)
    assert by_op["aten_add_tensor"] == pytest.approx(0.0, abs=1e-9)
    for inputs in ((X,), [(X,)], [(X,), (X + 1,)]):
        record.update_representative_inputs(inputs)
        again = inspector.calculate_numeric_gap("MSE").set_index("runtime_ops", drop=False)
        assert again["gap"].tolist() == gap["gap"].tolist()
    record.update_representative_inputs((X, X))
    with pytest.raises(ValueError, match=r"takes 1 inputs, the ETRecord has 2\nWay out: update_repr"):
        inspector.calculate_numeric_gap("MSE")
    record.update_representative_inputs((X,))

    class Ones(NumericalComparatorBase):
        def element_compare(self, a: object, b: object) -> float:
            return 1.0

    assert set(map(tuple, inspector.calculate_numeric_gap(Ones())["gap"])) == {(1.0,)}
    with pytest.raises(ValueError, match="unknown distance"):
        inspector.calculate_numeric_gap("L7")


def test_events_of_delegates(model: _Model, manager: ExecutorchProgramManager) -> None:
    recording = _Recording()
    recording.add_run(_instruction_values(model, manager), 2, delegate=1)
    record = ETRecord()
    record.add_edge_dialect_program(
        manager.get_etrecord().edge_dialect_program
        if not isinstance(manager.get_etrecord().edge_dialect_program, dict)
        else manager.get_etrecord().edge_programs()["forward"]
    )
    record._debug_handle_map = {"forward": {}}
    record._delegate_map = {
        "forward": {1: {"name": "SomeBackend", "delegate_map": {7: (1, 2), "fused": (2,)}}}
    }
    inspector = Inspector(
        etdump_data=recording.etdump(),
        etrecord=record,
        delegate_metadata_parser=lambda metadata: {"parsed": [data.decode() for data in metadata]},
        delegate_time_scale_converter=lambda identifier, ticks: ticks / NS_IN_MS * 10,
    )
    delegated = [event for event in inspector.event_blocks[0].events if event.is_delegated_op]
    assert [event.name for event in delegated] == ["7", "fused"]
    assert [event.delegate_debug_identifier for event in delegated] == [7, "fused"]
    assert {event.delegate_backend_name for event in delegated} == {"SomeBackend"}
    assert delegated[0].debug_handles == (1, 2) and len(delegated[0].op_types) == 3
    assert delegated[0].perf_data == delegated[0].perf_data and delegated[0].perf_data.raw == [20.0]
    assert delegated[0].delegate_debug_metadatas == {"parsed": ["m"]}
    assert delegated[0].raw_delegate_debug_metadatas == [b"m"]
    assert "parsed" in inspector.to_dataframe(include_delegate_debug_data=True).columns


def test_bundles_bring_inputs_and_outputs(
    model: _Model, edge: EdgeProgramManager, manager: ExecutorchProgramManager, tmp_path: pathlib.Path
) -> None:
    cases = [MethodTestCase((X,), (model(X),)), MethodTestCase((X + 1,), (model(X + 1),))]
    bundle = BundledProgram(manager, [MethodTestSuite("forward", cases)])
    path = tmp_path / "bundled.etrecord"
    generate_etrecord(str(path), edge, bundle, extra_recorded_export_modules={"edge": edge})
    record = parse_etrecord(str(path))
    assert record._representative_inputs is not None and torch.equal(record._representative_inputs[0], X)
    assert record.graph_map is not None and list(record.graph_map) == ["edge/forward"]
    assert record._debug_handle_map is not None
    handles_by_number = {int(key): handle for key, handle in record._debug_handle_map["forward"].items()}
    assert handles_by_number == manager.debug_handle_map["forward"]
    nodes = [str(node.target) for node in edge.exported_program().graph.nodes]
    assert [str(node.target) for node in record.edge_programs()["forward"].graph.nodes] == nodes
    handles = [node.meta.get("debug_handle") for node in edge.exported_program().graph.nodes]
    assert [
        node.meta.get("debug_handle") for node in record.edge_programs()["forward"].graph.nodes
    ] == handles
    recording = _Recording()
    recording.add_run(_instruction_values(model, manager), 1, index=1)
    inspector = Inspector(etdump_data=recording.etdump(), etrecord=record)
    (block,) = inspector.event_blocks
    assert block.reference_output is not None and torch.equal(block.reference_output[0], model(X + 1))
    assert inspector.get_exported_program("edge/forward") is not None


def test_records_say_what_they_lack(edge: EdgeProgramManager, tmp_path: pathlib.Path) -> None:
    record = ETRecord()
    with pytest.raises(RuntimeError, match="no edge dialect program"):
        record.save(tmp_path / "x")
    record.add_edge_dialect_program(edge)
    with pytest.raises(RuntimeError, match="already exists"):
        record.add_edge_dialect_program(edge)
    with pytest.raises(RuntimeError, match="no executorch program"):
        record.save(tmp_path / "x")
    with pytest.raises(RuntimeError, match="is reserved"):
        record.add_extra_export_modules({"debug_handle_map": edge})
    other = tmp_path / "other"
    other.write_bytes(b"no zip")
    with pytest.raises(RuntimeError, match="not an ETRecord"):
        parse_etrecord(str(other))


def test_units() -> None:
    with pytest.raises(RuntimeError, match="cycles"):
        Inspector(etdump_data=b"", target_time_scale=TimeScale.CYCLES)
    with pytest.raises(ValueError, match="One and only one"):
        Inspector()
    event = Event("a", PerfData([1.0, 2.0]))
    assert event.to_dataframe(" (us)")["avg (us)"][0] == 1.5


def test_compare_results(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    one = torch.ones(2, 2)
    results = compare_results([one, 2.0], [one + 0.1, 2.0], plot=True)
    assert results["snr"] == pytest.approx([20.0, float("inf")], rel=1e-4)
    assert results["mse"] == pytest.approx([0.01, 0.0], rel=1e-4)
    assert results["cosine_similarity"] == pytest.approx([1.0, 1.0])
    drawing = (tmp_path / "mse.svg").read_text()
    assert drawing.count("<circle") == 2 and drawing.startswith("<svg")
    # Infinite values have no place in a picture.
    assert (tmp_path / "snr.svg").read_text().count("<circle") == 1
    with pytest.raises(ValueError, match="cannot be compared"):
        compare_results([one], [])
    with pytest.raises(ValueError, match="unknown metrics"):
        compare_results([one], [one], metrics=["loss"])


@pytest.mark.parametrize("comparator", [L1Comparator(), MSEComparator(), SNRComparator()])
def test_values_whose_sizes_do_not_fit_are_refused(comparator: NumericalComparatorBase) -> None:
    with pytest.raises(ValueError, match=r"\(3,\) cannot be compared with one of \(4,\)"):
        comparator.element_compare(torch.rand(3), torch.rand(4))


@pytest.mark.parametrize("comparator", [L1Comparator(), MSEComparator()])
def test_a_column_is_compared_as_the_row_that_it_was(comparator: NumericalComparatorBase) -> None:
    row = torch.arange(3.0).reshape(1, 3)
    assert comparator.element_compare(row, row.t()) == 0
