"""Elementwise operators against eager: dtypes x shapes x layouts, promotion, broadcasting, special values."""

from __future__ import annotations

import pytest
import torch

from executorch.kernels.test.op_driver import OpDriver
from executorch.kernels.test.oracle import check
from executorch.kernels.test.samples import BOOL, BROADCASTS, FLOATS, INTS, NUMBERS, REAL, SHAPES, tensor


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


# name -> dtypes, and the interval of arguments (None: with special values too).
UNARY_FLOAT = {
    "acos": (-1, 1),
    "acosh": (1, 5),
    "asin": (-1, 1),
    "asinh": None,
    "atan": None,
    "atanh": (-0.9, 0.9),
    "cos": None,
    "cosh": None,
    "erf": None,
    "exp": None,
    "expm1": None,
    "log": (0, 5),
    "log10": (0, 5),
    "log1p": (-0.9, 5),
    "log2": (0, 5),
    "reciprocal": None,
    "rsqrt": (0, 5),
    "sigmoid": None,
    "sin": None,
    "sinh": None,
    "sqrt": (0, 5),
    "tan": (-1, 1),
    "tanh": None,
}
UNARY_SAME = {
    "abs": NUMBERS,
    "neg": NUMBERS,
    "relu": NUMBERS,
    "sign": REAL,
    "ceil": NUMBERS,
    "floor": NUMBERS,
    "round": NUMBERS,
    "trunc": NUMBERS,
    "bitwise_not": INTS + BOOL,
    "isnan": REAL,
    "isinf": REAL,
    "logical_not": REAL,
}


def unary_inputs(dtype, interval=None):
    low, high = interval if interval else (-3, 3)
    for shape in SHAPES:
        yield tensor(shape, dtype, low=low, high=high, special=interval is None)
    yield tensor((2, 3, 4, 5), dtype, low=low, high=high, special=interval is None, channels_last=True)


@pytest.mark.parametrize("name", sorted(UNARY_FLOAT))
@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_unary_float(driver, name, dtype):
    for x in unary_inputs(dtype, UNARY_FLOAT[name]):
        check(driver, name, f"{name}.out", [x])


@pytest.mark.parametrize("name,dtype", [(n, d) for n, ds in UNARY_SAME.items() for d in ds], ids=str)
def test_unary_same(driver, name, dtype):
    for x in unary_inputs(dtype):
        check(driver, name, f"{name}.out", [x])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_activations(driver, dtype):
    for x in unary_inputs(dtype):
        # Eager's own gelu(inf) is NaN in float and inf in double.
        check(driver, "gelu", "gelu.out", [x.where(x != float("inf"), x.new_tensor(2.5))])
        check(driver, "gelu", "gelu.out", [x], {"approximate": "tanh"})
        check(driver, "leaky_relu", "leaky_relu.out", [x, 0.1])
        check(driver, "elu", "elu.out", [x, 1.5, 0.5, 2.0])
        check(driver, "hardtanh", "hardtanh.out", [x, -0.5, 0.75])
        check(driver, "clamp", "clamp.out", [x, -0.5, 0.75])
        check(driver, "clamp", "clamp.out", [x, None, 0.75])
        check(driver, "clamp", "clamp.out", [x, -0.5])
    for x in unary_inputs(dtype, (0.05, 0.95)):
        check(driver, "logit", "logit.out", [x])
        check(driver, "logit", "logit.out", [x, 0.2])


@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_clamp_integers(driver, dtype):
    for x in unary_inputs(dtype):
        check(driver, "hardtanh", "hardtanh.out", [x, 0, 2])
        check(driver, "clamp", "clamp.out", [x, 1, 2])
        check(driver, "clamp", "clamp.out", [x, 0.5, 1.5])


def pairs(a_dtype, b_dtype, **options):
    for i, (a, b) in enumerate(BROADCASTS):
        yield tensor(a, a_dtype, seed=i, **options), tensor(b, b_dtype, seed=i + 50, **options)
    image = tensor((2, 3, 4, 5), a_dtype, channels_last=True, **options)
    yield image, tensor((2, 3, 4, 5), b_dtype, seed=1, channels_last=True, **options)
    yield image, tensor((2, 3, 4, 5), b_dtype, seed=2, **options)
    yield image, tensor((1, 3, 1, 1), b_dtype, seed=3, **options)
    yield image, tensor((5,), b_dtype, seed=4, **options)


