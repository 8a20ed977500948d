"""Taps: what they select, what they give eagerly and in the lowered program, and what is wrong with them."""

import copy
import math

import pytest
import torch
from torch.utils import _pytree as pytree

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.devtools.intermediate_output_tap import (
    FULL_TENSOR,
    STATS,
    StatReducer,
    TapSpec,
    compare_aot_runtime_dataframe,
    find_tap_nodes,
    get_reducer,
    select_all,
    select_all_call_function,
    select_any,
    select_by_module_class,
    select_by_module_path,
    select_by_op_type,
    select_not,
    strip_taps_,
    tap_compare,
    tap_intermediate_outputs_,
)
from executorch.exir import to_edge_transform_and_lower


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        return torch.relu(self.linear(x))


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Block(), Block()

    def forward(self, x):
        left, right = torch.split(self.second(self.first(x)), 2, dim=-1)
        return left + right


INPUTS = (torch.linspace(-1, 1, 8).reshape(2, 4),)


@pytest.fixture(scope="module")
def program():
    torch.manual_seed(0)
    return torch.export.export(Model().eval(), INPUTS)


def _names(program, selector):
    return [node.name for node in program.graph.nodes if selector(node)]


def test_selectors(program):
    assert _names(program, select_by_op_type("linear.default")) == ["linear", "linear_1"]
    assert _names(program, select_by_module_path("first")) == ["relu"]
    assert _names(program, select_by_module_path("first*", output_only=False)) == ["linear", "relu"]
    assert _names(program, select_by_module_class("Block")) == ["relu", "relu_1"]
    relus = select_all(select_all_call_function(), select_by_op_type("relu.default"))
    assert _names(program, select_all(relus, select_not(select_by_module_path("first")))) == ["relu_1"]
    assert _names(program, select_any(relus, select_by_op_type("add.Tensor"))) == ["relu", "relu_1", "add"]
    assert "getitem" not in _names(program, select_all_call_function())
    assert "relu" not in _names(program, select_all_call_function(exclude=("relu.default",)))
    with pytest.raises(ValueError, match="select_by_op_type needs at least one name"):
        select_by_op_type()


def test_statistics_of_values_that_are_known():
    def stats(tensor):
        return dict(zip(STATS.fields, STATS.eager(tensor).tolist(), strict=True))

    found = stats(torch.arange(250))
    assert (found["min"], found["max"]) == (0, 249)
    assert found["mean"] == 124.5 and found["zero_count"] == 1
    assert found["p99_abs"] == 247  # the third largest of 250
    assert found["std"] == pytest.approx(torch.arange(250.0).std(correction=0).item(), rel=1e-5)
    odd = stats(torch.tensor([1.0, math.nan, -math.inf, 0.0]))
    assert (odd["nan_count"], odd["inf_count"], odd["zero_count"]) == (1, 1, 1)


def test_the_tapped_program_is_the_reference(program):
    tapped, specs = tap_intermediate_outputs_(
        copy.deepcopy(program),
        [(select_by_op_type("linear.default"), FULL_TENSOR), (select_by_module_class("Block"), "STATS")],
    )
    assert [(spec.node_name, spec.reducer_name, spec.output_index) for spec in specs] == [
        ("linear", "FULL_TENSOR", 1),
        ("relu", "STATS", 2),
        ("linear_1", "FULL_TENSOR", 3),
        ("relu_1", "STATS", 4),
    ]
    assert (specs[1].op_target, specs[1].module_path, specs[1].module_class) == (
        "aten.relu.default",
        "first",
        "Block",
    )
    flat, _ = pytree.tree_flatten(tapped.module()(*INPUTS))
    model = Model()
    model.load_state_dict(program.state_dict)
    torch.testing.assert_close(flat[0], model(*INPUTS))
    torch.testing.assert_close(flat[1], model.first.linear(*INPUTS))
    torch.testing.assert_close(flat[2], STATS.eager(model.first(*INPUTS)))


