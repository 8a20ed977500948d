"""The optimized library's convolutions and pools, with scratch memory as a program's method gives it, against eager."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from executorch.kernels.test.op_driver import OpDriver, driver_path
from executorch.kernels.test.oracle import as_list, assert_same, bind, resolve, run_kernel
from executorch.kernels.test.samples import tensor

SCRATCH = 8 << 20


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver(driver_path("op_driver_optimized"))
    yield driver
    driver.close()


def check(driver: OpDriver, name: str, args: list[Any], temp_bytes: int = SCRATCH) -> None:
    op = resolve(name)
    expected = as_list(op(*args))
    result = run_kernel(driver, resolve(f"{name}.out"), bind(op, args, {}), expected, temp_bytes=temp_bytes)
    assert result.error == 0
    for actual, reference in zip(result.outputs, expected, strict=True):
        assert_same(actual, reference, (2e-4, 2e-4))


def convolution(
    channels: tuple[int, int], size: tuple[int, int], kernel: tuple[int, int], window: list[Any]
) -> list[Any]:
    """Arguments of a convolution of two images; `window` ends with the groups."""
    inputs, outputs = channels
    x = tensor((2, inputs, *size), torch.float32)
    weight = tensor((outputs, inputs // window[-1], *kernel), torch.float32, seed=1)
    weight /= weight[0].numel() ** 0.5
    return [x, weight, tensor((outputs,), torch.float32, seed=2), *window]


@pytest.mark.parametrize(
    "channels,size,kernel,stride,padding,groups",
    [
        ((3, 32), (57, 61), 3, 2, 1, 1),
        ((3, 64), (64, 64), 7, 2, 3, 1),
        ((64, 64), (28, 28), 3, 1, 1, 1),
        ((64, 128), (28, 28), 3, 2, 1, 1),
        ((64, 128), (28, 28), 1, 2, 0, 1),
        ((512, 40), (7, 7), 3, 1, 1, 1),
        ((160, 96), (7, 7), 1, 1, 0, 1),
        ((24, 144), (56, 56), 1, 1, 0, 1),
        ((32, 32), (57, 57), 3, 1, 1, 32),
        ((32, 32), (57, 57), 3, 2, 1, 32),
        ((96, 96), (14, 14), 5, 1, 2, 96),
        ((96, 96), (7, 7), 3, 1, 1, 96),
        ((16, 32), (20, 20), 3, 1, 1, 16),
        ((16, 32), (20, 20), 3, 1, 1, 4),
        ((8, 8), (70, 9), 9, 8, 4, 1),
        ((8, 8), (70, 9), 9, 8, 4, 8),
        ((64, 8), (300, 300), 3, 1, 1, 1),  # more than one strip
    ],
    ids=str,
)
@pytest.mark.parametrize("temp_bytes", [0, SCRATCH], ids=["no scratch", "scratch"])
def test_shapes_of_models(driver, channels, size, kernel, stride, padding, groups, temp_bytes):
    window = [[stride] * 2, [padding] * 2, [1, 1], False, [0, 0], groups]
    check(driver, "convolution", convolution(channels, size, (kernel, kernel), window), temp_bytes)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_window(driver, data):
    groups = data.draw(st.sampled_from([1, 1, 2, 5]), "groups")
    inputs = groups * data.draw(st.integers(1, 5), "inputs")
    outputs = groups * data.draw(st.integers(1, 11), "outputs")
    kernel = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 5)), "kernel")
    stride = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 5)), "stride")
    padding = data.draw(st.tuples(st.integers(0, 4), st.integers(0, 4)), "padding")
    dilation = data.draw(st.tuples(st.integers(1, 3), st.integers(1, 3)), "dilation")
    size = tuple(
        d * (k - 1) + 1 + data.draw(st.integers(0, 60)) for k, d in zip(kernel, dilation, strict=True)
    )
    window = [list(stride), list(padding), list(dilation), False, [0, 0], groups]
    check(driver, "convolution", convolution((inputs, outputs), size, kernel, window))


def test_line_of_samples(driver):
    x, weight = tensor((2, 6, 200), torch.float32), tensor((16, 6, 5), torch.float32, seed=1)
    check(driver, "convolution", [x, weight, None, [2], [2], [1], False, [0], 1])


@pytest.mark.parametrize("size", [(112, 112), (13, 40), (5, 3)], ids=str)
@pytest.mark.parametrize("kernel,stride,padding", [(3, 2, 1), (2, 2, 0), (3, 1, 1), (5, 3, 2)])
def test_largest_of_a_window(driver, size, kernel, stride, padding):
    x = tensor((2, 3, *size), torch.float32)
    x[0, 1, 2, 1], x[1, 0, 0, 0] = float("nan"), float("-inf")
    op = resolve("max_pool2d_with_indices")
    args = [x, [kernel] * 2, [stride] * 2, [padding] * 2]
    expected = as_list(op(*args))
    result = run_kernel(driver, resolve("max_pool2d_with_indices.out"), bind(op, args, {}), expected)
    assert result.error == 0
    for actual, reference in zip(result.outputs, expected, strict=True):
        assert_same(actual, reference)
