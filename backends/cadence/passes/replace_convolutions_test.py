"""Convolutions of ``cadence``, as linear layers and in other layouts: the same numbers."""

import pytest
import torch

from executorch.backends.cadence.passes.graphs_for_tests import after, aten, cadence
from executorch.backends.cadence.passes.replace_constants import (
    ReplaceConvolutionOptionalArgsWithConcreteArgsPass,
)
from executorch.backends.cadence.passes.replace_convolutions import (
    ReplaceAtenConvolutionWithCadenceConvolutionPass,
    ReplaceConvWithIm2RowAndLinear,
    ReplaceIm2RowWithViewPass,
    ReplaceTransposedConvWithLinearPass,
    ReplaceTrivialConvWithLinear,
)
from executorch.backends.cadence.passes.replace_layouts import (
    MakeSliceAndCatDimOutermostPass,
    ReplaceConvWithChannelLastConvPass,
    ReplaceMaxPool2dWithChannelLastMaxPool2dPass,
)

IMAGE, WINDOWS, BIAS = torch.randn(2, 4, 7, 6), torch.randn(5, 4, 3, 2), torch.randn(5)


def integers(*sizes):
    return torch.randint(-128, 128, sizes, dtype=torch.int8)


def counts(size):
    return torch.randint(-900, 900, (size,), dtype=torch.int32)


def quantized(op, place, groups=1):
    """A convolution with scales and zero points; ``place`` is stride, padding and dilation."""
    numbers = (3, -2, 0.0004, 0.5, 7, 1717986918, -10)
    return lambda do, x, w, b: do(op, x, w, b, *place, groups, *numbers)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("groups", [1, 2])
