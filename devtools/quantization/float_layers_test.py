"""Layers that stay in floating point are reported with their reasons, whatever the quantizer was."""

import pytest
import torch
from torchao.quantization import quantize_
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, Quantizer
from torchao.quantization.quant_api import Int8WeightOnlyConfig

from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.devtools.quantization import float_layers, float_layers_table


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.image = torch.nn.Conv2d(3, 8, 3, padding="same")
        self.groups = torch.nn.Conv2d(8, 8, 3, groups=8)
        self.volume = torch.nn.Conv3d(1, 2, 1)
        self.precise = torch.nn.Linear(6, 4).double()
        self.head = torch.nn.Linear(4, 2)

    def forward(self, x):
        x = self.volume(self.groups(self.image(x)).unsqueeze(1)).flatten(1, 2)
        x = self.head(self.precise(x.double()).float())
        return x @ x.transpose(2, 3)


INPUTS = (torch.randn(1, 3, 8, 8),)
STATIC = get_symmetric_quantization_config(is_per_channel=True)
DYNAMIC = get_symmetric_quantization_config(is_dynamic=True)


def reported(quantizer, convert=True):
    torch.manual_seed(0)
    graph = prepare_pt2e(torch.export.export(Model().eval(), INPUTS).module(), quantizer)
    graph(*INPUTS)
    graph = convert_pt2e(graph) if convert else graph
    return {one.module or one.operator: one for one in float_layers(graph)}


@pytest.mark.parametrize("convert", [False, True])
def test_reasons_of_the_quantizer(convert):
    found = reported(XNNPACKQuantizer().set_global(STATIC), convert)
    assert {name: one.reason for name, one in found.items()} == {
        "volume": "XNNPACKQuantizer does not know conv3d.default",
        "precise": "its input to is float64, not float32 or float16",
        "matmul.default": "XNNPACKQuantizer does not know matmul.default",
    }
    assert "float_layers_test.py" in found["matmul.default"].source


def test_settings_are_reasons():
    quantizer = XNNPACKQuantizer().set_module_name("image", None).set_module_type(torch.nn.Linear, STATIC)
    quantizer.set_filter_function(lambda node: not node.name.startswith("linear_1"))
    found = {name: one.reason for name, one in reported(quantizer).items()}
    assert found["image"] == "its config is None (by set_module_name('image'))"
    assert found["groups"] == "no config is for it, and there is no global one"
    assert found["head"] == "the filter function leaves it out"


def test_reasons_of_scales_found_at_run_time():
    found = {name: one.reason for name, one in reported(XNNPACKQuantizer().set_global(DYNAMIC)).items()}
    assert found["groups"] == "XNNPACK has no convolution in groups whose input is quantized at run time"
    assert not {"image", "head"} & set(found)


class HeadOnly(Quantizer):
    """Quantizes the weight of the last layer, and says nothing of the others."""

    def annotate(self, model):
        node = [one for one in model.graph.nodes if one.target is torch.ops.aten.linear.default][-1]
        spec = {node.args[1]: STATIC.weight}
        node.meta["quantization_annotation"] = QuantizationAnnotation(input_qspec_map=spec, _annotated=True)
        return model

    def validate(self, model):
        pass


def test_a_quantizer_that_leaves_no_reasons():
    found = {name: one.reason for name, one in reported(HeadOnly()).items()}
    silent = "the quantizer annotated none of its inputs, and left no reason: it may not know "
    assert found["image"] == silent + "conv2d.padding"
    assert found["precise"] == "it calculates in float64"
    assert found["head"] == "a part of what it multiplies is quantized, but not to_1"


def test_a_model_that_torchao_quantized():
    model = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.ReLU(), torch.nn.Conv1d(4, 4, 1)).eval()
    quantize_(model, Int8WeightOnlyConfig())
    graph = torch.export.export(model, (torch.randn(4, 32),)).run_decompositions({}).module()
    layers = float_layers(graph)
    assert layers[-1].operator == "conv1d.default"
    assert float_layers_table(layers).splitlines()[0].split() == ["layer", "operator", "module", "reason"]
