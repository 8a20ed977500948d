"""The checker finds every kind of wrong plan, and agrees with a pair-by-pair check."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning.checker import check_plan
from executorch.memory_planning.errors import MemoryPlanningError
from executorch.memory_planning.timeline import Role, Storage


def storage(offset, size, first, last, mem_id=1):
    spec = TensorSpec(torch.uint8, (size,))
    spec.mem_id, spec.mem_offset, spec.lifetime = mem_id, offset, [first, last]
    return Storage([spec], None, Role.INTERMEDIATE, first, first, last)


def test_a_good_plan_passes():
    check_plan([storage(0, 16, 0, 2), storage(16, 16, 1, 3), storage(0, 16, 3, 4)], [0, 32], 16)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (storage(None, 16, 0, 1), "has no place"),
        (storage(0, 16, 0, 1, mem_id=None), "has no place"),
        (storage(0, 16, 0, 1, mem_id=0), "memories 1 to 1"),
        (storage(0, 16, 0, 1, mem_id=2), "memories 1 to 1"),
        (storage(8, 16, 0, 1), "not a multiple of 16"),
        (storage(48, 32, 0, 1), "outside memory 1 of 64 bytes"),
        (storage(-16, 16, 0, 1), "outside memory 1"),
    ],
)
def test_wrong_places_are_found(item, message):
    with pytest.raises(MemoryPlanningError, match=message):
        check_plan([item], [0, 64], 16)


def test_overlap_is_found():
    with pytest.raises(MemoryPlanningError, match=r"bytes 0 to 20.*overlaps|overlaps.*bytes 0 to 20"):
        check_plan([storage(0, 20, 0, 2), storage(16, 16, 2, 3)], [0, 64], 16)
    check_plan([storage(0, 20, 0, 2), storage(16, 16, 2, 3)], [0, 64], 16, allow_overlap=True)


def test_different_memories_do_not_overlap():
    check_plan([storage(0, 16, 0, 2), storage(0, 16, 0, 2, mem_id=2)], [0, 16, 16], 16)


def test_values_without_bytes_overlap_nothing():
    check_plan([storage(0, 16, 0, 2), storage(0, 0, 0, 2)], [0, 16], 16)


PLACES = st.tuples(
    st.integers(0, 7), st.integers(0, 4), st.integers(0, 9), st.integers(0, 5), st.integers(1, 2)
)


@settings(max_examples=400, deadline=None)
@given(places=st.lists(PLACES, max_size=12))
def test_it_agrees_with_a_check_of_all_pairs(places):
    items = [storage(16 * o, 16 * n, first, first + d, mem_id) for o, n, first, d, mem_id in places]

    def clash(one, other):
        a, b = one.leader, other.leader
        lives = a.lifetime[0] <= b.lifetime[1] and b.lifetime[0] <= a.lifetime[1]
        begin, end = (
            max(a.mem_offset, b.mem_offset),
            min(a.mem_offset + a.nbytes(), b.mem_offset + b.nbytes()),
        )
        return a.mem_id == b.mem_id and lives and begin < end

    is_wrong = any(clash(items[i], items[j]) for i in range(len(items)) for j in range(i))
    try:
        check_plan(items, [0, 256, 256], 16)
        found = False
    except MemoryPlanningError:
        found = True
    assert found == is_wrong
