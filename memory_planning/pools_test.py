"""Pools of limited size: nothing exceeds them, what does not fit spills, and every plan passes the checker."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from executorch.dialects import meta_keys
from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning import (
    BUFFER_SIZES,
    MemoryPlanningError,
    MemoryPlanningPass,
    Pool,
    PoolPlanner,
    check_plan,
)
from executorch.memory_planning.testing import ExecutionGraph
from executorch.memory_planning.timeline import Role, Storage

relu = torch.ops.aten.relu.out


def method():
    """small -> big -> big -> small -> small; 64 and 1024 bytes."""
    graph = ExecutionGraph()
    nodes = [graph.input(16)]
    for size in (256, 256, 16, 16):
        nodes.append(graph.call(relu, nodes[-1], shape=(size,)))
    graph.output(nodes[-1])
    return graph.module(), graph.signature(), [node.meta[meta_keys.SPEC] for node in nodes]


def planned(*pools, module_of=method):
    module, signature, specs = module_of()
    MemoryPlanningPass(PoolPlanner(pools)).run(module, signature)
    return module.meta[BUFFER_SIZES], [spec.mem_id for spec in specs]


def test_everything_stays_in_a_pool_that_is_large_enough():
    assert planned(Pool(1, 4096), Pool(2)) == ([0, 2048, 0], [1, 1, 1, 1, 1])


def test_what_does_not_fit_spills():
    sizes, ids = planned(Pool(1, 1100), Pool(2))
    assert sizes[1] <= 1100 and sizes[2] == 1024
    assert sorted(ids[1:3]) == [1, 2] and ids[0] == ids[3] == ids[4] == 1


def test_a_pool_has_its_own_alignment():
    module, signature, specs = method()
    MemoryPlanningPass(PoolPlanner([Pool(3, alignment=512)])).run(module, signature)
    assert {spec.mem_id for spec in specs} == {3} and {spec.mem_offset % 512 for spec in specs} == {0}
    assert module.meta[BUFFER_SIZES][:3] == [0, 0, 0]


def test_values_that_fit_nowhere_are_named():
    with pytest.raises(MemoryPlanningError, match=r"fit into no memory.*\(256,\).*Way out"):
        planned(Pool(1, 128), Pool(2, 512))


def test_values_with_a_memory_stay_in_it():
    module, signature, specs = method()
    specs[1].mem_id, specs[2].mem_id = 2, 7
    MemoryPlanningPass(PoolPlanner([Pool(1, 256), Pool(2, 1024)])).run(module, signature)
    assert [spec.mem_id for spec in specs] == [1, 2, 7, 1, 1]
    specs[2].mem_id = 2
    with pytest.raises(MemoryPlanningError, match="put into memory 2 need more than its 1024 bytes"):
        MemoryPlanningPass(PoolPlanner([Pool(1, 256), Pool(2, 1024)])).run(module, signature)


@pytest.mark.parametrize(
    "make",
    [lambda: PoolPlanner([]), lambda: PoolPlanner([Pool(1), Pool(1)]), lambda: Pool(0), lambda: Pool(1, -1)],
)
def test_pools_that_make_no_sense_are_refused(make):
    with pytest.raises(ValueError):
        make()


@settings(max_examples=100, deadline=None)
@given(
    items=st.lists(st.tuples(st.integers(0, 300), st.integers(0, 10), st.integers(0, 6)), max_size=20),
    limit=st.integers(0, 1500),
)
def test_random_values(items, limit):
    specs = []
    for size, first, duration in items:
        spec = TensorSpec(torch.uint8, (size,))
        spec.lifetime = [first, first + duration]
        specs.append(spec)
    result = PoolPlanner([Pool(1, limit, 32), Pool(2)])(16, specs)
    assert set(result.spec_dict) == set(specs) and result.bufsizes[1] <= limit
    for spec, place in result.spec_dict.items():
        spec.mem_id, spec.mem_offset = place.mem_id, place.mem_offset
    storages = [Storage([spec], None, Role.INTERMEDIATE, 0, *spec.lifetime) for spec in specs]
    check_plan(storages, result.bufsizes, 16)
