"""Regions between permutations: what is left of the permutations, and equal numbers, on graphs by hand and by chance."""

import random

import pytest
import torch

from executorch.backends.test.graph_builder import GraphBuilder
from executorch.backends.transforms.fuse_cascaded_transpose_or_permute_ops import (
    FuseCascadedTransposeOrPermuteOps,
)
from executorch.backends.transforms.remove_permutes_around_elementwise_ops import (
    RemovePermutesAroundElementwiseOps,
)
from executorch.dialects.ops import ops

_aten = ops.edge.aten
_permute, _view, _relu = _aten.permute_copy.default, _aten.view_copy.default, _aten.relu.default
_squeeze, _unsqueeze = _aten.squeeze_copy.dims, _aten.unsqueeze_copy.default
_expand, _add, _pad = _aten.expand_copy.default, _aten.add.Tensor, _aten.constant_pad_nd.default


def after(pass_, write, *shapes):
    """The operators that are left, with their numbers; ``None`` if the pass says that it changed nothing."""
    builder = GraphBuilder()
    inputs = [torch.randn(shape) for shape in shapes]
    values = [builder.placeholder(f"x{i}", one) for i, one in enumerate(inputs)]
    builder.output([write(lambda op, *args: builder.call_operator(op, args), *values)])
    module = builder.get_graph_module()
    expected = module(*inputs)
    result = pass_(module)
    result.graph_module.graph.lint()
    (got,) = result.graph_module(*inputs)
    torch.testing.assert_close(got, expected[0])
    (last,) = result.graph_module.graph.output_node().args[0]
    assert last.meta["val"].shape == got.shape
    if not result.modified:
        return None
    calls = [node for node in result.graph_module.graph.nodes if node.op == "call_function"]
    return [(node.target.__name__.split(".")[1], *node.args[1:]) for node in calls]


def removed(write, *shapes):
    return after(RemovePermutesAroundElementwiseOps(), write, *shapes)


# Name -> what stands between the permutation [0, 2, 1] of (2, 3, 4) and the last one, that one, what is left.
AROUND = {
    "view adds": (lambda do, v: do(_view, v, [2, 1, 4, 3]), [0, 1, 3, 2], [("view_copy", [2, 1, 3, 4])]),
    "unsqueeze": (lambda do, v: do(_unsqueeze, v, -1), [0, 2, 1, 3], [("unsqueeze_copy", 3)]),
    "unsqueeze first": (lambda do, v: do(_unsqueeze, v, 0), [0, 1, 3, 2], [("unsqueeze_copy", 0)]),
    "repeated": (
        lambda do, v: do(_view, do(_expand, do(_unsqueeze, v, 2), [2, 4, 3, 3]), [2, 12, 3]),
        [0, 2, 1],
        [("unsqueeze_copy", 3), ("expand_copy", [2, 3, 4, 3]), ("view_copy", [2, 3, 12])],
    ),
    "padded": (lambda do, v: do(_pad, v, [0, 1]), [0, 2, 1], [("constant_pad_nd", [0, 0, 0, 1])]),
    "another order": (lambda do, v: do(_relu, v), [1, 0, 2], [("relu",), ("permute_copy", [2, 0, 1])]),
}


@pytest.mark.parametrize("name", AROUND)
def test_permutations_around_what_runs_on_any_order(name):
    write, last, left = AROUND[name]
    got = removed(lambda do, x: do(_permute, write(do, do(_permute, x, [0, 2, 1])), last), (2, 3, 4))
    assert [(one[0], *one[1:2]) for one in got] == left


def test_dropped_dimensions_and_chains():
    for drop in (lambda do, v: do(_squeeze, v, [0]), lambda do, v: do(_view, v, [4, 5, 3])):
        got = removed(
            lambda do, x, drop=drop: do(
                _permute, do(_relu, drop(do, do(_permute, x, [0, 2, 3, 1]))), [2, 0, 1]
            ),
            (1, 3, 4, 5),
        )
        assert [name for name, *_ in got] == [
            "squeeze_copy" if drop(lambda *a: a, 0)[0] is _squeeze else "view_copy",
            "relu",
        ]

    def chain(do, x):
        first = do(_relu, do(_permute, x, [0, 2, 1]))
        return do(_permute, do(_relu, do(_permute, first, [1, 0, 2])), [2, 1, 0])

    names = [name for name, *_ in removed(chain, (2, 3, 4))]
    assert names == ["relu", "relu", "permute_copy"]


