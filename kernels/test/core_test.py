"""The operators of the core ATen set that came after the published library's, against eager."""

from __future__ import annotations

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import as_list, assert_same, bind, call_out, check, resolve
from executorch.kernels.test.samples import FLOATS, INTS, NUMBERS, REAL, tensor


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def check_with_memory(driver, functional, out_variant, args, kwargs=None, tolerance=None):
    """As `check`, for kernels that may need temporary memory, and that fail without."""
    op = resolve(functional)
    expected = as_list(op(*args, **(kwargs or {})))
    bound = bind(op, args, kwargs or {})
    outs = [Out(like=torch.empty_like(t)) for t in expected]
    result = call_out(driver, resolve(out_variant), bound, outs, temp_bytes=1 << 22)
    assert result.error == 0, f"{out_variant} failed with 0x{result.error:x}"
    for actual, reference in zip(result.outputs, expected, strict=True):
        if reference.is_complex():
            actual, reference = torch.view_as_real(actual), torch.view_as_real(reference)
        assert_same(actual, reference, tolerance)


def distinct(shape, dtype, seed=0):
    """A tensor without equal elements."""
    count = int(torch.Size(shape).numel())
    values = torch.randperm(count, generator=torch.Generator().manual_seed(seed))
    return (values if dtype == torch.uint8 else values - count // 2).reshape(shape).to(dtype)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_average_pools(driver, dtype):
    x = tensor((2, 3, 9, 8, 10), dtype)
    for args in ([2], [3, 2, 1], [[2, 3, 2], [1, 2, 3], [0, 1, 1], True], [3, 2, 1, False, False, 5]):
        if dtype in (torch.float32, torch.float64):  # eager has no others
            check(driver, "avg_pool3d", "avg_pool3d.out", [x, *args])
            check(driver, "avg_pool3d", "avg_pool3d.out", [x[0], *args])
    for size in ([3, 2, 5], [1, 1, 1], [11, 9, 8]):
        check(driver, "_adaptive_avg_pool3d", "_adaptive_avg_pool3d.out", [x, size])
    line = tensor((2, 3, 17), dtype)
    for args in ([3], [4, 2, 1], [3, 2, 1, True, False]):
        check(driver, "avg_pool1d", "avg_pool1d.out", [line, *args])
    for size in (1, 5, 20):
        check(driver, "adaptive_avg_pool1d", "adaptive_avg_pool1d.out", [line, [size]])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_average_pool_gradients(driver, dtype):
    for last in (False, True):
        x = tensor((2, 3, 9, 8), dtype, channels_last=last)
        for args in (
            [[2, 2], [2, 2], [0, 0], False, True, None],
            [[3, 2], [2, 1], [1, 1], True, False, None],
        ):
            grad = torch.ones_like(torch.ops.aten.avg_pool2d(x, *args)) * 1.5
            name = "avg_pool2d_backward"
            check(driver, name, f"{name}.grad_input", [grad, x, *args])
        for size in ((3, 2), (1, 1), (11, 9)):
            grad = tensor((2, 3, *size), dtype, seed=4)
            check(driver, "_adaptive_avg_pool2d_backward", "_adaptive_avg_pool2d_backward.out", [grad, x])


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_max_pool3d(driver, dtype):
    x = distinct((1, 2, 5, 5, 5), dtype) if dtype != torch.uint8 else distinct((1, 1, 6, 6, 7), dtype)
    x = x if dtype != torch.int8 else distinct((1, 1, 6, 6, 7), dtype)
    x = x if dtype != torch.bfloat16 else distinct((1, 1, 6, 6, 7), dtype)
    name = "max_pool3d_with_indices"
    for args in ([2], [3, 2, 1], [[2, 3, 2], [1, 2, 3], [0, 1, 1], [2, 1, 1], True]):
        check(driver, name, f"{name}.out", [x, *args])


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_sort(driver, dtype):
    for shape in ((), (0,), (7,), (3, 300), (2, 3, 4, 5)):
        x = tensor(shape, dtype, special=True)
        for dim in range(-1, max(len(shape) - 1, 0)):
            for descending in (False, True):
                kwargs = {"stable": True, "dim": dim, "descending": descending}
                check_with_memory(driver, "sort.stable", "sort.values_stable", [x], kwargs)
                check_with_memory(driver, "argsort.stable", "argsort.stable_out", [x], kwargs)
    x = tensor((4, 90), dtype, special=True)
    values = x.sort(dim=0).values
    outs = [Out(like=values), Out(like=torch.empty_like(values, dtype=torch.int64))]
    result = call_out(driver, resolve("sort.values"), bind(resolve("sort"), [x, 0], {}), outs)
    assert_same(result.outputs[0], values)
    last = tensor((2, 3, 4, 5), dtype, channels_last=True)
    check(driver, "sort.stable", "sort.values_stable", [last], {"stable": True, "dim": 1})


def test_sort_of_a_long_line_says_what_it_needs(driver):
    x = torch.randn(100_000)
    outs = [Out(like=x), Out(like=torch.empty(100_000, dtype=torch.int64))]
    assert call_out(driver, resolve("sort.values"), bind(resolve("sort"), [x], {}), outs).error == 0x21


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_order_statistics(driver, dtype):
    for x in (distinct((4, 25), dtype), distinct((3, 5, 4), dtype), torch.tensor(3).to(dtype)):
        for dim in range(max(x.dim(), 1)):
            for keepdim in (False, True):
                check(driver, "kthvalue", "kthvalue.values", [x, 1, dim, keepdim])
                check(driver, "median.dim", "median.dim_values", [x, dim, keepdim])
    if dtype.is_floating_point:
        x = distinct((4, 25), dtype)
        x[1, 3] = float("nan")
        check(driver, "median.dim", "median.dim_values", [x, 1])


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_search(driver, dtype, right):
    line = tensor((40,), dtype).sort().values
    x = tensor((3, 50), dtype, seed=2)
    lines = tensor((3, 20), dtype, seed=3).sort(dim=1).values
    options = {"right": right}
    check(driver, "searchsorted.Tensor", "searchsorted.Tensor_out", [line, x], options)
    check(driver, "searchsorted.Tensor", "searchsorted.Tensor_out", [lines, x], options)
    check(driver, "searchsorted.Tensor", "searchsorted.Tensor_out", [line, x], {"out_int32": True, **options})
    shuffled = tensor((20,), dtype, seed=5)
    options["sorter"] = shuffled.argsort()
    check(driver, "searchsorted.Tensor", "searchsorted.Tensor_out", [shuffled, x], options)
    del options["sorter"]
    check(driver, "searchsorted.Scalar", "searchsorted.Scalar_out", [line, 1], options)
    check(driver, "bucketize.Tensor", "bucketize.Tensor_out", [x, line], options)
    check(driver, "bucketize.Scalar", "bucketize.Scalar_out", [1, line], options)


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_scans(driver, dtype):
    coarse = {torch.float16: (2e-2, 1e-2), torch.bfloat16: (5e-1, 5e-2)}.get(dtype)
    for x in (tensor((), dtype), tensor((4, 30), dtype), tensor((2, 0), dtype), tensor((2, 3, 4), dtype)):
        for dim in range(max(x.dim(), 1)):
            small = x.clamp(0, 1) if dtype != torch.bool else x
            check(driver, "cumprod", "cumprod.out", [small, dim], tolerance=coarse)
            check(driver, "cumprod", "cumprod.out", [x, dim], {"dtype": torch.float64})
            if dtype.is_floating_point:
                check(driver, "logcumsumexp", "logcumsumexp.out", [x, dim], tolerance=coarse)
    for shape in ((), (4, 30), (2, 3, 4)):
        x = tensor(shape, dtype, special=True)
        for dim in range(max(x.dim(), 1)):
            for name in ("cummax", "cummin"):
                op = getattr(torch.ops.aten, name)
                expected = list(op(x, dim))
                outs = [Out(like=t) for t in expected]
                result = call_out(driver, resolve(f"{name}.out"), bind(resolve(name), [x, dim], {}), outs)
                assert result.error == 0
                for actual, reference in zip(result.outputs, expected, strict=True):
                    assert_same(actual, reference)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 12, 30, 49, 64, 97, 210, 256, 400, 512, 1009])
