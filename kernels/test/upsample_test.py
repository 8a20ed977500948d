"""Resampling of images, against eager."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import assert_same, bind, call_out, check, resolve
from executorch.kernels.test.samples import FLOATS, tensor

INVALID_ARGUMENT = 0x12
IMAGE = (2, 3, 6, 9)
SIZES = [(6, 9), (12, 18), (3, 4), (1, 1), (17, 5), (40, 60)]
# In half types eager rounds the weights.
TOLERANCES = {torch.float16: (1e-2, 1e-2), torch.bfloat16: (6e-2, 6e-2), torch.float32: (2e-5, 1e-5)}


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def images(dtype: torch.dtype) -> list[torch.Tensor]:
    """An image in both layouts; bytes have all values, and more channels than one vector has in eager."""
    if dtype == torch.uint8:
        planes = torch.arange(2 * 5 * 6 * 9, dtype=torch.int64) * 97 % 256
        image = planes.to(torch.uint8).reshape(2, 5, 6, 9)
        return [image, image.contiguous(memory_format=torch.channels_last), image[:, :2].contiguous()]
    return [tensor(IMAGE, dtype), tensor(IMAGE, dtype, channels_last=True)]


def check_filter(driver: OpDriver, name: str, args: list[Any]) -> None:
    """Against eager; it antialiases no half types, so that these are compared with Float, rounded."""
    x, op = args[0], resolve(name)
    wide = x.float() if name.endswith("_aa") and x.dtype in (torch.float16, torch.bfloat16) else x
    expected = op(wide, *args[1:]).to(x.dtype)
    outcome = call_out(driver, resolve(f"{name}.out"), bind(op, args, {}), [Out(like=expected)])
    assert outcome.error == 0
    assert_same(outcome.outputs[0], expected, TOLERANCES.get(x.dtype))


@pytest.mark.parametrize("dtype", [*FLOATS, torch.uint8], ids=str)
@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize(
    "name",
    ["upsample_bilinear2d", "upsample_bicubic2d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"],
)
def test_filters(driver, name, align, dtype):
    for x in images(dtype):
        for size in SIZES:
            factors = [size[0] / 6, size[1] / 9]
            for args in ([x, size, align], [x, size, align, *factors]):
                check_filter(driver, name, args)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("align", [False, True])
def test_linear(driver, align, dtype):
    tolerance = TOLERANCES.get(dtype)
    line = tensor((2, 3, 200), dtype)
    for size in (1, 7, 200, 400, 333):
        check(
            driver, "upsample_linear1d", "upsample_linear1d.out", [line, [size], align], tolerance=tolerance
        )
    check(driver, "upsample_linear1d", "upsample_linear1d.out", [line, [99], align, 0.7], tolerance=tolerance)
    volume = tensor((2, 3, 3, 4, 5), dtype)
    for args in ([(2, 7, 3), align], [(6, 8, 10), align, 2.0, 2.1, 1.9], [(1, 1, 1), align]):
        check(
            driver,
            "upsample_trilinear3d",
            "upsample_trilinear3d.out",
            [volume, *args],
            tolerance=tolerance,
        )


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize(
    "name",
    ["upsample_bilinear2d", "upsample_bicubic2d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"],
)
def test_positions_in_large_images_are_rounded_as_in_eager(driver, name, align, channels_last):
    # A float at 1237 has steps of 1 / 8192: exact positions would differ by some 1e-4.
    x = tensor((1, 2, 300, 1237), torch.float32, channels_last=channels_last)
    for size in ([21, 31], [411, 1300]):
        check(driver, name, f"{name}.out", [x, size, align], tolerance=(1e-5, 0))
    check(driver, name, f"{name}.out", [x, [150, 880], align, 0.502, 0.7117], tolerance=(1e-5, 0))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.uint8], ids=str)
@pytest.mark.parametrize("name", ["upsample_nearest", "_upsample_nearest_exact"])
def test_nearest(driver, name, dtype):
    for rank, shape in ((1, (2, 3, 7)), (2, (2, 3, 7, 5)), (3, (1, 2, 7, 5, 3))):
        x = tensor(shape, dtype)
        for sizes in ([14, 10, 6], [7, 5, 3], [3, 9, 1], [300, 20, 10]):
            operator = f"{name}{rank}d"
            check(driver, operator, f"{operator}.out", [x, sizes[:rank]])
            factors = [1.7, 0.6, 2.0][:rank]
            check(driver, operator, f"{operator}.out", [x, sizes[:rank], *factors])


def test_channels_last_nearest(driver):
    x = tensor((1, 4, 3, 5), torch.float32, channels_last=True)
    check(driver, "_upsample_nearest_exact2d", "_upsample_nearest_exact2d.out", [x, [7, 8]])
    check(driver, "upsample_nearest2d", "upsample_nearest2d.out", [x, [7, 8]])


@pytest.mark.parametrize(
    "name", ["upsample_bicubic2d", "upsample_bilinear2d", "_upsample_bicubic2d_aa", "upsample_nearest2d"]
)
def test_bad_arguments_fail(driver, name):
    operator = resolve(name)
    x = torch.rand(1, 2, 3, 4)
    align = [False] if "nearest" not in name else []
    out = torch.empty(1, 2, 5, 5)
    for args, like in (
        ([x[0], [5, 5]], out),
        ([x, [5]], out),
        ([x, [0, 5]], torch.empty(1, 2, 0, 5)),
        ([x, [5, 5]], out.double()),
        ([x, [5, 6]], out),
        ([x[:, :, :0], [5, 5]], out),
    ):
        bound = bind(operator, [*args, *align], {})
        outcome = call_out(driver, resolve(f"{name}.out"), bound, [Out(like=like)])
        assert outcome.error == INVALID_ARGUMENT, args


def test_hostile_scales_stay_inside(driver):
    x = torch.rand(1, 1, 3, 4)
    for name in (
        "upsample_bicubic2d",
        "upsample_bilinear2d",
        "_upsample_bilinear2d_aa",
        "_upsample_bicubic2d_aa",
    ):
        for scale in (1e-300, 1e-12, 1e-3, 1e300, float("nan"), float("inf"), -1.0):
            bound = bind(resolve(name), [x, [5, 5], False, scale, scale], {})
            outcome = call_out(driver, resolve(f"{name}.out"), bound, [Out(like=torch.empty(1, 1, 5, 5))])
            assert outcome.error in (0, INVALID_ARGUMENT)
