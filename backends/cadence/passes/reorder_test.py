"""Reordering: less is moved or calculated, integers live longer; the same numbers, and what stays."""

import pytest
import torch

from executorch.backends.cadence.passes import reorder_moves as moves
from executorch.backends.cadence.passes import reorder_quantization as order
from executorch.backends.cadence.passes.graphs_for_tests import INT8, after, aten, cadence, decomposed, graph

QUANTIZE, DEQUANTIZE = decomposed.quantize_per_tensor.default, decomposed.dequantize_per_tensor.default
Q, D = "quantized_decomposed.quantize_per_tensor", "quantized_decomposed.dequantize_per_tensor"
X, OTHER = torch.randn(4, 6, 5), (0.1, -5, -128, 127, torch.int8)
_CAT, _SLICE, _VIEW, _PERMUTE = (
    aten.cat.default,
    aten.slice_copy.Tensor,
    aten.view_copy.default,
    aten.permute_copy.default,
)
INTEGERS = torch.randint(-128, 128, (4, 6, 5), dtype=torch.int8)


def test_quantization_moves_over_all_that_moves_elements():
    def write(do, x):
        return do(QUANTIZE, do(_VIEW, do(_PERMUTE, x, [2, 0, 1]), [5, 24]), *INT8)

    assert after(order.AdvanceQuantizeOpAboveDefChainPass(), write, X) == [Q, "permute_copy", "view_copy"]


def test_parts_of_a_concatenation_are_quantized_one_by_one():
    def write(do, x, q):
        joined = do(_CAT, [do(_PERMUTE, x, [0, 2, 1]), do(DEQUANTIZE, q, *OTHER)], 1)
        return do(QUANTIZE, joined, *INT8)

    q = torch.randint(-128, 128, (4, 3, 6), dtype=torch.int8)
    assert after(order.AdvanceQuantizeOpAboveDefChainPass(), write, X, q) == [Q, "permute_copy", D, Q, "cat"]


def test_the_same_part_is_quantized_once():
    def write(do, x):
        return do(QUANTIZE, do(_CAT, [x, x]), *INT8)

    assert after(order.AdvanceQuantizeOpAboveDefChainPass(), write, X) == [Q, "cat"]


def test_quantization_does_not_move_over_what_others_read():
    def write(do, x):
        viewed = do(_VIEW, x, [24, 5])
        return do(QUANTIZE, viewed, *INT8), viewed

    assert after(order.AdvanceQuantizeOpAboveDefChainPass(), write, X) is None


def test_quantization_moves_over_operators_that_the_caller_names():
    def write(do, x, y):
        return do(QUANTIZE, do(aten.slice_scatter.default, x, y, 0, 1, 3), *INT8)

    more = {aten.slice_scatter.default: (0, 1)}
    assert after(order.AdvanceQuantizeOpAboveDefChainPass(more), write, X, X[:2]) == [Q, Q, "slice_scatter"]
    assert after(order.AdvanceQuantizeOpAboveDefChainPass(), write, X, X[:2]) is None


def branches(*given):
    def write(do, x):
        viewed = do(_VIEW, x, [4, 30])
        return [
            do(QUANTIZE, do(_SLICE, viewed, 0, place, place + 1), *one) for place, one in enumerate(given)
        ]

    return write


def test_what_is_quantized_in_all_branches_is_quantized_once():
    names = after(order.AdvanceQuantizeOpAboveDefInBranchPass(), branches(INT8, INT8, OTHER), X, off_by=1)
    assert names[:2] == [Q, "view_copy"] and names.count(Q) == 4 and names.count(D) == 3


def test_one_branch_needs_no_way_back():
    names = after(order.AdvanceQuantizeOpAboveDefInBranchPass(), branches(INT8), X)
    assert names == [Q, "view_copy", "slice_copy.Tensor"]


def test_values_keep_their_range_where_that_is_asked_for():
    keeping = order.AdvanceQuantizeOpAboveDefInBranchPass(keeps_ranges=True)
    assert after(keeping, branches(INT8, OTHER), X) is None
    assert after(keeping, branches(INT8, INT8), X)[:2] == [Q, "view_copy"]


def test_branches_that_stay_numbers_keep_the_value():
    def write(do, x):
        viewed = do(_VIEW, x, [24, 5])
        return do(QUANTIZE, do(_SLICE, viewed, 0, 0, 2), *INT8), do(aten.abs.default, viewed)

    assert after(order.AdvanceQuantizeOpAboveDefInBranchPass(), write, X) is None


def test_integers_become_numbers_behind_all_that_moves_them():
    def write(do, q):
        x = do(_VIEW, do(DEQUANTIZE, q, *INT8), [24, 5])
        return do(aten.abs.default, do(_SLICE, x, 0, 0, 2)), do(aten.neg.default, do(_SLICE, x, 0, 2, 9))

    names = after(order.PostponeDequantizeOpBelowUseChainPass(), write, INTEGERS)
    assert sorted(names) == sorted(
        ["view_copy", "slice_copy.Tensor", D, "abs", "slice_copy.Tensor", D, "neg"]
    )


def test_integers_that_are_read_as_numbers_become_numbers_there():
    def write(do, q):
        x = do(cadence.dequantize_per_tensor.default, q, *INT8)
        return do(_VIEW, x, [24, 5]), do(aten.abs.default, x)

    assert after(order.PostponeDequantizeOpBelowUseChainPass(), write, INTEGERS) is None


