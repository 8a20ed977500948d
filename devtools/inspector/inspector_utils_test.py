"""The small parts of the inspector, one by one."""

from __future__ import annotations

import io
import pathlib
from typing import Any

import pandas as pd
import pytest
import torch

from executorch.devtools.etdump.schema_flatcc import Event, ProfileEvent
from executorch.devtools.inspector import _inspector_utils as utils
from executorch.devtools.inspector._intermediate_output_capturer import IntermediateOutputCapturer
from executorch.devtools.inspector.numerical_comparator import (
    IntermediateOutputMapping,
    L1Comparator,
)
from executorch.exir import to_edge

ONE = torch.tensor([1.0, 2.0])
OTHER = torch.tensor([3.0, 5.0])


class _Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.linear(x.contiguous()))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {}),
        ({(1, 2): (1, "a", 1), (2, 3): (2, "b", 1)}, {(1, 2, 3): (2, "b", 1)}),
        # Later instructions come last, whatever their place.
        ({(1, 2): (5, "a", 1), (2, 3): (2, "b", 1)}, {(3, 1, 2): (5, "a", 1)}),
        ({(2, 1): (2, "a", 1), (1,): (2, "b", 3)}, {(2, 1): (2, "a", 1)}),
        ({(1,): (1, "a", 1), (1, 1, 2): (3, "b", 1)}, {(1, 2): (3, "b", 1)}),
        (
            {(1, 2): (1, "a", 1), (4, 5): (2, "b", 1), (2, 4): (3, "c", 1), (9,): (4, "d", 1)},
            {(1, 5, 2, 4): (3, "c", 1), (9,): (4, "d", 1)},
        ),
    ],
)
def test_overlapping_handles_are_merged(before: dict[Any, Any], after: dict[Any, Any]) -> None:
    assert utils.merge_runtime_overlapping_debug_handles(before) == after


def test_values_are_paired_by_handles() -> None:
    pairs = utils.map_runtime_aot_intermediate_outputs
    assert pairs({(0,): 1, (1,): 2, (2,): 3}, {(0,): (10, 1), (1, 2): (20, 1)}) == {
        ((0,), 1): ((0,), 10),
        ((1, 2), 3): ((1, 2), 20),
    }
    assert pairs({(0, 1): 1, (2,): 2}, {(0, 1, 2): (9, 1)}) == {((0, 1, 2), 2): ((0, 1, 2), 9)}
    # Nobody counted the outputs.
    assert pairs({(8,): 200, (9,): 300}, {(8, 9): (300, -1)}) == {((8, 9), 300): ((8, 9), 300)}
    # An operator that only partly happened has no value at run time.
    assert pairs({(0, 1): 1, (2,): 2}, {(1, 2): (9, 1)}) == {}
    assert pairs({(0,): 1}, {(5,): (1, 1)}) == {}
    with pytest.raises(ValueError, match="only one runtime debug handle"):
        pairs({(0,): 1, (1,): 2}, {(0,): (10, 1), (0, 1): (20, 1)})


def _value(mapping: IntermediateOutputMapping) -> Any:
    ((_, value),) = mapping.values()
    return value


def test_results_are_found_among_arguments() -> None:
    pairs = utils.map_runtime_aot_intermediate_outputs
    assert _value(pairs({(0,): ONE}, {(0,): ([torch.tensor([9.0]), OTHER], 1)})) is OTHER
    assert _value(pairs({(0,): ONE}, {(0,): ([OTHER, torch.tensor([9])], 1)})) is OTHER
    assert _value(pairs({(0,): ONE}, {(0,): (None, 1)})) is None
    several = pairs({(0,): (ONE, ONE)}, {(0,): ([torch.zeros(1), OTHER, ONE], 1)})
    assert _value(several)[0] is OTHER and _value(several)[1] is ONE
    with pytest.raises(TypeError, match="2 results"):
        pairs({(0,): (ONE, ONE)}, {(0,): (OTHER, 1)})


def test_operators_without_a_value_ahead_of_time_do_not_hinder() -> None:
    pair = utils.map_runtime_aot_intermediate_outputs
    assert pair({(2,): 100, (9,): 300}, {(2, 3): (200, 1), (8, 9): (300, 1)}) == {
        ((8, 9), 300): ((8, 9), 300)
    }
    assert pair({(1,): 1, (3,): 3}, {(1, 2, 3): ([7, 8], 2)}) == {((1, 2, 3), 3): ((1, 2, 3), 8)}
    assert pair({(1, 2): 1}, {(2,): (7, 1)}) == {}