def test_fourier(driver, dtype, n):
    tolerance = (1e-3, 1e-4) if dtype == torch.float32 else (1e-9, 1e-9)
    x = torch.randn(2, n, dtype=dtype, generator=torch.Generator().manual_seed(n))
    z = torch.complex(x, x.flip(0) * 0.5)
    for normalization in (0, 1, 2):
        for onesided in (True, False):
            args = [x, [1], normalization, onesided]
            check_with_memory(driver, "_fft_r2c", "_fft_r2c.out", args, tolerance=tolerance)
        for forward in (True, False):
            args = [z, [1], normalization, forward]
            check_with_memory(driver, "_fft_c2c", "_fft_c2c.out", args, tolerance=tolerance)
        half = z[:, : n // 2 + 1].contiguous()
        args = [half, [1], normalization, n]
        check_with_memory(driver, "_fft_c2r", "_fft_c2r.out", args, tolerance=tolerance)


def test_fourier_of_several_dimensions(driver):
    x = torch.randn(3, 6, 10, generator=torch.Generator().manual_seed(0))
    for dims in ([0], [0, 1], [1, 2], [0, 1, 2], [2, 0]):
        for onesided in (True, False):
            args = [x, dims, 2, onesided]
            check_with_memory(driver, "_fft_r2c", "_fft_r2c.out", args, tolerance=(1e-4, 1e-4))
        z = torch.complex(x, x.flip(0))
        args = [z, dims, 1, True]
        check_with_memory(driver, "_fft_c2c", "_fft_c2c.out", args, tolerance=(1e-4, 1e-4))
        # Only transforms of real tensors have an inverse whose result every implementation agrees on.
        half = torch.ops.aten._fft_r2c(x, dims, 0, True).contiguous()
        args = [half, dims, 2, x.shape[dims[-1]]]
        check_with_memory(driver, "_fft_c2r", "_fft_c2r.out", args, tolerance=(1e-4, 1e-4))


@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_embedding_bag(driver, dtype, mode):
    weight = tensor((6, 3), dtype)
    indices = torch.tensor([1, 2, 3, 3, 0, 5])
    offsets = torch.tensor([0, 2, 2, 5])
    closed = torch.tensor([0, 2, 2, 6])
    cases = [[weight, indices, offsets, False, mode]]
    cases += [[weight, indices, closed, False, mode, False, None, True, padding] for padding in (-1, 3)]
    if mode == 0:
        cases.append([weight, indices, offsets, False, 0, False, tensor((6,), dtype, seed=2)])
    op = resolve("_embedding_bag")
    for args in cases:
        # The others are for gradients; eager leaves them as they come where a mode does not need them.
        expected = list(op(*args))
        outs = [Out(like=t) for t in expected]
        result = call_out(driver, resolve("_embedding_bag.out"), bind(op, args, {}), outs)
        assert result.error == 0
        assert_same(result.outputs[0], expected[0])
        if mode == 2:
            assert torch.equal(result.outputs[1], expected[1])
            assert torch.equal(result.outputs[2], expected[2])


@pytest.mark.parametrize("by_frequency", [False, True])
def test_embedding_gradient(driver, by_frequency):
    indices = torch.tensor([[0, 3, 3], [1, 0, 3]])
    grad = tensor((2, 3, 4), torch.float32)
    name = "embedding_dense_backward"
    check(driver, name, f"{name}.out", [grad, indices, 6, 1, by_frequency])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_patches(driver, dtype):
    image = tensor((2, 3, 7, 8), dtype)
    for window in (
        ([2, 2], [1, 1], [0, 0], [1, 1]),
        ([3, 2], [2, 1], [1, 0], [2, 1]),
        ([1, 3], [1, 2], [0, 2], [3, 2]),
    ):
        check(driver, "im2col", "im2col.out", [image, *window])
        check(driver, "im2col", "im2col.out", [image[0], *window])
        columns = torch.ops.aten.im2col(image, *window)
        check(driver, "col2im", "col2im.out", [columns, [7, 8], *window])
        check(driver, "col2im", "col2im.out", [columns[0], [7, 8], *window])


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.int32], ids=str)
def test_scatter_reduce(driver, dtype, reduce, include_self):
    x = tensor((4, 5, 6), dtype)
    for dim in (0, 1, -1):
        index = torch.randint(0, 4, (3, 4, 5), generator=torch.Generator().manual_seed(dim + 5))
        src = tensor((3, 4, 5), dtype, seed=3)
        args = [x, dim, index, src, reduce]
        options = {"include_self": include_self}
        check(driver, "scatter_reduce.two", "scatter_reduce.two_out", args, options)


