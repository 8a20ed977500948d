"""The backend's own lowerings, one operator at a time: the graph that a visitor makes is run."""

import pytest
import torch
import torch.ao.quantization.fx._decomposed  # Registers the quantized_decomposed operators.

from executorch.backends.xnnpack.operators import get_node_visitors
from executorch.backends.xnnpack.operators.node_visitor import InputTypeToIndex, get_tensor_value
from executorch.backends.xnnpack.serialization import schema
from executorch.exir import EdgeCompileConfig, to_edge
from executorch.partitioner import NamedDataStore

_Q = torch.ops.quantized_decomposed


class Calling(torch.nn.Module):
    """A module of one function, or around another module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def defined(function, *inputs, preserve=()):
    """The program of a function, its last operator and the graph that the operator's visitor makes of it."""
    config = EdgeCompileConfig(_check_ir_validity=False, preserve_ops=list(preserve))
    captured = torch.export.export(Calling(function), inputs)
    program = to_edge(captured, compile_config=config).exported_program()
    graph = schema.XNNGraph(version="0")
    numbers: dict[torch.fx.Node, int] = {}
    store = NamedDataStore()
    visitors = get_node_visitors(program, {}, store)
    calls = [node for node in program.graph.nodes if node.op == "call_function"]
    for handle, node in enumerate(calls, start=1):
        name = "getitem" if "getitem" in str(node.target) else _name(node)
        visitors[name].define_node(node, graph, numbers, handle)
    return program, calls, graph, numbers


def _name(node):
    return str(node.target).removeprefix("<EdgeOpOverload: ").split(">")[0]


def kinds(graph):
    return [type(node.xnode_union).__name__ for node in graph.xnodes]


UNARY = {
    "XNNAbs": torch.abs,
    "XNNCeiling": torch.ceil,
    "XNNCos": torch.cos,
    "XNNELU": torch.nn.functional.elu,
    "XNNExp": torch.exp,
    "XNNFloor": torch.floor,
    "XNNGelu": torch.nn.functional.gelu,
    "XNNLeakyReLU": torch.nn.functional.leaky_relu,
    "XNNLog": torch.log,
    "XNNNegate": torch.neg,
    "XNNReciprocalSquareRoot": torch.rsqrt,
    "XNNSigmoid": torch.sigmoid,
    "XNNSin": torch.sin,
    "XNNSquare": lambda x: torch.pow(x, 2),
    "XNNSquareRoot": torch.sqrt,
    "XNNTanh": torch.tanh,
    "XNNClamp": torch.relu,
    "XNNSoftmax": lambda x: torch.softmax(x, -1),
    "XNNStaticTranspose": lambda x: x.permute(0, 2, 1),
    "XNNStaticReshape": lambda x: torch.unsqueeze(x, 1),
    "XNNStaticSlice": lambda x: x[:, 1:3],
    "XNNStaticConstantPad": lambda x: torch.nn.functional.pad(x, (1, 2)),
}


@pytest.mark.parametrize("kind", UNARY)
def test_one_input(kind):
    _, calls, graph, numbers = defined(UNARY[kind], torch.rand(2, 4, 6))
    assert kinds(graph) == [kind] * len(calls)
    assert [node.debug_handle for node in graph.xnodes] == list(range(1, len(calls) + 1))
    made = graph.xnodes[-1].xnode_union
    assert made.output_id == numbers[calls[-1]]
    result = get_tensor_value(graph.xvalues[made.output_id])
    assert result.dims == list(calls[-1].meta["val"].shape)


@pytest.mark.parametrize(
    ("kind", "function"),
    [
        ("XNNAdd", torch.add),
        ("XNNBatchMatrixMultiply", torch.bmm),
        ("XNNConcatenate2", lambda x, y: torch.cat([x, y])),
        ("XNNDiv", torch.div),
        ("XNNMaximum", torch.maximum),
        ("XNNMinimum", torch.minimum),
        ("XNNMultiply", torch.mul),
        ("XNNSubtract", torch.sub),
    ],
)
def test_two_inputs(kind, function):
    _, calls, graph, numbers = defined(function, torch.rand(2, 4, 4), torch.rand(2, 4, 4))
    assert kinds(graph) == [kind]
    made = graph.xnodes[0].xnode_union
    sources = [numbers[one] for one in calls[0].all_input_nodes]
    assert [made.input1_id, made.input2_id] == sources and made.output_id == numbers[calls[0]]


def test_weights_become_constants():
    layer = torch.nn.Linear(8, 4)
    _, calls, graph, _ = defined(layer, torch.rand(2, 8), preserve=[torch.ops.aten.linear.default])
    assert kinds(graph)[-1] == "XNNFullyConnected" and len(calls) == 1
    filters = get_tensor_value(graph.xvalues[graph.xnodes[-1].xnode_union.filter_id])
    assert filters.dims == [4, 8] and graph.constant_data[filters.constant_buffer_idx].size == 4 * 8 * 4


def test_images_are_put_channels_last_and_back():
    layer = torch.nn.Conv2d(3, 5, 3)
    _, _, graph, numbers = defined(layer, torch.rand(1, 3, 8, 8))
    assert kinds(graph) == ["XNNStaticTranspose", "XNNConv2d", "XNNStaticTranspose"]
    result = get_tensor_value(graph.xvalues[list(numbers.values())[-1]])
    assert result.dims == [1, 5, 6, 6]


def test_conversions():
    def function(x):
        whole = _Q.quantize_per_tensor(x, 0.5, 3, -128, 127, torch.int8)
        return _Q.dequantize_per_tensor(whole, 0.5, 3, -128, 127, torch.int8)

    _, calls, graph, numbers = defined(function, torch.rand(2, 3))
    assert kinds(graph) == ["XNNConvert", "XNNConvert"]
    union = graph.xvalues[numbers[calls[0]]].xvalue_union
    assert (union.quant_params.scale, union.quant_params.zero_point) == (0.5, 3)


def test_conversions_are_checked():
    def function(x):
        return _Q.quantize_per_tensor(x, float("inf"), 3, -128, 127, torch.int8)

    with pytest.raises(ValueError, match=r"quantize_per_tensor.*Scales must be finite"):
        defined(function, torch.rand(2, 3))


def test_scales_found_at_run_time_are_for_rows():
    def function(x):
        scale, zero_point = _Q.choose_qparams_per_token_asymmetric(x, torch.int8)
        whole = _Q.quantize_per_token(x, scale, zero_point, -128, 127, torch.int8)
        return _Q.dequantize_per_token(whole, scale, zero_point, -128, 127, torch.int8, torch.float32)

    _, calls, graph, numbers = defined(function, torch.rand(2, 3))
    assert kinds(graph) == ["XNNConvert"]
    assert numbers[calls[-1]] == numbers[calls[-2]] == graph.xnodes[0].xnode_union.output_id
    union = graph.xvalues[numbers[calls[-1]]].xvalue_union
    assert union.tensor_value.datatype == schema.XNNDatatype.xnn_datatype_qdint8


def test_which_argument_is_what():
    places = InputTypeToIndex(node_input=0, node_weight=1)
    assert (places.node_input, places.node_weight, places.node_bias) == (0, 1, None)
