"""Packings of random lifetimes: valid, never below the lower bound, and close to it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from executorch.memory_planning.lower_bound import largest_live_set, live_bytes
from executorch.memory_planning.packing import Blocks, best_packing, pack


@st.composite
def blocks(draw, max_size=40):
    items = draw(
        st.lists(
            st.tuples(st.integers(0, 64), st.integers(0, 30), st.integers(0, 12)),
            min_size=1,
            max_size=max_size,
        )
    )
    return Blocks(
        [16 * size for size, _, _ in items],
        [first for _, first, _ in items],
        [first + duration for _, first, duration in items],
    )


def assert_valid(found, packing):
    """No two blocks that live at the same time share a byte; checked pair by pair."""
    ends = packing.offsets + found.sizes
    assert (packing.offsets >= 0).all() and (packing.offsets % 16 == 0).all()
    assert packing.size == ends.max(initial=0)
    for one in range(len(found)):
        for other in range(one):
            lives = found.first[one] <= found.last[other] and found.first[other] <= found.last[one]
            shares = max(packing.offsets[one], packing.offsets[other]) < min(ends[one], ends[other])
            assert not (lives and shares), (one, other)


@settings(max_examples=150, deadline=None)
@given(found=blocks(), best_fit=st.booleans(), seed=st.integers(0, 2**32 - 1))
def test_any_order_gives_a_valid_packing(found, best_fit, seed):
    order = np.random.default_rng(seed).permutation(len(found))
    assert_valid(found, pack(found, order, best_fit))


@settings(max_examples=150, deadline=None)
@given(found=blocks())
def test_the_best_packing_is_valid_and_bounded(found):
    packing = best_packing(found)
    assert_valid(found, packing)
    assert found.lower_bound() <= packing.size <= int(found.sizes.sum())


def brute_force(found):
    """The smallest size over all orders; exact, because some order makes first fit optimal."""
    import itertools

    return min(pack(found, order).size for order in itertools.permutations(range(len(found))))


@settings(max_examples=40, deadline=None)
@given(found=blocks(max_size=6))
def test_small_cases_are_optimal_or_nearly(found):
    assert best_packing(found).size <= 1.1 * brute_force(found)


@settings(max_examples=100, deadline=None)
@given(found=blocks())
def test_the_lower_bound_is_the_largest_live_set(found):
    steps = range(int(found.last.max()) + 1)
    live = [int(found.sizes[(found.first <= step) & (step <= found.last)].sum()) for step in steps]
    assert found.lower_bound() == max(live)


def test_a_chain_needs_two_neighbours_only():
    # Each value lives until the next one is made: 0-1, 1-2, 2-3, ...
    found = Blocks([160, 80, 160, 80, 160], [0, 1, 2, 3, 4], [1, 2, 3, 4, 5])
    assert best_packing(found).size == 240


def test_many_blocks_without_a_matrix(monkeypatch):
    monkeypatch.setattr("executorch.memory_planning.packing._DENSE_LIMIT", 3)
    found = Blocks([16, 32, 48, 16], [0, 1, 2, 3], [1, 2, 3, 4])
    assert found._matrix is None
    assert_valid(found, best_packing(found))


def test_no_blocks():
    assert best_packing(Blocks([], [], [])).size == 0
    assert largest_live_set([], [], []) == 0


def test_live_bytes_at_each_beginning():
    assert live_bytes([10, 20, 30], [0, 1, 2], [1, 1, 3]) == [(0, 10), (1, 30), (2, 30)]


@pytest.mark.parametrize("count", [300])
def test_a_large_graph_stays_close_to_the_bound(count):
    random = np.random.default_rng(0)
    first = np.sort(random.integers(0, 2 * count, count))
    found = Blocks(16 * random.integers(1, 100, count), first, first + random.integers(1, 8, count))
    packing = best_packing(found)
    assert_valid(found, packing)
    assert packing.size <= 1.05 * found.lower_bound()
