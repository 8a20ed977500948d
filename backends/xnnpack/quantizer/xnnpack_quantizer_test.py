"""Calibrate, convert, lower, run: quantized models against what the converted graph computes in eager PyTorch."""

import pytest
import torch
from torch import nn
from torchao.quantization.pt2e import move_exported_model_to_eval
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e, prepare_qat_pt2e
from torchao.quantization.utils import compute_error

from executorch.backends.xnnpack import (
    XnnpackDynamicallyQuantizedPartitioner,
    XnnpackFloatingPointPartitioner,
    XnnpackPartitioner,
)
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    _get_module_type_filter,
    _get_not_module_type_or_name_filter,
    get_symmetric_quantization_config,
)
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer_utils import (
    OP_TO_ANNOTATOR,
    change_quantization_config,
)
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

F = nn.functional
#: Decibels of a converted model against the model itself.
_EXACT_ENOUGH = 25


class Image(nn.Module):
    """Convolutions of each kind, with and without activations, sums, products, concatenation, pools."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1, stride=2, bias=False)
        self.norm = nn.BatchNorm2d(8)
        self.depthwise = nn.Conv2d(8, 16, 3, groups=8, padding=1)
        self.pointwise = nn.Conv2d(16, 16, 1)
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        x = F.max_pool2d(torch.relu(self.norm(self.first(x))), 2)
        y = F.relu6(self.depthwise(x))
        x = F.hardswish(y + self.pointwise(y)) * y * 2 - 1
        x = self.up(torch.cat([x, y], 1)[:, :16])
        x = torch.cat([x, torch.relu(x + x)], 1)
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(32, 64)
        self.outer = nn.Linear(64, 8, bias=False)

    def forward(self, x):
        return self.outer(torch.relu(self.inner(x)))


MODELS = {
    "image": (Image, (1, 3, 32, 32)),
    "layers": (Layers, (2, 5, 32)),
    "convolution of one dimension": (lambda: nn.Sequential(nn.Conv1d(4, 6, 3), nn.ReLU()), (1, 4, 12)),
}


def made(name):
    torch.manual_seed(0)
    model, shape = MODELS[name]
    return model().eval(), (torch.randn(shape),)


def captured(model, inputs):
    return torch.export.export(model, inputs).module()


def converted(model, inputs, quantizer):
    """The model's graph with integers between its operators."""
    prepared = prepare_pt2e(captured(model, inputs), quantizer)
    for _ in range(4):
        prepared(*(torch.randn_like(one) for one in inputs))
    prepared(*inputs)
    return convert_pt2e(prepared)


def quantizer_of(**options):
    return XNNPACKQuantizer().set_global(get_symmetric_quantization_config(**options))


def lowered(model, inputs, partitioner=None):
    program = torch.export.export(model, inputs)
    return to_edge_transform_and_lower(program, partitioner=[partitioner or XnnpackPartitioner()])


def operators_left(edge):
    names = [str(node.target) for node in edge.exported_program().graph.nodes if node.op == "call_function"]
    return [name for name in names if "delegate" not in name and "getitem" not in name]


def run(edge, inputs):
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    return method.execute(list(inputs))[0]


def calls(graph_module, part):
    return [node for node in graph_module.graph.nodes if part in str(node.target)]


@pytest.mark.parametrize("is_per_channel", [False, True], ids=["whole", "by channel"])
@pytest.mark.parametrize("name", MODELS)
def test_static(name, is_per_channel):
    model, inputs = made(name)
    graph = converted(model, inputs, quantizer_of(is_per_channel=is_per_channel))
    edge = lowered(graph, inputs)
    assert operators_left(edge) == []
    expected, got = graph(*inputs), run(edge, inputs)
    scale = calls(graph, "quantize_per_tensor")[-1].args[1]
    # Integer arithmetic and its imitation may round a value to neighbours.
    torch.testing.assert_close(got, expected.detach(), atol=2.1 * scale, rtol=0)
    assert compute_error(model(*inputs), got) > _EXACT_ENOUGH


