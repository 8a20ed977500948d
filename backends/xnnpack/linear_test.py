"""Linear layers that were taken apart before they are delegated: ``to_edge`` followed by ``to_backend``."""

from typing import Any

import pytest
import torch
from torch import nn
from torch.export import Dim, export
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.backends.xnnpack.serialization import schema
from executorch.backends.xnnpack.serialization.blob import unpack
from executorch.emitter import deserialize_pte_binary
from executorch.exir import to_edge, to_edge_transform_and_lower
from executorch.runtime import Runtime


class Two(nn.Module):
    """Two layers with an activation between them."""

    def __init__(self, bias):
        super().__init__()
        self.first, self.second = nn.Linear(32, 16, bias), nn.Linear(16, 8, bias)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


class Call(nn.Module):
    def __init__(self, function, *weights):
        super().__init__()
        self.function, self.weights = function, nn.ParameterList(weights)

    def forward(self, *inputs):
        return self.function(*inputs, *self.weights)


def taken_apart(program):
    return to_edge(program).to_backend(XnnpackPartitioner())


def whole(program):
    return to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])


def left_of(edge):
    names = [str(node.target) for node in edge.exported_program().graph.nodes if node.op == "call_function"]
    return [name for name in names if "delegate" not in name and "getitem" not in name]


def run(buffer, inputs):
    return Runtime.get().load_program(buffer).load_method("forward").execute(list(inputs))[0]


def filters_of(buffer):
    """The data types of the weights of all fully connected nodes."""
    (delegate,) = deserialize_pte_binary(buffer).program.backend_delegate_data
    graph = unpack(bytes(delegate.data))[0]
    values = [value.xvalue_union for value in graph.xvalues]
    nodes = [node.xnode_union for node in graph.xnodes]
    found = [values[one.filter_id] for one in nodes if isinstance(one, schema.XNNFullyConnected)]
    return [getattr(value, "tensor_value", value).datatype.name for value in found]


def quantized(model, inputs, shapes, by_channel, dynamic, **ranges):
    config = get_symmetric_quantization_config(is_per_channel=by_channel, is_dynamic=dynamic, **ranges)
    exported = export(model.eval(), inputs, dynamic_shapes=shapes).module()
    prepared = prepare_pt2e(exported, XNNPACKQuantizer().set_global(config))
    prepared(*inputs)
    return convert_pt2e(prepared)


BATCH, LENGTH = Dim("batch", max=9), Dim("length", max=9)
SHAPES = {
    "rows": ((4, 32), None),
    "batch": ((2, 3, 32), None),
    "one symbolic size": ((4, 3, 32), ({0: BATCH},)),
    "two symbolic sizes": ((4, 3, 32), ({0: BATCH, 1: LENGTH},)),
}
#: How the model is quantized (by channel, at run time), the type of its weights, and what results may differ by.
KINDS = {
    "fp32": (None, "xnn_datatype_fp32", 1e-5),
    "fp16": (None, "xnn_datatype_fp16", 1e-2),
    "static, by tensor": ((False, False), "xnn_datatype_qint8", 2e-2),
    "static, by channel": ((True, False), "xnn_datatype_qcint8", 2e-2),
    "dynamic, by tensor": ((False, True), "xnn_datatype_qcint8", 3e-2),
    "dynamic, by channel": ((True, True), "xnn_datatype_qcint8", 3e-2),
}


@pytest.mark.parametrize("path", [taken_apart, whole])
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
def test_linear(kind, shape, bias, path):
    scales, weights, tolerance = KINDS[kind]
    sizes, symbolic = SHAPES[shape]
    torch.manual_seed(0)
    dtype = torch.float16 if kind == "fp16" else torch.float32
    inputs, model = (torch.randn(sizes, dtype=dtype),), Two(bias).to(dtype).eval()
    if scales is not None:
        model = quantized(model, inputs, symbolic, *scales)
    edge = path(export(model, inputs, dynamic_shapes=symbolic))
    assert left_of(edge) == []
    buffer = edge.to_executorch().buffer
    assert filters_of(buffer) == [weights] * 2
    other = (torch.randn([6, *sizes[1:]], dtype=dtype),) if symbolic else inputs
    for given in (inputs, other):
        torch.testing.assert_close(run(buffer, given), model(*given).detach(), atol=tolerance, rtol=tolerance)


#: Limits of the weights, how many inputs a layer has, and the bits that a weight then takes.
NARROW = {
    "four bits": ((-8, 7), 64, 4),
    "four bits, without the lowest": ((-7, 7), 64, 4),
    "four bits, pairs that fill no register": ((-8, 7), 38, 4),
    "four bits, odd": ((-8, 7), 37, 8),
    "five bits": ((-9, 7), 64, 8),
}


@pytest.mark.parametrize("by_channel", [True, False], ids=["by output", "by tensor"])
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("name", NARROW)
def test_narrow_weights_take_four_bits(name, bias, by_channel):
    """XNNPACK has these two in a byte, so rows have to be of whole bytes."""
    (low, high), inputs, bits = NARROW[name]
    torch.manual_seed(0)
    given, shapes = (torch.randn(17, inputs),), ({0: Dim("rows", max=17)},)
    layer = nn.Linear(inputs, 67, bias)
    model = quantized(layer, given, shapes, by_channel, True, weight_qmin=low, weight_qmax=high)
    edge = whole(export(model, given, dynamic_shapes=shapes))
    assert left_of(edge) == []
    buffer = edge.to_executorch().buffer
    assert filters_of(buffer) == [f"xnn_datatype_qcint{bits}"]
    packed = inputs * 67 * bits // 8
    assert packed < len(buffer) < packed + 3400
    for rows in range(1, 18):
        part = (given[0][:rows],)
        torch.testing.assert_close(run(buffer, part), model(*part).detach(), atol=3e-2, rtol=3e-2)