def test_a_pooled_image_is_flat_in_any_order():
    def pooled(do, x):
        return do(_view, do(_aten.mean.dim, do(_permute, x, [0, 2, 3, 1]), [1, 2], True), [1, 3])

    assert removed(pooled, (1, 3, 4, 5)) == [("mean", [2, 3], True), ("view_copy", [1, 3])]


def test_constants_are_permuted_back():
    def write(do, x):
        return do(_permute, do(_add, do(_permute, x, [0, 2, 1]), torch.randn(4, 3)), [0, 2, 1])

    assert [name for name, *_ in removed(write, (2, 3, 4))] == ["view_copy", "permute_copy", "add"]


def test_one_reader_of_a_permutation_runs_in_the_first_order_where_another_cannot():
    def write(do, x):
        permuted = do(_permute, x, [0, 2, 1])
        flat = do(_view, permuted, [8, 3])
        back = do(_permute, do(_relu, permuted), [0, 2, 1])
        return do(_add, do(_view, flat, [2, 3, 4]), back)

    names = [name for name, *_ in removed(write, (2, 3, 4))]
    assert sorted(names) == ["add", "permute_copy", "relu", "view_copy", "view_copy"]


# What needs the permuted order, or saves nothing.
KEPT = {
    "no permutation behind": lambda do, x, y: do(_relu, do(_permute, x, [0, 2, 1])),
    "a plain operand": lambda do, x, y: do(_permute, do(_add, do(_permute, x, [0, 2, 1]), y), [0, 2, 1]),
    "merged dimensions": lambda do, x, y: do(_permute, do(_view, do(_permute, x, [0, 2, 1]), [8, 3]), [1, 0]),
    "a squeeze of nothing": lambda do, x, y: do(
        _permute, do(_squeeze, do(_permute, x, [0, 2, 1]), [1]), [0, 2, 1]
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_no_match(name):
    assert removed(KEPT[name], (2, 3, 4), (2, 4, 3)) is None


def test_two_permutations_with_a_view_between_become_one_view():
    fuse = FuseCascadedTransposeOrPermuteOps()

    def write(last, x, do):
        return do(_permute, do(_view, do(_permute, x, [0, 2, 1]), [2, 1, 4, 3]), last)

    assert after(fuse, lambda do, x: write([1, 0, 3, 2], x, do), (2, 3, 4)) == [("view_copy", [1, 2, 3, 4])]
    assert after(fuse, lambda do, x: write([3, 1, 0, 2], x, do), (2, 3, 4)) is None


def _grow(dice, builder, value):
    """One more operator on ``value``, whatever fits it."""
    sizes = list(value.data.shape)
    rank, dim = len(sizes), dice.randrange(len(sizes))
    order = dice.sample(range(rank), rank)
    choices = [
        (_relu, value),
        (_permute, value, order),
        (_permute, value, order),
        (_aten.cat.default, [value, value], dim - rank),
        (_aten.slice_copy.Tensor, value, dim - rank, 0, max(1, sizes[dim] - 1)),
        (_aten.mean.dim, value, [dim], True),
        (_pad, value, [dice.randint(0, 1) for _ in range(2 * (dim + 1))], 0.5),
        (_add, value, torch.randn([dice.choice([1, size]) for size in sizes[dim:]])),
        (_aten.squeeze_copy.dim, value, dim),
    ]
    if rank < 5:
        choices += [(_unsqueeze, value, dim - rank), (_unsqueeze, value, dim)]
    real = [size for size in sizes if size != 1] or [1]
    choices.append((_view, value, [*real[:1], 1, *real[1:]]))
    op, *args = dice.choice(choices)
    made = builder.call_operator(op, tuple(args))
    return made if made.data.dim() > 1 else builder.call_operator(_unsqueeze, (made, 0))


@pytest.mark.parametrize("kind", [RemovePermutesAroundElementwiseOps, FuseCascadedTransposeOrPermuteOps])
def test_numbers_stay_on_graphs_by_chance(kind):
    changed = 0
    for seed in range(150):
        dice = random.Random(seed)
        torch.manual_seed(seed)
        builder = GraphBuilder()
        x = torch.randn([dice.choice([1, 1, 2, 3, 4]) for _ in range(dice.choice([3, 4]))])
        values = [builder.placeholder("x", x)]
        for _ in range(dice.randint(3, 8)):
            values.append(_grow(dice, builder, dice.choice(values[-2:])))
        last = values[-1].data.dim()
        builder.output([builder.call_operator(_permute, (values[-1], dice.sample(range(last), last)))])
        module = builder.get_graph_module()
        expected = module(x)
        result = kind()(module)
        changed += result.modified
        torch.testing.assert_close(result.graph_module(x), expected)
    assert changed > 10
