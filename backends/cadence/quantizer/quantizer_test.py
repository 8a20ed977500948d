"""What the quantizers annotate, and what becomes of it: operators on integers with the values of the converted model."""

import pytest
import torch
from torch.nn import functional
from torchao.quantization.pt2e import move_exported_model_to_eval
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer.quantizer import Q_ANNOTATION_KEY

from executorch.backends.cadence.quantizer import quantizer as quantizers
from executorch.backends.cadence.quantizer.configs import qconfig_A8W8, qconfig_A8W8sym
from executorch.backends.cadence.quantizer.fusion_pass import QuantFusionPass
from executorch.backends.cadence.quantizer.patterns import AddPattern, Conv2dPattern, LinearPattern
from executorch.backends.cadence.reference import operators

assert operators.LIBRARY
aten = torch.ops.aten


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


class Calls(torch.nn.Module):
    """A model of one function and the layers that it calls."""

    def __init__(self, function, **layers):
        super().__init__()
        self.function = function
        for name, layer in layers.items():
            setattr(self, name, layer)

    def forward(self, *inputs):
        return self.function(self, *inputs)


def captured(model, inputs, quantizer):
    program = torch.export.export(model.eval(), inputs)
    table = torch.export.default_decompositions()
    for op in quantizer.get_ops_to_preserve_from_decomposition():
        table.pop(op, None)
    return program.run_decompositions(table).module()


def fused(model, inputs, quantizer):
    """The converted model, and the program with operators on integers."""
    prepared = prepare_pt2e(captured(model, inputs, quantizer), quantizer)
    prepared(*inputs)
    converted = convert_pt2e(prepared)
    move_exported_model_to_eval(converted)
    program = torch.export.export(converted, inputs)
    assert QuantFusionPass(quantizers.patterns_of([quantizer]))(program.graph_module).modified
    return converted, program


def names(program):
    calls = [str(node.target) for node in program.graph.nodes if node.op == "call_function"]
    return [name.removeprefix("cadence.") for name in calls if "quantize_per_tensor" not in name]


LINEAR = "quantized_linear.per_tensor"
CONV2D = "quantized_conv2d_nchw.per_tensor"
RELU = "quantized_relu.per_tensor"
MODELS = {
    "linear": (lambda: Calls(lambda m, x: m.l(x), l=torch.nn.Linear(8, 5)), [(3, 8)], "Default", [LINEAR]),
    "no bias": (
        lambda: Calls(lambda m, x: m.l(x), l=torch.nn.Linear(8, 5, bias=False)),
        [(3, 8)],
        "Default",
        ["aten.full.default", LINEAR],
    ),
    "conv2d": (
        lambda: Calls(
            lambda m, x: functional.max_pool2d(m.c(x).relu(), 2), c=torch.nn.Conv2d(4, 6, 3, 2, 1, groups=2)
        ),
        [(1, 4, 9, 9)],
        "Default",
        [CONV2D, RELU, "quantized_max_pool2d_nchw.default"],
    ),
    "conv1d": (
        lambda: Calls(lambda m, x: m.c(x), c=torch.nn.Conv1d(3, 4, 3, dilation=2)),
        [(1, 3, 16)],
        "Default",
        ["quantized_conv1d_ncl.per_tensor"],
    ),
    "products": (
        lambda: Calls(lambda m, x, y: x @ y),
        [(2, 3, 4), (2, 4, 5)],
        "Default",
        ["quantized_matmul.default"],
    ),
    "batches": (
        lambda: Calls(lambda m, x, y: x.bmm(y)),
        [(2, 3, 4), (2, 4, 5)],
        "Default",
        ["quantized_matmul.default"],
    ),
    "addmm": (
        lambda: Calls(lambda m, x: torch.addmm(m.l.bias, x, m.l.weight), l=torch.nn.Linear(5, 5)),
        [(3, 5)],
        "Default",
        ["aten.permute_copy.default", LINEAR],
    ),
    "norm": (
        lambda: Calls(lambda m, x: m.n(m.l(x)), l=torch.nn.Linear(8, 6), n=torch.nn.LayerNorm(6)),
        [(2, 8)],
        "WithLayerNorm",
        [LINEAR, "quantized_layer_norm.per_tensor"],
    ),
    "softmax": (
        lambda: Calls(lambda m, x: m.l(x).softmax(-1), l=torch.nn.Linear(8, 6)),
        [(2, 8)],
        "WithSoftmax",
        [LINEAR, *["aten.full.default"] * 2, "quantized_softmax.per_tensor"],
    ),
    "sums": (
        lambda: Calls(lambda m, x, y: torch.cat([x + y, y], 1)),
        [(2, 8), (2, 8)],
        "WakeWord",
        ["quantized_add.per_tensor", "aten.cat.default"],
    ),
    "ranges": (
        lambda: Calls(
            lambda m, x: (m.c(x).relu() + m.d(x)).relu(),
            c=torch.nn.Conv2d(3, 4, 3),
            d=torch.nn.Conv2d(3, 4, 3),
        ),
        [(1, 3, 6, 6)],
        "FusedConvRelu",
        [CONV2D, CONV2D, "quantized_add.per_tensor"],
    ),
    "long activations": (
        lambda: Calls(lambda m, x: m.l(x), l=torch.nn.Linear(8, 5)),
        [(3, 8)],
        "With16BitLinearActivations",
        [LINEAR],
    ),
    "weights of rows": (
        lambda: Calls(lambda m, x: m.l(x), l=torch.nn.Linear(8, 5)),
        [(1, 8)],
        "W8A32Mixed",
        ["aten.permute_copy.default", "quantized_w8a32_linear.default"],
    ),
    "weights of windows": (
        lambda: Calls(lambda m, x: m.c(x), c=torch.nn.Conv1d(4, 8, 3)),
        [(1, 4, 9)],
        "W8A32Mixed",
        [*["aten.permute_copy.default"] * 2, "quantized_w8a32_conv.default"],
    ),
}