@pytest.mark.parametrize("mask", [[True, True, True], [True, False, True], [False, True, False]])
@pytest.mark.parametrize("affine", [True, False])
def test_norm_gradients(driver, mask, affine):
    x, grad = tensor((2, 3, 10), torch.float32), tensor((2, 3, 10), torch.float32, seed=1)
    weight = tensor((10,), torch.float32, seed=2) if affine else None
    bias = tensor((10,), torch.float32, seed=3) if affine else None
    _, mean, rstd = torch.ops.aten.native_layer_norm(x, [10], weight, bias, 1e-5)
    mask = mask if affine else [True, False, False]
    compare_masked(
        driver, "native_layer_norm_backward", mask, [grad, x, [10], mean, rstd, weight, bias, mask]
    )
    x, grad = tensor((2, 6, 5, 4), torch.float32), tensor((2, 6, 5, 4), torch.float32, seed=1)
    weight = tensor((6,), torch.float32, seed=2) if affine else None
    _, mean, rstd = torch.ops.aten.native_group_norm(x, weight, None, 2, 6, 20, 3, 1e-5)
    args = [grad, x, mean, rstd, weight, 2, 6, 20, 3, mask]
    compare_masked(driver, "native_group_norm_backward", mask, args)


def compare_masked(driver, name, mask, args):
    """Compares the outputs that `mask` asks for."""
    expected = list(getattr(torch.ops.aten, name)(*args))
    outs = [Out(like=t if wanted else torch.empty(0)) for t, wanted in zip(expected, mask, strict=True)]
    result = call_out(driver, resolve(f"{name}.out"), bind(resolve(name), args, {}), outs)
    assert result.error == 0
    for actual, reference, wanted in zip(result.outputs, expected, mask, strict=True):
        if wanted:
            assert_same(actual, reference, (1e-4, 1e-4))


