"""The remaining operators against eager: scans, selections, distances, resampling, gradients, random numbers."""

from __future__ import annotations

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import assert_same, bind, call_out, check, resolve
from executorch.kernels.test.samples import FLOATS, INTS, NUMBERS, REAL, SHAPES, tensor


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def images(dtype, **options):
    yield tensor((2, 3, 4, 5), dtype, **options)
    yield tensor((2, 3, 4, 5), dtype, channels_last=True, **options)


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_cumsum(driver, dtype):
    tolerance = {torch.float16: (2e-1, 1e-2), torch.bfloat16: (1.0, 3e-2)}.get(dtype, (1e-4, 1e-5))
    for x in (tensor((), dtype), tensor((4, 700), dtype), tensor((2, 0), dtype), *images(dtype)):
        for dim in range(max(x.dim(), 1)):
            check(driver, "cumsum", "cumsum.out", [x, dim], tolerance=tolerance)
            check(driver, "cumsum", "cumsum.out", [x, dim], {"dtype": torch.float64})


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_glu(driver, dtype):
    check(driver, "glu", "glu.out", [tensor((3, 1400), dtype)])
    for x in images(dtype):
        check(driver, "glu", "glu.out", [x, 0])
        check(driver, "glu", "glu.out", [x, 2])


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_masks(driver, dtype):
    for x in images(dtype):
        for mask_shape in ((2, 3, 4, 5), (4, 1), (1, 3, 1, 1)):
            mask = tensor(mask_shape, torch.bool)
            check(driver, "masked_select", "masked_select.out", [x, mask])
            src = tensor((130,), dtype, seed=5)
            check(driver, "masked_scatter", "masked_scatter.out", [x, mask, src])
    check(driver, "nonzero", "nonzero.out", [tensor((), dtype)])
    for x in (*images(dtype, low=0, high=1), tensor((3000,), dtype), tensor((2, 0), dtype)):
        check(driver, "nonzero", "nonzero.out", [x])


def test_masked_scatter_needs_elements(driver):
    args = [torch.zeros(4), torch.ones(4, dtype=torch.bool), torch.ones(3)]
    op = resolve("masked_scatter.out")
    assert call_out(driver, op, bind(op, args, {}), [Out(like=torch.empty(4))]).error == 0x12


def test_dynamic_outputs_are_resized(driver):
    x = tensor((3, 4), torch.float32)
    op = resolve("nonzero.out")
    out = Out(like=torch.empty(12, 2, dtype=torch.int64), dynamic=True)
    result = call_out(driver, op, bind(op, [x > 0], {}), [out])
    assert result.error == 0
    assert torch.equal(result.outputs[0], (x > 0).nonzero())


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_topk(driver, dtype):
    distinct = torch.randperm(100, generator=torch.Generator().manual_seed(3))
    for x in (distinct.reshape(4, 25).to(dtype), distinct.reshape(2, 5, 10).to(dtype)):
        for dim in range(x.dim()):
            for largest in (True, False):
                for k in (0, 1, 2):
                    check(driver, "topk", "topk.values", [x, k, dim, largest])
    if dtype.is_floating_point:
        x = tensor((40,), dtype, special=True)
        expected = x.topk(40).values
        result = call_out(
            driver,
            resolve("topk.values"),
            bind(resolve("topk"), [x, 40], {}),
            [Out(like=expected), Out(like=torch.empty(40, dtype=torch.int64))],
        )
        assert_same(result.outputs[0], expected)
        assert_same(x[result.outputs[1]], expected)


def topk(driver, x, k, largest=True, is_sorted=True, temp_bytes=1 << 20):
    args = bind(resolve("topk"), [x, k, -1, largest, is_sorted], {})
    outs = [Out(like=expected) for expected in x.topk(k, -1, largest, is_sorted)]
    result = call_out(driver, resolve("topk.values"), args, outs, temp_bytes=temp_bytes)
    assert result.error == 0
    return result.outputs


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int64, torch.uint8], ids=str)
@pytest.mark.parametrize("largest", [False, True])
def test_topk_of_equal_numbers_is_eagers(driver, dtype, largest):
    draw = torch.Generator().manual_seed(7)
    # Few that are kept in a heap, and many, whose line is partitioned.
    for n, k in [
        (1, 1),
        (4, 3),
        (9, 9),
        (70, 1),
        (84, 8),
        (300, 290),
        (640, 10),
        (3000, 46),
        (3000, 47),
        (5000, 4999),
    ]:
        for values in (1, 2, 30):
            x = torch.randint(values, (2, n), generator=draw).to(dtype)
            for is_sorted in (False, True):
                for actual, expected in zip(
                    topk(driver, x, k, largest, is_sorted), x.topk(k, -1, largest, is_sorted), strict=True
                ):
                    assert torch.equal(actual, expected), (n, k, values, is_sorted)
    # Beautiful lines, on which partitions come out badly.
    rising = torch.arange(4096, dtype=torch.int64).div(16, rounding_mode="floor").to(dtype)
    for x in (rising, rising.flip(0), torch.cat([rising, rising.flip(0)])):
        for k in (60, 1000, 4096):
            assert torch.equal(topk(driver, x, k, largest)[1], x.topk(k, -1, largest)[1])


