"""Fusion: one operator for several, the same numbers, and what stays."""

import operator

import pytest
import torch

from executorch.backends.cadence.passes.fuse_batch_norm import (
    FuseBatchNormWithConv,
    FuseQuantizedBatchNormWithConv,
)
from executorch.backends.cadence.passes.fuse_moves import (
    FuseFullThenReshapePass,
    FuseSliceSameDimPass,
    FuseTransposeOrPermuteOpPairsPass,
)
from executorch.backends.cadence.passes.fuse_products import (
    FuseMMWithAdd,
    FuseMulScalarIntoDequantPass,
    FuseMulTensorIntoDequantPass,
    FuseMulTensorIntoQuantPass,
)
from executorch.backends.cadence.passes.graphs_for_tests import (
    EDGE,
    INT8,
    after,
    aten,
    cadence,
    decomposed,
    graph,
)

QUANTIZE, DEQUANTIZE = decomposed.quantize_per_tensor.default, decomposed.dequantize_per_tensor.default
X, Y = torch.randn(4, 6), torch.randn(6, 5)
ROW, MATRIX, CUBE = torch.randn(5), torch.randn(4, 5), torch.randn(1, 4, 5)
Q = torch.randint(-128, 128, (4, 6), dtype=torch.int8)


def product(do, x, y, z):
    return do(aten.add.Tensor, do(aten.mm.default, x, y), z)


def product_behind_view(do, x, y, z):
    return do(aten.add.Tensor, z, do(aten.view_copy.default, do(aten.mm.default, x, y), [2, 2, 5]))


@pytest.mark.parametrize(
    "z", [ROW, MATRIX, torch.randn(4, 1), torch.randn(1)], ids=lambda z: str(tuple(z.shape))
)
def test_a_bias_is_added_by_the_product(z):
    assert after(FuseMMWithAdd(), product, X, Y, z) == ["addmm"]


def test_a_bias_behind_a_view_is_added_before_it():
    assert after(FuseMMWithAdd(), product_behind_view, X, Y, ROW) == ["addmm", "view_copy"]


def test_a_filled_bias_gets_the_type_of_the_product():
    def write(do, x, y):
        return do(aten.add.Tensor, do(aten.mm.default, x, y), do(aten.full.default, [1], 2))

    assert after(FuseMMWithAdd(), write, X, Y) == ["full", "addmm"]


@pytest.mark.parametrize(
    ("write", "z"),
    [
        (product, CUBE),
        (product_behind_view, torch.randn(2, 2, 1)),
        (lambda do, x, y, z: do(aten.add.Tensor, do(aten.mm.default, x, y), z, alpha=2), ROW),
        (lambda do, x, y, z: [m := do(aten.mm.default, x, y), do(aten.add.Tensor, m, z)], ROW),
        (product, torch.randint(5, (5,))),
    ],
    ids=["wider", "along the rows", "scaled", "read", "integers"],
)
def test_sums_that_are_no_bias_stay(write, z):
    assert after(FuseMMWithAdd(), write, X, Y, z) is None


def test_a_factor_goes_into_the_scale_that_integers_are_read_by():
    def scalar(do, q):
        return do(aten.mul.Scalar, do(DEQUANTIZE, q, *INT8), 0.3)

    def tensor(do, q):
        return do(
            aten.mul.Tensor,
            do(aten.full.default, [1], 4.0),
            do(cadence.dequantize_per_tensor.default, q, *INT8),
        )

    assert after(FuseMulScalarIntoDequantPass(), scalar, Q) == ["quantized_decomposed.dequantize_per_tensor"]
    assert after(FuseMulTensorIntoDequantPass(), tensor, Q) == ["cadence.dequantize_per_tensor"]


def test_a_factor_goes_into_the_scale_of_a_quantization():
    def write(do, x):
        return do(QUANTIZE, do(aten.mul.Tensor, x, do(aten.full.default, [1], 8.0)), *INT8)

    assert after(FuseMulTensorIntoQuantPass(), write, X) == ["quantized_decomposed.quantize_per_tensor"]


@pytest.mark.parametrize("factor", [0.0, -2.0])
def test_factors_that_would_make_no_scale_stay(factor):
    def write(do, q):
        return do(aten.mul.Scalar, do(DEQUANTIZE, q, *INT8), factor)

    assert after(FuseMulScalarIntoDequantPass(), write, Q) is None


def test_a_factor_that_makes_the_value_wider_stays():
    def write(do, q):
        return do(aten.mul.Tensor, do(DEQUANTIZE, q, *INT8), do(aten.full.default, [3, 4, 6], 2.0))

    assert after(FuseMulTensorIntoDequantPass(), write, Q) is None


def test_filled_tensors_are_made_in_the_shape_that_is_read():
    def write(do):
        first = do(aten.transpose_copy.int, do(aten.full.default, [2, 3], 7), 0, 1)
        return do(aten.view_copy.default, do(aten.permute_copy.default, first, [1, 0]), [1, 6])

    assert after(FuseFullThenReshapePass(), write) == ["full"]


