"""Operators on bfloat16 and on floating point of 8 bits, against PyTorch."""

import copy

import pytest
import torch

from executorch.backends.arm.test.cases import CASES
from executorch.backends.arm.test.lowered import as_model, lowered, names_inside
from executorch.backends.arm.test.runner import run_program
from executorch.backends.arm.tosa.graph.registry import OPERATORS
from executorch.exir.backend.utils import format_reasons, get_reasons
from executorch.partitioner import get_lowered_submodules

_BF16 = "TOSA-1.0+FP+bf16"


def _narrow(value, dtype=torch.bfloat16):
    real = isinstance(value, torch.Tensor) and value.dtype is torch.float32
    return value.to(dtype) if real else value


def _is_narrow(value):
    return isinstance(value, torch.Tensor) and value.dtype is torch.bfloat16


def _cases():
    """The first of each operator that takes bfloat16."""
    for name, rows in CASES.items():
        function, inputs = rows[0]
        real = any(isinstance(one, torch.Tensor) and one.dtype is torch.float32 for one in inputs)
        row = OPERATORS[name]
        if real and torch.bfloat16 in row.dtypes and not row.needs_int:
            yield pytest.param(name, function, inputs, id=name)


@pytest.mark.parametrize(("name", "function", "inputs"), _cases())
def test_an_operator_rounds_once(name, function, inputs):
    model = copy.deepcopy(as_model(function)).to(torch.bfloat16)
    inputs = tuple(map(_narrow, inputs))
    # PyTorch itself rounds between the steps of a few.
    wide = copy.deepcopy(model).float()
    expected = wide(*(one.float() if _is_narrow(one) else one for one in inputs))
    program = lowered(model, inputs, _BF16)
    assert name in names_inside(program), format_reasons(program.graph_module)
    outputs, _ = run_program(program, inputs)
    for mine, theirs in zip(
        outputs, expected if isinstance(expected, tuple | list) else [expected], strict=True
    ):
        theirs = _narrow(theirs.detach())
        assert mine.dtype == theirs.dtype
        # A step, where PyTorch's float32 and the model's differ before they are rounded.
        torch.testing.assert_close(mine, theirs, rtol=2**-7, atol=1e-3, equal_nan=True)


def test_a_network_in_bfloat16_is_one_delegate():
    layers = torch.nn.Conv2d(3, 4, 3, groups=1), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(64, 5)
    model = torch.nn.Sequential(*layers, torch.nn.Softmax(-1)).to(torch.bfloat16).eval()
    inputs = (torch.randn(2, 3, 6, 6, dtype=torch.bfloat16),)
    program = lowered(model, inputs, _BF16)
    (mine,), calls = run_program(program, inputs)
    assert calls == 1 and not get_reasons(program.graph_module)
    torch.testing.assert_close(mine, model(*inputs).detach(), rtol=2**-6, atol=2e-3)


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (torch.nn.Conv2d(3, 4, 3), [(1, 3, 9, 9)]),
        (torch.nn.Conv2d(3, 4, 3, bias=False), [(1, 3, 9, 9)]),
        (torch.nn.Linear(9, 4), [(5, 9)]),
        (lambda x, y: torch.add(x, y, alpha=1.5), [(1, 4, 4), (4, 1)]),
    ],
)
def test_bits_are_those_of_pytorch(function, shapes):
    model = copy.deepcopy(as_model(function)).to(torch.bfloat16)
    inputs = tuple(torch.randn(one, dtype=torch.bfloat16) for one in shapes)
    (mine,), calls = run_program(lowered(model, inputs, _BF16), inputs)
    assert calls == 1 and torch.equal(mine, model(*inputs))


_MOVERS = {
    "cat": lambda x: torch.cat([x, x], 1),
    "permute": lambda x: x.permute(0, 2, 1),
    "slice": lambda x: x[:, 1:, ::2],
    "reshape": lambda x: x.reshape(2, 12).t(),
    "float": lambda x: x.float() + 1,
}


@pytest.mark.parametrize("name", _MOVERS)
@pytest.mark.parametrize(
    ("dtype", "extension"), [(torch.float8_e4m3fn, "fp8e4m3"), (torch.float8_e5m2, "fp8e5m2")]
)
def test_eight_bits_are_moved_and_converted(name, dtype, extension):
    inputs = (torch.randn(2, 3, 4).to(dtype),)
    program = lowered(as_model(_MOVERS[name]), inputs, f"TOSA-1.0+FP+{extension}")
    (mine,), calls = run_program(program, inputs)
    assert calls == 1, format_reasons(program.graph_module)
    assert torch.equal(mine.float(), _MOVERS[name](*inputs).float())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2])
def test_what_the_specification_has_not_is_left(dtype):
    program = lowered(as_model(_MOVERS["cat"]), (torch.randn(2, 3, 4).to(dtype),))
    assert not get_lowered_submodules(program.graph_module)
    assert f"{dtype} needs the extension" in format_reasons(program.graph_module)


def _weights(*shape):
    return torch.randint(-2, 3, shape).float()


_SUMS = {
    "convolution": (lambda x, f: torch.nn.functional.conv2d(x, _FILTERS.to(x.dtype), padding=1), 1),
    "product": (lambda x, f: torch.bmm(x[0], f[0]), 2),
    "average": (lambda x, f: torch.nn.functional.avg_pool2d(x, 2), 1),
    "maximum": (lambda x, f: torch.nn.functional.max_pool2d(x, 2, 1, dilation=2), 1),
}
_FILTERS = _weights(4, 3, 3, 3)


@pytest.mark.parametrize("name", _SUMS)
@pytest.mark.parametrize(
    ("dtype", "extension"), [(torch.float8_e4m3fn, "fp8e4m3"), (torch.float8_e5m2, "fp8e5m2")]
)
def test_eight_bits_are_summed_in_sixteen(name, dtype, extension):
    function, count = _SUMS[name]
    wide = _weights(1, 3, 6, 6), _weights(1, 3, 6, 6)
    inputs = tuple(one.to(dtype) for one in wide[:count])
    whole = (lambda x: function(x, None)) if count == 1 else function
    program = lowered(as_model(whole), inputs, f"TOSA-1.0+FP+{extension}")
    (mine,), calls = run_program(program, inputs)
    assert calls == 1, format_reasons(program.graph_module)
    assert torch.equal(mine.float(), whole(*wide[:count]).to(dtype).float())