SAME_DTYPE_BINARY = {
    "add.Tensor": ("add.out", REAL),
    "sub.Tensor": ("sub.out", NUMBERS),
    "mul.Tensor": ("mul.out", REAL),
    "div.Tensor": ("div.out", FLOATS + BOOL),
    "maximum": ("maximum.out", REAL),
    "minimum": ("minimum.out", REAL),
    "atan2": ("atan2.out", FLOATS),
    "pow.Tensor_Tensor": ("pow.Tensor_Tensor_out", FLOATS),
    "eq.Tensor": ("eq.Tensor_out", REAL),
    "ne.Tensor": ("ne.Tensor_out", REAL),
    "lt.Tensor": ("lt.Tensor_out", REAL),
    "le.Tensor": ("le.Tensor_out", REAL),
    "gt.Tensor": ("gt.Tensor_out", REAL),
    "ge.Tensor": ("ge.Tensor_out", REAL),
    "logical_and": ("logical_and.out", REAL),
    "logical_or": ("logical_or.out", REAL),
    "logical_xor": ("logical_xor.out", REAL),
    "bitwise_and.Tensor": ("bitwise_and.Tensor_out", INTS + BOOL),
    "bitwise_or.Tensor": ("bitwise_or.Tensor_out", INTS + BOOL),
    "bitwise_xor.Tensor": ("bitwise_xor.Tensor_out", INTS + BOOL),
    "fmod.Tensor": ("fmod.Tensor_out", FLOATS),
    "remainder.Tensor": ("remainder.Tensor_out", FLOATS),
    "floor_divide": ("floor_divide.out", FLOATS),
}


@pytest.mark.parametrize(
    "functional,out,dtype", [(f, o, d) for f, (o, ds) in SAME_DTYPE_BINARY.items() for d in ds], ids=str
)
def test_binary(driver, functional, out, dtype):
    for a, b in pairs(dtype, dtype, special=True):
        check(driver, functional, out, [a, b])


PROMOTED = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool)


@pytest.mark.parametrize("b_dtype", PROMOTED, ids=str)
@pytest.mark.parametrize("a_dtype", PROMOTED, ids=str)
def test_promotion(driver, a_dtype, b_dtype):
    for a, b in pairs(a_dtype, b_dtype):
        check(driver, "add.Tensor", "add.out", [a, b])
        check(driver, "mul.Tensor", "mul.out", [a, b])
        check(driver, "lt.Tensor", "lt.Tensor_out", [a, b])
        check(driver, "eq.Tensor", "eq.Tensor_out", [a, b])
        check(driver, "maximum", "maximum.out", [a, b])


SCALARS = {torch.bool: [True, 2, 1.5], **{d: [2, 1.5, True] for d in NUMBERS}}


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_scalar_overloads(driver, dtype):
    x = tensor((3, 700), dtype, special=True)
    empty = tensor((0, 3), dtype)
    for scalar in SCALARS[dtype]:
        for t in (x, empty):
            check(driver, "add.Scalar", "add.Scalar_out", [t, scalar])
            check(driver, "mul.Scalar", "mul.Scalar_out", [t, scalar])
            check(driver, "div.Scalar", "div.Scalar_out", [t, scalar])
            for name in ("eq", "ne", "lt", "le", "gt", "ge"):
                check(driver, f"{name}.Scalar", f"{name}.Scalar_out", [t, scalar])
            if dtype != torch.bool and not isinstance(scalar, bool):
                check(driver, "sub.Scalar", "sub.Scalar_out", [t, scalar])
                check(driver, "rsub.Scalar", "rsub.Scalar_out", [t, scalar])
                check(driver, "pow.Tensor_Scalar", "pow.Tensor_Scalar_out", [t, scalar])
            if dtype != torch.bool and not isinstance(scalar, bool) and dtype.is_floating_point:
                check(driver, "fmod.Scalar", "fmod.Scalar_out", [t, scalar])
                check(driver, "remainder.Scalar", "remainder.Scalar_out", [t, scalar])
                check(driver, "pow.Scalar", "pow.Scalar_out", [scalar, t])
    if not dtype.is_floating_point:
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
            check(driver, f"{name}.Scalar", f"{name}.Scalar_out", [x, True if dtype == torch.bool else 3])


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_alpha(driver, dtype):
    a, b = tensor((3, 4), dtype), tensor((4,), dtype, seed=1)
    check(driver, "add.Tensor", "add.out", [a, b], {"alpha": 2})
    check(driver, "sub.Tensor", "sub.out", [a, b], {"alpha": 2})
    if dtype.is_floating_point:
        check(driver, "add.Tensor", "add.out", [a, b], {"alpha": 0.5})


