"""Removal: what changes nothing goes, and what only seems to stays."""

import pytest
import torch

from executorch.backends.cadence.passes import remove_identities as identities
from executorch.backends.cadence.passes.graphs_for_tests import INT8, after, aten, cadence, decomposed
from executorch.backends.cadence.passes.remove_batch_counts import RemoveBNTrackingMutationsPass
from executorch.backends.cadence.passes.remove_moves import (
    RemovePermuteBeforeMeanPass,
    RemovePermutesAroundElementwiseOps,
    RemoveSqueezeViewBeforeElementwiseOps,
)
from executorch.exir import to_edge

X = torch.randn(2, 1, 4)
Q = torch.randint(-128, 128, (2, 1, 4), dtype=torch.int8)
_SLICE, _VIEW, _PAD = aten.slice_copy.Tensor, aten.view_copy.default, aten.constant_pad_nd.default
_NORM, _EXPAND = aten.linalg_vector_norm.default, aten.expand_copy.default


@pytest.mark.parametrize(
    ("pass_", "op", "args", "left"),
    [
        (identities.RemoveAliasCopyOpPass, aten.alias_copy.default, (), []),
        (identities.RemoveDetachCopyPass, aten.detach_copy.default, (), []),
        (identities.RemoveContiguousOpPass, aten.contiguous.default, (), []),
        (identities.RemoveCloneOpsTransformImported, aten.clone.default, (), []),
        (identities.RemoveToOpsPass, aten.to.dtype, (torch.float32,), []),
        (identities.RemoveToOpsPass, aten.to.dtype, (torch.float64,), None),
        (identities.RemoveNopExpandOpPass, _EXPAND, ([2, 1, 4],), []),
        (identities.RemoveNopExpandOpPass, _EXPAND, ([2, 3, 4],), None),
        (identities.RemoveNopSliceOrViewOpPass, _VIEW, ([2, 1, -1],), []),
        (identities.RemoveNopSliceOrViewOpPass, _VIEW, ([2, 4],), None),
        (identities.RemoveNopSliceOrViewOpPass, _SLICE, (2, 0, 9), []),
        (identities.RemoveNopSliceOrViewOpPass, _SLICE, (2, 1, 9), None),
        (identities.RemoveZeroSizedConstantPadNd, _PAD, ([0, 0],), []),
        (identities.RemoveZeroSizedConstantPadNd, _PAD, ([0, 1],), None),
        (identities.RemoveNopLinalgVectorNormOpPass, _NORM, (2, [1], True), ["abs"]),
        (identities.RemoveNopLinalgVectorNormOpPass, _NORM, (2, [1], False), ["abs", "view_copy"]),
        (identities.RemoveNopLinalgVectorNormOpPass, _NORM, (2, [2], True), None),
    ],
)
def test_identities_go(pass_, op, args, left):
    assert after(pass_(), lambda do, x: do(aten.neg.default, do(op, x, *args)), X) == (
        None if left is None else [*left, "neg"]
    )


def test_sums_with_zero_go_where_they_change_no_type():
    def write(do, x, number, zero):
        fill = do(aten.full.default, [4], zero)
        return do(aten.add.Tensor, fill, do(aten.add.Tensor, x, fill, alpha=number))

    assert after(identities.RemoveNopAddOpPass(), lambda do, x: write(do, x, 3, 0), X) == []
    assert after(identities.RemoveNopAddOpPass(), lambda do, x: write(do, x, 3, 1), X) is None
    # The first one makes numbers of integers.
    integers = torch.randint(5, (2, 1, 4))
    names = after(identities.RemoveNopAddOpPass(), lambda do, x: write(do, x, 1, 0.0), integers)
    assert names == ["full", "add.Tensor"]


def test_products_with_zero_are_zeros():
    def write(do, x):
        return do(aten.mul.Tensor, do(aten.full.default, [3, 4], 0), x)

    assert after(identities.RemoveNopMulOpPass(), write, X) == ["full"]


def test_requantization_to_the_same_goes():
    def write(do, q, *to):
        return do(aten.neg.default, do(cadence.requantize.per_tensor, q, 0.5, 1, *to, torch.int8))

    assert after(identities.RemoveNopRequantizeOpPass(), lambda do, q: write(do, q, 0.5, 1), Q) == ["neg"]
    assert after(identities.RemoveNopRequantizeOpPass(), lambda do, q: write(do, q, 0.5, 2), Q) is None


def test_what_has_no_elements_is_not_concatenated():
    def write(do, x, nothing):
        return do(aten.cat.default, [nothing, x, nothing, x], 1), do(aten.cat.default, [x, nothing], 1)

    nothing = torch.randn(2, 0, 4)
    assert after(identities.RemoveZeroSizedCatArgsPass(), write, X, nothing) == ["cat"]
    assert (
        after(identities.RemoveZeroSizedCatArgsPass(), lambda do, x: do(aten.cat.default, [x, x]), X) is None
    )


