"""Operators that move data against eager: every dtype, contiguous and channels-last."""

from __future__ import annotations

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import bind, call_out, check, resolve
from executorch.kernels.test.samples import REAL, SHAPES, tensor

ANY = (*REAL, torch.complex64)


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def sample(shape, dtype, **options):
    if dtype.is_complex:
        return torch.complex(tensor(shape, torch.float32), tensor(shape, torch.float32, seed=1)).to(dtype)
    return tensor(shape, dtype, **options)


def images(dtype):
    yield sample((2, 3, 4, 5), dtype)
    if not dtype.is_complex:
        yield tensor((2, 3, 4, 5), dtype, channels_last=True)


@pytest.mark.parametrize("dtype", ANY, ids=str)
def test_permute(driver, dtype):
    for x in images(dtype):
        for dims in ([0, 1, 2, 3], [3, 2, 1, 0], [0, 2, 3, 1], [0, 3, 1, 2], [1, 0, -1, -2]):
            check(driver, "permute_copy", "permute_copy.out", [x, dims])
        check(driver, "transpose_copy.int", "transpose_copy.int_out", [x, 1, -1])
    check(driver, "permute_copy", "permute_copy.out", [sample((300, 41), dtype), [1, 0]])
    check(driver, "permute_copy", "permute_copy.out", [sample((), dtype), []])
    check(driver, "transpose_copy.int", "transpose_copy.int_out", [sample((), dtype), 0, -1])
    check(driver, "transpose_copy.int", "transpose_copy.int_out", [sample((3, 0, 2), dtype), 0, 1])
    for shape in ((), (4,), (37, 65)):
        check(driver, "t_copy", "t_copy.out", [sample(shape, dtype)])


@pytest.mark.parametrize("dtype", ANY, ids=str)
def test_views(driver, dtype):
    x = sample((2, 3, 4, 5), dtype)
    for size in ([120], [-1], [6, 20], [2, -1, 5], [1, 2, 3, 4, 5, 1]):
        check(driver, "view_copy", "view_copy.out", [x, size])
    check(driver, "view_copy", "view_copy.out", [sample((), dtype), [1, 1]])
    check(driver, "view_copy", "view_copy.out", [sample((0, 3), dtype), [3, 0, 7]])
    for y in images(dtype):
        for dim in (0, 2, -1):
            check(driver, "unsqueeze_copy", "unsqueeze_copy.out", [y, dim])
    ones = sample((1, 3, 1, 4), dtype)
    for dim in (0, 1, -2):
        check(driver, "squeeze_copy.dim", "squeeze_copy.dim_out", [ones, dim])
    for dims in ([], [0, 2], [0, 1, -2]):
        check(driver, "squeeze_copy.dims", "squeeze_copy.dims_out", [ones, dims])
    check(driver, "expand_copy", "expand_copy.out", [sample((3, 1), dtype), [2, -1, 4]])
    check(driver, "expand_copy", "expand_copy.out", [sample((), dtype), [5]])
    check(driver, "expand_copy", "expand_copy.out", [sample((1, 3), dtype), [0, 3]])
    check(driver, "repeat", "repeat.out", [sample((2, 3), dtype), [2, 1, 3]])
    check(driver, "repeat", "repeat.out", [sample((2, 3), dtype), [2, 0]])
    check(driver, "as_strided_copy", "as_strided_copy.out", [x, [3, 4], [5, 7], 2])
    check(driver, "diagonal_copy", "diagonal_copy.out", [x, 1, 3, 2])
    check(driver, "diagonal_copy", "diagonal_copy.out", [x, -1])
    check(driver, "diagonal_copy", "diagonal_copy.out", [x, 9])
    check(driver, "unfold_copy", "unfold_copy.out", [x, 2, 3, 1])
    check(driver, "unfold_copy", "unfold_copy.out", [x, -1, 2, 2])
    for name in ("alias_copy", "detach_copy", "lift_fresh_copy"):
        check(driver, name, f"{name}.out", [x])


@pytest.mark.parametrize("dtype", ANY, ids=str)
def test_parts(driver, dtype):
    for x in images(dtype):
        for args in (
            [1, 0, 2, 1],
            [3, 1, None, 2],
            [-2, -3, -1, 1],
            [2, 3, 1, 1],
            [0, None, 2**62, 1],
            [3, None, None, 2**40],
        ):
            check(driver, "slice_copy.Tensor", "slice_copy.Tensor_out", [x, *args])
        check(driver, "select_copy.int", "select_copy.int_out", [x, 1, -1])
        check(driver, "select_copy.int", "select_copy.int_out", [x, -1, 2])
        check(driver, "narrow_copy", "narrow_copy.out", [x, 2, 1, 2])
        check(driver, "split_copy.Tensor", "split_copy.Tensor_out", [x, 2, 3])
        check(driver, "split_with_sizes_copy", "split_with_sizes_copy.out", [x, [1, 0, 3], 2])
        check(driver, "unbind_copy.int", "unbind_copy.int_out", [x, 1])
        check(driver, "flip", "flip.out", [x, [1, -1]])
        check(driver, "roll", "roll.out", [x, [1, -2], [3, 1]])
        check(driver, "slice_scatter", "slice_scatter.out", [x, x[:, 1:3], 1, 1, 3, 1])
        check(driver, "select_scatter", "select_scatter.out", [x, x[:, :, 1].contiguous(), 2, -1])
    check(driver, "flip", "flip.out", [sample((), dtype), []])


