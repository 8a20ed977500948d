"""Groups of rows, each times a matrix of its own, against eager."""

from __future__ import annotations

import pytest
import torch

from executorch.dialects import grouped_products  # noqa: F401  defines the operator
from executorch.kernels.test.op_driver import OpDriver
from executorch.kernels.test.oracle import bind, check, resolve, run_kernel
from executorch.kernels.test.samples import FLOATS, tensor

TOLERANCES = {
    torch.float32: (1e-4, 1e-5),
    torch.float16: (3e-2, 4e-3),
    torch.bfloat16: (2e-1, 2e-2),
}


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def small(shape, dtype, seed=0):
    """Values whose products do not grow beyond half precision."""
    return tensor(shape, dtype, low=-2, high=2, seed=seed)


@pytest.mark.parametrize("dtype", (*FLOATS, torch.int64, torch.int32), ids=str)
@pytest.mark.parametrize("end", [torch.int32, torch.int64], ids=str)
def test_grouped_products(driver, dtype, end):
    for rows, n, k, ends in [
        (9, 5, 7, [2, 2, 6, 9]),
        (70, 33, 130, [0, 64, 65]),
        (6, 4, 3, [1, 3]),  # rows that are in no group
        (4, 3, 0, [4]),
        (0, 3, 2, [0, 0]),
    ]:
        matrices = small((len(ends), k, n), dtype, 1)
        args = [small((rows, k), dtype), matrices, torch.tensor(ends, dtype=end)]
        check(
            driver,
            "executorch::grouped_mm",
            "executorch::grouped_mm.out",
            args,
            tolerance=TOLERANCES.get(dtype),
        )


@pytest.mark.parametrize("ends", [[3, 2], [1, 5], [-1, 2]])
def test_groups_follow_each_other_within_the_rows(driver, ends):
    op = resolve("executorch::grouped_mm")
    args = [small((4, 3), torch.float32), small((2, 3, 5), torch.float32), torch.tensor(ends)]
    like = [torch.empty(4, 5)]
    assert run_kernel(driver, resolve("executorch::grouped_mm.out"), bind(op, args, {}), like).error != 0