def test_aten_convolutions(rank, groups):
    place = ([2] * rank, [1] * rank, [1] * rank)

    def write(do, x, w, b):
        return do(aten.convolution.default, x, w, b, *place, False, [0] * rank, groups)

    image, windows = torch.randn(1, 4, *[6] * rank), torch.randn(6, 4 // groups, *[3] * rank)
    pass_ = ReplaceAtenConvolutionWithCadenceConvolutionPass()
    assert after(pass_, write, image, windows, torch.randn(6), off_by=1e-5) == [f"cadence.conv{rank}d"]


@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("groups", [1, 2])
def test_aten_transposed_convolutions(rank, groups):
    def write(do, x, w):
        place = ([2] * rank, [1] * rank, [2] * rank)
        return do(aten.convolution.default, x, w, None, *place, True, [1] * rank, groups)

    image, windows = torch.randn(2, 4, *[5] * rank), torch.randn(4, 6 // groups, *[3] * rank)
    pass_ = ReplaceAtenConvolutionWithCadenceConvolutionPass()
    names = after(pass_, write, image, windows, off_by=1e-5)
    assert names == ["transpose_copy.int", "flip", "cadence.transposed_convolution"]


def test_a_missing_bias_is_zeros():
    def write(do, x, w):
        return do(cadence.conv2d.default, x, w, None, [1, 1], [0, 0], [1, 1], 1)

    pass_ = ReplaceConvolutionOptionalArgsWithConcreteArgsPass()
    assert after(pass_, write, IMAGE, WINDOWS, off_by=1e-5) == ["full", "cadence.conv2d"]


@pytest.mark.parametrize("stride", [1, 2])
def test_a_window_as_large_as_the_image_is_a_linear_layer(stride):
    def write(do, x, w, b):
        return do(cadence.conv2d.default, x, w, b, [stride] * 2, [0, 0], [1, 1], 1)

    image = IMAGE[..., :3, :2].contiguous()
    assert after(ReplaceTrivialConvWithLinear(), write, image, WINDOWS, BIAS, off_by=1e-5) == [
        "view_copy",
        "view_copy",
        "linear",
        "view_copy",
    ]
    assert after(ReplaceTrivialConvWithLinear(), write, IMAGE, WINDOWS, BIAS, off_by=1e-5) is None


@pytest.mark.parametrize(
    ("op", "image", "windows"),
    [
        (cadence.quantized_conv1d_ncl.per_tensor, (2, 3, 4), (5, 3, 4)),
        (cadence.quantized_conv1d_nlc.per_tensor, (2, 4, 3), (5, 4, 3)),
        (cadence.quantized_conv2d_nchw.per_tensor, (1, 3, 4, 2), (5, 3, 4, 2)),
        (cadence.quantized_conv2d_nhwc.per_tensor, (1, 4, 2, 3), (5, 4, 2, 3)),
    ],
)
def test_so_is_a_quantized_one(op, image, windows):
    rank = len(image) - 2
    write = quantized(op, ([1] * rank, [0] * rank, [1] * rank))
    names = after(
        ReplaceTrivialConvWithLinear(), write, integers(*image), integers(*windows), counts(5), off_by=1
    )
    assert names == ["view_copy", "view_copy", "cadence.quantized_linear.per_tensor", "view_copy"]


@pytest.mark.parametrize("place", [([1, 1], [0, 0], [1, 1]), ([2, 1], [1, 2], [2, 1])], ids=str)
def test_convolutions_are_products_of_windows(place):
    def write(do, x, w, b):
        return do(cadence.conv2d.default, x, w, b, *place, 1)

    names = after(ReplaceConvWithIm2RowAndLinear(), write, IMAGE, WINDOWS, BIAS, off_by=1e-5)
    assert names == ["cadence.im2row.per_tensor", "view_copy", "linear", "transpose_copy.int", "view_copy"]


@pytest.mark.parametrize("is_last", [False, True])
def test_so_are_quantized_ones(is_last):
    first, last = cadence.quantized_conv2d_nchw.per_tensor, cadence.quantized_conv2d_nhwc.per_tensor
    write = quantized(last if is_last else first, ([2, 1], [1, 2], [2, 1]))
    image, windows = integers(2, 4, 7, 6), integers(5, 4, 3, 2)
    if is_last:
        image, windows = (one.permute(0, 2, 3, 1).contiguous() for one in (image, windows))
    names = after(ReplaceConvWithIm2RowAndLinear(), write, image, windows, counts(5), off_by=1)
    assert "cadence.quantized_linear.per_tensor" in names


def test_windows_of_one_row_are_windows_of_one_dimension():
    def write(do, x, w, b):
        return do(cadence.conv1d.default, x, w, b, [2], [1], [2], 1)

    names = after(
        ReplaceConvWithIm2RowAndLinear(), write, torch.randn(2, 4, 9), torch.randn(5, 4, 3), BIAS, off_by=1e-5
    )
    assert names[0] == "cadence.im2row.per_tensor"


@pytest.mark.parametrize("rank", [1, 2])
def test_transposed_convolutions_are_products_of_windows(rank):
    def write(do, x, w, b):
        place = ([2] * rank, [1] * rank, [1] * rank, [1] * rank)
        return do(cadence.transposed_convolution.default, x, w, b, *place, 1, False)

    image, windows = torch.randn(1, 4, *[5] * rank), torch.randn(5, 4, *[3] * rank)
    names = after(ReplaceTransposedConvWithLinearPass(), write, image, windows, BIAS, off_by=1e-5)
    assert "cadence.transposed_im2row" in names and "linear" in names


def test_a_window_as_large_as_the_image_is_copied_by_a_view():
    def write(do, x, *kernel):
        return do(cadence.im2row.per_tensor, x, list(kernel), [1, 1], [0, 0], [1, 1], 0, False)

    assert after(ReplaceIm2RowWithViewPass(), lambda do, x: write(do, x, 7, 6), IMAGE) == ["view_copy"]
    assert after(ReplaceIm2RowWithViewPass(), lambda do, x: write(do, x, 7, 5), IMAGE) is None


@pytest.mark.parametrize(
    ("op", "image", "windows", "groups", "names"),
    [
        ("quantized_conv2d_nchw", (2, 4, 7, 6), (5, 4, 3, 2), 1, ["permute_copy"] * 2),
        ("quantized_conv2d_nchw", (2, 4, 7, 6), (8, 1, 3, 2), 4, ["permute_copy"] * 2 + ["squeeze_copy.dim"]),
        ("quantized_conv1d_ncl", (2, 4, 7), (5, 4, 3), 1, ["permute_copy"] * 2),
        ("quantized_conv1d_ncl", (2, 4, 7), (4, 1, 3), 4, ["permute_copy", "transpose_copy.int"]),
        ("quantized_conv2d_nchw", (2, 1, 7), (5, 1, 3), 1, ["permute_copy"] * 2),
    ],
    ids=["two", "depthwise", "one", "one depthwise", "one called two"],
)
def test_quantized_convolutions_run_on_channels_last(op, image, windows, groups, names):
    rank = len(image) - 2
    write = quantized(getattr(cadence, op).per_tensor, ([1] * rank, [1] * rank, [1] * rank), groups)
    data = integers(*image), integers(*windows), counts(windows[0])
    last = "quantized_conv1d_nlc" if rank == 1 else "quantized_conv2d_nhwc"
    assert after(ReplaceConvWithChannelLastConvPass(), write, *data) == [
        *names,
        f"cadence.{last}.per_tensor",
        "permute_copy",
    ]


def test_so_do_quantized_maximum_pools():
    def write(do, x):
        return do(cadence.quantized_max_pool2d_nchw.default, x, [2, 2], [2, 1], [0, 1], [1, 1], False)

    assert after(ReplaceMaxPool2dWithChannelLastMaxPool2dPass(), write, integers(1, 3, 8, 6)) == [
        "permute_copy",
        "cadence.quantized_max_pool2d_nhwc",
        "permute_copy",
    ]


def test_inner_slices_and_concatenations_run_along_the_first_dimension():
    def cut(do, x, dim):
        return do(aten.slice_copy.Tensor, x, dim, 1, 5, 2)

    pass_, wide = MakeSliceAndCatDimOutermostPass(), torch.randn(1, 3, 6)
    turned = ["transpose_copy.int", "slice_copy.Tensor", "transpose_copy.int"]
    assert after(pass_, lambda do, x: cut(do, x, -1), wide) == turned
    assert after(pass_, lambda do, x: cut(do, x, 1), wide) is None
    joined = after(pass_, lambda do, x, y: do(aten.cat.default, [x, y], 2), wide, wide[..., :2].contiguous())
    assert joined == ["transpose_copy.int", "transpose_copy.int", "cat", "transpose_copy.int"]
