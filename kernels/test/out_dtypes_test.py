"""Outputs of another dtype than the result's: what is stored is the result, converted, or the kernel refuses.

Eager's `op(...)` is the oracle for the results and `op(..., out=...)` for what is refused; results that overflow where
the conversion is undefined (floats to integers) do not occur.
"""

from __future__ import annotations

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver, Out, driver_path
from executorch.kernels.test.oracle import assert_same, bind, call_out, resolve
from executorch.kernels.test.samples import FLOATS, INTS, REAL

INVALID_ARGUMENT = 0x12


@pytest.fixture(scope="module", params=["op_driver", "op_driver_optimized"])
def driver(request):
    driver = OpDriver(driver_path(request.param))
    yield driver
    driver.close()


# Sums and products leave the narrow dtypes, quotients are fractions.
LEFT = {
    **{d: [60000.0, -3.0, 1.5, 0.1, 7.0] for d in FLOATS},
    **{d: [100, 3, 7, 120, 1] for d in INTS},
    torch.uint8: [200, 3, 7, 255, 1],
    torch.bool: [True, False, True, True, False],
}
RIGHT = {
    **{d: [60000.0, 2.0, -0.7, 0.3, 0.5] for d in FLOATS},
    **{d: [100, 2, 5, 120, 3] for d in INTS},
    torch.uint8: [100, 2, 5, 255, 3],
    torch.bool: [True, True, False, True, False],
}

# Functional operator -> out variant, of two tensors.
BINARY = {
    "add.Tensor": "add.out",
    "sub.Tensor": "sub.out",
    "mul.Tensor": "mul.out",
    "div.Tensor": "div.out",
    "floor_divide": "floor_divide.out",
    "remainder.Tensor": "remainder.Tensor_out",
    "fmod.Tensor": "fmod.Tensor_out",
    "pow.Tensor_Tensor": "pow.Tensor_Tensor_out",
    "maximum": "maximum.out",
    "minimum": "minimum.out",
    "atan2": "atan2.out",
    "bitwise_and.Tensor": "bitwise_and.Tensor_out",
    "bitwise_or.Tensor": "bitwise_or.Tensor_out",
    "bitwise_xor.Tensor": "bitwise_xor.Tensor_out",
    "bitwise_left_shift.Tensor": "bitwise_left_shift.Tensor_out",
    "eq.Tensor": "eq.Tensor_out",
    "lt.Tensor": "lt.Tensor_out",
    "ge.Tensor": "ge.Tensor_out",
    "logical_and": "logical_and.out",
    "logical_xor": "logical_xor.out",
    "clamp.Tensor": "clamp.Tensor_out",
}
# Of a tensor and a number.
NUMBER = {
    "add.Scalar": "add.Scalar_out",
    "sub.Scalar": "sub.Scalar_out",
    "rsub.Scalar": "rsub.Scalar_out",
    "mul.Scalar": "mul.Scalar_out",
    "div.Scalar": "div.Scalar_out",
    "remainder.Scalar": "remainder.Scalar_out",
    "fmod.Scalar": "fmod.Scalar_out",
    "pow.Tensor_Scalar": "pow.Tensor_Scalar_out",
    "bitwise_and.Scalar": "bitwise_and.Scalar_out",
    "eq.Scalar": "eq.Scalar_out",
    "clamp": "clamp.out",
}
UNARY = {
    name: f"{name}.out"
    for name in (
        "abs",
        "neg",
        "relu",
        "sign",
        "ceil",
        "floor",
        "round",
        "trunc",
        "bitwise_not",
        "isnan",
        "isinf",
        "logical_not",
        "elu",
        "gelu",
        "leaky_relu",
        "hardtanh",
        "sin",
        "exp",
        "sigmoid",
        "sqrt",
        "reciprocal",
        "rsqrt",
        "tanh",
        "log",
    )
}


def eager_accepts(out_op, bound, like):
    try:
        out_op(**bound, out=torch.zeros_like(like))
    except RuntimeError:
        return False
    return True


def check_stored(driver, functional, out_variant, args, dtype):
    """One call: refused where eager refuses, else the converted result."""
    op, out_op = resolve(functional), resolve(out_variant)
    bound = bind(out_op, args, {})
    bound.pop("out", None)
    what = f"{out_variant} {[getattr(a, 'dtype', a) for a in args]} -> {dtype}"
    like = torch.zeros(5, dtype=dtype)
    result = call_out(driver, out_op, bound, [Out(like=like)])
    if not eager_accepts(out_op, bound, like):
        assert result.error == INVALID_ARGUMENT, what
        return
    assert result.error == 0, what
    expected = op(*args)
    assert_same(result.outputs[0], expected.to(dtype), tolerance_of(expected, dtype))


def tolerance_of(result, dtype):
    """A step of the result's dtype, seen in the output's."""
    if not dtype.is_floating_point or not result.is_floating_point():
        return (0, 0) if dtype.is_floating_point else None
    step = max(torch.finfo(result.dtype).eps, torch.finfo(dtype).eps)
    return (step, 4 * step if result.dtype in (torch.float32, torch.float64) else step)


@pytest.mark.parametrize("dtype", REAL, ids=str)
@pytest.mark.parametrize("functional", sorted(BINARY))
def test_two_tensors(driver, functional, dtype):
    left = torch.tensor(LEFT[dtype], dtype=dtype)
    for other in sorted({dtype, torch.uint8, torch.float16}, key=str):
        right = torch.tensor(RIGHT[other], dtype=other)
        for out in REAL:
            check_stored(driver, functional, BINARY[functional], [left, right], out)


@pytest.mark.parametrize("dtype", REAL, ids=str)
@pytest.mark.parametrize("functional", sorted(NUMBER))
def test_a_tensor_and_a_number(driver, functional, dtype):
    left = torch.tensor(LEFT[dtype], dtype=dtype)
    for number in (3, 0.1, 100):
        for out in REAL:
            check_stored(driver, functional, NUMBER[functional], [left, number], out)


@pytest.mark.parametrize("dtype", REAL, ids=str)
@pytest.mark.parametrize("name", sorted(UNARY))
def test_one_tensor(driver, name, dtype):
    x = torch.tensor(RIGHT[dtype], dtype=dtype)
    for out in REAL:
        check_stored(driver, name, UNARY[name], [x], out)


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_where(driver, dtype):
    condition = torch.tensor([True, False, True, False, True])
    left = torch.tensor(LEFT[dtype], dtype=dtype)
    for other in (dtype, torch.uint8, torch.float16):
        for out in REAL:
            right = torch.tensor(RIGHT[other], dtype=other)
            check_stored(driver, "where.self", "where.self_out", [condition, left, right], out)
