"""Banks: capacities hold, pins stay, and the places are those of ExecuTorch 1.5.1."""

import pytest
import torch

from executorch.dialects import meta_keys
from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning import BUFFER_SIZES, greedy
from executorch.memory_planning.banked import (
    Bank,
    BankedGreedy,
    BankPlacementError,
    TargetMemoryMap,
    banked_memory_planning_pass,
    format_placement_report,
    planned_mem_ids,
)
from executorch.memory_planning.testing import ExecutionGraph

relu = torch.ops.aten.relu.out


def spec(floats, first, last, mem_id=None):
    made = TensorSpec.from_tensor(torch.zeros(floats))
    made.lifetime, made.mem_id = [first, last], mem_id
    return made


def plan(banks, specs, padding=0, **options):
    result = BankedGreedy(TargetMemoryMap(banks), **options)(16, specs, None, None, padding)
    places = [result.spec_dict[item] for item in specs]
    return result.bufsizes, [(place.mem_id, place.mem_obj_id, place.mem_offset) for place in places]


ONE = [Bank("a", 1000, 1)]
TWO = [Bank("a", 64, 1), Bank("b", 1000, 2)]


# What release 1.5.1 gives for the same values.
@pytest.mark.parametrize(
    ("banks", "specs", "sizes", "places"),
    [
        (ONE, [(16, 0, 3), (8, 0, 3, 1)], [0, 96], [(1, 1, 32), (1, 0, 0)]),
        (ONE, [(16, 0, 3), (8, 4, 5, 1)], [0, 96], [(1, 1, 32), (1, 0, 0)]),
        (ONE, [(8, 0, 3), (8, 0, 3), (16, 4, 5, 1)], [0, 64], [(1, 0, 32), (1, 0, 0), (1, 0, 0)]),
        (
            TWO,
            [(16, 0, 3), (16, 0, 3), (4, 5, 6), (4, 0, 3)],
            [0, 64, 80],
            [(2, 0, 0), (1, 0, 0), (1, 0, 0), (2, 1, 64)],
        ),
        (TWO, [(12, 0, 3, 3), (4, 0, 3)], [0, 16, 0, 48], [(3, 0, 0), (1, 0, 0)]),
        (
            [Bank("a", 128, 1, 64), Bank("b", 1000, 2)],
            [(12, 0, 3), (20, 0, 3), (16, 0, 3)],
            [0, 128, 112],
            [(2, 1, 64), (1, 0, 0), (2, 0, 0)],
        ),
    ],
)
def test_places_of_the_release(banks, specs, sizes, places):
    assert plan(banks, [spec(*item) for item in specs]) == (sizes, places)


def test_padding_counts_against_the_capacity():
    specs = [spec(12, 0, 3), spec(4, 0, 3), spec(4, 0, 3)]
    assert plan(TWO, specs, padding=16) == ([0, 64, 48], [(1, 0, 0), (2, 1, 16), (2, 0, 0)])


def test_what_bodies_have_reserved_stays_clear():
    module = torch.fx.GraphModule({}, torch.fx.Graph())
    module.input_mem_buffer_sizes = [0, 40, 0]
    specs = [spec(4, 0, 9) for _ in range(3)]
    planned = BankedGreedy(TargetMemoryMap([Bank("a", 80, 1), Bank("b", 1000, 2)]))(16, specs, module)
    assert planned.bufsizes == [0, 80, 16]
    places = sorted((place.mem_id, place.mem_offset) for place in planned.spec_dict.values())
    assert places == [(1, 48), (1, 64), (2, 0)]


def test_one_large_bank_is_greedy():
    specs = [spec(size, first, first + 2) for first, size in enumerate((8, 64, 8, 32, 16, 64, 4, 100))]
    expected = greedy(16, specs)
    sizes, places = plan([Bank("all", 1 << 20, 1)], specs)
    assert sizes == expected.bufsizes
    assert [place[2] for place in places] == [expected.spec_dict[item].mem_offset for item in specs]


def test_what_fits_nowhere_is_named():
    with pytest.raises(
        BankPlacementError, match=r"No declared bank can hold a 4000-byte buffer.*a has 64 of 64"
    ):
        plan(TWO, [spec(1000, 0, 1)])
    with pytest.raises(BankPlacementError, match=r"pinned to bank a \(mem_id=1\), but a has 16 of 64"):
        plan(TWO, [spec(12, 0, 3, 1), spec(8, 0, 3, 1)])
    with pytest.raises(BankPlacementError, match="not a multiple of the plan's 16"):
        plan([Bank("a", 64, 1, 24)], [])


@pytest.mark.parametrize(
    ("banks", "message"),
    [
        ([], "at least one bank"),
        ([Bank("a", 0, 1)], "non-positive size 0"),
        ([Bank("a", 8, 0)], "arena 0 is reserved"),
        ([Bank("a", 8, 1, 0)], "non-positive alignment 0"),
        ([Bank("a", 8, 1), Bank("a", 8, 2)], "Duplicate bank names"),
        ([Bank("a", 8, 1), Bank("b", 8, 1)], "Duplicate mem_ids"),
    ],
)
def test_a_map_that_makes_no_sense(banks, message):
    with pytest.raises(ValueError, match=message):
        TargetMemoryMap(banks)


def test_questions_to_a_map():
    target = TargetMemoryMap(TWO)
    assert (target.mem_ids(), target.mem_id("b"), target.bank(2).name) == ([1, 2], 2, "b")
    assert target.manages(1) and not target.manages(3)
    with pytest.raises(ValueError, match="mem_id 3 is not"):
        target.bank(3)
    with pytest.raises(ValueError, match="No bank named 'x'"):
        target.mem_id("x")


def method():
    """small -> big -> big -> small; 64 and 1024 bytes."""
    graph = ExecutionGraph()
    nodes = [graph.input(16)]
    for size in (256, 256, 16):
        nodes.append(graph.call(relu, nodes[-1], shape=(size,)))
    graph.output(nodes[-1])
    return graph.module(), [node.meta[meta_keys.SPEC] for node in nodes]


def test_the_pass_spills_and_reports():
    module, specs = method()
    target = TargetMemoryMap([Bank("sram", 1100, 1), Bank("dram", 1 << 20, 2)])
    banked_memory_planning_pass(target).run(module)
    sizes = module.meta[BUFFER_SIZES]
    assert 1024 <= sizes[1] <= 1100 and sizes[2] == 1024
    assert sorted(spec.mem_id for spec in specs) == [1, 1, 1, 2]
    report = format_placement_report(target, sizes, planned_mem_ids(module))
    assert f"total planned: {sum(sizes)} bytes over 2 banks" in report
    assert [line.split()[-1] for line in report.splitlines()[2:4]] == ["3", "1"]


def test_shared_buffers_need_memory_2():
    with pytest.raises(ValueError, match="share_mutable_buffers"):
        banked_memory_planning_pass(TargetMemoryMap(TWO), share_mutable_buffers=True)
