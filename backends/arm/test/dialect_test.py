"""The dialect ``tosa``: what it calculates is what the reference model does; what it refuses, and why."""

import numpy as np
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import executorch.backends.arm.tosa.dialect  # noqa: F401 - registers the operators.
from executorch.backends.arm.test.runner import run_tosa
from executorch.backends.arm.tosa.dialect.lib import TosaValueError
from executorch.backends.arm.tosa.dialect.ops_registration import get_registered_tosa_ops
from executorch.backends.arm.tosa.graph.builder import DTYPES, PROPAGATE, Builder, DType, serializer
from executorch.backends.arm.tosa.graph.rescale import rescale
from executorch.backends.arm.tosa.mx_types import mxfp_dtype_to_str
from executorch.backends.arm.tosa.resize_utils import resize_refusal, resized_size
from executorch.backends.arm.tosa.specification import TosaLoweringContext, TosaSpecification
from executorch.exir.dialects._ops import ops

tosa = ops.backend.tosa
EVERYTHING = TosaSpecification.create_from_string("TOSA-1.1+INT+FP+int16+bf16+fft+shape+int64+mxfp")


def _wide(shape=(3, 7), low=-(2**31), high=2**31 - 1):
    return torch.randint(low, high, shape, dtype=torch.int64).int()


def _reference(tensors, build):
    """The reference model's result of what ``build`` makes of the inputs."""
    b = Builder()
    inputs = [b.input(f"x{i}", tuple(one.shape), DTYPES[one.dtype]) for i, one in enumerate(tensors)]
    b.output(build(b, *inputs))
    (made,) = run_tosa(b.serialize(), [one.numpy() for one in tensors])
    return torch.from_numpy(np.ascontiguousarray(made).reshape(made.shape))


def _small():
    return torch.randint(-128, 128, (3, 7)).to(torch.int8)


def _shift():
    return torch.randint(0, 31, (3, 7)).int()


#: Operator -> operands, further arguments, and how the builder writes it.
CALCULATED = {
    "ABS": ((_wide((3, 7), -1000, 1000),), {}, lambda b, x: b.unary("ABS", x)),
    "CLZ": ((_wide(),), {}, lambda b, x: b.unary("CLZ", x)),
    "BITWISE_NOT": ((_small(),), {}, lambda b, x: b.unary("BITWISE_NOT", x)),
    "BITWISE_XOR": ((_small(), _small()), {}, lambda b, x, y: b.binary("BITWISE_XOR", x, y)),
    "LOGICAL_LEFT_SHIFT": (
        (_wide(), _shift()),
        {},
        lambda b, x, y: b.binary("LOGICAL_LEFT_SHIFT", x, y),
    ),
    "LOGICAL_RIGHT_SHIFT": (
        (_wide(), _shift()),
        {},
        lambda b, x, y: b.binary("LOGICAL_RIGHT_SHIFT", x, y),
    ),
    "ARITHMETIC_RIGHT_SHIFT": (
        (_wide(), _shift()),
        {"round": True},
        lambda b, x, y: b.shift_right(x, y, True),
    ),
    "INTDIV": (
        (_wide((3, 7), -1000, 1000), _wide((3, 7), 1, 9)),
        {},
        lambda b, x, y: b.binary("INTDIV", x, y),
    ),
    "MUL": (
        (_wide((3, 7), -(2**20), 2**20), _wide((3, 7), -(2**20), 2**20)),
        {"shift": 20},
        lambda b, x, y: b.mul(x, y, 20),
    ),
    "MATMUL": (
        (
            torch.randint(-128, 128, (2, 3, 4)).to(torch.int8),
            torch.randint(-128, 128, (2, 4, 5)).to(torch.int8),
        ),
        {},
        lambda b, x, y: b.emit(
            "MATMUL", [x, y, b.constant([0], DType.INT8), b.constant([0], DType.INT8)], [2, 3, 5], DType.INT32
        ),
    ),
    "GATHER": (
        (torch.randn(2, 5, 3), torch.randint(0, 5, (2, 4)).int()),
        {},
        lambda b, x, y: b.gather(x, y),
    ),
    "REDUCE_SUM": ((_wide((3, 7), -1000, 1000),), {"axis": 1}, lambda b, x: b.reduce("REDUCE_SUM", x, 1)),
    "REDUCE_MIN": ((torch.randn(3, 7),), {"axis": 0}, lambda b, x: b.reduce("REDUCE_MIN", x, 0)),
    "ARGMAX": (
        (torch.randn(3, 7),),
        {"axis": 1},
        lambda b, x: b.emit("ARGMAX", [x], [3], DType.INT32, 1, PROPAGATE),
    ),
    "REVERSE": ((_small(),), {"axis": 1}, lambda b, x: b.emit("REVERSE", [x], x.shape, x.dtype, 1)),
}


@pytest.mark.parametrize("name", CALCULATED)
def test_what_an_operator_calculates_is_what_the_reference_model_does(name):
    tensors, more, build = CALCULATED[name]
    with TosaLoweringContext(EVERYTHING):
        made = getattr(tosa, name).default(*tensors, **more)
    expected = _reference(tensors, build)
    assert made.dtype == expected.dtype and torch.equal(made, expected)


