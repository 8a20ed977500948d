"""Numbers beside tensors as in eager: which ones a dtype has no room for, how they are rounded or wrap around."""

from __future__ import annotations

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out, driver_path
from executorch.kernels.test.oracle import assert_same, bind, call_out, resolve
from executorch.kernels.test.samples import FLOATS, INTS, NUMBERS, REAL, tensor

INVALID_ARGUMENT = 0x12
INFINITY = float("inf")
HALVES = (torch.float16, torch.bfloat16)
# On both sides of the limits of each dtype; eager negates the factors of subtractions before it looks at them.
LIMITS = [127, 128, 129, 255, 256, 300, 40000, 65504, 65520, 70000, 2**31, 3e38, 3.4e38, 3.41e38, 1e39]
NUMBERS_TO_TRY = [0.5, -1, -1.5, 127.5, INFINITY, *LIMITS, *(-limit for limit in LIMITS)]


@pytest.fixture(scope="module", params=["op_driver", "op_driver_optimized"])
def driver(request):
    driver = OpDriver(driver_path(request.param))
    yield driver
    driver.close()


def check_like_eager(driver, functional, out_variant, args, tolerance=None):
    """One call: an error where eager raises one, else eager's result."""
    op, out_op = resolve(functional), resolve(out_variant)
    what = f"{functional} {[a.dtype if isinstance(a, torch.Tensor) else a for a in args]}"
    bound = bind(op, args, {})
    try:
        expected = op(**bound)
    except RuntimeError as refusal:
        like = args[0] if isinstance(args[0], torch.Tensor) else args[1]
        result = call_out(driver, out_op, bound, [Out(like=like)])
        assert result.error == INVALID_ARGUMENT, f"{what}: eager says {refusal}"
        return
    result = call_out(driver, out_op, bound, [Out(like=expected)])
    assert result.error == 0, what
    assert_same(result.outputs[0], expected, tolerance)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_factors_of_sums(driver, dtype):
    a, b = tensor((7,), dtype), tensor((7,), dtype, seed=1)
    for alpha in [0.1, 0.3, 3, -128, -255, *NUMBERS_TO_TRY]:
        for name in ("add", "sub"):
            check_like_eager(driver, f"{name}.Tensor", f"{name}.out", [a, b, alpha])
        for name in ("add", "sub", "rsub"):
            check_like_eager(driver, f"{name}.Scalar", f"{name}.Scalar_out", [a, 3, alpha])


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_bounds(driver, dtype):
    x = tensor((7,), dtype)
    for bound in NUMBERS_TO_TRY:
        for low, high in ((bound, None), (None, bound), (bound, 100), (-100, bound)):
            check_like_eager(driver, "clamp", "clamp.out", [x, low, high])
        for low, high in ((bound, max(bound, 100)), (min(bound, -100), bound), (0, abs(bound))):
            check_like_eager(driver, "hardtanh", "hardtanh.out", [x, low, high])
    check_like_eager(driver, "clamp", "clamp.out", [x, True, True])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_factors_of_activations(driver, dtype):
    x = tensor((7,), dtype)
    for factor in NUMBERS_TO_TRY:
        check_like_eager(driver, "leaky_relu", "leaky_relu.out", [x, factor])
        for place in range(3):
            factors = [1, 1, 1]
            factors[place] = factor
            check_like_eager(driver, "elu", "elu.out", [x, *factors])
        check_like_eager(driver, "logit", "logit.out", [x.sigmoid(), factor])


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_factors_of_products(driver, dtype):
    a, b, c = tensor((3, 4), dtype), tensor((3, 2), dtype, seed=1), tensor((2, 4), dtype, seed=2)
    for factor in (0.1, 3, 128, -129, 300, 70000, 3.41e38, -1e39):
        if not dtype.is_floating_point and isinstance(factor, float):
            continue
        for beta, alpha in ((factor, 1), (1, factor)):
            op = torch.ops.aten.addmm
            try:
                expected = op(a, b, c, beta=beta, alpha=alpha)
            except RuntimeError:
                expected = None
            bound = {"self": a, "mat1": b, "mat2": c, "beta": beta, "alpha": alpha}
            result = call_out(driver, op.out, bound, [Out(like=a)])
            assert result.error == (INVALID_ARGUMENT if expected is None else 0), f"{dtype} {beta} {alpha}"
            if expected is not None:
                assert_same(result.outputs[0], expected)


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_elements(driver, dtype):
    x, mask = tensor((7,), dtype), tensor((7,), torch.bool, seed=1)
    for value in [True, float("nan"), *NUMBERS_TO_TRY]:
        check_like_eager(driver, "fill.Scalar", "fill.Scalar_out", [x, value])
        check_like_eager(driver, "full_like", "full_like.out", [x, value])
        check_like_eager(driver, "masked_fill.Scalar", "masked_fill.Scalar_out", [x, mask, value])


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_exponents(driver, dtype):
    x = tensor((7,), dtype, low=1, high=3)
    for exponent in (0.5, 2, 3, 127, 128, 300, 65504, 65505, 70000, 3.4e38, 1e39):
        check_like_eager(driver, "pow.Tensor_Scalar", "pow.Tensor_Scalar_out", [x, exponent])


@pytest.mark.parametrize("functional", ["add", "sub", "mul", "div", "rsub", "fmod", "remainder"])
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_numbers_beside_half_types(driver, functional, dtype):
    """Products and quotients take the number as it is, all others its rounding."""
    x = tensor((300,), dtype)
    for number in (0.1, 0.3, -0.7, 2049, 70000.0):
        check_like_eager(driver, f"{functional}.Scalar", f"{functional}.Scalar_out", [x, number], (0, 0))


@pytest.mark.parametrize(
    "functional", ["add", "sub", "mul", "div", "floor_divide", "fmod", "remainder", "maximum"]
)
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_other_tensors_beside_half_types(driver, functional, dtype):
    x = tensor((64,), dtype)
    base = functional if functional in ("floor_divide", "maximum") else f"{functional}.Tensor"
    out = f"{functional}.Tensor_out" if functional in ("fmod", "remainder") else f"{functional}.out"
    for other in (torch.tensor(0.1), torch.tensor(2049), torch.tensor([2049]), torch.arange(2049, 2113)):
        check_like_eager(driver, base, out, [x, other], (0, 0))


@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_numbers_wrap_around_beside_integers(driver, dtype):
    x = tensor((9,), dtype)
    for number in (300, -200, 70000):
        for name in ("add", "sub", "mul", "rsub", "remainder", "fmod"):
            check_like_eager(driver, f"{name}.Scalar", f"{name}.Scalar_out", [x, number])
