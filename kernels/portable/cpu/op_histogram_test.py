"""How many elements lie between edges, against eager."""

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import bind, call_out, check, resolve
from executorch.kernels.test.samples import tensor

_FLOATS = [torch.float32, torch.float64]
_INVALID_ARGUMENT = 0x12
_BINS, _EDGES = "histogram.bin_ct", "histogram.bins_tensor"


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (700,), (2, 3, 4, 5)], ids=str)
def test_bins_of_one_width(driver, shape, dtype):
    plain = tensor(shape, dtype)
    last = [plain.contiguous(memory_format=torch.channels_last)] if len(shape) == 4 else []
    for x in (plain, *last):
        for bins in (1, 4, 7, 100):
            for limits in (None, [-1.0, 1.0], [2.0, 2.0]):
                check(driver, _BINS, f"{_BINS}_out", [x, bins], {"range": limits})
        for limits in (None, [-1.0, 1.0]):
            kwargs = {"range": limits, "weight": tensor(shape, dtype, seed=1), "density": True}
            check(driver, _BINS, f"{_BINS}_out", [x, 5], kwargs)
            check(driver, _BINS, f"{_BINS}_out", [x, 5], {**kwargs, "weight": None})


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
def test_elements_on_edges(driver, dtype):
    """Of widths that are powers of two; others are rounded as the processor's vectors have it."""
    x = torch.arange(-32, 33, dtype=dtype) / 8
    for bins in (1, 4, 8, 64):
        check(driver, _BINS, f"{_BINS}_out", [x, bins])
        check(driver, _BINS, f"{_BINS}_out", [x, bins], {"range": [-2.0, 2.0]})


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
def test_given_edges(driver, dtype):
    x = tensor((3, 50), dtype)
    for edges in ([-1.0, 0.0, 0.5], [-1.0, -1.0, 2.0], [-100.0, 100.0]):
        for density in (False, True):
            kwargs = {"weight": tensor((3, 50), dtype, seed=1), "density": density}
            check(driver, _EDGES, f"{_EDGES}_out", [x, torch.tensor(edges, dtype=dtype)], kwargs)


def test_what_is_no_number_is_not_counted(driver):
    x = torch.tensor([0.0, torch.nan, 1.0, torch.inf, -torch.inf, 0.5])
    check(driver, _BINS, f"{_BINS}_out", [x, 4], {"range": [0.0, 1.0]})
    check(driver, _EDGES, f"{_EDGES}_out", [x, torch.tensor([0.0, 0.5, 1.0])])


def test_bad_arguments_fail(driver):
    x = torch.rand(6)

    def error(functional, args, kwargs=None, dtype=torch.float32):
        outs = [Out(like=torch.ones(4, dtype=dtype)), Out(like=torch.ones(5, dtype=dtype))]
        bound = bind(resolve(functional), args, kwargs or {})
        return call_out(driver, resolve(f"{functional}_out"), bound, outs).error

    edges = torch.tensor([0.0, 0.1, 0.2, 0.3, 1.0])
    assert error(_BINS, [x, 4]) == 0 and error(_EDGES, [x, edges]) == 0
    for bins, kwargs in (
        (0, {}),
        (-4, {}),
        (1 << 62, {}),
        (4, {"range": [1.0, 0.0]}),
        (4, {"range": [0.0, torch.inf]}),
        (4, {"range": [0.0]}),
        (4, {"weight": x[:5]}),
        (4, {"weight": x.double()}),
    ):
        assert error(_BINS, [x, bins], kwargs) == _INVALID_ARGUMENT
    assert error(_BINS, [x * torch.nan, 4]) == _INVALID_ARGUMENT
    assert error(_BINS, [x.long(), 4], dtype=torch.int64) == _INVALID_ARGUMENT
    for bad in (edges.double(), edges[None], edges[:0], edges[:1]):
        assert error(_EDGES, [x, bad]) == _INVALID_ARGUMENT
