"""Pools whose windows stand at random places, against eager with the same random numbers."""

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import bind, call_out, check, resolve
from executorch.kernels.test.samples import FLOATS, tensor

_INVALID_ARGUMENT = 0x12


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def _args(shape, window, size, dtype, *, batched=True, seed=0):
    x = tensor(shape, dtype, seed=seed)
    spatial = len(size)
    leading = shape[:2] if batched else (1, shape[0])
    return [x, window, size, tensor((*leading, spatial), dtype, low=0.0, high=0.999, seed=seed + 1)]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_pools_of_images(driver, dtype):
    name = "fractional_max_pool2d"
    for seed in range(4):
        for shape, window, size in (
            ((2, 3, 7, 9), [2, 3], [4, 5]),
            ((1, 2, 40, 33), [3, 2], [13, 21]),
            ((2, 1, 5, 5), [1, 1], [5, 5]),
            ((2, 2, 6, 6), [6, 6], [1, 1]),
            ((0, 2, 6, 6), [2, 2], [3, 3]),
        ):
            check(driver, name, f"{name}.output", _args(shape, window, size, dtype, seed=seed))
        image = _args((3, 7, 9), [2, 2], [3, 5], dtype, batched=False, seed=seed)
        check(driver, name, f"{name}.output", image)
        image = _args((2, 3, 7, 9), [2, 2], [3, 5], dtype, seed=seed)
        image[0] = image[0].contiguous(memory_format=torch.channels_last)
        check(driver, name, f"{name}.output", image)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_pools_of_volumes(driver, dtype):
    name = "fractional_max_pool3d"
    for seed in range(4):
        for shape, window, size in (
            ((2, 3, 6, 7, 9), [2, 2, 3], [3, 4, 5]),
            ((1, 1, 5, 5, 6), [4, 1, 2], [1, 4, 3]),
            ((0, 1, 5, 5, 5), [2, 2, 2], [2, 2, 2]),
        ):
            check(driver, name, f"{name}.output", _args(shape, window, size, dtype, seed=seed))
        volume = _args((3, 6, 7, 9), [2, 2, 2], [3, 3, 5], dtype, batched=False, seed=seed)
        check(driver, name, f"{name}.output", volume)


def test_what_is_no_number_is_the_largest(driver):
    args = _args((1, 1, 6, 6), [2, 2], [4, 4], torch.float32)
    args[0][0, 0, 2, 3] = torch.nan
    check(driver, "fractional_max_pool2d", "fractional_max_pool2d.output", args)
    args[0].fill_(-torch.inf)
    check(driver, "fractional_max_pool2d", "fractional_max_pool2d.output", args)


def test_what_does_not_fit_fails(driver):
    op, out_op = resolve("fractional_max_pool2d"), resolve("fractional_max_pool2d.output")
    x, numbers = torch.ones(1, 2, 6, 6), torch.full((1, 2, 2), 0.5)

    def error(*args):
        outs = [Out(like=torch.ones(1, 2, 4, 4)), Out(like=torch.ones(1, 2, 4, 4).long())]
        return call_out(driver, out_op, bind(op, args, {}), outs).error

    assert error(x, [2, 2], [4, 4], numbers) == 0
    for args in (
        (x, [4, 2], [4, 4], numbers),
        (x, [0, 2], [4, 4], numbers),
        (x, [-1, 2], [4, 4], numbers),
        (x, [1 << 62, 2], [1 << 62, 4], numbers),
        (x, [2, 2], [4, 4], numbers[:, :1]),
        (x, [2, 2], [4, 4], numbers[..., :1]),
        (x, [2, 2], [4, 4], numbers.double()),
        (x, [2, 2], [4, 4], numbers + 1),
        (x, [2, 2], [4, 4], -numbers),
        (x, [2, 2], [4, 4], numbers * torch.nan),
        (x[0, 0], [2, 2], [4, 4], numbers),
        (x.long(), [2, 2], [4, 4], numbers.long()),
    ):
        assert error(*args) == _INVALID_ARGUMENT, args[1:3]