@pytest.mark.parametrize("is_per_channel", [False, True], ids=["whole", "by channel"])
@pytest.mark.parametrize("name", ["layers", "convolution"])
def test_dynamic(name, is_per_channel):
    torch.manual_seed(0)
    model, inputs = (
        (Layers(), (torch.randn(2, 5, 32),))
        if name == "layers"
        else (
            nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 4, 1)),
            (torch.randn(1, 3, 9, 9),),
        )
    )
    graph = converted(model.eval(), inputs, quantizer_of(is_per_channel=is_per_channel, is_dynamic=True))
    edge = lowered(graph, inputs)
    assert operators_left(edge) == []
    assert compute_error(model(*inputs), run(edge, inputs)) > _EXACT_ENOUGH


@pytest.mark.parametrize("convolution", [nn.Conv1d, nn.ConvTranspose1d])
def test_convolutions_of_one_dimension_stay_in_float_where_scales_are_found_at_run_time(convolution):
    model, inputs = convolution(4, 8, 3).eval(), (torch.randn(1, 4, 16),)
    graph = converted(model, inputs, quantizer_of(is_per_channel=True, is_dynamic=True))
    assert calls(graph, "quantize") == []
    edge = lowered(graph, inputs)
    assert operators_left(edge) == []
    torch.testing.assert_close(run(edge, inputs), model(*inputs).detach())


def test_dynamic_with_one_input_for_several_layers():
    class Projections(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(16, 4) for _ in range(3))

        def forward(self, x):
            return torch.cat([layer(x) for layer in self.layers], -1)

    torch.manual_seed(0)
    model, inputs = Projections().eval(), (torch.randn(2, 16),)
    graph = converted(model, inputs, quantizer_of(is_per_channel=True, is_dynamic=True))
    edge = lowered(graph, inputs, XnnpackDynamicallyQuantizedPartitioner())
    assert all("cat" in name for name in operators_left(edge))
    assert compute_error(model(*inputs), run(lowered(graph, inputs), inputs)) > _EXACT_ENOUGH


