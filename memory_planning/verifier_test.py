"""The verifier's answers about plans."""

import pytest
import torch

from executorch.dialects import meta_keys
from executorch.memory_planning import MemoryPlanningError, MemoryPlanningPass, Verifier, naive
from executorch.memory_planning.testing import ExecutionGraph

relu = torch.ops.aten.relu.out


def chain():
    graph = ExecutionGraph()
    nodes = [graph.input(64)]
    for _ in range(3):
        nodes.append(graph.call(relu, nodes[-1], shape=(64,)))
    graph.output(nodes[-1])
    return graph.module(), graph.signature(), [node.meta[meta_keys.SPEC] for node in nodes]


def test_reuse_is_counted():
    module, signature, _ = chain()
    MemoryPlanningPass().run(module, signature)
    assert Verifier(module, True, True, True, signature).verify_storage_reuse() == 2
    MemoryPlanningPass(memory_planning_algo=naive).run(module, signature)
    assert Verifier(module, True, True, True, signature).verify_storage_reuse() == 0


def test_overlap_of_live_values_is_found():
    module, signature, specs = chain()
    MemoryPlanningPass().run(module, signature)
    specs[1].mem_offset = specs[0].mem_offset
    verifier = Verifier(module, True, True, True, signature)
    assert verifier.storage_overlap(specs[0], specs[1]) and verifier.lifetime_overlap(specs[0], specs[1])
    with pytest.raises(MemoryPlanningError, match="live at the same time"):
        verifier.verify_storage_reuse()
    assert verifier.verify_storage_reuse(allow_lifetime_and_storage_overlap=True) == 3


@pytest.mark.parametrize("inputs", [True, False])
@pytest.mark.parametrize("outputs", [True, False])
def test_places_follow_the_flags(inputs, outputs):
    module, signature, _ = chain()
    MemoryPlanningPass(alloc_graph_input=inputs, alloc_graph_output=outputs).run(module, signature)
    Verifier(module, inputs, outputs, True, signature).verify_graph_input_output()
    with pytest.raises(MemoryPlanningError, match="have a place"):
        Verifier(module, not inputs, outputs, True, signature).verify_graph_input_output()


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [([0, 1], [1, 2], True), ([0, 1], [2, 3], False), ([0, 9], [3, 4], True), ([None, None], [0, 1], False)],
)
def test_intervals(one, other, expected):
    assert Verifier.has_overlap(one, other) is expected
    assert Verifier.has_overlap(other, one) is expected


def test_values_without_a_place_overlap_nothing():
    _, _, specs = chain()
    assert not Verifier.storage_overlap(specs[0], specs[1])
