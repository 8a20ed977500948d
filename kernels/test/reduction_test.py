"""Reductions, scans, softmax and normalisation against eager."""

from __future__ import annotations

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import assert_same, bind, call_out, check, resolve
from executorch.kernels.test.samples import FLOATS, INTS, NUMBERS, REAL, tensor


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


def inputs(dtype, **options):
    """Inputs with the dimensions to reduce."""
    for shape, dims in (
        ((), [[], [0]]),
        ((7,), [[0], []]),
        ((2, 3, 4), [[0], [1], [2], [0, 2], [-1, -2], []]),
        ((3, 0), [[0], [1]]),
        ((4, 1300), [[0], [1]]),
        ((1300, 3), [[0], [1]]),
    ):
        for dim in dims:
            yield tensor(shape, dtype, **options), dim
    for dim in ([1], [2, 3], [0], [0, 2, 3], [3]):
        yield tensor((2, 3, 4, 5), dtype, channels_last=True, **options), dim


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_sum_and_mean(driver, dtype, keepdim):
    tolerance = {torch.float16: (2e-2, 4e-3), torch.float32: (1e-4, 1e-5)}.get(dtype)
    for x, dim in inputs(dtype):
        check(driver, "sum.dim_IntList", "sum.IntList_out", [x, dim, keepdim], tolerance=tolerance)
        check(driver, "sum.dim_IntList", "sum.IntList_out", [x, dim, keepdim], {"dtype": torch.float64})
        if dtype.is_floating_point:
            check(driver, "mean.dim", "mean.out", [x, dim, keepdim])
        check(driver, "mean.dim", "mean.out", [x, dim, keepdim], {"dtype": torch.float32})
        check(driver, "any.dims", "any.dims_out", [x, dim, keepdim])
    x = tensor((3, 5), dtype)
    check(driver, "mean", "mean.dtype_out", [x], {"dtype": torch.float32})
    check(driver, "any", "any.all_out", [x])
    check(driver, "any.dim", "any.out", [x, 1, keepdim])
    check(driver, "prod", "prod.out", [x])
    check(driver, "prod.dim_int", "prod.int_out", [x, 1, keepdim])


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_extrema(driver, dtype, keepdim):
    for special in (False, True):
        for x, dim in inputs(dtype, special=special):
            if x.numel() == 0 and (not dim or x.shape[dim[0]] == 0):
                continue
            check(driver, "amax", "amax.out", [x, dim, keepdim])
            check(driver, "amin", "amin.out", [x, dim, keepdim])
            if len(dim) == 1:
                check(driver, "max.dim", "max.dim_max", [x, dim[0], keepdim])
                check(driver, "min.dim", "min.dim_min", [x, dim[0], keepdim])
                if dtype != torch.bool:
                    check(driver, "argmax", "argmax.out", [x, dim[0], keepdim])
                    check(driver, "argmin", "argmin.out", [x, dim[0], keepdim])
            if not dim and dtype != torch.bool:
                check(driver, "argmax", "argmax.out", [x, None, keepdim])
                check(driver, "argmin", "argmin.out", [x, None, keepdim])
    x = tensor((2, 3, 4, 5), dtype, channels_last=True)
    if dtype != torch.bool:
        check(driver, "argmax", "argmax.out", [x, None, False])
    check(driver, "max", "max.unary_out", [x])
    check(driver, "min", "min.unary_out", [x])


@pytest.mark.parametrize("name", ["max", "min"])
def test_extrema_of_nothing_fail_as_in_eager(driver, name):
    whole, dims = resolve(name), resolve(f"a{name}")
    nothing = torch.ones(0)
    with pytest.raises(RuntimeError):
        whole(nothing)
    result = call_out(
        driver, resolve(f"{name}.unary_out"), bind(whole, [nothing], {}), [Out(like=torch.ones(()))]
    )
    assert result.error != 0
    lines = torch.ones(0, 3)
    result = call_out(
        driver, resolve(f"a{name}.out"), bind(dims, [lines, [0]], {}), [Out(like=torch.ones(3))]
    )
    assert result.error != 0