@pytest.mark.parametrize("scale", [0.37, 1 / 3, 2.0**-9, 5.5])
def test_a_rescale_to_the_bit(scale):
    x = _wide((4, 9), -20000, 20000)
    with TosaLoweringContext(EVERYTHING):
        made = tosa.RESCALE.default(x, torch.int8, [scale], 0, -7)
    assert torch.equal(made, _reference([x], lambda b, y: rescale(b, y, scale, DType.INT8, 0, -7)))


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16])
def test_a_table_to_the_bit(dtype):
    wide = dtype is torch.int16
    table = torch.randint(-100, 100, (513 if wide else 256,)).to(dtype)
    x = torch.randint(torch.iinfo(dtype).min, torch.iinfo(dtype).max, (5, 6)).to(dtype)
    with TosaLoweringContext(EVERYTHING):
        made = tosa.TABLE.default(x, table)
    assert torch.equal(made, _reference([x], lambda b, y: b.table(y, table.numpy())))


def test_every_operator_is_one_of_the_serializer():
    names = set(dir(serializer().Op))
    with TosaLoweringContext(EVERYTHING):
        registered = get_registered_tosa_ops()
    assert {str(one._op).split(".")[1] for one in registered} <= names and len(registered) > 80


def test_shapes_only_operators_say_so():
    x, w = torch.randn(1, 4, 4, 2), torch.randn(3, 2, 2, 2)
    arguments = x, w, None, [1, 1], [0, 0, 0, 0], [1, 1]
    with TosaLoweringContext(EVERYTHING):
        with FakeTensorMode() as mode:
            made = tosa.CONV2D.default(mode.from_tensor(x), mode.from_tensor(w), *arguments[2:])
        assert tuple(made.shape) == (1, 3, 3, 3)
        with pytest.raises(NotImplementedError, match="CONV2D has shapes only; the reference model"):
            tosa.CONV2D.default(*arguments)


REFUSED = {
    "no such type": (lambda: tosa.ADD.default(_small(), _small()), "Unsupported dtype torch.int8"),
    "ranks": (lambda: tosa.ADD.default(torch.ones(2), torch.ones(1, 2)), "within one rank"),
    "not broadcast": (lambda: tosa.ADD.default(torch.ones(2), torch.ones(3)), "are not broadcast"),
    "axis": (lambda: tosa.REDUCE_SUM.default(torch.ones(2), axis=1), "axis 1 out of range"),
    "zero point": (
        lambda: tosa.RESCALE.default(_wide(), torch.int8, [1.0], 3, 0),
        "requires input_zp to be zero for torch.int32, not 3",
    ),
    "scales": (lambda: tosa.RESCALE.default(_wide(), torch.int8, [1.0, 2.0], 0, 0), "2 scales"),
    "factor": (lambda: tosa.RESCALE.default(_wide(), torch.int8, [0.0], 0, 0), "a factor of 0.0"),
    "table": (lambda: tosa.TABLE.default(_small(), torch.ones(3, dtype=torch.int8)), "takes 256 entries"),
    "gather": (lambda: tosa.GATHER.default(torch.ones(2, 3), torch.ones(1).int()), "they have 3 and 2"),
    "fft": (lambda: tosa.RFFT2D.default(torch.ones(1, 4, 6)), "powers of two"),
    "nothing": (
        lambda: tosa.CUSTOM.default([], operator_name="a", domain_name="b", implementation_attrs=[]),
        "b.a reads nothing",
    ),
    "mode": (lambda: tosa.CLAMP.default(torch.ones(2), 0, 1, nan_mode="SOME"), "Invalid nan_mode"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    call, why = REFUSED[name]
    with TosaLoweringContext(EVERYTHING), pytest.raises(TosaValueError, match=why):
        call()


def test_outside_a_context_nothing_is_known():
    with pytest.raises(RuntimeError, match="within TosaLoweringContext"):
        tosa.ADD.default(torch.ones(2), torch.ones(2))


def test_the_rules_of_resize():
    assert resize_refusal([8, 8], [4, 2, 4, 2], [0, 0], [0, 0]) is None
    assert resized_size(8, 4, 2, 0, 0) == 15
    assert "below 16384" in resize_refusal([16384, 8], [4, 2, 4, 2], [0, 0], [0, 0])
    assert "offset must be in [-4, 64)" in resize_refusal([8, 8], [4, 2, 4, 2], [0, 64], [0, 0])
    assert "border must be in [-64, 4)" in resize_refusal([8, 8], [4, 2, 4, 2], [0, 0], [4, 0])


def test_names_of_block_types():
    assert (
        mxfp_dtype_to_str(torch.float8_e5m2) == "float8_e5m2" and mxfp_dtype_to_str("fp6_e3m2") == "fp6_e3m2"
    )
    with pytest.raises(ValueError, match="float16 is no type of MX blocks"):
        mxfp_dtype_to_str(torch.float16)