@pytest.mark.parametrize("case", MODELS)
def test_models(case):
    make, shapes, kind, wanted = MODELS[case]
    model = make()
    inputs = tuple(torch.randn(shape) for shape in shapes)
    quantizer = getattr(quantizers, f"Cadence{kind}Quantizer")()
    converted, program = fused(model, inputs, quantizer)
    assert names(program) == wanted
    torch.testing.assert_close(program.module()(*inputs), converted(*inputs), rtol=1e-5, atol=1e-5)
    with torch.no_grad():
        eager = model(*inputs)
    error = (program.module()(*inputs) - eager).norm() / eager.norm()
    assert error < 0.1


def gru(x):
    layer = torch.nn.GRU(x.shape[-1], 8, batch_first=True)
    model = Calls(lambda m, x, h: m.g(x, h)[0], g=layer)
    quantizer = quantizers.CadenceW8A32MixedQuantizer()
    return model, (x, torch.zeros(1, 1, 8)), quantizer


def test_a_step_of_a_gru():
    """Both biases are quantized in one scale, for the operator has one."""
    model, inputs, quantizer = gru(torch.randn(1, 1, 5))
    converted, program = fused(model, inputs, quantizer)
    assert "quantized_w8a32_gru.default" in names(program)
    torch.testing.assert_close(program.module()(*inputs), converted(*inputs), rtol=1e-5, atol=1e-5)


def test_longer_sequences_stay():
    model, inputs, quantizer = gru(torch.randn(1, 3, 5))
    module = captured(model, inputs, quantizer)
    quantizer.annotate(module)
    assert not [node for node in module.graph.nodes if Q_ANNOTATION_KEY in node.meta]


def test_who_comes_first_keeps_a_match():
    class Mine(LinearPattern):
        pass

    config = qconfig_A8W8sym
    both = quantizers.CadenceQuantizer(
        [
            quantizers.CadenceAtenQuantizer(Mine(), config),
            quantizers.CadenceAtenQuantizer(LinearPattern(), qconfig_A8W8),
        ]
    )
    module = captured(torch.nn.Linear(4, 3), (torch.randn(2, 4),), both)
    both.annotate(module)
    (layer,) = module.graph.find_nodes(op="call_function", target=aten.linear.default)
    assert layer.meta[Q_ANNOTATION_KEY].input_qspec_map[layer.args[1]] == config.weight


def test_matches_that_stay_in_floating_point():
    quantizer = quantizers.CadenceQuantizer([quantizers.CadenceAtenQuantizer(AddPattern(), qconfig_A8W8)])
    for function in (lambda m, x: x + 1, lambda m, x: torch.add(x, x * 2, alpha=2)):
        module = captured(Calls(function), (torch.randn(2, 4),), quantizer)
        quantizer.annotate(module)
        assert not [node for node in module.graph.nodes if Q_ANNOTATION_KEY in node.meta]


def test_a_value_that_is_read_in_floating_point_too_is_not_fused():
    class Read(torch.nn.Module):
        def forward(self, x, weight):
            q = torch.ops.quantized_decomposed
            x = q.dequantize_per_tensor(x, 0.1, 0, -128, 127, torch.int8)
            weight = q.dequantize_per_tensor(weight, 0.1, 0, -128, 127, torch.int8)
            made = aten.conv2d(x, weight)
            return q.quantize_per_tensor(made, 0.1, 0, -128, 127, torch.int8), made

    inputs = [torch.zeros(shape, dtype=torch.int8) for shape in ((1, 2, 4, 4), (3, 2, 2, 2))]
    program = torch.export.export(Read(), tuple(inputs))
    assert not QuantFusionPass([Conv2dPattern()])(program.graph_module).modified