@pytest.mark.parametrize("partitioners", [[], [XnnpackPartitioner()]], ids=["portable", "xnnpack"])
def test_values_come_out_of_the_lowered_program(partitioners):
    torch.manual_seed(0)
    table, specs = tap_compare(Model().eval(), INPUTS, partitioners)
    assert [spec.node_name for spec in specs] == ["linear", "relu", "linear_1", "relu_1", "add"]
    for field in STATS.fields:
        aot, rt = table[f"aot_{field}"].tolist(), table[f"rt_{field}"].tolist()
        assert rt == pytest.approx(aot, rel=1e-4, abs=1e-5), field


def test_taps_keep_delegates_whole_and_are_gone_afterwards(program):
    tapped, _ = tap_intermediate_outputs_(
        copy.deepcopy(program), (select_by_op_type("relu.default"), "FULL_TENSOR")
    )
    edge = to_edge_transform_and_lower(tapped, partitioner=[XnnpackPartitioner()])
    assert len(find_tap_nodes(edge.exported_program().graph_module)) == 2
    strip_taps_(edge)
    graph_module = edge.exported_program().graph_module
    assert find_tap_nodes(graph_module) == []
    called = [str(node.target) for node in graph_module.graph.nodes if node.op == "call_function"]
    assert called.count("executorch_call_delegate") == 1
    outputs = [spec.arg.name for spec in edge.exported_program().graph_signature.output_specs]
    assert outputs == [node.name for node in graph_module.graph.output_node().args[0]]


def test_a_dynamic_shape_never_asks_for_more_than_there_is(program):
    dynamic = torch.export.export(
        Model().eval(), (torch.ones(300, 4),), dynamic_shapes=({0: torch.export.Dim("n", min=2, max=400)},)
    )
    tapped, _ = tap_intermediate_outputs_(dynamic, (select_by_op_type("relu.default"), STATS))
    edge = to_edge_transform_and_lower(tapped)
    strip_taps_(edge)
    top = [n for n in edge.exported_program().graph.nodes if "topk" in str(n.target)]
    assert [node.args[1] for node in top] == [8, 8]  # a row of two times four values


def test_reducers_of_ones_own():
    largest = StatReducer(
        "LARGEST", ("largest",), lambda graph, source: source, lambda t: t.amax().reshape(1)
    )
    tapped, specs = tap_intermediate_outputs_(
        torch.export.export(Block(), INPUTS), (select_by_op_type("relu.default"), largest)
    )
    flat, _ = pytree.tree_flatten(tapped.module()(*INPUTS))
    torch.testing.assert_close(flat[specs[0].output_index], flat[0].amax().reshape(1))
    assert get_reducer("LARGEST") is largest
    imposter = StatReducer("STATS", (), largest.emit, largest.eager)
    with pytest.raises(ValueError, match="built-in reducer"):
        tap_intermediate_outputs_(
            torch.export.export(Block(), INPUTS), (select_all_call_function(), imposter)
        )


def test_what_is_wrong_is_said(program):
    tapped = copy.deepcopy(program)
    nothing = (select_by_op_type("nothing.default"), STATS)
    with pytest.raises(ValueError, match="no rule matched any node"):
        tap_intermediate_outputs_(tapped, nothing)
    with pytest.warns(UserWarning, match="no rule matched any node"):
        assert tap_intermediate_outputs_(tapped, nothing, error_on_empty=False)[1] == []
    with pytest.raises(ValueError, match="must be non-empty"):
        tap_intermediate_outputs_(tapped, [])
    with pytest.raises(ValueError, match=r"Unknown reducer 'MEDIAN'; available: \['FULL_TENSOR', "):
        tap_intermediate_outputs_(tapped, (select_all_call_function(), "MEDIAN"))
    assert len(tap_intermediate_outputs_(tapped, max_taps=2)[1]) == 2


def test_whole_tensors_are_compared_by_noise():
    spec = TapSpec("a", "aten.relu.default", 0, "FULL_TENSOR", ())

    def noise(aot, rt):
        row = compare_aot_runtime_dataframe([spec], [aot], [rt]).iloc[0]
        return row["sqnr_db"], row["aot_numel"], row["rt_numel"]

    assert noise(torch.ones(2, 2), torch.ones(2, 2)) == (math.inf, 4, 4)
    assert noise(torch.ones(4), 1.1 * torch.ones(4))[0] == pytest.approx(20, abs=1e-3)
    assert math.isnan(noise(torch.ones(4), torch.ones(3))[0])