@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_random_integers(driver, dtype):
    out = Out(like=torch.empty(50, dtype=dtype))
    result = call_out(driver, resolve("randperm.out"), {"n": 50}, [out])
    assert sorted(result.outputs[0].tolist()) == list(range(50))
    bound = {"low": 3, "high": 9, "size": [500]}
    drawn = call_out(
        driver, resolve("randint.low_out"), bound, [Out(like=torch.empty(500, dtype=dtype))]
    ).outputs[0]
    assert set(drawn.tolist()) == {3, 4, 5, 6, 7, 8}


def test_sizes_and_strides(driver):
    x = torch.arange(12.0).reshape(3, 4)
    result = call_out(
        driver, resolve("resize.out"), {"self": x, "size": [2, 3]}, [Out(like=torch.empty(2, 3))]
    )
    assert torch.equal(result.outputs[0], torch.arange(6.0).reshape(2, 3))
    bound = {"size": [2, 3], "stride": [3, 1]}
    assert call_out(driver, resolve("empty_strided.out"), bound, [Out(like=torch.empty(2, 3))]).error == 0
    bound["stride"] = [1, 2]
    assert call_out(driver, resolve("empty_strided.out"), bound, [Out(like=torch.empty(2, 3))]).error == 0x12


@pytest.mark.parametrize("padding", [[-1, 2, 0, 0], [-4, 5, 1, -2], [3, -3, -1, -1], [0, -2, -3, 2]])
def test_negative_padding_cuts(driver, padding):
    x = tensor((2, 3, 5, 5), torch.float32)
    check(driver, "replication_pad2d", "replication_pad2d.out", [x, padding])
    if max(padding) < 5:
        check(driver, "reflection_pad2d", "reflection_pad2d.out", [x, padding])
