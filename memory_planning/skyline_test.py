"""The search for small graphs: never worse than the heuristics, optimal where it does not give up."""

import itertools
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from executorch.memory_planning.packing import Blocks, best_packing, pack
from executorch.memory_planning.skyline import smallest_packing
from executorch.memory_planning.testing import HARD_TO_PACK


def blocks_of(items):
    return Blocks(*([item[column] for item in items] for column in range(3)))


BLOCKS = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 6), st.integers(0, 4)), min_size=1, max_size=7
).map(lambda items: blocks_of([(16 * size, first, first + length) for size, first, length in items]))


def is_valid(blocks, packing):
    ends = packing.offsets + blocks.sizes
    for one, other in itertools.combinations(range(len(blocks)), 2):
        meet = blocks.sizes[one] and blocks.sizes[other] and blocks.contemporaries(one)[other]
        if meet and ends[one] > packing.offsets[other] and ends[other] > packing.offsets[one]:
            return False
    return int(ends.max()) == packing.size


def brute_force(blocks):
    """The smallest size over all orders; exact, because some order makes first fit optimal."""
    return min(pack(blocks, order).size for order in itertools.permutations(range(len(blocks))))


@settings(max_examples=60, deadline=None)
@given(found=BLOCKS)
def test_it_finds_the_smallest_packing(found):
    packing = smallest_packing(found, 100_000)
    assert is_valid(found, packing) and packing.size == brute_force(found)


def test_it_beats_the_heuristics_where_they_fail():
    hard = blocks_of(HARD_TO_PACK)
    assert best_packing(hard).size == 26
    packing = smallest_packing(hard)
    assert packing.size == hard.lower_bound() == 25 and is_valid(hard, packing)


def test_it_gives_up_after_a_number_of_choices_and_is_reproducible():
    hard = blocks_of(
        [
            (size * 17 + number, first, last + number % 3)
            for number, (size, first, last) in enumerate(HARD_TO_PACK * 2)
        ]
    )
    begin = time.perf_counter()
    one, other = smallest_packing(hard), smallest_packing(hard)
    assert time.perf_counter() - begin < 30
    assert is_valid(hard, one) and one.size <= best_packing(hard).size
    assert one.offsets.tolist() == other.offsets.tolist()
    assert smallest_packing(hard, 0).size == best_packing(hard).size