@pytest.mark.parametrize("dtype", ANY, ids=str)
def test_joining(driver, dtype):
    for x in images(dtype):
        for dim in (0, 1, -1):
            check(driver, "cat", "cat.out", [[x, x.flip(1), x], dim])
            check(driver, "stack", "stack.out", [[x, x.flip(1)], dim])
    a, b = sample((2, 3), dtype), sample((2, 300), dtype)
    check(driver, "cat", "cat.out", [[a, b, sample((0,), dtype), sample((2, 0), dtype)], 1])
    check(driver, "stack", "stack.out", [[sample((), dtype), sample((), dtype)], 0])


def test_joining_promotes(driver):
    parts = [tensor((2, 3), d) for d in (torch.uint8, torch.float16, torch.int64, torch.bool)]
    check(driver, "cat", "cat.out", [parts, 0])


def test_joining_refuses_outputs_that_eager_refuses(driver):
    for name in ("cat", "stack"):
        op, parts = resolve(name), [tensor((2, 3), torch.float32), tensor((2, 3), torch.float32)]
        expected = op(parts)
        for dtype, error in ((torch.int32, 0x12), (torch.bool, 0x12), (torch.float64, 0)):
            out = Out(like=expected.to(dtype))
            assert call_out(driver, resolve(f"{name}.out"), bind(op, [parts], {}), [out]).error == error


def test_copies_are_done_on_return(driver):
    x = tensor((2, 3), torch.float32)
    options = {"dtype": torch.float64, "non_blocking": True}
    check(driver, "_to_copy", "_to_copy.out", [x], options)
    check(driver, "copy", "copy.out", [x.double(), x, True])


@pytest.mark.parametrize("to", REAL, ids=str)
@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_conversions(driver, dtype, to):
    low = 0 if to == torch.uint8 else -3
    for shape in SHAPES:
        x = tensor(shape, dtype, low=low)
        check(driver, "_to_copy", "_to_copy.out", [x], {"dtype": to})
        check(driver, "copy", "copy.out", [tensor(shape, to), x])
    image = tensor((2, 3, 4, 5), dtype, low=low)
    check(driver, "_to_copy", "_to_copy.out", [image], {"dtype": to, "memory_format": torch.channels_last})
    check(driver, "copy", "copy.out", [tensor((2, 3, 4, 5), to), tensor((4, 1), dtype, low=low)])


@pytest.mark.parametrize("dtype", ANY, ids=str)
def test_clone(driver, dtype):
    for shape in SHAPES:
        check(driver, "clone", "clone.out", [sample(shape, dtype)])
    x = sample((2, 3, 4, 5), dtype)
    check(driver, "clone", "clone.out", [x], {"memory_format": torch.channels_last})


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_padding(driver, dtype):
    for x in images(dtype):
        for pad in ([1, 2], [0, 1, 2, 0], [-1, 1, 2, -2], [1, 1, 0, 0, 0, 3], [-2, -3], []):
            check(driver, "constant_pad_nd", "constant_pad_nd.out", [x, pad, 1])
    for n, shape in ((1, (3, 7)), (2, (2, 5, 7)), (3, (1, 2, 4, 5, 6))):
        x = tensor(shape, dtype)
        pad = [2, 3, 1, 0, 0, 2][: 2 * n]
        if dtype != torch.bool:
            check(driver, f"reflection_pad{n}d", f"reflection_pad{n}d.out", [x, pad])
        if dtype.is_floating_point:
            check(driver, f"replication_pad{n}d", f"replication_pad{n}d.out", [x, pad])


def test_negative_padding_cuts_off(driver):
    x = tensor((2, 5), torch.float32)
    for before in range(-8, 5):
        for after in range(-8, 5):
            if 5 + before + after >= 1:
                check(driver, "reflection_pad1d", "reflection_pad1d.out", [x, [before, after]])
                check(driver, "replication_pad1d", "replication_pad1d.out", [x, [before, after]])
    for n in (2, 3):
        x = tensor((2, 4, 5, 4)[4 - n - 1 :], torch.float32)
        for pad in ([-1, 2] * n, [2, -1] * n, [-5, 3, 1, 1, -2, 2][: 2 * n]):
            check(driver, f"reflection_pad{n}d", f"reflection_pad{n}d.out", [x, pad])


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_pixels(driver, dtype):
    check(driver, "pixel_shuffle", "pixel_shuffle.out", [tensor((2, 12, 3, 5), dtype), 2])
    check(driver, "pixel_unshuffle", "pixel_unshuffle.out", [tensor((2, 3, 4, 6), dtype), 2])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.uint8], ids=str)
def test_upsample_nearest(driver, dtype):
    for x in images(dtype):
        for size in ([8, 10], [3, 7], [4, 5], [1, 1], [13, 2]):
            check(driver, "upsample_nearest2d.vec", "upsample_nearest2d.vec_out", [x, size, None])
        for factors in ([2.0, 2.0], [1.5, 0.7]):
            check(driver, "upsample_nearest2d.vec", "upsample_nearest2d.vec_out", [x, None, factors])
        for args in ([[8, 10]], [[3, 7], None, None], [[6, 3], 1.5, 0.7]):
            check(driver, "upsample_nearest2d", "upsample_nearest2d.out", [x, *args])


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.float16, torch.int64, torch.int32], ids=str
)
def test_arange(driver, dtype):
    check(driver, "arange", "arange.out", [7], {"dtype": dtype})
    check(driver, "arange", "arange.out", [0], {"dtype": dtype})
    for args in ([2, 9, 3], [9, 2, -2]):
        check(driver, "arange.start_step", "arange.start_out", args, {"dtype": dtype})
    if dtype.is_floating_point:
        check(driver, "arange.start_step", "arange.start_out", [-1.5, 2.0, 0.25], {"dtype": dtype})