@pytest.mark.parametrize(
    ("first", "second"), [((0, 5, 1), (1, 3, 1)), ((1, -1, 1), (-3, 99, 1)), ((2, 6, 1), (1, 3, 1))]
)
def test_slices_of_slices_are_slices(first, second):
    def write(do, x):
        return do(aten.slice_copy.Tensor, do(aten.slice_copy.Tensor, x, 1, *first), -1, *second)

    assert after(FuseSliceSameDimPass(), write, X) == ["slice_copy.Tensor"]


@pytest.mark.parametrize(("dim", "step"), [(0, 1), (1, 2)])
def test_slices_along_others_or_with_steps_stay(dim, step):
    def write(do, x):
        return do(aten.slice_copy.Tensor, do(aten.slice_copy.Tensor, x, 1, 0, 6, step), dim, 0, 2, 1)

    assert after(FuseSliceSameDimPass(), write, X) is None


def test_permutations_that_undo_each_other_go_around_a_quantized_relu():
    def write(do, q):
        first = do(aten.permute_copy.default, q, [1, 0])
        relu = do(cadence.quantized_relu.per_tensor, first, 0, 0, 1 << 30, 1)
        return do(aten.permute_copy.default, relu, [1, 0])

    assert after(FuseTransposeOrPermuteOpPairsPass(), write, Q) == [
        "cadence.quantized_relu.per_tensor",
        "view_copy",
    ]


class ConvNorm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight, self.bias = (
            torch.nn.Parameter(torch.randn(5, 3, 3, 3)),
            torch.nn.Parameter(torch.randn(5)),
        )
        for name in ("scale", "shift", "mean"):
            self.register_buffer(name, torch.randn(5))
        self.register_buffer("variance", torch.rand(5) + 0.5)


def conv_norm():
    """``convolution -> batch norm`` with weights as attributes."""
    made = torch.fx.Graph()
    x = made.placeholder("x")
    weight, bias, *norm = (
        made.get_attr(name) for name in ("weight", "bias", "scale", "shift", "mean", "variance")
    )
    place = ([1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    conv = made.call_function(aten.convolution.default, (x, weight, bias, *place))
    norm = made.call_function(aten.native_batch_norm.default, (conv, *norm, False, 0.1, 1e-3))
    made.output(made.call_function(operator.getitem, (norm, 0)))
    return torch.fx.GraphModule(ConvNorm(), made)


def test_batch_norms_are_folded_where_weights_are_attributes():
    module, image = conv_norm(), torch.randn(1, 3, 6, 6)
    expected = module(image)
    assert FuseBatchNormWithConv()(module).modified
    assert not module.graph.find_nodes(op="call_function", target=aten.native_batch_norm.default)
    torch.testing.assert_close(module(image), expected, rtol=1e-4, atol=1e-4)


def test_batch_norms_stay_where_weights_are_inputs():
    def write(do, x, weight, scale, variance):
        conv = do(aten.convolution.default, x, weight, None, [1], [0], [1], False, [0], 1)
        return do(
            aten._native_batch_norm_legit_no_training.default, conv, scale, scale, scale, variance, 0.1, 1e-3
        )

    module = graph(write, torch.randn(1, 3, 6), torch.randn(5, 3, 3), torch.randn(5), torch.rand(5))
    assert not FuseBatchNormWithConv()(module).modified


@pytest.mark.parametrize("rank", [1, 2])
def test_quantized_batch_norms_are_folded_into_packed_weights(rank):
    name, shape = f"conv{rank}d", (4, 3, *[3] * rank)
    quantized = torch.ops.quantized
    weight = torch.quantize_per_tensor(torch.randn(shape) / 5, 0.006, 0, torch.qint8)
    root = torch.nn.Module()
    geometry = ([1] * rank, [1] * rank, [1] * rank, 1)
    root.packed = getattr(quantized, f"{name}_prepack")(weight, torch.randn(4), *geometry)
    for buffer, value in (
        ("scale", [1.0, -0.5, 2, 0]),
        ("shift", [0.1, 0.2, 0.3, 0.4]),
        ("mean", [0.5, -0.5, 0, 1]),
    ):
        root.register_buffer(buffer, torch.tensor(value))
    root.register_buffer("variance", torch.rand(4) + 0.5)
    made = torch.fx.Graph()
    x, packed = made.placeholder("x"), made.get_attr("packed")
    norm = [made.get_attr(one) for one in ("scale", "shift", "mean", "variance")]
    overload = {1: "default", 2: "new"}[rank]
    conv = made.call_function(getattr(getattr(EDGE.quantized, name), overload), (x, packed, 0.1, 128))
    target = getattr(EDGE.quantized, f"batch_norm{rank}d").default
    made.output(made.call_function(target, (conv, *norm, 1e-3, 0.1, 100)))
    module = torch.fx.GraphModule(root, made)
    image = torch.quantize_per_tensor(torch.randn(1, 3, *[8] * rank), 0.05, 128, torch.quint8)
    expected = module(image)
    assert FuseQuantizedBatchNormWithConv()(module).modified
    assert not module.graph.find_nodes(op="call_function", target=target)
    got = module(image)
    assert (got.q_scale(), got.q_zero_point()) == (expected.q_scale(), expected.q_zero_point())
    # The value between the two was rounded before, and is not now.
    difference = (got.int_repr().int() - expected.int_repr().int()).abs()
    assert difference.max() <= 3 and difference.float().mean() < 1