def test_concatenations_of_integers_are_split_by_who_reads_them():
    def write(do, q, x):
        joined = do(_CAT, [do(DEQUANTIZE, q, *INT8), x])
        read = [do(QUANTIZE, joined, *one) for one in (INT8, INT8, OTHER)]
        return [do(aten.abs.default, joined), *read]

    names = after(order.SplitDequantizedCatPass(), write, INTEGERS, X)
    assert names.count("cat") == 3


@pytest.mark.parametrize("is_integer", [True, False])
def test_others_stay_whole(is_integer):
    def write(do, q, x):
        joined = do(_CAT, [do(DEQUANTIZE, q, *INT8) if is_integer else x, x])
        return do(aten.abs.default, joined), *([] if is_integer else [do(QUANTIZE, joined, *INT8)])

    assert after(order.SplitDequantizedCatPass(), write, INTEGERS, X) is None


def test_numbers_are_made_where_they_are_read_and_integers_where_they_can_be():
    def write(do, q, x):
        early, other = do(DEQUANTIZE, q, *INT8), do(aten.abs.default, x)
        return do(QUANTIZE, x, *INT8), do(aten.add.Tensor, other, early)

    sunk = after(order.SinkOpsCloserToUsePass(), write, INTEGERS, X)
    assert sunk == ["abs", Q, D, "add.Tensor"]
    hoisted = after(order.HoistOpsCloserToDefPass(), write, INTEGERS, X)
    assert hoisted == [Q, D, "abs", "add.Tensor"]


def test_several_quantizations_of_one_value_keep_their_order():
    def write(do, x):
        y = do(aten.abs.default, x)
        return do(aten.neg.default, y), do(QUANTIZE, y, *INT8), do(QUANTIZE, y, *OTHER)

    assert after(order.HoistOpsCloserToDefPass(), write, X) == ["abs", Q, Q, "neg"]


def test_tensors_that_are_permuted_alike_are_permuted_together():
    def write(do, x, y, first, second):
        return do(_CAT, [do(_PERMUTE, x, first), do(_PERMUTE, y, second)], 2)

    y = torch.randn(3, 6, 5)
    alike = [1, 2, 0]
    assert after(moves.MovePermuteAfterConcat(), lambda do, *x: write(do, *x, alike, alike), X, y) == [
        "cat",
        "permute_copy",
    ]
    z = torch.randn(6, 3, 5)
    assert after(moves.MovePermuteAfterConcat(), lambda do, *x: write(do, *x, alike, [0, 2, 1]), X, z) is None


@pytest.mark.parametrize(
    ("dim", "end", "is_moved"), [(1, 5, True), (-1, 5, True), (0, 1, True), (0, 3, False)]
)
def test_slices_before_permutations(dim, end, is_moved):
    def write(do, x):
        return do(_SLICE, do(_PERMUTE, x, [0, 2, 1]), dim, 0, end)

    names = after(moves.MoveSliceBeforePermutePass(), write, X)
    assert names == (["slice_copy.Tensor", "permute_copy"] if is_moved else None)


@pytest.mark.parametrize(
    ("sizes", "taken", "is_moved"),
    [
        ([2, 8, 4, 2], (3, 1, 2), True),
        ([2, 8, 4, 2], (2, 1, 3), True),
        ([2, 8, 4, 2], (2, 0, 4, 3), False),
        ([2, 8, 2, 2, 2], (3, 0, 1), False),
        ([2, 8, 2, 4], (2, 1, 2), True),
        ([2, 8, 2, 4], (3, 0, 2), False),
        ([16, 8], (1, 2, 7, 2), True),
        ([16, 8], (0, 1, 2), False),
        ([2, 1, 8, 8], (2, 1, 7, 3), True),
    ],
)
def test_slices_before_views(sizes, taken, is_moved):
    def write(do, x):
        return do(_SLICE, do(_VIEW, x, sizes), *taken)

    names = after(moves.MoveSliceBeforeViewPass(), write, torch.randn(2, 8, 8))
    assert names == (["slice_copy.Tensor", "view_copy"] if is_moved else None)


def test_slices_before_quantization_and_operators_that_broadcast():
    def write(do, x, y):
        q = do(cadence.quantize_per_tensor.default, do(aten.mul.Tensor, x, y), *INT8)
        return do(_SLICE, q, 1, 0, 6, 2)

    names = after(moves.PropagateSlice(), write, X, torch.randn(4, 1, 5))
    assert names == ["slice_copy.Tensor", "mul.Tensor", "cadence.quantize_per_tensor"]
    rank = after(moves.PropagateSlice(), write, X, torch.randn(5))
    assert rank == names


@pytest.mark.parametrize(
    "write",
    [
        lambda do, x: do(_SLICE, do(aten.add.Tensor, x, x), 0, 0, 2),
        lambda do, x: do(_SLICE, do(aten.relu.default, x), 0, 0, 2),
        lambda do, x: do(_SLICE, do(QUANTIZE, x, *INT8), 0, 0, 4),
        lambda do, x: [q := do(QUANTIZE, x, *INT8), do(_SLICE, q, 0, 0, 2)],
    ],
    ids=["two slices", "another operator", "all", "read"],
)
def test_other_slices_stay(write):
    assert after(moves.PropagateSlice(), write, X) is None


def test_lifetimes_end_at_the_last_of_the_inputs():
    module = graph(lambda do, x, y: (do(aten.abs.default, y), do(QUANTIZE, x, *INT8)), X, X)
    assert order.HoistOpsCloserToDefPass()(module).modified
    assert [node.op for node in module.graph.nodes][:2] == ["placeholder", "placeholder"]
