"""The loops of the optimized library, where it has some for this processor, against eager."""

from __future__ import annotations

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, driver_path
from executorch.kernels.test.oracle import check
from executorch.kernels.test.samples import tensor


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver(driver_path("op_driver_optimized"))
    yield driver
    driver.close()


# Around the widths of vectors and panels, and beyond the depth of a panel.
SIZES = [
    (1, 1, 1),
    (3, 5, 7),
    (8, 32, 16),
    (9, 33, 17),
    (65, 31, 300),
    (300, 64, 520),
    (2, 1, 1025),
    (1, 4, 64),
]


@pytest.mark.parametrize("m,n,k", SIZES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16], ids=str)
def test_products(driver, dtype, m, n, k):
    tolerance = {torch.float32: (1e-3, 1e-4), torch.float16: (5e-2, 5e-3)}.get(dtype)
    a, b = tensor((m, k), dtype), tensor((k, n), dtype, seed=1)
    check(driver, "mm", "mm.out", [a, b], tolerance=tolerance)
    check(
        driver,
        "linear",
        "linear.out",
        [a, b.t().contiguous(), tensor((n,), dtype, seed=2)],
        tolerance=tolerance,
    )
    bias = tensor((n,), dtype, seed=3)
    check(driver, "addmm", "addmm.out", [bias, a, b], {"alpha": 0.5, "beta": 2.0}, tolerance=tolerance)
    batch = [a.expand(2, m, k).contiguous(), b.expand(2, k, n).contiguous()]
    check(driver, "bmm", "bmm.out", batch, tolerance=tolerance)


def test_special_values_of_products(driver):
    a, b = torch.ones(9, 40), torch.ones(40, 33)
    a[3, 5], b[7, 2], a[8, 0] = float("nan"), float("inf"), -float("inf")
    check(driver, "mm", "mm.out", [a, b])


@pytest.mark.parametrize("last", [False, True], ids=["contiguous", "channels_last"])
@pytest.mark.parametrize("groups", [1, 2, 6])
@pytest.mark.parametrize("stride,padding,dilation", [(1, 1, 1), (2, 0, 1), (1, 2, 2), (3, 1, 1)])
def test_convolution(driver, groups, stride, padding, dilation, last):
    x = tensor((2, 6, 19, 37), torch.float32, channels_last=last)
    weight = tensor((12, 6 // groups, 3, 3), torch.float32, channels_last=last, seed=1)
    window = [[stride] * 2, [padding] * 2, [dilation] * 2, False, [0, 0], groups]
    bias = tensor((12,), torch.float32, seed=2)
    check(driver, "convolution", "convolution.out", [x, weight, bias, *window], tolerance=(1e-4, 1e-4))


@pytest.mark.parametrize("n", [1, 7, 16, 33, 2000])
def test_activations(driver, n):
    x = tensor((3, n), torch.float32, low=-12, high=12, special=n > 7)
    for name in ("sigmoid", "tanh"):
        check(driver, name, f"{name}.out", [x])
    check(driver, "gelu", "gelu.out", [x.where(x != float("inf"), x.new_tensor(2.5))])
    check(driver, "_softmax", "_softmax.out", [x.nan_to_num(0, 3, -3), 1, False])
    check(driver, "_log_softmax", "_log_softmax.out", [x.nan_to_num(0, 3, -3), 1, False])