@pytest.mark.parametrize(
    ("bounds", "is_gone"), [((0, 1), True), ((2, 4), True), ((1, 3), False), ((2, 2), True)]
)
def test_slices_of_concatenations_read_their_part(bounds, is_gone):
    def write(do, x, y):
        return do(_SLICE, do(aten.cat.default, [x, y], -1), 1, *bounds)

    names = after(identities.RemoveCatFromSliceCopyPass(), write, torch.randn(3, 2), torch.randn(3, 4))
    assert names == (["slice_copy.Tensor"] if is_gone else None)


def test_slices_along_others_read_the_concatenation():
    def write(do, x):
        return do(_SLICE, do(aten.cat.default, [x, x], 1), 0, 0, 1)

    assert after(identities.RemoveCatFromSliceCopyPass(), write, X) is None


@pytest.mark.parametrize(
    ("dims", "reduced", "keeps", "left"),
    [
        ([0, 2, 3, 1], [1, 2], False, []),
        ([0, 2, 3, 1], [-1, -2], False, []),
        ([2, 0, 3, 1], [2, 3], False, ["permute_copy"]),
        ([0, 1, 3, 2], [2, 3], True, []),
        ([0, 2, 3, 1], [1, 2], True, ["permute_copy"]),
        ([1, 0, 2, 3], [0], False, []),
    ],
)
def test_means_run_before_permutations(dims, reduced, keeps, left):
    def write(do, x):
        relu = do(aten.relu.default, do(aten.permute_copy.default, x, dims))
        return do(aten.mean.dim, relu, reduced, keeps)

    x = torch.randn(2, 3, 4, 5)
    assert after(RemovePermuteBeforeMeanPass(), write, x) == ["relu", "mean.dim", *left]


def test_a_permutation_that_makes_means_of_neighbours_stays_if_little_is_left_out():
    def write(do, x):
        return do(aten.mean.dim, do(aten.permute_copy.default, x, [2, 1, 0]), [2])

    assert after(RemovePermuteBeforeMeanPass(), write, torch.randn(3, 4, 2)) is None
    assert after(RemovePermuteBeforeMeanPass(), write, torch.randn(8, 4, 2)) == ["mean.dim", "permute_copy"]


def test_dimensions_stay_until_the_next_view():
    def write(do, x):
        flat = do(_VIEW, x, [2, 4])
        q = do(decomposed.quantize_per_tensor.default, flat, *INT8)
        return do(_VIEW, do(_SLICE, q, 1, 0, 2), [2, 1, 2]), do(_VIEW, do(aten.abs.default, q), [8])

    assert after(RemoveSqueezeViewBeforeElementwiseOps(), write, X) == [
        "quantized_decomposed.quantize_per_tensor",
        "slice_copy.Tensor",
        "view_copy",
        "abs",
        "view_copy",
    ]


@pytest.mark.parametrize("sizes", [[2, 2, 2], [8]])
def test_views_that_do_more_than_drop_dimensions_stay(sizes):
    def write(do, x):
        return do(_VIEW, do(aten.abs.default, do(_VIEW, x, sizes)), [2, 4])

    assert after(RemoveSqueezeViewBeforeElementwiseOps(), write, X) is None


def test_dimensions_that_an_operator_counts_on_stay_away():
    def write(do, x):
        return do(aten.mean.dim, do(_VIEW, x, [2, 4]), [1])

    assert after(RemoveSqueezeViewBeforeElementwiseOps(), write, X) is None


def test_permutations_go_around_operators_of_cadence():
    def write(do, q):
        first = do(aten.permute_copy.default, q, [2, 0, 1])
        x = do(cadence.dequantize_per_tensor.default, first, *INT8)
        relu = do(
            cadence.quantized_relu.per_tensor,
            do(cadence.quantize_per_tensor.default, x, *INT8),
            0,
            0,
            1 << 30,
            1,
        )
        return do(aten.permute_copy.default, relu, [1, 2, 0])

    assert "permute_copy" not in after(RemovePermutesAroundElementwiseOps(), write, Q)


def test_counts_of_batches_go_from_the_program_and_its_state():
    model, image = (
        torch.nn.Sequential(torch.nn.Conv1d(3, 4, 3), torch.nn.BatchNorm1d(4)).train(),
        torch.randn(2, 3, 8),
    )
    program = to_edge(torch.export.export(model, (image,))).exported_program()
    assert any("num_batches" in name for name in program.graph_signature.buffers_to_mutate.values())
    expected = program.module()(image)
    result = RemoveBNTrackingMutationsPass()(program)
    assert result.modified
    program = result.exported_program
    assert [name for name in program.graph_signature.buffers_to_mutate.values()] == [
        "1.running_mean",
        "1.running_var",
    ]
    assert not any("num_batches" in str(spec.target) for spec in program.graph_signature.input_specs)
    assert not any("num_batches" in name for name in program.state_dict)
    program.validate()
    torch.testing.assert_close(program.module()(image), expected)
    assert not RemoveBNTrackingMutationsPass()(program).modified
