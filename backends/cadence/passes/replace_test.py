"""Replacement: other operators, the same numbers, and what stays."""

import math
import operator

import pytest
import torch

from executorch.backends.cadence.passes import replace_constants as constants
from executorch.backends.cadence.passes import replace_spellings as spellings
from executorch.backends.cadence.passes.decompose_gelu import DecomposeAtenApproxGeluPass
from executorch.backends.cadence.passes.graphs_for_tests import INT8, after, aten, cadence, decomposed, graph
from executorch.backends.cadence.passes.replace_safe_softmax import ReplaceSafeSoftmaxWithSoftmax
from executorch.backends.cadence.passes.simplify import BindOptionalArgsPass, SimplifySliceOpPass

X = torch.randn(2, 1, 4)
M = torch.randn(3, 4)


def one(op, *args, **kwargs):
    """A graph of one call with the input in front."""
    return lambda do, *x: do(op, *x, *args, **kwargs)


@pytest.mark.parametrize(
    ("pass_", "op", "args", "left"),
    [
        (constants.ReplaceFullLikeWithFullPass, aten.full_like.default, (3,), ["full"]),
        (constants.ReplacePowWithMulPass, aten.pow.Tensor_Scalar, (3,), ["mul.Tensor"] * 2),
        (constants.ReplacePowWithMulPass, aten.pow.Tensor_Scalar, (2.0,), ["mul.Tensor"]),
        (constants.ReplacePowWithMulPass, aten.pow.Tensor_Scalar, (1.5,), None),
        (constants.ReplacePowWithMulPass, aten.pow.Tensor_Scalar, (5,), None),
        (constants.ReplaceRepeatWithCatPass, aten.repeat.default, ([1, 2, 3],), ["cat", "cat"]),
        (constants.ReplaceRepeatWithCatPass, aten.repeat.default, ([2, 1, 1, 1],), ["view_copy", "cat"]),
        (constants.ReplaceRepeatWithCatPass, aten.repeat.default, ([1, 0, 1],), None),
        (
            constants.ReplacePadWithCatPass,
            aten.constant_pad_nd.default,
            ([1, 2], 7.0),
            ["full", "full", "cat"],
        ),
        (constants.ReplacePadWithCatPass, aten.constant_pad_nd.default, ([0, 0, 0, 2],), ["full", "cat"]),
        (constants.ReplacePadWithCatPass, aten.constant_pad_nd.default, ([1, 0, 1, 0],), None),
        (constants.ReplacePadWithCatPass, aten.constant_pad_nd.default, ([-1, 2],), None),
        (
            constants.ReplaceConstantPadNdWithSlicePass,
            aten.constant_pad_nd.default,
            ([-1, -2],),
            ["slice.Tensor"],
        ),
        (
            constants.ReplaceConstantPadNdWithSlicePass,
            aten.constant_pad_nd.default,
            ([0, 0],),
            ["slice.Tensor"],
        ),
        (constants.ReplaceConstantPadNdWithSlicePass, aten.constant_pad_nd.default, ([-1, 1],), None),
        (spellings.ReplaceSelectWithViewOpPass, aten.select_copy.int, (1, -1), ["view_copy"]),
        (spellings.ReplaceSelectWithViewOpPass, aten.select_copy.int, (0, 1), None),
        (
            spellings.ReplacePermuteWithTransposePass,
            aten.permute_copy.default,
            ([2, 1, 0],),
            ["transpose_copy.int"],
        ),
        (spellings.ReplacePermuteWithTransposePass, aten.permute_copy.default, ([1, 2, 0],), None),
        (
            spellings.ReplaceFunctionallyEquivalentOpTargets,
            aten.slice.Tensor,
            (2, 1, 3),
            ["slice_copy.Tensor"],
        ),
        (SimplifySliceOpPass, aten.slice_copy.Tensor, (2, 3, 3), ["full"]),
        (SimplifySliceOpPass, aten.slice_copy.Tensor, (2, 3, 4), None),
    ],
)
def test_one_operator_becomes_others(pass_, op, args, left):
    assert after(pass_(), one(op, *args), X) == left


@pytest.mark.parametrize("kind", [torch.float32, torch.float16])
def test_gelu_by_its_approximation(kind):
    names = after(
        DecomposeAtenApproxGeluPass(),
        one(aten.gelu.default, approximate="tanh"),
        torch.randn(2, 64).to(kind),
        off_by=2e-3 if kind is torch.float16 else 1e-6,
    )
    assert (names.count("mul.Tensor"), names.count("add.Tensor"), names.count("tanh")) == (6, 2, 1)
    assert after(DecomposeAtenApproxGeluPass(), one(aten.gelu.default), X) is None