@pytest.mark.parametrize("mode", [None, "floor", "trunc"])
@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_division_modes(driver, dtype, mode):
    a = tensor((4, 300), dtype, low=-50, high=50)
    b = tensor((4, 300), dtype, low=1, high=7, seed=1)
    if dtype not in (torch.uint8,):
        b = b * (1 - 2 * (tensor((4, 300), torch.int8, low=0, high=1, seed=2))).to(dtype)
    check(driver, "div.Tensor_mode", "div.out_mode", [a, b], {"rounding_mode": mode})
    check(driver, "div.Scalar_mode", "div.Scalar_mode_out", [a, 3], {"rounding_mode": mode})
    if mode == "floor":
        check(driver, "floor_divide", "floor_divide.out", [a, b])
        check(driver, "remainder.Tensor", "remainder.Tensor_out", [a, b])
        check(driver, "fmod.Tensor", "fmod.Tensor_out", [a, b])
        check(driver, "remainder.Scalar", "remainder.Scalar_out", [a, 3])


@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_integer_powers(driver, dtype):
    base = tensor((5, 9), dtype, low=-4, high=4)
    exponent = tensor((5, 9), dtype, low=0, high=5, seed=1)
    check(driver, "pow.Tensor_Tensor", "pow.Tensor_Tensor_out", [base, exponent])
    check(driver, "pow.Scalar", "pow.Scalar_out", [2, exponent])
    for power in (0, 1, 2, 3, 4):
        check(driver, "pow.Tensor_Scalar", "pow.Tensor_Scalar_out", [base, power])


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_where_and_masks(driver, dtype):
    for a, b in pairs(dtype, dtype, special=True):
        condition = tensor(tuple(torch.broadcast_shapes(a.shape, b.shape)), torch.bool)
        check(driver, "where.self", "where.self_out", [condition, a, b])
        mask = tensor(tuple(a.shape), torch.bool, seed=3)
        check(driver, "masked_fill.Scalar", "masked_fill.Scalar_out", [a, mask, 1])
    for a, b in pairs(dtype, torch.float32):
        condition = tensor((), torch.bool)
        check(driver, "where.self", "where.self_out", [condition, a, b])


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_clamp_tensors(driver, dtype):
    x = tensor((2, 3, 4), dtype, special=True)
    low, high = tensor((4,), dtype, seed=1), tensor((3, 1), dtype, seed=2)
    check(driver, "clamp.Tensor", "clamp.Tensor_out", [x, low, high])
    check(driver, "clamp.Tensor", "clamp.Tensor_out", [x, low])
    check(driver, "clamp.Tensor", "clamp.Tensor_out", [x, None, high])


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_creation(driver, dtype):
    like = tensor((2, 3, 4, 5), dtype, channels_last=True)
    check(driver, "full_like", "full_like.out", [like, 2])
    for shape in SHAPES:
        check(driver, "full", "full.out", [list(shape), 2], {"dtype": dtype})
        check(driver, "zeros", "zeros.out", [list(shape)], {"dtype": dtype})
        check(driver, "ones", "ones.out", [list(shape)], {"dtype": dtype})
    check(driver, "scalar_tensor", "scalar_tensor.out", [1.5], {"dtype": dtype})
    check(driver, "fill.Scalar", "fill.Scalar_out", [like, 1])
    check(driver, "fill.Tensor", "fill.Tensor_out", [like, torch.tensor(1.0)])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_comparisons_in_half_types_round_first(driver, dtype):
    x = torch.tensor([0.1, 0.2, 0.3], dtype=dtype)
    check(driver, "eq.Scalar", "eq.Scalar_out", [x, 0.1])
    check(driver, "eq.Tensor", "eq.Tensor_out", [x, torch.tensor(0.1)])
    big = torch.tensor([2049, 257, 4097])
    check(driver, "eq.Tensor", "eq.Tensor_out", [big.to(dtype), big])


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32], ids=str)
def test_wider_operands_wrap_around_first(driver, dtype):
    x = tensor((3, 7), dtype, low=0, high=100)
    limit = torch.iinfo(dtype)
    for value in (limit.max + 45, limit.max + 1 + int(x[0, 0]) - limit.min, -3):
        number = torch.tensor(value, dtype=torch.int64)
        for name in ("eq", "ne", "lt", "le", "gt", "ge"):
            check(driver, f"{name}.Tensor", f"{name}.Tensor_out", [x, number])
            check(driver, f"{name}.Scalar", f"{name}.Scalar_out", [x, value])
        for name in ("maximum", "minimum", "remainder.Tensor", "fmod.Tensor", "floor_divide"):
            base = name.partition(".")[0]
            check(driver, name, f"{base}.Tensor_out" if "." in name else f"{base}.out", [x, number])
    signed = torch.tensor(-3, dtype=torch.int8)
    check(driver, "eq.Tensor", "eq.Tensor_out", [tensor((5,), torch.uint8), signed])
    check(driver, "maximum", "maximum.out", [tensor((5,), torch.uint8, low=250, high=255), signed])
