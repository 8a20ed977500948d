"""Which operator of the exported program a node comes from, and the debug handles that follow from it."""

import operator

import pytest
import torch

from executorch.passes.decomposition.decompose import decompose
from executorch.passes.infrastructure.node_origins import get_greatest_ancestor_node_identifier
from executorch.passes.programs_for_tests import call_nodes, export, find
from executorch.passes.to_edge.debug_handle_generator_pass import DebugHandleGeneratorPass

X = torch.rand(2, 3)
WEIGHT = torch.ones(4, 3)


def _model(x, weight):
    y = torch.nn.functional.linear(x, weight, weight[:, 0]).relu_()
    first, _ = y.split(2, dim=1)
    with torch.no_grad():
        scaled = first.sin().cos()
    return torch.nn.functional.hardswish(scaled), y


def _origins(program):
    return {node.name: get_greatest_ancestor_node_identifier(node) for node in call_nodes(program)}


def test_nodes_come_from_the_operators_of_the_exported_program():
    exported = export(_model, X, WEIGHT)
    before = [dict(node.meta) for node in exported.graph.nodes]
    program = decompose(exported)
    known = {f"{node.name}.{id(exported.graph)}": node for node in exported.graph.nodes}
    origins = _origins(program)
    assert set(origins.values()) <= set(known)
    assert find(program, "aten.addmm.default").name in origins
    targets = {name: str(known[origin].target) for name, origin in origins.items()}
    assert targets["permute_default"] == targets["addmm_default"] == "aten.linear.default"
    assert targets["relu_default"] == "aten.relu_.default"
    inlined = [targets[find(program, f"aten.{name}.default").name] for name in ("sin", "cos")]
    assert inlined == ["wrap_with_set_grad_enabled"] * 2
    (selected,) = [node for node in call_nodes(program) if node.target is operator.getitem]
    assert targets[selected.name].startswith("aten.split")
    # The argument of decompose is left alone.
    assert [node.meta for node in exported.graph.nodes] == before


def test_a_program_that_is_decomposed_again_keeps_its_origins():
    program = decompose(export(_model, X, WEIGHT))
    again = decompose(program)
    assert list(_origins(again).values()) == list(_origins(program).values())
    source = find(again, "aten.addmm.default").meta["from_node"][0]
    assert (source.name, source.graph_id) == ("addmm_default", id(program.graph))
    assert source.from_node[0].name == "linear"


def test_local_decomposition_names_the_origins_that_torch_names():
    def model(x, weight):
        return torch.nn.functional.hardswish(torch.nn.functional.linear(x, weight)).sum()

    exported = export(model, X, WEIGHT)
    traced = exported.run_decompositions()
    ours, torchs = _origins(decompose(exported)), _origins(traced)
    assert set(ours.values()) == set(torchs.values())
    assert ours["permute_default"] == torchs["permute"]


def test_nodes_of_one_exported_operator_share_a_handle():
    program = decompose(export(_model, X, WEIGHT))
    DebugHandleGeneratorPass()(program.graph_module)
    nodes = call_nodes(program)
    origins = _origins(program)
    handles = {node.name: node.meta["debug_handle"] for node in nodes}
    assert handles["permute_default"] == handles["addmm_default"] != handles["relu_default"]
    assert (
        len(set(handles.values()))
        == len(set(origins.values()))
        == len({*zip(origins.values(), handles.values(), strict=True)})
    )
    # In order of first appearance.
    assert list(dict.fromkeys(handles.values())) == list(range(1, len(set(handles.values())) + 1))


def test_new_nodes_get_the_handle_of_their_origin_or_their_own():
    program = decompose(export(_model, X, WEIGHT))
    DebugHandleGeneratorPass()(program.graph_module)
    permute, addmm = find(program, "aten.permute.default"), find(program, "aten.addmm.default")
    relu = find(program, "aten.relu.default")
    highest = max(node.meta["debug_handle"] for node in call_nodes(program))
    del addmm.meta["debug_handle"], relu.meta["debug_handle"], relu.meta["from_node"]
    assert DebugHandleGeneratorPass()(program.graph_module).modified
    assert addmm.meta["debug_handle"] == permute.meta["debug_handle"]
    assert relu.meta["debug_handle"] == highest + 1


def test_inputs_come_from_nowhere():
    placeholder = next(iter(export(_model, X, WEIGHT).graph.nodes))
    with pytest.raises(KeyError, match="no 'from_node' metadata"):
        get_greatest_ancestor_node_identifier(placeholder)