def test_training():
    torch.manual_seed(0)
    model, inputs = Image(), (torch.randn(2, 3, 32, 32),)
    graph = torch.export.export(model.train(), inputs).module()
    prepared = prepare_qat_pt2e(graph, quantizer_of(is_per_channel=True, is_qat=True))
    optimizer = torch.optim.SGD(prepared.parameters(), lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        prepared(*inputs).square().mean().backward()
        optimizer.step()
    move_exported_model_to_eval(prepared)
    graph = convert_pt2e(prepared)
    edge = lowered(graph, inputs)
    assert operators_left(edge) == []
    assert compute_error(graph(*inputs), run(edge, inputs)) > _EXACT_ENOUGH


def quantized_layers(quantizer):
    """Which of the two layers have weights of integers."""
    model, inputs = made("layers")
    graph = converted(model, inputs, quantizer)
    first, second = (node for node in graph.graph.nodes if node.target is torch.ops.aten.linear.default)
    return ["dequantize" in str(node.args[1].target) for node in (first, second)]


CONFIG = get_symmetric_quantization_config()
SETTINGS = {
    "global": (lambda q: q.set_global(CONFIG), [True, True]),
    "by name": (lambda q: q.set_module_name("inner", CONFIG), [True, False]),
    "all but one name": (lambda q: q.set_global(CONFIG).set_module_name("outer", None), [True, False]),
    "by type": (lambda q: q.set_module_type(nn.Linear, CONFIG), [True, True]),
    "by another type": (lambda q: q.set_module_type(nn.Conv2d, CONFIG), [False, False]),
    "by module class": (lambda q: q.set_object_type(nn.Linear, CONFIG), [True, True]),
    "by function": (lambda q: q.set_object_type(F.linear, CONFIG), [True, True]),
    "by operator": (lambda q: q.set_operator_type(torch.ops.aten.linear, CONFIG), [True, True]),
    "filtered": (
        lambda q: q.set_global(CONFIG).set_filter_function(lambda node: node.name == "linear_1"),
        [False, True],
    ),
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_what_is_quantized(setting):
    settle, expected = SETTINGS[setting]
    assert quantized_layers(settle(XNNPACKQuantizer())) == expected


def test_ranges():
    config = get_symmetric_quantization_config(act_qmin=-120, act_qmax=119, weight_qmin=-7, weight_qmax=7)
    model, inputs = made("layers")
    graph = converted(model, inputs, XNNPACKQuantizer().set_global(config))
    activations = {node.args[3:5] for node in calls(graph, "quantized_decomposed.quantize_per_tensor")}
    dequantized = {node.args[3:5] for node in calls(graph, "dequantize_per_tensor")}
    assert activations == {(-120, 119)}
    assert dequantized == {(-120, 119), (-7, 7)}


def test_configs_of_the_same_options_are_one():
    assert get_symmetric_quantization_config(is_qat=True) is get_symmetric_quantization_config(is_qat=True)
    patterns = XNNPACKQuantizer.get_supported_operator_for_quantization_config(CONFIG)
    assert [nn.Conv2d, nn.ReLU] in patterns and [nn.Linear] in patterns
    dynamic = get_symmetric_quantization_config(is_dynamic=True)
    assert [torch.add] not in XNNPACKQuantizer.get_supported_operator_for_quantization_config(dynamic)


def test_partial_quantization_is_right():
    """Some layers on integers, some not: conversions stand between them."""
    model, inputs = made("image")
    quantizer = (
        quantizer_of(is_per_channel=True).set_module_name("pointwise", None).set_module_name("head", None)
    )
    graph = converted(model, inputs, quantizer)
    edge = lowered(graph, inputs)
    assert operators_left(edge) == []
    assert compute_error(graph(*inputs), run(edge, inputs)) > _EXACT_ENOUGH


@pytest.mark.parametrize("per_op_mode", [False, True])
def test_one_delegate_for_each_operator(per_op_mode):
    model, inputs = made("layers")
    graph = converted(model, inputs, quantizer_of())
    edge = lowered(graph, inputs, XnnpackPartitioner(per_op_mode=per_op_mode))
    delegates = calls(edge.exported_program().graph_module, "executorch_call_delegate")
    assert len(delegates) == (4 if per_op_mode else 1)
    assert compute_error(graph(*inputs), run(edge, inputs)) > _EXACT_ENOUGH


def test_floating_point_only_leaves_conversions():
    model, inputs = made("layers")
    graph = converted(model, inputs, quantizer_of())
    left = operators_left(lowered(graph, inputs, XnnpackFloatingPointPartitioner()))
    # The two weights are numbers already.
    conversions = len(calls(graph, "quantize_per_tensor")) - 2
    assert sum("quantize_per_tensor" in name for name in left) == conversions


def test_batches_of_any_size():
    torch.manual_seed(0)
    model = Image().eval()
    image = torch.randn(2, 3, 32, 32)
    sizes = ({0: torch.export.Dim("batch", min=1, max=8)},)
    prepared = prepare_pt2e(
        torch.export.export(model, (image,), dynamic_shapes=sizes).module(),
        XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True)),
    )
    prepared(image)
    quantized = convert_pt2e(prepared)
    program = torch.export.export(quantized, (image,), dynamic_shapes=sizes)
    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for batch in (5, 1, 8):
        images = torch.randn(batch, 3, 32, 32)
        assert compute_error(quantized(images), method.execute([images])[0]) > _EXACT_ENOUGH


def test_annotators_of_chains():
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2)).eval()
    graph_module = torch.export.export(model, (torch.randn(2, 4),)).module()
    config = get_symmetric_quantization_config()
    (chain,) = OP_TO_ANNOTATOR["linear_relu"](graph_module, config)
    assert [node.target for node in chain] == [torch.ops.aten.linear.default, torch.ops.aten.relu.default]
    # What is annotated stays as it is.
    assert OP_TO_ANNOTATOR["linear_relu"](graph_module, config) == []
    assert len(OP_TO_ANNOTATOR["linear"](graph_module, config)) == 1
    names = {pattern.name for pattern in XNNPACKQuantizer.SUPPORTED_PATTERNS}
    assert names <= set(OP_TO_ANNOTATOR)


def test_specs_with_other_fields():
    spec = get_symmetric_quantization_config().weight
    changed = change_quantization_config(spec, ch_axis=1, quant_min=-8)
    assert (changed.ch_axis, changed.quant_min, changed.quant_max) == (1, -8, spec.quant_max)


def test_filters_of_modules():
    class Inner(torch.nn.Module):
        def forward(self, x):
            return x + 1

    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def forward(self, x):
            return self.inner(x) * 2

    graph = torch.export.export(Outer(), (torch.randn(2),)).graph
    within, without = _get_module_type_filter(Inner), _get_not_module_type_or_name_filter([Inner], [])
    called = {node.name: node for node in graph.nodes if node.op == "call_function"}
    assert within(called["add"]) and not within(called["mul"])
    assert without(called["mul"]) and not without(called["add"])
