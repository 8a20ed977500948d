"""Convolutions whose padding is a word are quantized like those whose padding is a number."""

import pytest
import torch
from torch import nn
from torchao.quantization.pt2e import move_exported_model_to_eval
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e, prepare_qat_pt2e
from torchao.quantization.utils import compute_error

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.explicit_padding import with_numbers
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

#: Decibels of a quantized model against the model itself, and of the delegate against the quantized model.
_EXACT_ENOUGH, _AS_CONVERTED = 25, 40
_CONVOLUTIONS = {1: (nn.Conv1d, nn.BatchNorm1d), 2: (nn.Conv2d, nn.BatchNorm2d)}
#: kernel, and options of the convolution.
CASES = {
    "odd": (3, {"padding": "same"}),
    "even": (4, {"padding": "same"}),
    "wide": (3, {"padding": "same", "dilation": 2}),
    "groups": (3, {"padding": "same", "groups": 3}),
    "valid": (3, {"padding": "valid", "stride": 2}),
}


def model_of(dimensions, case, tail):
    torch.manual_seed(0)
    convolution, norm = _CONVOLUTIONS[dimensions]
    kernel, options = CASES[case]
    layers = [convolution(3, 6, kernel, **options), norm(6), nn.ReLU()][: 1 + tail]
    return nn.Sequential(*layers), (torch.randn(2, 3, *[12] * dimensions),)


def lowered(graph, inputs):
    edge = to_edge_transform_and_lower(torch.export.export(graph, inputs), partitioner=[XnnpackPartitioner()])
    names = [str(node.target) for node in edge.exported_program().graph.nodes if node.op == "call_function"]
    assert len(names) == 2, "one delegate and its result"
    return (
        Runtime.get()
        .load_program(edge.to_executorch().buffer)
        .load_method("forward")
        .execute(list(inputs))[0]
    )


def quantizer_of(**options):
    return XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True, **options))


def called(graph):
    return [str(node.target) for node in graph.graph.nodes if node.op == "call_function"]


def quantized_inputs(graph):
    (node,) = (one for one in graph.graph.nodes if str(one.target).startswith("aten.conv"))
    return ["dequantize" in str(one.target) for one in node.args[:2]]


# Every case with all that may follow it, and one with each part of that: the two do not depend on each other.
@pytest.mark.parametrize(("case", "tail"), [*((case, 2) for case in CASES), ("even", 0), ("even", 1)])
@pytest.mark.parametrize("dimensions", _CONVOLUTIONS)
def test_static(dimensions, case, tail):
    model, inputs = model_of(dimensions, case, tail)
    prepared = prepare_pt2e(torch.export.export(model.eval(), inputs).module(), quantizer_of())
    prepared(*inputs)
    graph = convert_pt2e(prepared)
    assert f"aten.conv{dimensions}d.padding" in called(graph)
    assert quantized_inputs(graph) == [True, True]
    result = lowered(graph, inputs)
    assert compute_error(model(*inputs), result) > _EXACT_ENOUGH
    assert compute_error(graph(*inputs), result) > _AS_CONVERTED


@pytest.mark.parametrize("case", ["odd", "even", "valid"])
def test_training(case):
    model, inputs = model_of(2, case, 2)
    graph = torch.export.export(model.train(), inputs).module()
    prepared = prepare_qat_pt2e(graph, quantizer_of(is_qat=True))
    prepared(*inputs)
    move_exported_model_to_eval(prepared)
    graph = convert_pt2e(prepared)
    assert quantized_inputs(graph) == [True, True]
    assert not any("batch_norm" in name for name in called(graph))
    assert compute_error(graph(*inputs), lowered(graph, inputs)) > _AS_CONVERTED


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dimensions", _CONVOLUTIONS)
def test_numbers_say_what_the_word_says(dimensions, case):
    model, inputs = model_of(dimensions, case, 0)
    graph = with_numbers(torch.export.export(model, inputs).module())
    names = [str(node.target) for node in graph.graph.nodes if node.op == "call_function"]
    assert f"aten.conv{dimensions}d.default" in names and not any("padding" in name for name in names)
    torch.testing.assert_close(graph(*inputs), model(*inputs))
    torch.export.export(graph, inputs)


def test_sizes_that_are_known_at_run_time():
    model, inputs = model_of(2, "even", 1)
    size = torch.export.Dim("size", min=8, max=64)
    exported = torch.export.export(model.eval(), inputs, dynamic_shapes=({2: size, 3: size},))
    prepared = prepare_pt2e(exported.module(), quantizer_of())
    prepared(*inputs)
    graph = convert_pt2e(prepared)
    assert quantized_inputs(graph) == [True, True]
    other = torch.randn(2, 3, 20, 20)
    assert compute_error(model(other), graph(other)) > 20
