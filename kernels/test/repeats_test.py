"""Elements that occur several times, against eager: which occurs most, and each of them once."""

from __future__ import annotations

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import as_list, assert_same, bind, call_out, resolve
from executorch.kernels.test.samples import REAL, tensor


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def _rounded(shape, dtype):
    return tensor(shape, torch.float32).round().to(dtype)


def _call(driver, functional, out_variant, args, temp_bytes=1 << 20):
    op = resolve(functional)
    expected = as_list(op(*args))
    outs = [Out(like=t) for t in expected]
    return call_out(driver, resolve(out_variant), bind(op, args, {}), outs, temp_bytes=temp_bytes), expected


@pytest.mark.parametrize("dtype", REAL, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (9,), (3, 700), (2, 3, 4, 5)], ids=str)
def test_each_once(driver, shape, dtype):
    plain = _rounded(shape, dtype)
    last = [plain.contiguous(memory_format=torch.channels_last)] if len(shape) == 4 else []
    for x in (plain, *last):
        for wanted in ((False, False), (True, False), (False, True), (True, True)):
            for name, args in (
                ("_unique2", [x, True, *wanted]),
                ("_unique2", [x, False, *wanted]),
                ("unique_consecutive", [x, *wanted]),
            ):
                result, expected = _call(driver, name, f"{name}.out", args)
                assert result.error == 0
                if args[1:2] == [False] and name == "_unique2":
                    # In any order, says eager; these are sorted.
                    expected = as_list(resolve(name)(x, True, *wanted))
                for actual, reference in zip(result.outputs, expected, strict=True):
                    assert_same(actual, reference)


def test_what_is_no_number_equals_none(driver):
    x = torch.tensor([torch.nan, 1, torch.nan, -0.0, 0.0, torch.nan, torch.nan])
    for name, args in (("_unique2", [x, True, True, True]), ("unique_consecutive", [x, True, True])):
        result, expected = _call(driver, name, f"{name}.out", args)
        assert_same(result.outputs[0], expected[0])
        assert_same(result.outputs[2], expected[2])
    result, expected = _call(driver, "mode", "mode.values", [x])
    assert_same(result.outputs[0], expected[0])


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_runs_of_slices(driver, dtype):
    line = torch.tensor([0, 0, 1, 1, 1, 0, 2]).to(dtype)
    for x in (line, line[:0], line[:, None].expand(7, 3).contiguous(), line.repeat(2, 3, 1, 1)):
        for dim in range(-1, x.dim() - 1):
            for wanted in ((False, False), (True, True)):
                args = [x, *wanted, dim]
                result, expected = _call(driver, "unique_consecutive", "unique_consecutive.out", args)
                assert result.error == 0
                for actual, reference in zip(result.outputs, expected, strict=True):
                    assert_same(actual, reference)


@pytest.mark.parametrize("dtype", REAL, ids=str)
@pytest.mark.parametrize("shape", [(0,), (1,), (9,), (300, 3), (3, 40), (2, 0), (5, 2, 3, 2)], ids=str)
def test_each_slice_once(driver, shape, dtype):
    plain = _rounded(shape, dtype).clamp(max=0 if len(shape) > 1 else 3)
    last = [plain.contiguous(memory_format=torch.channels_last)] if len(shape) == 4 else []
    for x in (plain, *last):
        for dim in range(-1, x.dim() - 1):
            if x.numel() == 0 and x.shape[dim] != 0:
                continue
            for wanted in ((True, False, False), (False, True, True)):
                result, expected = _call(driver, "unique_dim", "unique_dim.out", [x, dim, *wanted])
                assert result.error == 0
                for actual, reference in zip(result.outputs, expected, strict=True):
                    assert_same(actual, reference)


def test_slices_with_what_is_no_number(driver):
    """Each of them is one; eager's order of them leaves equal slices apart, too."""
    x = torch.tensor([[torch.nan, 1], [0, 1], [torch.nan, 1], [-0.0, 1], [0, torch.nan]])
    bound = bind(resolve("unique_dim"), [x, 0, True, True, True], {})
    outs = [Out(like=x[:4]), Out(like=torch.ones(5).long()), Out(like=torch.ones(4).long())]
    result = call_out(driver, resolve("unique_dim.out"), bound, outs, temp_bytes=1 << 10)
    assert result.error == 0
    assert_same(result.outputs[0], x[[1, 4, 0, 2]])
    assert result.outputs[1].tolist() == [2, 0, 3, 0, 1] and result.outputs[2].tolist() == [2, 1, 1, 1]


def test_slices_that_there_are_not_fail(driver):
    for name, before, after in (("unique_consecutive", [False, False], []), ("unique_dim", [], [True])):
        for x, dim, error in (
            (torch.ones(2, 3), 0, 0),
            (torch.ones(2, 3), 2, 0x12),
            (torch.ones(2, 0), 0, 0x12),
        ):
            # Outputs that would have the right sizes.
            outs = [Out(like=x[:1]), Out(like=torch.ones(2).long()), Out(like=torch.ones(1).long())]
            bound = bind(resolve(name), [x, *before, dim, *after], {})
            assert call_out(driver, resolve(f"{name}.out"), bound, outs, temp_bytes=1 << 10).error == error


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_mode(driver, dtype):
    for shape in ((), (1,), (9,), (3, 700), (2, 3, 4, 5)):
        x = _rounded(shape, dtype)
        for dim in range(-1, max(len(shape) - 1, 0)):
            for keepdim in (False, True):
                result, expected = _call(driver, "mode", "mode.values", [x, dim, keepdim])
                assert result.error == 0
                values, indices = result.outputs
                assert_same(values, expected[0])
                picked, kept = (
                    (values, indices) if keepdim or not shape else (v.unsqueeze(dim) for v in result.outputs)
                )
                assert_same(torch.gather(x, dim, kept) if shape else x, picked)


def test_long_lines_need_memory(driver):
    x = torch.rand(100_000)
    for name, out, args in (
        ("_unique2", "_unique2.out", [x]),
        ("mode", "mode.values", [x]),
        ("unique_dim", "unique_dim.out", [x, 0]),
    ):
        assert _call(driver, name, out, args, temp_bytes=0)[0].error == 0x21