def test_numbers_are_filled_in_keeping_rank_and_type():
    write = one(aten.scalar_tensor.default, 3, dtype=torch.int32)
    assert after(constants.ReplaceScalarTensorWithFullPass(), write) == ["full"]


@pytest.mark.parametrize("number", [math.inf, -math.inf])
def test_infinities_become_the_largest_numbers(number):
    module = graph(one(aten.full.default, [2], number, dtype=torch.float16))
    assert constants.ReplaceInfArgInFullWithValuePass()(module).modified
    assert module()[0].tolist() == [math.copysign(65504, number)] * 2
    assert after(constants.ReplaceInfArgInFullWithValuePass(), one(aten.full.default, [2], 3.0)) is None


def test_nothing_is_read_for_what_has_no_elements():
    def write(do, x):
        return do(aten.cat.default, [do(aten.slice_copy.Tensor, x, 2, 0, 0), x], 2)

    assert after(constants.ReplaceEmptyTensorsWithFullPass(), write, X) == ["full", "cat"]


@pytest.mark.parametrize(
    ("x", "number"), [(torch.randn(3), 2), (torch.tensor([1, 2]), 2), (torch.tensor([1, 2]), 0.5)]
)
def test_factors_become_tensors_of_the_type_that_the_product_has(x, number):
    torch_op = torch.ops.aten.mul.Tensor
    names = after(constants.ReplaceMulTensorWithMulAndFullOpsPass(), one(torch_op, number), x)
    assert [name.split(".")[0] for name in names] == ["full", "mul"]


def test_a_choice_between_two_numbers():
    def write(do, x, first, second, sizes):
        return do(aten.where.self, do(aten.gt.Scalar, x, 0), do(first, sizes, 1.0), do(second, sizes, 2.0))

    full = aten.full.default
    pass_ = constants.ReplaceWhereWithFullArgsWithWhereScalar()
    names = after(pass_, lambda do, x: write(do, x, full, full, [3, 4]), M)
    assert names == ["gt.Scalar", "cadence.where_Scalar"]
    assert after(pass_, lambda do, x: write(do, x, full, full, [4]), M) is None


def test_the_opposite_condition_exchanges_the_choices():
    def write(do, condition, x, y):
        return do(aten.where.self, do(aten.logical_not.default, condition), x, y)

    pass_ = constants.ReplaceLogicalNotBooleanWhereWithWherePass()
    assert after(pass_, write, M > 0, M, -M) == ["where.self"]
    assert after(pass_, write, M.round().int(), M, -M) is None


def test_the_parts_of_a_split_are_slices():
    def write(do, x):
        parts = do(aten.split_with_sizes_copy.default, x, [1, 3], -1)
        return do(operator.getitem, parts, 1), do(operator.getitem, parts, 0)

    def even(do, x):
        return do(operator.getitem, do(aten.split_copy.Tensor, x, 3, 2), 1)

    assert after(spellings.ReplaceSplitWithSlicePass(), write, X) == ["slice_copy.Tensor"] * 2
    assert after(spellings.ReplaceSplitWithSlicePass(), even, X) == ["slice_copy.Tensor"]


def test_products_become_linear_layers():
    bias, weight = torch.randn(5), torch.randn(5, 4)

    def write(do, x, w, b, **factors):
        return do(aten.addmm.default, b, x, do(aten.permute_copy.default, w, [1, 0]), **factors)

    pass_ = spellings.ReplaceAddMMWithLinearPass()
    assert after(pass_, write, M, weight, bias) == ["linear"]
    assert after(pass_, lambda do, *x: write(do, *x, alpha=2), M, weight, bias) is None
    assert after(pass_, write, M, weight, torch.randn(3, 5)) is None
    assert after(spellings.ReplaceMMWithAddMMPass(), one(aten.mm.default), M, weight.T.contiguous()) == [
        "full",
        "addmm",
    ]


def test_linear_layers_over_one_row_are_fully_connected():
    weight, bias = torch.randn(5, 4), torch.randn(5)
    pass_ = spellings.ReplaceLinearWithFullyConnectedOpPass()
    assert after(pass_, one(aten.linear.default), M[:1], weight, bias) == ["cadence.fully_connected"]
    assert after(pass_, one(aten.linear.default), M[:1], weight) == ["cadence.fully_connected"]
    assert after(pass_, one(aten.linear.default), M, weight, bias) is None
    q, w = (torch.randint(-128, 128, size, dtype=torch.int8) for size in ((1, 4), (5, 4)))
    write = one(cadence.quantized_linear.per_tensor, 3, -2, 1 << 30, -7, 5, None)
    bias = torch.randint(-500, 500, (5,), dtype=torch.int32)
    assert after(pass_, write, q, w, bias) == ["cadence.quantized_fully_connected.per_tensor"]


