"""Which scales values share, and annotators of convolutions one by one."""

import pytest
import torch
from torch import nn
from torch.fx import Graph
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, SharedQuantizationSpec

from executorch.backends.xnnpack.partition.config.generic_node_configs import _get_q_dq_quantization_params
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer_utils import (
    _do_annotate_conv,
    _do_annotate_conv_bn,
    _do_annotate_conv_relu,
    _get_cat_qparam_source,
)

_aten = torch.ops.aten
_ANNOTATION = "quantization_annotation"


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 2, 3)

    def forward(self, x):
        return torch.mean(nn.functional.hardtanh(nn.functional.adaptive_avg_pool2d(self.first(x), 1)))


class Joined(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 1, 3, padding=1)

    def forward(self, x, y):
        return torch.cat([y, self.first(x).transpose(2, 3)], 1)


def annotated(model, *inputs):
    module = torch.export.export(model, inputs).module()
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config())
    quantizer.annotate(quantizer.transform_for_annotation(module))
    return {node.name: node for node in module.graph.nodes}


def test_all_behind_a_convolution_has_its_scale():
    nodes = annotated(Pooled(), torch.randn(1, 1, 5, 5))
    for name in ("adaptive_avg_pool2d", "hardtanh", "mean"):
        (spec,) = nodes[name].meta[_ANNOTATION].input_qspec_map.values()
        assert isinstance(spec, SharedQuantizationSpec), name
    image = (torch.randn(1, 1, 5, 5),)
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(Pooled(), image).module(), quantizer)
    prepared(*image)
    calls = [node for node in convert_pt2e(prepared).graph.nodes if node.op == "call_function"]
    integers = [node for node in calls if ".quantize_per_tensor" in str(node.target)]
    assert len(integers) == 5 and len({node.args[1] for node in integers[1:]}) == 1


def test_a_concatenation_has_the_scale_of_what_is_quantized_already():
    nodes = annotated(Joined(), torch.randn(1, 1, 4, 4), torch.randn(1, 1, 4, 4))
    output = nodes["cat"].meta[_ANNOTATION].output_qspec
    assert isinstance(output, SharedQuantizationSpec)

    graph = Graph()
    x, y = graph.placeholder("x"), graph.placeholder("y")
    made = graph.call_function(_aten.linear.default, (x, y))
    moved = graph.call_function(_aten.permute.default, (made, [1, 0]))
    other = graph.call_function(_aten.sigmoid.default, (made,))
    assert _get_cat_qparam_source([y, moved]) is y
    made.meta[_ANNOTATION] = QuantizationAnnotation(output_qspec=output, _annotated=True)
    assert _get_cat_qparam_source([y, moved, made]) is moved
    assert _get_cat_qparam_source([y, other]) is y


@pytest.mark.parametrize("is_conv_transpose", [False, True])
def test_convolutions_by_what_follows(is_conv_transpose):
    kind = nn.ConvTranspose2d if is_conv_transpose else nn.Conv2d
    model = nn.Sequential(
        kind(1, 2, 3), nn.ReLU(), kind(2, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), kind(2, 2, 3)
    )
    module = torch.export.export(model, (torch.randn(2, 1, 12, 12),)).module()
    config = get_symmetric_quantization_config(is_qat=True)
    with_norm = _do_annotate_conv_bn(module, config, None, True, is_conv_transpose=is_conv_transpose)
    assert [len(chain) for chain in with_norm] == [3]
    assert _do_annotate_conv_bn(module, config, None, False, is_conv_transpose=is_conv_transpose) == []
    with_relu = _do_annotate_conv_relu(module, config, is_conv_transpose=is_conv_transpose)
    assert [len(chain) for chain in with_relu] == [2]
    alone = _do_annotate_conv(module, config, is_conv_transpose=is_conv_transpose)
    assert [len(chain) for chain in alone] == [1]


def test_what_conversions_are_given():
    quantized = torch.ops.quantized_decomposed.quantize_per_tensor.default
    graph = Graph()
    x = graph.placeholder("x")
    node = graph.call_function(quantized, (x, 0.5, 3, -128, 127, torch.int8))
    found = dict(_get_q_dq_quantization_params(node))
    assert found == {
        "scale": 0.5,
        "zero_point": 3,
        "quant_min": -128,
        "quant_max": 127,
        "dtype": torch.int8,
    }
    assert _get_q_dq_quantization_params(graph.call_function(_aten.relu.default, (x,))) == ()