def test_lists_of_tensors_are_no_single_value() -> None:
    with pytest.raises(AssertionError, match="convert each"):
        utils.convert_to_float_tensor([torch.ones(2), torch.ones(2)])
    assert utils.convert_to_float_tensor([torch.tensor(1), torch.tensor(2)]).tolist() == [1, 2]


def test_metrics_have_two_places() -> None:
    reference, value = torch.tensor([1.0, 2, 3]), torch.tensor([1.0, 2, 3.1])
    assert utils.compare_results([reference], [value]) == {
        "snr": [31.46],
        "mse": [0.0],
        "cosine_similarity": [1.0],
    }
    assert utils.calculate_mse([torch.tensor([1.0, 0])], [torch.tensor([3.0, 0.3])]) == [2.05]


def test_a_delegate_with_two_outputs_gives_two_pairs() -> None:
    mapping = utils.map_runtime_aot_intermediate_outputs(
        {(0,): ONE, (1,): OTHER}, {(0, 1): ([OTHER, ONE], 2)}
    )
    assert [(key[1], value[1]) for key, value in mapping.items()] == [(OTHER, ONE), (ONE, OTHER)]


def test_names_of_operators() -> None:
    names = {(1,): ["a"], (2, 3): ["b", "c"], (3, 4): ["d"]}
    assert utils.find_op_names((1, 2, 3), names) == ["a", "b", "c"]


def test_equality_of_values() -> None:
    equal = utils.is_inference_output_equal
    assert equal(ONE, ONE.clone()) and equal([ONE, OTHER], [ONE, OTHER]) and equal(2, 2) and equal(None, None)
    assert not equal(ONE, OTHER) and not equal([ONE], [ONE, OTHER]) and not equal(ONE, 1)
    utils.verify_debug_data_equivalence([ONE, 1], [ONE, 1])
    for other, message in (([ONE], "length"), ([ONE, 2.0], "Types"), ([OTHER, 1], "Tensors Debug Data")):
        with pytest.raises(AssertionError, match=message):
            utils.verify_debug_data_equivalence([ONE, 1], other)


