"""What an ETRecord keeps of one method and of several, and what it refuses."""

from __future__ import annotations

import pathlib

import pytest
import torch
from torch.export import ExportedProgram

from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.core import BundledProgram
from executorch.devtools.etrecord import ETRecord, generate_etrecord, parse_etrecord
from executorch.devtools.etrecord._etrecord import _get_reference_outputs, _get_representative_inputs
from executorch.exir import to_edge, to_edge_transform_and_lower
from executorch.exir.backend.test.op_partitioner_demo import AddMulPartitionerDemo
from executorch.exir.pass_base import ExportPass

X = torch.tensor([3.0, 1.0, 2.0])


class Partly(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sin(x * x + x)


class Largest(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, places = torch.topk(x + 1, 1)
        return values, places


def _exported() -> ExportedProgram:
    return torch.export.export(Largest(), (X,))


def _saved(record: ETRecord, tmp_path: pathlib.Path) -> ETRecord:
    record.save(tmp_path / "model.etrecord")
    return parse_etrecord(tmp_path / "model.etrecord")


@pytest.mark.parametrize("method", ["forward", "other"])
def test_of_one_method_the_record_has_the_program_itself(method: str, tmp_path: pathlib.Path) -> None:
    edge = to_edge({method: _exported()})
    record = ETRecord()
    record.add_edge_dialect_program(edge)
    record.add_executorch_program(edge.to_executorch())
    for found in (record, record.copy(), _saved(record, tmp_path)):
        assert isinstance(found.edge_dialect_program, ExportedProgram)
        assert list(found.edge_programs()) == [method]


def test_operators_with_several_results_are_read_back(tmp_path: pathlib.Path) -> None:
    edge = to_edge(_exported())
    record = ETRecord()
    record.add_edge_dialect_program(edge)
    record.add_executorch_program(edge.to_executorch())
    read = _saved(record, tmp_path).edge_programs()["forward"]
    assert [node.target for node in read.graph.nodes] == [
        n.target for n in edge.exported_program().graph.nodes
    ]


def test_a_program_with_delegates_is_kept(tmp_path: pathlib.Path) -> None:
    edge = to_edge(torch.export.export(Partly(), (X,))).to_backend(AddMulPartitionerDemo())
    generate_etrecord(tmp_path / "model.etrecord", edge, edge.to_executorch())
    read = parse_etrecord(tmp_path / "model.etrecord").edge_programs()["forward"]
    written = edge.exported_program()
    assert [str(node.target) for node in read.graph.nodes] == [str(n.target) for n in written.graph.nodes]
    assert [n.meta.get("debug_handle") for n in read.graph.nodes if n.op == "call_function"] == [
        n.meta.get("debug_handle") for n in written.graph.nodes if n.op == "call_function"
    ]
    delegate = read.graph_module.lowered_module_0
    assert delegate.backend_id == written.graph_module.lowered_module_0.backend_id
    assert delegate.processed_bytes == written.graph_module.lowered_module_0.processed_bytes
    assert read.graph_signature == written.graph_signature


def test_what_a_record_lacks_is_said_with_a_way_out(tmp_path: pathlib.Path) -> None:
    record = ETRecord()
    with pytest.raises(RuntimeError, match=r"no edge dialect program\nWay out: generate_etrecord=True"):
        record.save(tmp_path / "model.etrecord")


def test_of_several_methods_it_has_a_program_each(tmp_path: pathlib.Path) -> None:
    edge = to_edge({"one": _exported(), "two": _exported()})
    record = ETRecord()
    record.add_edge_dialect_program(edge)
    record.add_executorch_program(edge.to_executorch())
    for found in (record, _saved(record, tmp_path)):
        assert isinstance(found.edge_dialect_program, dict) and set(found.edge_dialect_program) == {
            "one",
            "two",
        }


def test_keys_that_were_read_are_text(tmp_path: pathlib.Path) -> None:
    manager = to_edge(_exported(), generate_etrecord=True).to_executorch()
    read = _saved(manager.get_etrecord(), tmp_path)
    assert read._debug_handle_map is not None
    expected = {str(number): handle for number, handle in manager.debug_handle_map["forward"].items()}
    assert read._debug_handle_map["forward"] == expected


def test_programs_after_transform_passes_are_kept_too(tmp_path: pathlib.Path) -> None:
    manager = to_edge_transform_and_lower(
        _exported(), transform_passes=[ExportPass()], generate_etrecord=True
    ).to_executorch()
    read = _saved(manager.get_etrecord(), tmp_path)
    assert read.graph_map is not None and list(read.graph_map) == ["edge_after_transform/forward"]


def test_what_is_no_program_is_refused() -> None:
    manager = to_edge(_exported()).to_executorch()
    with pytest.raises(RuntimeError, match="Unsupported type of edge_dialect_program"):
        ETRecord().add_edge_dialect_program(manager)
    with pytest.raises(RuntimeError, match=r"Unsupported graph module type.*under the name more"):
        ETRecord().add_extra_export_modules({"more": manager})


def test_inputs_and_outputs_of_a_bundle() -> None:
    manager = to_edge(_exported()).to_executorch()
    cases = [MethodTestCase((X,), Largest()(X)), MethodTestCase((X + 1,), Largest()(X + 1))]
    bundle = BundledProgram(manager, [MethodTestSuite("forward", cases)])
    inputs = _get_representative_inputs(bundle)
    assert inputs is not None and torch.equal(inputs[0], X)
    outputs = _get_reference_outputs(bundle)["forward"]
    assert [[float(value) for value in case] for case in outputs] == [[4.0, 0.0], [5.0, 0.0]]