@pytest.mark.parametrize("name", ["amax", "amin"])
@pytest.mark.parametrize(
    ("source", "target"),
    [
        (torch.float32, torch.float64),
        (torch.float16, torch.float32),
        (torch.int32, torch.int64),
        (torch.bool, torch.uint8),
    ],
    ids=str,
)
def test_extrema_keep_their_dtype(driver, name, source, target):
    x = tensor((2, 3), source)
    with pytest.raises(RuntimeError):
        getattr(torch, name)(x, [0], out=torch.empty(3, dtype=target))
    outs = [Out(like=torch.ones(3, dtype=target))]
    bound = bind(resolve(name), [x, [0]], {})
    assert call_out(driver, resolve(f"{name}.out"), bound, outs).error != 0


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_variance(driver, dtype):
    for x, dim in inputs(dtype):
        for keepdim in (False, True):
            check(driver, "var.dim", "var.out", [x, dim, False, keepdim])
            check(
                driver,
                "var.correction",
                "var.correction_out",
                [x, dim],
                {"correction": 1, "keepdim": keepdim},
            )
            check(driver, "var_mean.correction", "var_mean.correction_out", [x, dim], {"keepdim": keepdim})
    check(driver, "var.correction", "var.correction_out", [tensor((2, 3), dtype), [1]], {"correction": 5})


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_softmax(driver, dtype):
    cases = [
        ((), 0),
        ((5,), 0),
        ((3, 1300), 1),
        ((1300, 3), 0),
        ((2, 3, 4), 1),
        ((2, 0, 4), 1),
        ((2, 4, 600), -2),
    ]
    for name in ("_softmax", "_log_softmax"):
        for shape, dim in cases:
            check(driver, name, f"{name}.out", [tensor(shape, dtype, low=-9, high=9), dim, False])
        for dim in range(4):
            x = tensor((2, 3, 4, 5), dtype, channels_last=True)
            check(driver, name, f"{name}.out", [x, dim, False])
    x = torch.full((2, 8), -float("inf"), dtype=dtype)
    x[1, 3] = 1.0
    check(driver, "_softmax", "_softmax.out", [x, 1, False])
    check(driver, "_softmax", "_softmax.out", [tensor((3, 40), dtype, special=True), 1, False])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_layer_norm(driver, dtype):
    for shape, normalized in (
        ((4, 7), [7]),
        ((2, 3, 1300), [1300]),
        ((2, 3, 4), [3, 4]),
        ((0, 3), [3]),
        ((5,), [5]),
    ):
        x = tensor(shape, dtype)
        w, b = tensor(tuple(normalized), dtype, seed=1), tensor(tuple(normalized), dtype, seed=2)
        for parameters in ([w, b], [None, None], [w, None]):
            args = [x, normalized, *parameters, 1e-5]
            check(driver, "native_layer_norm", "native_layer_norm.out", args)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_group_norm(driver, dtype):
    x = tensor((2, 6, 4, 5), dtype)
    w, b = tensor((6,), dtype, seed=1), tensor((6,), dtype, seed=2)
    for groups in (1, 2, 6):
        for parameters in ([w, b], [None, None]):
            args = [x, *parameters, 2, 6, 20, groups, 1e-5]
            check(driver, "native_group_norm", "native_group_norm.out", args)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_batch_norm(driver, dtype):
    c = 6
    w, b, mean = (tensor((c,), dtype, seed=s) for s in (1, 2, 3))
    var = tensor((c,), dtype, low=0.1, high=2, seed=4)
    shapes = [((2, c, 4, 5), False), ((2, c, 4, 5), True), ((3, c), False), ((2, c, 7), False)]
    for shape, channels_last in shapes:
        x = tensor(shape, dtype, channels_last=channels_last)
        for parameters in ([w, b], [None, None]):
            name = "_native_batch_norm_legit_no_training"
            check(driver, name, f"{name}.out", [x, *parameters, mean, var, 0.1, 1e-5])
            if dtype in (torch.float32, torch.float64):
                name = "_native_batch_norm_legit.no_stats"
                out = "_native_batch_norm_legit.no_stats_out"
                check(driver, name, out, [x, *parameters, True, 0.1, 1e-5])


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_batch_norm_of_halves_has_a_variance_beyond_halves(driver, dtype, channels_last):
    x = tensor((2, 6, 16, 16), dtype, low=-1000, high=1000, channels_last=channels_last)
    op = resolve("_native_batch_norm_legit.no_stats")
    expected = op(x.double(), None, None, True, 0.1, 1e-5)
    variant = resolve("_native_batch_norm_legit.no_stats_out")
    outputs = [Out(like=one.to(dtype)) for one in expected]
    result = call_out(driver, variant, bind(op, [x, None, None, True, 0.1, 1e-5], {}), outputs)
    assert result.error == 0
    for actual, exact in zip(result.outputs, expected, strict=True):
        assert_same(actual, exact.to(dtype))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_batch_norm_in_training_moves_the_running_statistics(driver, dtype):
    c = 6
    w, b, mean = (tensor((c,), dtype, seed=s) for s in (1, 2, 3))
    var = tensor((c,), dtype, low=0.1, high=2, seed=4)
    op = resolve("_native_batch_norm_legit")
    for training in (True, False):
        for shape, channels_last in (((2, c, 4, 5), False), ((2, c, 4, 5), True), ((3, c), False)):
            args = [tensor(shape, dtype, channels_last=channels_last), w, b, mean, var, training, 0.3, 1e-5]
            bound = bind(op, args, {})
            for name in ("running_mean", "running_var"):
                bound[name] = Out(like=bound[name].clone(), initial=True)
            args[3:5] = mean.clone(), var.clone()
            expected = op(*args)
            variant = resolve("_native_batch_norm_legit.out")
            result = call_out(driver, variant, bound, [Out(like=t) for t in expected])
            assert result.error == 0
            # Outputs are in the order of the arguments.
            for actual, reference in zip(result.outputs, [*args[3:5], *expected], strict=True):
                assert_same(actual, reference)


@pytest.mark.parametrize("dtype", [*FLOATS, *INTS], ids=str)
def test_sum_is_exact_enough(driver, dtype):
    x = tensor((1, 100003), dtype, low=0, high=1)
    expected = x.to(torch.float64).sum().to(torch.float32)
    check(driver, "sum.dim_IntList", "sum.IntList_out", [x, [1]], {"dtype": torch.float32})
    assert expected > 0


@pytest.mark.parametrize("channels_last", [False, True])
def test_many_small_reductions(driver, channels_last):
    x = tensor((3, 70, 7, 5), torch.float32, channels_last=channels_last)
    for name in ("sum.dim_IntList", "mean.dim"):
        out = {"sum.dim_IntList": "sum.IntList_out", "mean.dim": "mean.out"}[name]
        for dims in ([2, 3], [3], [1], [0, 2], [0, 1, 3]):
            for keepdim in (False, True):
                check(driver, name, out, [x, dims, keepdim])


def test_numbers_cover_all_dtypes():
    assert set(NUMBERS) | {torch.bool} == set(REAL)