@pytest.mark.parametrize("by_channel", [True, False], ids=["by output", "by tensor"])
def test_narrow_weights_of_convolutions_and_static_layers_stay_bytes(by_channel):
    """The pinned XNNPACK has products of four bits only for linear layers whose inputs are not quantized beforehand."""
    torch.manual_seed(0)
    ranges = {"weight_qmin": -8, "weight_qmax": 7}
    given = (torch.randn(4, 32),)
    static = quantized(Two(True), given, None, by_channel, False, **ranges)
    edge = whole(export(static, given))
    assert left_of(edge) == []
    buffer = edge.to_executorch().buffer
    assert filters_of(buffer) == ["xnn_datatype_qcint8" if by_channel else "xnn_datatype_qint8"] * 2
    torch.testing.assert_close(run(buffer, given), static(*given).detach(), atol=2e-2, rtol=2e-2)
    image = (torch.randn(1, 8, 9, 9),)
    convolution = quantized(nn.Conv2d(8, 16, 3), image, None, by_channel, True, **ranges)
    edge = whole(export(convolution, image))
    assert left_of(edge) == []
    torch.testing.assert_close(
        run(edge.to_executorch().buffer, image), convolution(*image).detach(), atol=3e-2, rtol=3e-2
    )


PRODUCTS: dict[str, Any] = {
    "addmm": (lambda x, w, b: torch.addmm(b, x, w), [(4, 8)], [(8, 5), (5,)]),
    "addmm, transposed": (lambda x, w, b: torch.addmm(b, x, w.t()), [(4, 8)], [(5, 8), (5,)]),
    "batches": (torch.bmm, [(3, 4, 8), (3, 8, 5)], []),
    "batches, four dimensions": (torch.matmul, [(2, 3, 4, 8), (2, 3, 8, 5)], []),
    "calculated weight": (nn.functional.linear, [(4, 8), (5, 8)], []),
    "calculated weight and bias": (nn.functional.linear, [(2, 4, 8), (5, 8), (5,)], []),
    "calculated weight, constant bias": (nn.functional.linear, [(2, 4, 8), (5, 8)], [(5,)]),
    "empty part": (lambda x: torch.cat([x.exp(), torch.zeros(0, 8), x.abs()]).sin(), [(4, 8)], []),
    "empty argument": (lambda x, y: torch.cat([x.exp(), y, x.abs()]).sin(), [(4, 8), (0, 8)], []),
    "mm": (torch.mm, [(4, 8), (8, 5)], []),
    "vector": (nn.functional.linear, [(8,)], [(5, 8), (5,)]),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_product(name):
    function, inputs, weights = PRODUCTS[name]
    torch.manual_seed(0)
    model = Call(function, *map(torch.randn, weights))
    given = tuple(map(torch.randn, inputs))
    edge = taken_apart(export(model, given))
    assert left_of(edge) == []
    torch.testing.assert_close(
        run(edge.to_executorch().buffer, given), model(*given).detach(), atol=1e-5, rtol=1e-5
    )


def test_sizes_on_both_sides_of_a_border():
    """A delegate takes and gives tensors only: views that are given such sizes stay outside."""
    first, second = nn.Linear(8, 8), nn.Linear(8, 8)
    model = Call(lambda x, *_: second(torch.cumsum(first(x), 1)))
    model.first, model.second = first, second
    inputs = (torch.randn(4, 3, 8),)
    edge = taken_apart(export(model, inputs, dynamic_shapes=(({0: BATCH, 1: LENGTH},),)))
    names = left_of(edge)
    assert not any("addmm" in name for name in names)
    torch.testing.assert_close(
        run(edge.to_executorch().buffer, inputs), model(*inputs).detach(), atol=1e-5, rtol=1e-5
    )


@pytest.mark.parametrize("outputs", [35, 64, 131])
def test_layers_of_halves_of_any_width(outputs):
    layer = nn.Linear(37, outputs).half().eval()
    inputs = (torch.randn(9, 37).half(),)
    edge = whole(export(layer, inputs))
    assert left_of(edge) == []
    torch.testing.assert_close(run(edge.to_executorch().buffer, inputs), layer(*inputs), rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (torch.mm, [(5, 3), (3, 70)]),
        (nn.functional.linear, [(2, 5, 3), (70, 3)]),
        (nn.functional.linear, [(2, 5, 3), (70, 3), (70,)]),
        (lambda x, weight, bias: torch.addmm(bias, x, weight), [(5, 3), (3, 7), (7,)]),
    ],
)
def test_halves_with_weights_that_are_calculated(function, shapes):
    inputs = tuple(torch.randn(shape).half() for shape in shapes)
    edge = whole(export(Call(function), inputs))
    assert left_of(edge) == []
    torch.testing.assert_close(
        run(edge.to_executorch().buffer, inputs), function(*inputs), rtol=2e-3, atol=2e-3
    )