def test_topk_without_memory(driver):
    x = torch.randint(50, (2, 3000), generator=torch.Generator().manual_seed(7)).float()
    values, indices = topk(driver, x, 700, temp_bytes=0)
    assert torch.equal(values, x.topk(700).values)
    assert torch.equal(indices, x.sort(descending=True, stable=True).indices[:, :700])


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_tril(driver, dtype):
    for diagonal in (0, 1, -2, 9, -9):
        for x in (tensor((5, 7), dtype), tensor((2, 3, 0), dtype), *images(dtype)):
            check(driver, "tril", "tril.out", [x, diagonal])


@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_shifts(driver, dtype):
    a, b = tensor((5, 9), dtype, low=-100, high=100), tensor((5, 9), dtype, low=0, high=9, seed=1)
    for side in ("left", "right"):
        name = f"bitwise_{side}_shift"
        expected = getattr(torch, name)(a, b)
        arguments = [(a, "Tensor"), (b, "Tensor"), (Out(like=expected), "Tensor")]
        assert_same(driver.call(f"aten::{name}.Tensor_out", arguments).outputs[0], expected)
        expected = getattr(torch, name)(a, 3)
        arguments = [(a, "Tensor"), (3, "number"), (Out(like=expected), "Tensor")]
        assert_same(driver.call(f"aten::{name}.Tensor_Scalar_out", arguments).outputs[0], expected)


def test_complex(driver):
    for dtype in (torch.complex64, torch.complex128):
        x = torch.randn(3, 4, dtype=dtype, generator=torch.Generator().manual_seed(1))
        check(driver, "view_as_real_copy", "view_as_real_copy.out", [x])
        check(driver, "_conj_physical", "_conj_physical.out", [x])
    check(driver, "_conj_physical", "_conj_physical.out", [tensor((3,), torch.float32)])


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32], ids=str)
def test_repeat_interleave(driver, dtype):
    for repeats in ([2, 0, 3], [], [1]):
        t = torch.tensor(repeats, dtype=dtype)
        check(driver, "repeat_interleave.Tensor", "repeat_interleave.Tensor_out", [t])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.5, float("inf")])
def test_distances(driver, dtype, p):
    tolerance = (1e-4, 1e-4)
    for a, b in (((4, 7), (5, 7)), ((2, 1, 4, 300), (3, 2, 300)), ((0, 3), (2, 3))):
        args = [tensor(a, dtype), tensor(b, dtype, seed=1), p, None]
        check(driver, "_cdist_forward", "_cdist_forward.out", args, tolerance=tolerance)
    for shape in ((5, 7), (1, 3)):
        check(driver, "_pdist_forward", "_pdist_forward.out", [tensor(shape, dtype), p], tolerance=tolerance)


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16], ids=str)
def test_upsample_bilinear(driver, dtype, align):
    tolerance = (1e-2, 1e-2) if dtype == torch.float16 else (1e-5, 1e-5)
    for x in images(dtype):
        for size in ([8, 10], [3, 7], [4, 5], [1, 1], [13, 2]):
            name = "upsample_bilinear2d.vec"
            check(driver, name, f"{name}_out", [x, size, align, None], tolerance=tolerance)
            if dtype != torch.float16:
                name = "_upsample_bilinear2d_aa"
                check(driver, name, f"{name}.out", [x, size, align], tolerance=tolerance)
        name = "upsample_bilinear2d.vec"
        check(driver, name, f"{name}_out", [x, None, align, [1.5, 0.7]], tolerance=tolerance)
        name = "upsample_bilinear2d"
        for args in ([[8, 10], align], [[6, 3], align, 1.5, 0.7]):
            check(driver, name, f"{name}.out", [x, *args], tolerance=tolerance)


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("padding", [0, 1, 2])
@pytest.mark.parametrize("mode", [0, 1, 2])
def test_grid_sampler(driver, mode, padding, align):
    grid = tensor((2, 6, 7, 2), torch.float64, low=-1.6, high=1.6)
    for x in images(torch.float64):
        args = [x, grid, mode, padding, align]
        check(driver, "grid_sampler_2d", "grid_sampler_2d.out", args, tolerance=(1e-6, 1e-6))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_convolution_gradient(driver, dtype):
    cases = [
        ((2, 4, 7, 6), (6, 2, 3, 2), [2, 1], [1, 0], [1, 2], 2),
        ((2, 3, 5, 5), (4, 3, 3, 3), [1, 1], [1, 1], [1, 1], 1),
        ((2, 3, 9), (4, 3, 3), [2], [1], [1], 1),
    ]
    for x_shape, w_shape, stride, padding, dilation, groups in cases:
        x, w = tensor(x_shape, dtype), tensor(w_shape, dtype, seed=1)
        output_padding = [0] * len(stride)
        out = torch.convolution(x, w, None, stride, padding, dilation, False, output_padding, groups)
        grad = tensor(tuple(out.shape), dtype, seed=2)
        args = [grad, x, w, [w_shape[0]], stride, padding, dilation, False, output_padding, groups]
        name = "convolution_backward"
        check(driver, name, f"{name}.out", [*args, [True, True, True]], tolerance=(1e-4, 1e-4))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_max_pool_gradient(driver, dtype):
    for x in images(dtype):
        window = [[2, 2], [1, 2], [1, 0], [1, 1], False]
        out, indices = torch.ops.aten.max_pool2d_with_indices(x, *window)
        args = [tensor(tuple(out.shape), dtype, seed=1), x, *window, indices]
        name = "max_pool2d_with_indices_backward"
        check(driver, name, f"{name}.grad_input", args)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_random(driver, dtype):
    like = torch.empty(200, 50, dtype=dtype)
    uniform = driver.call("aten::rand.out", [([200, 50], "List[int]"), (Out(like=like), "Tensor")]).outputs[0]
    assert uniform.min() >= 0
    assert uniform.max() < 1
    assert abs(uniform.double().mean() - 0.5) < 0.02
    normal = driver.call("aten::randn.out", [([200, 50], "List[int]"), (Out(like=like), "Tensor")]).outputs[0]
    assert abs(normal.double().mean()) < 0.05
    assert abs(normal.double().std() - 1) < 0.05
    again = driver.call("aten::randn.out", [([200, 50], "List[int]"), (Out(like=like), "Tensor")]).outputs[0]
    assert not torch.equal(normal, again)


