"""Functions of one element on integers, which are tables."""

import pytest
import torch

from executorch.backends.arm.quantizer import get_symmetric_a16w8_quantization_config
from executorch.backends.arm.test.lowered import as_model, lowered, quantized
from executorch.backends.arm.test.runner import run_program
from executorch.backends.arm.tosa.graph.quantized import Quant
from executorch.backends.arm.tosa.operators.tables import table_of


@pytest.mark.parametrize(("name", "beyond"), [("log", -128), ("sqrt", 7), ("rsqrt", 127), ("log2", -128)])
def test_a_table_goes_on_where_its_function_has_ended(name, beyond):
    graph = torch.fx.Graph()
    node = graph.call_function(getattr(torch.ops.aten, name).default, (graph.placeholder("x"),))
    entries = table_of(
        node, Quant(0.02, 0, -128, 127, torch.int8), Quant(0.05, 7, -128, 127, torch.int8)
    ).astype(int)
    assert set(entries[:128]) == {beyond}
    steps = entries[1:] - entries[:-1]
    assert (steps >= 0).all() or (steps <= 0).all()


def test_the_end_of_a_domain_is_within_it():
    """255 times the float nearest to 1/255 is above one in double precision, where an arc cosine has no number."""
    model = quantized(as_model(torch.acos), (torch.ones(1, 4),))
    program = lowered(model, (torch.ones(1, 4),), "TOSA-1.0+INT")
    outputs, _ = run_program(program, (torch.ones(1, 4),))
    assert outputs[0].tolist() == [[0.0] * 4]


@pytest.mark.parametrize(
    "function",
    [torch.exp, lambda x: x**2, torch.sinh, lambda x: x**3, lambda x: (x + 5).reciprocal(), torch.sigmoid],
)
def test_the_largest_results_of_sixteen_bits_are_right(function):
    """The interval of a table in which the largest result stands ends above it, where an entry saturated: 128 steps were lost."""
    spec, inputs = "TOSA-1.0+INT+int16", (torch.linspace(-4.3, 3.9, 4001).reshape(1, -1),)
    model = quantized(as_model(function), inputs, spec, get_symmetric_a16w8_quantization_config())
    program = lowered(model, inputs, spec)
    (mine,), calls = run_program(program, inputs)
    steps = [node.args[1] for node in program.graph.nodes if "dequantize_per_tensor" in str(node.target)]
    assert calls == 1
    # An entry is rounded, a result is, and a line between two entries is not the curve.
    assert float((mine - model(*inputs)).abs().max()) <= 5 * steps[-1]


def test_squares_of_sixteen_bits_are_exact():
    spec, inputs = "TOSA-1.0+INT+int16", (torch.randn(4, 64, 32),)
    model = quantized(
        as_model(lambda x: x.pow(2).mean(-1)), inputs, spec, get_symmetric_a16w8_quantization_config()
    )
    (mine,), calls = run_program(lowered(model, inputs, spec), inputs)
    wanted = model(*inputs)
    noise = (mine - wanted).double().pow(2).mean()
    assert calls == 1 and float(wanted.double().pow(2).mean() / noise) > 10**8.5


@pytest.mark.parametrize(
    ("function", "first", "last"),
    [
        (torch.rsqrt, 0.1, 18.6),
        (torch.sqrt, 0.0, 4.3),
        (torch.log, 0.01, 4.31),
        (torch.reciprocal, 0.3, 8.5),
        (lambda x: x.pow(-0.5), 0.02, 4.32),
        (torch.exp, -10.7, 9.8),
    ],
)
def test_steep_parts_of_functions_of_sixteen_bits_have_entries_enough(function, first, last):
    """512 lines over all int16 were 400 steps away from a reciprocal root near its pole.

    At most five steps off, or a quarter of what one step of the input makes.
    """
    spec, inputs = "TOSA-1.0+INT+int16", (torch.linspace(first, last, 4001).reshape(1, -1),)
    model = quantized(as_model(function), inputs, spec, get_symmetric_a16w8_quantization_config())
    program = lowered(model, inputs, spec)
    (mine,), calls = run_program(program, inputs)
    step, *_, result = (
        node.args[1] for node in program.graph.nodes if "quantize_per_tensor" in str(node.target)
    )
    beside = function(inputs[0].double() + step) - function(inputs[0].double())
    assert calls == 1
    assert bool(((mine - model(*inputs)).abs() <= (beside.abs() / 4).clamp(min=5 * result)).all())