def test_quantized_products_read_their_second_matrix_transposed():
    q, w = (torch.randint(-128, 128, size, dtype=torch.int8) for size in ((2, 3, 4), (2, 4, 5)))
    pass_ = spellings.ReplaceMatmulWithTransposedMatmulPass()

    def product(do, q, w):
        return do(cadence.quantized_matmul.default, q, 3, w, -2, None, 1 << 30, -7, 5)

    assert after(pass_, product, q, w) == ["transpose_copy.int", "cadence.quantized_matmul"]


def test_quantization_by_the_operators_of_cadence():
    quantize, dequantize = decomposed.quantize_per_tensor.default, decomposed.dequantize_per_tensor.default
    assert after(spellings.ReplacePT2QuantWithCadenceQuantPass(), one(quantize, *INT8), X) == [
        "cadence.quantize_per_tensor"
    ]
    q = torch.randint(-128, 128, (2, 3), dtype=torch.int8)
    pass_ = spellings.ReplacePT2DequantWithCadenceDequantPass()
    assert after(pass_, one(dequantize, *INT8), q) == ["cadence.dequantize_per_tensor"]
    assert after(pass_, one(dequantize, *INT8, out_dtype=torch.float16), q) is None


@pytest.mark.parametrize("groups", [1, 2])
def test_quantized_rows_by_the_operator_of_cadence(groups):
    table = torch.randint(-128, 128, (5, 6), dtype=torch.int8)
    scales, rows = torch.rand(5, groups), torch.tensor([4, 0, 2])

    def write(do, table, scales, rows):
        return do(decomposed.embedding_byte.default, table, scales, None, -128, 127, rows)

    pass_ = spellings.ReplaceTorchQuantizedEmbeddingWithCadenceQuantizedEmbedding()
    assert after(pass_, write, table, scales, rows) == ["cadence.quantized_embedding_byte"]


def test_singular_values_by_the_operator_of_cadence():
    def write(do, x):
        parts = do(aten._linalg_svd.default, x, False, True)
        return [do(operator.getitem, parts, place) for place in range(3)]

    names = after(spellings.ReplaceAtenLinalgSvdWithCadenceLinalgSvdPass(), write, M, off_by=1e-5)
    assert names[0] == "cadence.linalg_svd"


def test_average_pools():
    image, row = torch.randn(1, 2, 8, 6), torch.randn(1, 2, 9)
    adaptive = spellings.ReplaceAdaptiveAvgPoolWithAtenAvgPoolPass()
    assert after(adaptive, one(aten._adaptive_avg_pool2d.default, [4, 3]), image) == ["avg_pool2d"]
    assert after(adaptive, one(aten._adaptive_avg_pool2d.default, [3, 3]), image) is None
    pass_ = spellings.ReplaceAtenAvgPoolWithCadenceAvgPoolPass()
    two = one(aten.avg_pool2d.default, [3, 2], [2, 1], [1, 0], True, False)
    assert after(pass_, two, image) == ["cadence.avg_pool2d"]
    names = after(pass_, one(aten.avg_pool1d.default, [3], [2], [1]), row)
    assert names == ["view_copy", "cadence.avg_pool2d", "view_copy"]


def test_what_slices_nothing_into_a_tensor_leaves_it():
    write = one(aten.slice_scatter.default, 2, 3, 3)
    assert after(
        SimplifySliceOpPass(), lambda do, x, y: do(aten.neg.default, write(do, x, y)), X, X[..., :0]
    ) == ["neg"]


def test_all_positional_arguments_are_written_down():
    module = graph(lambda do, x: do(aten.slice_copy.Tensor, x, 1, end=1), X)
    (call,) = module.graph.find_nodes(op="call_function", target=aten.slice_copy.Tensor)
    assert BindOptionalArgsPass()(module).modified
    assert (call.args[1:], call.kwargs) == ((1, None, 1, 1), {})
    assert not BindOptionalArgsPass()(module).modified


def test_softmaxes_of_products_need_no_care_for_masked_rows():
    softmax, add = torch.ops.aten._safe_softmax.default, torch.ops.aten.add.Tensor

    def write(do, x, y):
        scores = do(torch.ops.aten.mul.Scalar, do(torch.ops.aten.mm.default, x, y), 0.5)
        return do(softmax, scores, -1)

    def masked(do, x, y):
        return do(softmax, do(add, do(torch.ops.aten.mm.default, x, y), y), -1)

    square = torch.randn(4, 4)
    assert after(ReplaceSafeSoftmaxWithSoftmax(), write, square, square)[-1].startswith("_softmax")
    assert after(ReplaceSafeSoftmaxWithSoftmax(), masked, square, square) is None
