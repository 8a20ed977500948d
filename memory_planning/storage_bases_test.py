"""Values within the bytes of others go where those go."""

import pytest
import torch

from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning import MemoryPlanningError, greedy, naive
from executorch.memory_planning.banked import Bank, BankedGreedy, BankPlacementError, TargetMemoryMap
from executorch.memory_planning.packing import best_of_packings


def spec(floats, first, last, base=None, offset=0):
    made = TensorSpec.from_tensor(torch.zeros(floats))
    made.lifetime = [first, last]
    made.storage_base, made.storage_base_offset = base, offset
    return made


@pytest.mark.parametrize(
    "algorithm",
    [greedy, naive, best_of_packings, BankedGreedy(TargetMemoryMap([Bank("a", 1 << 12, 1)]))],
    ids=["greedy", "naive", "best_of_packings", "banked"],
)
def test_parts_lie_in_their_base_and_keep_it_alive(algorithm):
    base = spec(8, 0, 1)
    part = spec(4, 2, 5, base, 16)
    written = spec(8, 1, 3)
    written.inplace_base = base
    other = spec(8, 4, 5)
    result = algorithm(16, [other, part, base, written], None, None, 0)
    places = {item: result.spec_dict[item] for item in (base, part, written, other)}
    assert places[part].mem_offset == places[base].mem_offset + 16
    assert places[written] == places[base] and base.lifetime == [0, 5]
    assert abs(places[other].mem_offset - places[base].mem_offset) >= 32 and sum(result.bufsizes) == 64


def test_wrong_bases_are_refused():
    base = spec(4, 0, 1)
    with pytest.raises(MemoryPlanningError, match="storage base"):
        greedy(16, [base, spec(4, 0, 1, base, 8)])
    base.storage_base = base
    with pytest.raises(MemoryPlanningError, match="of itself"):
        greedy(16, [base])


def test_an_offset_makes_a_part_and_no_offset_an_overwriter():
    base = spec(8, 0, 1)
    assert spec(4, 0, 1, base).inplace_base is base
    part = spec(4, 0, 1, base, 16)
    with pytest.raises(ValueError, match="offset 0"):
        _ = part.inplace_base
    with pytest.raises(ValueError, match="storage_base_offset is 0"):
        part.inplace_base = base
    assert part.storage_base_offset == 16


def test_banks_have_no_place_for_values_of_devices():
    value = spec(4, 0, 1)
    value.device = 1
    with pytest.raises(BankPlacementError, match="device"):
        BankedGreedy(TargetMemoryMap([Bank("a", 64, 1)]))(16, [value], None)