def test_dropout(driver):
    x = torch.ones(100, 100)
    op = resolve("native_dropout.out")
    outs = [Out(like=x), Out(like=torch.empty(100, 100, dtype=torch.bool))]
    y, mask = call_out(driver, op, bind(op, [x, 0.25, True], {}), outs).outputs
    assert 0.7 < mask.double().mean() < 0.8
    assert_same(y, mask / 0.75)
    y, mask = call_out(driver, op, bind(op, [x, 0.25, False], {}), outs).outputs
    assert mask.all()
    assert torch.equal(y, x)


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_allclose(driver, dtype):
    a = tensor((3, 4), dtype)
    b = a.clone()
    for equal_nan in (False, True):
        for change in (None, 1, float("nan"), float("inf")):
            if change is not None:
                if not dtype.is_floating_point and change != 1:
                    continue
                b[0, 0] = change
            arguments = [(a, "Tensor"), (b, "Tensor"), (1e-5, "float"), (1e-8, "float"), (equal_nan, "bool")]
            arguments += [(False, "bool"), (Out(like=torch.empty((), dtype=torch.bool)), "Tensor")]
            result = driver.call("aten::allclose.out", arguments)
            assert result.error == 0
            assert result.outputs[0].item() == torch.allclose(a.double(), b.double(), equal_nan=equal_nan)


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_dim_orders(driver, dtype):
    for shape in SHAPES:
        x = tensor(shape, dtype)
        arguments = [
            (x, "Tensor"),
            (False, "bool"),
            (list(range(len(shape))), "List[int]"),
            (Out(like=x), "Tensor"),
        ]
        for name in ("_to_dim_order_copy", "_clone_dim_order"):
            result = driver.call(f"dim_order_ops::{name}.out", arguments)
            assert result.error == 0
            assert torch.equal(result.outputs[0], x)
        for name in ("_h2d_copy", "_d2h_copy"):
            result = driver.call(f"et_copy::{name}.out", [(x, "Tensor"), (Out(like=x), "Tensor")])
            assert result.error == 0x12, "neither tensor is on a device"
    x = tensor((2, 3, 4, 5), dtype)
    last = x.contiguous(memory_format=torch.channels_last)
    arguments = [(x, "Tensor"), (False, "bool"), ([0, 2, 3, 1], "List[int]"), (Out(like=last), "Tensor")]
    result = driver.call("dim_order_ops::_to_dim_order_copy.out", arguments)
    assert result.error == 0
    assert torch.equal(result.outputs[0], x)
    arguments[2] = ([0, 1, 2, 3], "List[int]")
    assert driver.call("dim_order_ops::_to_dim_order_copy.out", arguments).error == 0x12
    empty = [([2, 3, 4, 5], "List[int]"), ([0, 2, 3, 1], "List[int]"), (Out(like=last), "Tensor")]
    assert driver.call("dim_order_ops::_empty_dim_order.out", empty).error == 0
