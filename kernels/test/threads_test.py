"""Kernels whose work is shared: tensors large enough for parts, uneven ones too, on several threads, against eager."""

from __future__ import annotations

import pytest
import torch
import torch.ao.quantization.fx._decomposed  # registers the reference operators

from executorch.kernels.test.op_driver import OpDriver, Out, driver_path
from executorch.kernels.test.oracle import assert_same, check
from executorch.kernels.test.samples import tensor

LARGE = (3, 257, 301)


@pytest.fixture(scope="module", params=["1", "3"])
def driver(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ET_KERNEL_TEST_THREADS", request.param)
        driver = OpDriver(driver_path("op_driver_threads"))
        check(driver, "relu", "relu.out", [torch.ones(1)])  # starts the program
    yield driver
    driver.close()


@pytest.mark.parametrize("dims", [[0], [1], [2], [0, 2], [0, 1, 2]], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.int32], ids=str)
def test_reductions(driver, dtype, dims):
    x = tensor(LARGE, dtype)
    # Sums of many numbers, in another order than eager's.
    tolerance = {torch.float32: (2e-3, 1e-5), torch.float16: (0.5, 2e-3)}.get(dtype)
    check(driver, "sum.dim_IntList", "sum.IntList_out", [x, dims, True], tolerance=tolerance)
    check(driver, "amax", "amax.out", [x, dims])
    check(driver, "amin", "amin.out", [x, dims, True])
    if dtype.is_floating_point:
        check(driver, "mean.dim", "mean.out", [x, dims], tolerance=(1e-3, 1e-3))


@pytest.mark.parametrize("dims", [[2], [1, 2]], ids=str)
def test_extremes_with_nan(driver, dims):
    x = tensor(LARGE, torch.float32)
    x[1, 100, 300] = float("nan")
    x[2, 5, 0] = float("inf")
    check(driver, "amax", "amax.out", [x, dims])
    check(driver, "amin", "amin.out", [x, dims])


@pytest.mark.parametrize("order", [[0, 2, 1], [2, 1, 0], [1, 0, 2], [2, 0, 1]], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.int64, torch.int8], ids=str)
def test_permutations(driver, dtype, order):
    check(driver, "permute_copy", "permute_copy.out", [tensor(LARGE, dtype), order])


def test_copies(driver):
    x = tensor(LARGE, torch.float32)
    check(driver, "clone", "clone.out", [x])
    check(driver, "cat", "cat.out", [[x, x[:, :, :100].contiguous()], 2])
    check(driver, "expand_copy", "expand_copy.out", [x[:1].contiguous(), [5, 257, 301]])
    check(driver, "slice_copy.Tensor", "slice_copy.Tensor_out", [x, 1, 3, 200, 2])


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8], ids=str)
def test_quantization(driver, dtype):
    reference = torch.ops.quantized_decomposed
    low, high = torch.iinfo(dtype).min, torch.iinfo(dtype).max
    x = tensor(LARGE, torch.float32) * 3

    def run(name, args, expected):
        typed = [(a, "float" if isinstance(a, float) else "any") for a in (*args, Out(like=expected))]
        result = driver.call(f"quantized_decomposed::{name}", typed)
        assert result.error == 0
        assert_same(result.outputs[0], expected)

    args = [x, 0.05, 7, low, high, dtype]
    q = reference.quantize_per_tensor(*args)
    run("quantize_per_tensor.out", args, q)
    back = reference.dequantize_per_tensor(q, 0.05, 7, low, high, dtype)
    run("dequantize_per_tensor.out", [q, 0.05, 7, low, high, dtype, None], back)
    scales, zeros = torch.rand(257) + 0.01, torch.zeros(257, dtype=torch.int64)
    back = reference.dequantize_per_channel(q, scales, zeros, 1, low, high, dtype)
    run("dequantize_per_channel.out", [q, scales, zeros, 1, low, high, dtype, None], back)
