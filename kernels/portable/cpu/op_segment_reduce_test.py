"""Segments of an axis, each of which becomes one element, against eager."""

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import bind, call_out, check, resolve
from executorch.kernels.test.samples import FLOATS, tensor

_INVALID_ARGUMENT = 0x12
_NAME = "segment_reduce"
_REDUCTIONS = ("sum", "mean", "max", "min", "prod")


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("reduction", _REDUCTIONS)
def test_segments(driver, reduction, dtype):
    for shape, lengths in (
        ((7,), [3, 0, 4]),
        ((7, 2, 3), [1, 6]),
        ((0, 2), [0, 0]),
        ((5, 0), [5]),
        ((2, 5), [[3, 2, 0], [0, 0, 5]]),
        ((2, 5, 3), [[3, 2], [1, 4]]),
    ):
        x = tensor(shape, dtype)
        counts = torch.tensor(lengths)
        axis = counts.dim() - 1
        offsets = torch.nn.functional.pad(counts.cumsum(-1), (1, 0))
        for initial in (None, 0.5):
            for index_dtype in (torch.int64, torch.int32):
                kwargs = {"axis": axis, "initial": initial}
                given = {"lengths": counts.to(index_dtype), **kwargs}
                check(driver, _NAME, f"{_NAME}.out", [x, reduction], given)
                given = {"offsets": offsets.to(index_dtype), **kwargs}
                check(driver, _NAME, f"{_NAME}.out", [x, reduction], given)


@pytest.mark.parametrize("reduction", _REDUCTIONS)
def test_what_is_no_number_stays_none(driver, reduction):
    x = torch.tensor([1.0, torch.nan, 2.0, torch.inf, -torch.inf, 0.0])
    check(driver, _NAME, f"{_NAME}.out", [x, reduction], {"lengths": torch.tensor([3, 1, 0, 2])})


def test_a_part_of_the_axis(driver):
    given = {"lengths": torch.tensor([1, 2]), "unsafe": True}
    check(driver, _NAME, f"{_NAME}.out", [torch.rand(5), "sum"], given)


def test_segments_that_there_are_not_fail(driver):
    x, counts = torch.rand(5, 2), torch.tensor([2, 3])

    def error(data=x, reduction="sum", like=x[:2], **kwargs):
        bound = bind(resolve(_NAME), [data, reduction], kwargs)
        return call_out(driver, resolve(f"{_NAME}.out"), bound, [Out(like=like)]).error

    assert error(lengths=counts) == 0
    for bad in (
        {"lengths": counts + 1},
        {"lengths": torch.tensor([-1, 6])},
        {"lengths": torch.tensor([1 << 62, -(1 << 62)])},
        {"lengths": torch.tensor([(1 << 63) - 1, (1 << 63) - 1]), "unsafe": True},
        {"lengths": counts[None]},
        {"lengths": counts.float()},
        {"lengths": counts, "axis": 1},
        {"lengths": counts, "axis": 2},
        {"lengths": counts, "offsets": torch.tensor([0, 2, 5])},
        {"lengths": counts, "indices": counts},
        {"lengths": counts, "reduction": "median"},
        {"offsets": torch.tensor([0, 2, 6])},
        {"offsets": torch.tensor([-1, 2, 5])},
        {"offsets": torch.tensor([0, 3, 2])},
        {"offsets": counts[:0]},
        {"lengths": counts, "data": x.long(), "like": x[:2].long()},
        {},
    ):
        assert error(**bad) == _INVALID_ARGUMENT, bad
