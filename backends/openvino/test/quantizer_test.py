"""Quantized models on OpenVINO: near to what the quantized graph calculates in eager PyTorch, and on integers."""

import re

import pytest
import torch
from torch.export import export

from executorch.backends.openvino import OpenvinoPartitioner
from executorch.backends.openvino.quantizer import OpenVINOQuantizer, QuantizationMode, quantize_model
from executorch.exir import to_edge_transform_and_lower
from executorch.partitioner import get_lowered_submodules
from executorch.runtime import Runtime

ALL = [mode for mode in QuantizationMode if "INT4" not in mode.name]


class Net(torch.nn.Module):
    """Convolutions of each kind, a product of activations and a linear layer."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(3, 16, 3, padding=1)
        self.depth = torch.nn.Conv2d(16, 16, 3, padding=1, groups=16)
        self.up = torch.nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.head = torch.nn.Linear(8, 6)

    def forward(self, x):
        x = self.up(self.depth(self.first(x).relu()).relu())
        x = x.flatten(2).transpose(1, 2)
        return self.head(torch.matmul(torch.matmul(x, x.transpose(1, 2)).softmax(-1), x))


def images(count=4):
    generator = torch.Generator().manual_seed(3)
    return [torch.rand(1, 3, 8, 8, generator=generator) for _ in range(count)]


def lower(model):
    edge = to_edge_transform_and_lower(export(model, (images()[0],)), partitioner=[OpenvinoPartitioner()])
    (delegate,) = (module for _, module, _ in get_lowered_submodules(edge.exported_program().graph_module))
    return edge, delegate


@pytest.mark.parametrize("mode", ALL)
def test_a_mode_gives_what_the_quantized_graph_gives(mode):
    torch.manual_seed(0)
    model = Net().eval()
    quantized = quantize_model(export(model, (images()[0],)).module(), images(), mode=mode)
    edge, _ = lower(quantized)
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for image in images():
        want, plain = quantized(image), model(image)
        got = method.execute([image])[0]
        # Where a sum lies between two steps, another order of adding may choose the other one.
        span = float((plain.max() - plain.min()).detach())
        assert float((got - want).detach().abs().max()) < 0.03 * span
        assert float((got - plain).detach().abs().max()) < 0.1 * span


@pytest.mark.parametrize("mode", [QuantizationMode.INT8_SYM, QuantizationMode.INT8_MIXED])
def test_sums_of_large_products_do_not_overflow_on_any_processor(mode):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 96), torch.nn.ReLU(), torch.nn.Linear(96, 32)).eval()
    rows = [torch.randn(16, 64) for _ in range(4)]
    quantized = quantize_model(export(model, (rows[0],)).module(), rows, mode=mode)
    edge = to_edge_transform_and_lower(export(quantized, (rows[0],)), partitioner=[OpenvinoPartitioner()])
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for row in rows:
        got, want = method.execute([row])[0], model(row).detach()
        assert float((got - want).abs().max()) < 0.05 * float(want.abs().max())


EXTREMES = {
    "amax": lambda x: x.amax((2, 3)),
    "amin": lambda x: x.amin((2, 3)).unsqueeze(1).relu().squeeze(1),
    "max": lambda x: x.flatten(2).max(-1).values,
    "min": lambda x: x.flatten(2).min(-1)[0],
    "all": lambda x: torch.stack([x.max(), x.min()] * 4).unsqueeze(0),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_extremes_are_rounded_as_the_quantized_graph_rounds_them(name):
    class Extremes(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.head = torch.nn.Conv2d(3, 8, 3), torch.nn.Linear(8, 6)

        def forward(self, x):
            return self.head(EXTREMES[name](self.first(x)))

    torch.manual_seed(0)
    model = Extremes().eval()
    captured = export(model, (images()[0],)).module()
    quantized = quantize_model(captured, images(), mode=QuantizationMode.INT8_MIXED)
    edge, _ = lower(quantized)
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for image in images():
        want = quantized(image).detach()
        difference = float((method.execute([image])[0] - want).abs().max())
        assert difference < 0.02 * float(want.max() - want.min())


def test_weights_are_a_quarter_and_layers_run_on_integers(tmp_path):
    class Layers(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.Sequential(
                torch.nn.Conv2d(3, 64, 3, padding=1),
                torch.nn.ReLU(),
                torch.nn.Conv2d(64, 64, 3, padding=1),
                torch.nn.ReLU(),
                torch.nn.Conv2d(64, 64, 3, padding=1),
            )

        def forward(self, x):
            return self.layers(x)

    model = Layers().eval()
    _, plain = lower(model)
    edge, quantized = lower(quantize_model(export(model, (images()[0],)).module(), images()))
    assert len(quantized.processed_bytes) < 0.4 * len(plain.processed_bytes)
    program = Runtime.get().load_program(edge.to_executorch().buffer, enable_etdump=True)
    program.load_method("forward").execute([images()[0]])
    program.write_etdump_result_to_file(tmp_path / "etdump")
    # How OpenVINO writes it depends on the processor: brgconv_avx512_amx_i8, jit_avx512_I8, ...
    kernels = re.findall(rb"[a-z]\w*_i8\b", (tmp_path / "etdump").read_bytes().lower())
    assert len(kernels) >= 3


def test_what_is_ignored_stays_in_floating_point():
    graph = export(Net().eval(), (images()[0],)).module()
    name = next(node.name for node in graph.graph.nodes if "linear" in str(node.target))
    quantizer = OpenVINOQuantizer(mode=QuantizationMode.INT8_MIXED)
    quantizer.set_ignored_scope(names=[name], types=[torch.ops.aten.conv2d.default])
    quantizer.annotate(graph)
    marked = {str(node.target) for node in graph.graph.nodes if "quantization_annotation" in node.meta}
    assert marked == {"aten.conv_transpose2d.input", "aten.matmul.default"}
    for scope in ({"names": ["nobody"]}, {"patterns": ["no.*"]}, {"subgraphs": [(["relu"], ["nobody"])]}):
        quantizer.set_ignored_scope(**scope, validate=False)
        quantizer.annotate(graph)
        quantizer.set_ignored_scope(**scope)
        with pytest.raises(ValueError, match="no"):
            quantizer.annotate(graph)
    quantizer.set_ignored_scope(names=["nobody"])
    with pytest.raises(ValueError, match="nobody"):
        quantizer.annotate(graph)


@pytest.mark.parametrize(
    ("scope", "left"),
    [
        (
            {"patterns": ["conv2d"]},
            {"aten.conv_transpose2d.input", "aten.matmul.default", "aten.linear.default"},
        ),
        (
            {"types": ["matmul", "aten.linear.default"]},
            {"aten.conv2d.default", "aten.conv_transpose2d.input"},
        ),
        (
            {"subgraphs": [(["relu"], ["conv_transpose2d"])]},
            {"aten.conv2d.default", "aten.matmul.default", "aten.linear.default"},
        ),
    ],
)
def test_patterns_types_and_subgraphs_are_ignored(scope, left):
    graph = export(Net().eval(), (images()[0],)).module()
    quantizer = OpenVINOQuantizer(mode=QuantizationMode.INT8_MIXED)
    quantizer.set_ignored_scope(**scope)
    quantizer.annotate(graph)
    marked = [node for node in graph.graph.nodes if "quantization_annotation" in node.meta]
    assert {str(node.target) for node in marked} == left
    # Of the two convolutions the second is inside of the part.
    assert "subgraphs" not in scope or "conv2d_1" not in {node.name for node in marked}


FOUR = [QuantizationMode.INT4WO_SYM, QuantizationMode.INT4WO_ASYM]


class Words(torch.nn.Module):
    """A table, two layers and what chooses a word."""

    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(64, 256)
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 256)
        )
        self.head = torch.nn.Linear(256, 64)

    def forward(self, words):
        return self.head(self.layers(self.table(words)))


def sentences():
    return [torch.randint(0, 64, (1, 9), generator=torch.Generator().manual_seed(3))]


@pytest.mark.parametrize("mode", FOUR)
@pytest.mark.parametrize(("group_size", "all_layers"), [(None, False), (32, False), (-1, True), (96, True)])
def test_four_bits_in_groups(mode, group_size, all_layers):
    torch.manual_seed(0)
    model, options = Words().eval(), {"group_size": group_size, "all_layers": all_layers}
    captured = export(model, tuple(sentences())).module()
    quantized = quantize_model(captured, [], mode=mode, extra_quantizer_options=options)
    edge = to_edge_transform_and_lower(
        export(quantized, tuple(sentences())), partitioner=[OpenvinoPartitioner()]
    )
    ((_, delegate, _),) = get_lowered_submodules(edge.exported_program().graph_module)
    got = (
        Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward").execute(sentences())[0]
    )
    want, plain = quantized(*sentences()).detach(), model(*sentences()).detach()
    torch.testing.assert_close(got, want, atol=1e-4, rtol=1e-4)
    assert float((want - plain).abs().max() / plain.abs().max()) < 0.3
    bits = 4 * sum(one.numel() for one in model.layers.parameters() if one.dim() == 2)
    bits += (4 if all_layers else 8) * (model.table.weight.numel() + model.head.weight.numel())
    # Scales and zero points in floats beside, and the tables that OpenVINO keeps of a model.
    assert len(delegate.processed_bytes) < bits / 8 * (1.6 if group_size == 32 else 1.25) + 20000


@pytest.mark.parametrize("mode", [QuantizationMode.INT8WO_SYM, QuantizationMode.INT8WO_ASYM])
def test_weights_alone_need_no_examples(mode):
    torch.manual_seed(0)
    model = torch.nn.Linear(64, 32).eval()
    given = torch.randn(3, 64)
    quantized = quantize_model(export(model, (given,)).module(), [], mode=mode)
    want, plain = quantized(given).detach(), model(given).detach()
    assert float((want - plain).abs().max() / plain.abs().max()) < 0.02


def test_groups_are_of_four_bits():
    with pytest.raises(ValueError, match="INT4WO_SYM"):
        OpenVINOQuantizer(group_size=64)
    with pytest.raises(ValueError, match="-1 for whole rows"):
        OpenVINOQuantizer(mode=QuantizationMode.INT4WO_SYM, group_size=0)


def test_ranges_need_examples():
    with pytest.raises(ValueError, match="empty"):
        quantize_model(export(Net().eval(), (images()[0],)).module(), [])
