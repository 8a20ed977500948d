"""Models quantized, lowered and run by the runtime: the values of the definitions in PyTorch, and nearly those of the model."""

import pathlib

import pytest
import torch
from torch.nn import functional

from executorch.backends.cadence.aot.compiler import (
    _lower_ep_to_cadence,
    _lower_ep_to_cadence_gen_etrecord,
    _lower_ep_to_edge,
    convert_pt2,
    export_to_cadence,
    export_to_executorch_gen_etrecord,
    prepare_pt2,
    quantize_and_export_to_cadence,
    quantize_and_export_to_edge,
    quantize_pt2,
)
from executorch.backends.cadence.aot.export_example import export_model
from executorch.backends.cadence.compile_mode import CompileMode
from executorch.backends.cadence.passes.pipeline import apply_exir_ops_passes
from executorch.backends.cadence.quantizer import quantizer as quantizers
from executorch.backends.cadence.reference import operators
from executorch.backends.test.program_builder import ProgramBuilder
from executorch.dialects.ops import ops
from executorch.runtime import Runtime

assert operators.LIBRARY


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


class Mixed(torch.nn.Module):
    """Convolution, activation, pool, linear layer, norm and softmax."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3, padding=1)
        self.linear = torch.nn.Linear(4, 6)
        self.norm = torch.nn.LayerNorm(6)

    def forward(self, x):
        pooled = functional.max_pool2d(self.conv(x).relu(), 2)
        return self.norm(self.linear(pooled)).softmax(-1)


class Sums(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv1d(4, 4, 3, padding=1)

    def forward(self, x):
        return torch.cat([self.conv(x) + x, x], 1)


class Products(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x):
        return self.linear(x) @ x.mT


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)
        self.conv = torch.nn.Conv1d(1, 4, 3)

    def forward(self, x):
        return self.conv(self.linear(x))


MODELS = {
    "default": (Mixed, (1, 3, 8, 8), "Default"),
    "layer norm": (Mixed, (1, 3, 8, 8), "WithLayerNorm"),
    "softmax": (Mixed, (1, 3, 8, 8), "WithSoftmax"),
    "ranges": (Mixed, (1, 3, 8, 8), "FusedConvRelu"),
    "sums": (Sums, (1, 4, 9), "WakeWord"),
    "products": (Products, (2, 3, 8), "Default"),
    "weights": (Decoder, (1, 1, 8), "W8A32Mixed"),
}


def run(program, *inputs):
    (output,) = Runtime.get().load_program(program.buffer).load_method("forward").execute(inputs)
    return output


def operators_of(program):
    plan = program.executorch_program.execution_plan[0]
    return {f"{one.name}.{one.overload}" for one in plan.operators}


@pytest.mark.parametrize("case", MODELS)
def test_models(case):
    kind, shape, name = MODELS[case]
    model, x = kind().eval(), torch.randn(shape)
    quantizer = getattr(quantizers, f"Cadence{name}Quantizer")()
    quantized = quantize_pt2(model, (x,), quantizer)
    edge = quantize_and_export_to_edge(model, (x,), quantizer)
    program = apply_exir_ops_passes(CompileMode.DEFAULT, edge).to_executorch()
    assert any(one.startswith("cadence::quantized_") for one in operators_of(program))
    made = run(program, x)
    # A softmax may round otherwise by one of its steps.
    step = 2**-12 if case == "softmax" else 0
    torch.testing.assert_close(made, quantized.module()(x), rtol=1e-4, atol=1e-4 + step)
    with torch.no_grad():
        eager = model(x)
    assert (made - eager).norm() < 0.1 * eager.norm()


@pytest.mark.parametrize("mode", CompileMode)
def test_modes(mode):
    model, x = Mixed().eval(), torch.randn(1, 3, 8, 8)
    program = quantize_and_export_to_cadence(model, (x,), mode=mode).to_executorch()
    torch.testing.assert_close(run(program, x), quantize_pt2(model, (x,)).module()(x), rtol=1e-4, atol=1e-4)


def test_floating_point():
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3),
        torch.nn.AvgPool2d(2, padding=1),
        torch.nn.ConvTranspose2d(4, 2, 3, stride=2),
        torch.nn.Flatten(),
        torch.nn.Linear(2 * 81, 5),
    ).eval()
    x = torch.randn(1, 3, 8, 8)
    program = export_to_cadence(model, (x,)).to_executorch()
    assert {
        "cadence::conv2d.out",
        "cadence::avg_pool2d.out",
        "cadence::transposed_convolution.out",
    } <= operators_of(program)
    torch.testing.assert_close(run(program, x), model(x), rtol=1e-4, atol=1e-5)


class Singular(torch.nn.Module):
    def forward(self, x):
        return torch.linalg.svd(x, full_matrices=False)


def test_singular_values():
    x = torch.randn(2, 4, 3)
    program = export_to_cadence(Singular().eval(), (x,)).to_executorch()
    assert "cadence::linalg_svd.out" in operators_of(program)
    u, s, vh = Runtime.get().load_program(program.buffer).load_method("forward").execute((x,))
    torch.testing.assert_close(s, torch.linalg.svdvals(x))
    torch.testing.assert_close(u * s.unsqueeze(-2) @ vh, x)


def written(op, *args):
    """A program of one operator, written as a graph: no model and no pass makes it of others."""
    builder = ProgramBuilder()
    values = [
        builder.placeholder(f"x{i}", one) if isinstance(one, torch.Tensor) else one
        for i, one in enumerate(args)
    ]
    builder.output([builder.call_operator(op, tuple(values))])
    return builder.get_edge_program().to_executorch()


def test_operators_that_no_pass_makes():
    cadence = ops.edge.cadence
    x = torch.randint(-128, 128, (1, 2, 4, 5)).to(torch.int8)
    numbers = torch.tensor(3), torch.tensor(0.001), 0.05, -7, torch.tensor(0), torch.tensor(0)
    weight, bias = torch.randint(-128, 128, (3, 2, 3, 2)).to(torch.int8), torch.tensor([5, -2000, 70]).int()
    geometry = [2, 1], [1, 0], [1, 2], [1, 0], 1, 4
    for op, args in {
        cadence.quantized_transposed_conv: (x, weight, bias, *geometry, *numbers, False),
        cadence.dequantize: (x, torch.tensor([0.1]), torch.tensor([3])),
        cadence._softmax_f32_f32: (torch.randn(2, 3, 4), 1),
    }.items():
        program = written(op.default, *args)
        inputs = [one for one in args if isinstance(one, torch.Tensor)]
        torch.testing.assert_close(run(program, *inputs), op.default(*args), rtol=0, atol=1e-6)


def test_calibration_of_ones_own():
    model, quantizer = torch.nn.Linear(4, 3), quantizers.CadenceDefaultQuantizer()
    prepared = prepare_pt2(model, (torch.randn(2, 4),), quantizer)
    for _ in range(4):
        prepared(torch.randn(2, 4) * 3)
    converted = convert_pt2(prepared)
    scale = next(node.args[1] for node in converted.graph.nodes if "quantize_per_tensor" in str(node.target))
    data = [(torch.full((2, 4), value),) for value in (-10.0, 10.0)]
    wide = quantize_pt2(model, data[0], quantizer, calibration_data=data)
    first = next(node for node in wide.graph.nodes if "quantize_per_tensor" in str(node.target))
    assert first.args[1] == pytest.approx(20 / 255, rel=0.05) and scale < first.args[1]


def test_levels_of_earlier_versions():
    with pytest.raises(ValueError, match="0 to 4"):
        export_to_cadence(torch.nn.Linear(4, 3), (torch.randn(2, 4),), opt_level=5)


def test_captured_programs(tmp_path):
    """What is quantized with a quantizer of one's own is lowered as a model is."""
    model, x = Mixed().eval(), torch.randn(1, 3, 8, 8)
    quantized = quantize_pt2(model, (x,), quantizers.CadenceWithLayerNormQuantizer())
    edge = _lower_ep_to_edge(quantized).exported_program()
    assert ops.edge.cadence.quantized_conv2d_nchw.per_tensor in {node.target for node in edge.graph.nodes}
    program = _lower_ep_to_cadence(quantized).to_executorch()
    assert {
        "cadence::quantized_conv2d_nhwc.per_tensor_out",
        "cadence::quantized_layer_norm.per_tensor_out",
    } <= operators_of(program)
    wanted = quantized.module()(x)
    torch.testing.assert_close(run(program, x), wanted, rtol=1e-4, atol=1e-4)
    program = _lower_ep_to_cadence_gen_etrecord(quantized, str(tmp_path), CompileMode.MINIMAL)
    assert (tmp_path / "etrecord.bin").stat().st_size > 0
    torch.testing.assert_close(run(program, x), wanted, rtol=1e-4, atol=1e-4)


def test_files(tmp_path):
    model, x = torch.nn.Linear(4, 3), torch.randn(1, 4)
    program = export_model(model, (x,), "demo", str(tmp_path))
    assert (tmp_path / "demo.pte").read_bytes() == program.buffer
    export_to_executorch_gen_etrecord(model, (x,), str(tmp_path), opt_level=0)
    assert (tmp_path / "etrecord.bin").stat().st_size > 0


def test_readme():
    readme = pathlib.Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
    exec(compile(readme.split("```python\n")[1].split("```")[0], "README.md", "exec"), {})
