"""`naive` and `greedy` give the places that ExecuTorch 1.5.1 gives to the same sizes and lifetimes."""

import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning import (
    MemoryPlanningAlgorithmSuite,
    best_of_packings,
    check_plan,
    exact,
    greedy,
    lower_bound,
    naive,
    pick_shared_obj,
)
from executorch.memory_planning.skyline import search_if_small
from executorch.memory_planning.testing import HARD_TO_PACK
from executorch.memory_planning.timeline import Role, Storage

# (bytes, first step, last step, memory id), and what release 1.5.1 printed for them.
FALLING = [
    (33, 7, 12, None),
    (1, 8, 11, None),
    (16, 8, 12, None),
    (20, 8, 11, None),
    (200, 0, 2, None),
    (20, 9, 13, None),
]
TWO_POOLS = [(4, 9, 11, None), (200, 7, 10, 3), (20, 6, 6, None)]
MIXED = [
    (20, 7, 9, None),
    (20, 3, 6, None),
    (1, 4, 7, None),
    (4, 8, 9, None),
    (33, 10, 10, None),
    (100, 5, 9, None),
    (20, 10, 12, None),
    (200, 4, 8, None),
]
GOLDENS = [
    (greedy, {}, 1, FALLING, [0, 89, 73, 53, 0, 33], [0, 200]),
    (greedy, {}, 16, FALLING, [0, 128, 112, 80, 0, 48], [0, 208]),
    (
        greedy,
        {"allow_overlapping_allocations": False},
        16,
        FALLING,
        [0, 288, 272, 240, 0, 208],
        [0, 304],
    ),
    (naive, {}, 16, FALLING, [0, 48, 64, 80, 112, 320], [0, 352]),
    (greedy, {}, 16, TWO_POOLS, [0, 0, 0], [0, 32, 0, 208]),
    (naive, {}, 1, TWO_POOLS, [0, 0, 4], [0, 24, 0, 200]),
    (greedy, {}, 16, MIXED, [320, 320, 352, 352, 0, 208, 208, 0], [0, 368]),
]


def values(items):
    specs = []
    for size, first, last, mem_id in items:
        spec = TensorSpec(torch.uint8, (size,))
        spec.lifetime, spec.mem_id = [first, last], mem_id
        specs.append(spec)
    return specs


@pytest.mark.parametrize(("algorithm", "options", "alignment", "items", "offsets", "bufsizes"), GOLDENS)
def test_places_are_those_of_release_1_5(algorithm, options, alignment, items, offsets, bufsizes):
    specs = values(items)
    result = algorithm(alignment, specs, None, None, 0, **options)
    assert [result.spec_dict[spec].mem_offset for spec in specs] == offsets
    assert result.bufsizes == bufsizes


@pytest.mark.parametrize("algorithm", [naive, greedy, best_of_packings, search_if_small])
def test_memory_1_exists_also_without_values(algorithm):
    assert algorithm(16, [], None, None, 0).bufsizes == [0, 0]


def test_padding_goes_behind_each_memory_that_is_used():
    assert greedy(16, values(TWO_POOLS), None, None, 64).bufsizes == [0, 96, 0, 272]


def test_pick_shared_obj_is_one_step_of_greedy():
    locations: list = []
    one, other, third = values([(16, 0, 1, None), (16, 2, 3, None), (16, 1, 2, None)])
    assert pick_shared_obj(locations, one) is pick_shared_obj(locations, other) is locations[0]
    assert (locations[0].first_used_index, locations[0].last_used_index) == (0, 3)
    assert pick_shared_obj(locations, third) is locations[1]


ITEMS = st.lists(
    st.tuples(
        st.integers(0, 300),
        st.integers(0, 12),
        st.integers(0, 6),
        st.sampled_from([None, None, 1, 2, 4]),
    ),
    max_size=25,
)


@settings(max_examples=120, deadline=None)
@given(
    items=ITEMS,
    alignment=st.sampled_from([1, 16, 64]),
    algorithm=st.sampled_from([naive, greedy, best_of_packings, MemoryPlanningAlgorithmSuite()]),
)
def test_every_plan_of_random_lifetimes_passes_the_checker(items, alignment, algorithm):
    specs = values([(size, first, first + duration, mem_id) for size, first, duration, mem_id in items])
    bounds = lower_bound(specs, alignment)
    result = algorithm(alignment, specs, None, None, 0)
    if algorithm in (naive, greedy, best_of_packings):
        for spec, place in result.spec_dict.items():
            assert spec.mem_id in (None, place.mem_id)
            spec.mem_id, spec.mem_offset = place.mem_id, place.mem_offset
        result = result.bufsizes
    storages = [Storage([spec], None, Role.INTERMEDIATE, 0, *spec.lifetime) for spec in specs]
    check_plan(storages, result, alignment)
    assert all(result[mem_id] >= bound for mem_id, bound in bounds.items())


def test_the_suite_is_never_larger_than_greedy():
    specs = values([(16 * (i * 7 % 11 + 1), i % 13, i % 13 + i % 5, None) for i in range(60)])
    largest = greedy(16, specs, None, None, 0).bufsizes
    assert sum(MemoryPlanningAlgorithmSuite()(16, specs, None, None, 0)) <= sum(largest)


def test_the_exact_algorithm_beats_the_heuristics_where_they_fail():
    pytest.importorskip("scipy")
    specs = values([(16 * size, first, last, None) for size, first, last in HARD_TO_PACK])
    assert best_of_packings(16, specs, None, None, 0).bufsizes == [0, 416]
    assert exact(16, specs, None, None, 0).bufsizes == [0, 400]
    assert lower_bound(specs, 16) == {1: 400}


def test_the_suite_plans_the_same_with_and_without_scipy(monkeypatch):
    plans = []
    for missing in (False, True):
        if missing:
            # What an import of a module that is not installed finds.
            for module in ("scipy", "scipy.optimize", "scipy.sparse"):
                monkeypatch.setitem(sys.modules, module, None)
        specs = values([(16 * size, first, last, None) for size, first, last in HARD_TO_PACK])
        assert MemoryPlanningAlgorithmSuite()(16, specs, None, None, 0) == [0, 400]
        plans.append([spec.mem_offset for spec in specs])
    assert plans[0] == plans[1]