def test_metrics(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert utils.calculate_mse([ONE, 1.0], [OTHER, 2.0]) == [6.5, 1.0]
    assert utils.calculate_snr([ONE], [ONE]) == [float("inf")]
    assert utils.calculate_cosine_similarity([ONE], [-ONE]) == pytest.approx([-1.0])
    monkeypatch.chdir(tmp_path)
    utils.plot_metric([1.0, 2.0, float("inf")], "gap")
    assert (tmp_path / "gap.svg").read_text().count("<circle") == 2
    assert utils.convert_to_float_tensor(ONE.half()).dtype == torch.float64
    assert utils.convert_to_float_tensor([1, 2.5]).tolist() == [1.0, 2.5]
    with pytest.raises(ValueError, match="cannot be compared"):
        utils.convert_to_float_tensor("1")
    with pytest.raises(ValueError, match="Cannot convert value"):
        utils.convert_to_float_tensor(["1"])


def test_events_and_tables() -> None:
    span = ProfileEvent("op", 0, 1, None, None, None, 2, 3)
    assert utils.find_populated_event(Event(span, None, None)) is span
    with pytest.raises(ValueError, match="populated"):
        utils.find_populated_event(Event(None, None, None))
    with pytest.raises(ValueError, match="One and only one"):
        utils.gen_etdump_object()
    out = io.StringIO()
    utils.display_or_print_df(pd.DataFrame({"event_name": ["addmm"]}), out)
    assert "event_name" in out.getvalue() and "addmm" in out.getvalue()


def test_debug_handles_go_back_to_the_exported_program() -> None:
    exported = torch.export.export(_Model().eval(), (torch.rand(1, 2),))
    graph_id = id(exported.graph)
    edge = exported.run_decompositions()
    calls = [node for node in edge.graph.nodes if node.op == "call_function"]
    for number, node in enumerate(calls, 1):
        node.meta["debug_handle"] = 1 if node.name != "relu" else number
    assert utils.propagate_back_debug_handle(exported, graph_id, edge)
    handles = {node.name: node.meta.get("debug_handle") for node in exported.graph.nodes}
    assert handles["linear"] == 1 and handles["relu"] == len(calls) and handles["x"] is None
    # Another graph's number: nothing comes from it, and nothing is written unless asked for.
    assert not utils.propagate_back_debug_handle(exported, graph_id + 1, edge)
    assert next(node for node in exported.graph.nodes if node.name == "relu").meta["debug_handle"] == len(
        calls
    )
    assert not utils.propagate_back_debug_handle(exported, graph_id + 1, edge, True)
    relu = next(node for node in exported.graph.nodes if node.name == "relu")
    assert relu.meta["debug_handle"] == utils.UNSET_DEBUG_HANDLE
    ancestors = utils.get_ancestor_node_identifiers(calls[-1])
    assert ancestors[-1] == f"relu.{graph_id}"
    assert utils.get_parent_node_identifier(calls[-1]) == ancestors[0]


def test_debug_handles_of_a_lowered_program_go_back() -> None:
    exported = torch.export.export(_Model().eval(), (torch.rand(1, 2),))
    edge = to_edge(exported).exported_program()
    assert utils.propagate_back_debug_handle(exported, id(exported.graph), edge)
    handles = {node.name: node.meta.get("debug_handle") for node in exported.graph.nodes}
    made = {str(node.target): node.meta.get("debug_handle") for node in edge.graph.nodes}
    assert handles["linear"] == made["aten.permute_copy.default"] == made["aten.addmm.default"] == 1
    assert handles["relu"] == made["aten.relu.default"] == 2


def test_values_of_the_edge_program_and_its_graph() -> None:
    x = torch.rand(1, 2)
    model = _Model().eval()
    manager = to_edge(torch.export.export(model, (x,)), generate_etrecord=True)
    record = manager.to_executorch().get_etrecord()
    edge = record.edge_programs()["forward"]
    values = IntermediateOutputCapturer(edge.module()).run_and_capture(x)
    torch.testing.assert_close(list(values.values())[-1], model(x))
    graphs = utils.gen_graphs_from_etrecord(record)
    by_handle = utils.create_debug_handle_to_op_node_mapping(graphs[utils.EDGE_DIALECT_GRAPH_KEY])
    assert {(handle,) for handle in by_handle} == set(values)
    assert {node.op for nodes in by_handle.values() for node in nodes} >= {"aten.relu.default"}
    node_filter = utils.NodeFilter("debug_handle", "call_function", ["relu"])
    assert [node.name for node in edge.graph.nodes if node_filter.matches(node)][-1] == "aten_addmm_default"


class _Doubled(L1Comparator):
    """Doubles what came out."""

    def preprocessing(self, mapping: IntermediateOutputMapping) -> IntermediateOutputMapping:
        return {key: (handle, value * 2) for key, (handle, value) in mapping.items()}


def test_comparators_preprocess_and_tabulate() -> None:
    mapping: IntermediateOutputMapping = {((0, 1), ONE): ((0, 1), OTHER)}
    table = _Doubled().compare(mapping, {(0,): ["a"], (1,): ["b"]}, {(0, 1): ["call"]})
    (row,) = table.to_dict("records")
    assert row["gap"] == [5.0 + 8.0] and row["aot_ops"] == ["a", "b"] and row["runtime_ops"] == ["call"]
    assert row["aot_debug_handle"] == row["runtime_debug_handle"] == (0, 1)
    uneven: IntermediateOutputMapping = {((0,), (ONE, ONE)): ((0,), (ONE,))}
    assert L1Comparator().compare(uneven, {}, {}).empty


@pytest.mark.parametrize(
    ("made", "error", "message"),
    [
        (None, TypeError, "must return a dict"),
        ({1: 2}, ValueError, "Invalid key format"),
        ({(1, 2): ((0,), 4)}, ValueError, "Invalid AOT debug handle"),
        ({((0,), 1): 3}, ValueError, "Invalid value format"),
    ],
)
def test_preprocessing_must_return_pairs(made: Any, error: type[Exception], message: str) -> None:
    class Broken(L1Comparator):
        def preprocessing(self, mapping: IntermediateOutputMapping) -> Any:
            return made

    with pytest.raises(error, match=message):
        Broken().compare({}, {}, {})
