"""The choice of layouts against every other choice there is."""

import itertools
import random

import pytest
import torch

from executorch.backends.xnnpack.graph.islands import Demands, choose_layouts, transposed_bytes
from executorch.backends.xnnpack.graph.layout import Layout

LAYOUTS = (Layout.PLAIN, Layout.CHANNELS_LAST)


def total(demands, costs, chosen):
    """What all transposes cost; one for each value that is wanted in the other order."""
    layouts = {**demands.fixed, **chosen}
    spent = 0
    for value, readers in demands.readers.items():
        wanted = {one if isinstance(one, Layout) else layouts[one] for one in readers}
        spent += costs[value] * bool(wanted - {layouts[value]})
    return spent


def random_demands(seed):
    """Operators in a row, each of which reads one or two values before it."""
    source = random.Random(seed)
    demands, costs, values = Demands(), {}, []
    for number in range(9):
        value = f"v{number}"
        costs[value] = source.randint(1, 20)
        inputs = source.sample(values, min(len(values), source.randint(1, 2)))
        kind = source.choice(["free", "free", *LAYOUTS]) if values else source.choice(LAYOUTS)
        if kind == "free":
            demands.free.add(value)
        else:
            demands.fixed[value] = kind
        for one in inputs:
            demands.read(one, value if kind == "free" else kind)
        values.append(value)
    demands.read(values[-1], source.choice(LAYOUTS))
    return demands, costs


@pytest.mark.parametrize("seed", range(40))
def test_no_other_choice_is_cheaper(seed):
    demands, costs = random_demands(seed)
    chosen = choose_layouts(demands, costs)
    assert set(chosen) == demands.free
    free = sorted(demands.free)
    every = (dict(zip(free, one, strict=True)) for one in itertools.product(LAYOUTS, repeat=len(free)))
    assert total(demands, costs, chosen) == min(total(demands, costs, one) for one in every)


def test_a_greedy_choice_would_be_worse():
    """Two convolutions' results are added to something small that comes plain, and the sum is wanted plain."""
    demands = Demands(fixed={"image": Layout.CHANNELS_LAST, "other": Layout.PLAIN}, free={"sum", "product"})
    demands.read("image", "sum")
    demands.read("other", "sum")
    demands.read("sum", "product")
    demands.read("product", Layout.PLAIN)
    costs = {"image": 100, "other": 100, "sum": 100, "product": 1}
    chosen = choose_layouts(demands, costs)
    assert total(demands, costs, chosen) == 100 and chosen["sum"] is chosen["product"]


def test_without_spatial_operators_everything_is_plain():
    demands = Demands(fixed={"x": Layout.PLAIN}, free={"y"})
    demands.read("x", "y")
    demands.read("y", Layout.PLAIN)
    assert choose_layouts(demands, {"x": 5, "y": 5}) == {"y": Layout.PLAIN}


def test_costs():
    assert transposed_bytes(torch.zeros(2, 3, 4, 5)) == 2 * 3 * 4 * 5 * 4
    assert transposed_bytes(torch.zeros(2, 3, 4, 5, dtype=torch.int8)) == 2 * 3 * 4 * 5
    assert transposed_bytes(torch.zeros(2, 3, 1, 1)) == transposed_bytes(torch.zeros(2, 1, 4, 5)) == 1
    assert transposed_bytes(torch.zeros(2, 3)) == 0
