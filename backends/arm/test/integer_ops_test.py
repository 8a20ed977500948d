"""Each operator that has a form on integers, through TOSA's reference model, against the quantized model in PyTorch."""

import pytest
import torch

from executorch.backends.arm.quantizer import get_symmetric_a16w8_quantization_config
from executorch.backends.arm.test.cases import CASES
from executorch.backends.arm.test.lowered import as_model, lowered, names_inside, quantized
from executorch.backends.arm.test.runner import run_program
from executorch.backends.arm.tosa.graph.registry import OPERATORS
from executorch.backends.arm.tosa.operators.integer import TABLES
from executorch.exir.backend.utils import format_reasons

#: What no quantized program has: forms that only a decomposition makes, that a plain product stands for, or that lowering to edge takes out.
_NOT_CAPTURED = {
    "aten._adaptive_avg_pool2d.default",
    "aten.addmm.default",
    "aten.mm.default",
    "dim_order_ops._clone_dim_order.default",
}
#: Cases that the quantizer leaves, by their numbers: weights that are calculated, three dimensions, selu.
_LEFT = {("aten.convolution.default", i) for i in (7, 9, 11)} | {
    ("aten.elu.default", 3),
    ("aten.linear.default", 2),
}


def _is_real(inputs):
    return all(one.dtype is torch.float32 for one in inputs)


def _cases(names):
    """All convolutions, one call of what is a table, two of everything else."""
    chosen = []
    for name in names:
        found = [
            (name, i)
            for i, (_, inputs) in enumerate(CASES[name])
            if _is_real(inputs) and (name, i) not in _LEFT
        ]
        if name.split(".")[1] in TABLES:
            found = found[1:2]
        elif name != "aten.convolution.default":
            found = sorted({found[0], found[-1]})
        chosen += found
    return chosen


_INTEGER = sorted(
    name for name, row in OPERATORS.items() if row.integer is not None and name not in _NOT_CAPTURED
)


def _run(name, number, spec, config=None):
    function, inputs = CASES[name][number]
    model = quantized(as_model(function), inputs, spec, config)
    program = lowered(model, inputs, spec)
    assert name in names_inside(program), format_reasons(program.graph_module)
    outputs, calls = run_program(program, inputs)
    assert calls == 1, format_reasons(program.graph_module)
    scales = [node.args[1] for node in program.graph.nodes if "dequantize_per_tensor" in str(node.target)]
    (expected,) = (model(*inputs),)
    return outputs[0], expected, max(scales)


@pytest.mark.parametrize(("name", "number"), _cases(_INTEGER))
def test_an_operator_is_within_a_step_of_the_quantized_model(name, number):
    mine, theirs, step = _run(name, number, "TOSA-1.0+INT")
    assert mine.shape == theirs.shape
    assert float((mine - theirs).abs().max()) <= step * 1.001


@pytest.mark.parametrize(
    ("name", "number"),
    _cases(
        [
            "aten.add.Tensor",
            "aten.mul.Tensor",
            "aten.sigmoid.default",
            "aten.mean.dim",
            "aten.permute_copy.default",
        ]
    ),
)
def test_values_of_sixteen_bits(name, number):
    config = get_symmetric_a16w8_quantization_config()
    mine, theirs, step = _run(name, number, "TOSA-1.0+INT+int16", config)
    # Between the 513 entries of a table TOSA interpolates, also to the one behind the largest result, which saturates.
    steps = 128 if "sigmoid" in name else 1
    assert float((mine - theirs).abs().max()) <= step * steps * 1.001


@pytest.mark.parametrize("name", ["log_", "log1p_", "sqrt_", "rsqrt_", "sin_", "abs_"])
def test_functions_in_place_are_quantized(name):
    def function(x, y):
        return getattr(x + y, name)()

    inputs = (torch.rand(3, 4) + 0.5, torch.rand(3, 4) + 0.5)
    model = quantized(as_model(function), inputs)
    program = lowered(model, inputs, "TOSA-1.0+INT")
    mine, theirs = run_program(program, inputs)[0][0], model(*inputs)
    assert f"aten.{name.removesuffix('_')}.default" in names_inside(program)
    assert float((mine - theirs).abs().max()) <= float(theirs.abs().max()) / 100
