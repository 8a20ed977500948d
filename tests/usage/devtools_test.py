"""Looking into programs and runs, as the documents of the developer tools show it."""

import copy
import io

import torch
from torch import nn
from torch.export import export

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.devtools import BundledProgram, Inspector, generate_etrecord, parse_etrecord
from executorch.devtools.backend_debug import get_delegation_info
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer
from executorch.devtools.inspector import TimeScale
from executorch.devtools.size_analysis_tool.size_analysis_tool import generate_model_size_information
from executorch.exir import EdgeProgramManager, ExecutorchProgramManager, to_edge, to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import (
    _load_bundled_program_from_buffer,
    _load_for_executorch_from_bundled_program,
)
from executorch.runtime import Runtime


class Net(nn.Module):
    """The network of the tutorial: two convolutions and three linear layers."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(16 * 5 * 5, 32), nn.Linear(32, 16), nn.Linear(16, 10)

    def forward(self, x):
        x = nn.functional.max_pool2d(torch.relu(self.conv1(x)), (2, 2))
        x = nn.functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 1)
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x)))))


def recorded(program, inputs, directory, **options):
    """Paths of the events and values of a run."""
    loaded = Runtime.get().load_program(program.buffer, enable_etdump=True, **options)
    loaded.load_method("forward").execute(inputs)
    events, values = directory / "etdump.etdp", directory / "values.bin"
    loaded.write_etdump_result_to_file(str(events), str(values))
    return str(events), str(values)


def test_profiling_with_a_record_of_the_export(tmp_path):
    torch.manual_seed(0)
    inputs = (torch.randn(1, 1, 32, 32),)
    edge: EdgeProgramManager = to_edge(export(Net(), inputs))
    kept = copy.deepcopy(edge)
    program: ExecutorchProgramManager = edge.to_executorch()
    record = str(tmp_path / "etrecord.bin")
    generate_etrecord(record, kept, program)
    assert parse_etrecord(record).edge_dialect_program is not None

    events, _ = recorded(program, inputs, tmp_path)
    inspector = Inspector(etdump_path=events, etrecord=record, source_time_scale=TimeScale.NS)
    shown = io.StringIO()
    inspector.print_data_tabular(shown)
    assert "native_call_convolution.out" in shown.getvalue()
    frame = inspector.to_dataframe()
    assert {"event_block_name", "event_name", "avg (ms)", "op_types"} <= set(frame.columns)
    with open(tmp_path / "events.tsv", "w", encoding="utf-8") as file:
        inspector.save_data_to_tsv(file)
    assert (tmp_path / "events.tsv").read_text().count("\n") > 5
    execute = next(block for block in inspector.event_blocks if block.name == "Execute")
    slowest = execute.to_dataframe().sort_values("avg", ascending=False)
    assert len(slowest) > 5
    assert inspector.find_total_for_module("conv1") > 0
    assert inspector.find_total_for_module("no_such_module") == 0
    convolution = next(e for e in execute.events if e.name == "native_call_convolution.out")
    assert convolution.perf_data.avg > 0 and convolution.op_types == ["aten.convolution.default"]
    assert any("conv1" in str(hierarchy) for hierarchy in convolution.module_hierarchy.values())


def test_values_on_the_way_against_eager(tmp_path):
    torch.manual_seed(0)
    inputs = (torch.randn(1, 1, 32, 32),)
    lowered = to_edge_transform_and_lower(export(Net(), inputs), generate_etrecord=True)
    program = lowered.to_executorch()
    record = program.get_etrecord()
    record.update_representative_inputs(inputs)
    record.save(str(tmp_path / "model.etrecord"))
    events, values = recorded(program, inputs, tmp_path, debug_buffer_size=1_000_000)
    inspector = Inspector(
        etdump_path=events, etrecord=str(tmp_path / "model.etrecord"), debug_buffer_path=values
    )
    gaps = inspector.calculate_numeric_gap("MSE")
    assert len(gaps) > 5
    assert max(float(gap) for row in gaps["gap"] for gap in row) < 1e-6


def test_test_cases_travel_with_the_program(tmp_path):
    class SampleModel(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("a", 3 * torch.ones(2, 2, dtype=torch.int32))
            self.register_buffer("b", 2 * torch.ones(2, 2, dtype=torch.int32))

        def forward(self, x, q):
            return torch.add(torch.mul(self.a, x), self.b) + q

    torch.manual_seed(0)
    model = SampleModel()
    cases = [
        (torch.randint(-9, 9, (2, 2), dtype=torch.int32), torch.ones(2, 2, dtype=torch.int32))
        for _ in range(3)
    ]
    suites = [
        MethodTestSuite(
            method_name="forward",
            test_cases=[MethodTestCase(inputs=case, expected_outputs=(model(*case),)) for case in cases],
        )
    ]
    program = to_edge(export(model, cases[0])).to_executorch()
    flatbuffer = serialize_from_bundled_program_to_flatbuffer(BundledProgram(program, suites))
    path = tmp_path / "bundled_program.bpte"
    path.write_bytes(flatbuffer)

    bundled = _load_bundled_program_from_buffer(path.read_bytes())
    module = _load_for_executorch_from_bundled_program(bundled)
    for index, case in enumerate(cases):
        module.load_bundled_input(bundled, "forward", index) if hasattr(
            module, "load_bundled_input"
        ) else None
        assert torch.equal(module.forward(list(case))[0], model(*case))
        bundled.verify_result_with_bundled_expected_output("forward", index, 1e-5, 1e-8)


def test_what_was_delegated_and_what_it_weighs():
    torch.manual_seed(0)
    model, inputs = Net(), (torch.randn(1, 1, 32, 32),)
    lowered = to_edge_transform_and_lower(export(model, inputs), partitioner=[XnnpackPartitioner()])
    info = get_delegation_info(lowered.exported_program().graph_module)
    assert info.num_delegated_subgraphs == 1 and info.num_delegated_nodes > 5
    assert "Total delegated subgraphs: 1" in info.get_summary()
    frame = info.get_operator_delegation_dataframe()
    assert list(frame.columns) == [
        "op_type",
        "occurrences_in_delegated_graphs",
        "occurrences_in_non_delegated_graphs",
    ]
    assert frame.iloc[-1]["op_type"] == "Total"

    program = lowered.to_executorch()
    sizes = generate_model_size_information(program.exported_program(), flatbuffer=program.buffer)
    assert sizes["overview"]["model_size"] == len(program.buffer)
