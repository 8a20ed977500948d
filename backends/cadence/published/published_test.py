"""The published helpers on graphs as torch captures them, and in a quantizer's pattern of one's own."""

import pytest
import torch
from torch.fx import Graph, GraphModule
from torchao.quantization.pt2e.quantizer.quantizer import Q_ANNOTATION_KEY, QuantizationAnnotation

import executorch.backends.cadence.reference.operators  # noqa: F401 (what cadence:: calculates)
from executorch.backends.cadence.aot.compiler import quantize_pt2, trace
from executorch.backends.cadence.published.aot import compiler_utils
from executorch.backends.cadence.published.aot.quantizer import pattern_utils, utils
from executorch.backends.cadence.quantizer.configs import qconfig_A8W8
from executorch.backends.cadence.quantizer.patterns import Conv2dPattern, LinearPattern, MatmulPattern
from executorch.backends.cadence.quantizer.quantizer import CadenceAtenQuantizer, CadenceQuantizer

aten = torch.ops.aten


@pytest.mark.parametrize(
    ("to", "shape", "fits"),
    [
        ((2, 3), (3,), True),
        ((2, 3), (2, 1), True),
        ((2, 3), (1, 2, 3), True),
        ((3,), (2, 1), False),
        ((1,), (3,), False),
        ((2, 3), (2,), False),
        ((), (3,), True),
    ],
)
def test_shapes_that_expand(to, shape, fits):
    assert compiler_utils.broadcastable(to, shape) is fits


def test_questions_about_nodes():
    graph = Graph()
    x = graph.placeholder("x")
    weight = graph.get_attr("weight")
    double = graph.call_function(aten.add.Tensor, (x, x))
    total = graph.call_function(aten.mul.Tensor, (double, weight))
    graph.output(([total], x))
    module = GraphModule({"weight": torch.nn.Parameter(torch.ones(2))}, graph)
    x, weight, double, total, output = module.graph.nodes
    assert compiler_utils.get_placeholders(module.graph) == [x]
    assert compiler_utils.get_output_node(module.graph) is output
    returned = [compiler_utils.is_node_in_flattened_output(module.graph, one) for one in (x, double, total)]
    assert returned == [True, False, True]
    assert compiler_utils.is_node_with_op(weight, "get_attr")
    assert compiler_utils.contains_node_with_matching_target([x, double], aten.add.Tensor)
    assert not compiler_utils.contains_node_with_matching_target([x, double], aten.mul.Tensor)
    assert compiler_utils.count_users_with_target_op_type([weight, double], aten.mul.Tensor) == 2
    assert compiler_utils.get_tensor_from_attr(module, weight) is module.weight
    assert (
        compiler_utils.get_tensor_from_attr(module, x)
        is compiler_utils.get_tensor_from_attr(module, None)
        is None
    )


def test_numbers_of_quantized_tensors():
    one = torch.quantize_per_tensor(torch.randn(3), 0.1, 5, torch.quint8)
    assert compiler_utils.get_scale(one).equal(torch.tensor([0.1]))
    assert compiler_utils.get_zero_point(one).equal(torch.tensor([5], dtype=torch.int32))
    for zeros, reduced in (([0, 0], [0]), ([1, 2], [1, 2])):
        scales = torch.tensor([0.1, 0.2])
        each = torch.quantize_per_channel(torch.randn(2, 3), scales, torch.tensor(zeros), 0, torch.quint8)
        assert compiler_utils.get_scale(each).equal(scales)
        assert compiler_utils.get_zero_point(each).tolist() == reduced
        assert compiler_utils.get_zero_point(each, reduce=False).tolist() == zeros


@pytest.mark.parametrize("factors", [0.3, [0.3, 1.7, 0.5, 1.0, 0.0, -0.3], [[3e-5]], []])
def test_multipliers(factors):
    factors = torch.tensor(factors)
    multiplier, shift = compiler_utils.quantize_tensor_multiplier(factors)
    assert multiplier.dtype == shift.dtype == torch.int32 and multiplier.shape == factors.shape
    torch.testing.assert_close((multiplier.double() * 2.0 ** (shift - 31)).float(), factors)


class Blocks(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = (torch.nn.Conv2d(1, 1, 1, bias=False) for _ in range(2))

    def forward(self, x):
        y = self.first(x)
        return self.second(y.relu()).relu() + y


def test_operators_that_follow_each_other():
    graph_module = trace(Blocks(), (torch.randn(1, 1, 2, 2),), ops_to_keep=[aten.conv2d.default]).module()
    first, second = graph_module.graph.find_nodes(op="call_function", target=aten.conv2d.default)
    types = [aten.conv2d.default, aten.relu.default]
    # The first convolution is read by the sum as well.
    (found,) = utils.find_sequential_partitions_aten(graph_module, types)
    assert [one.output_nodes for one in found] == [[second], list(second.users)]
    assert utils.no_outside_users(found)
    calls = utils.get_aten_node_target_partitions(graph_module.graph, [*types, aten.gelu.default])
    assert [one.nodes for one in calls[aten.conv2d.default]] == [[first], [second]] and len(calls) == 2
    behind = calls[aten.relu.default][0]
    assert not utils.no_outside_users([calls[aten.conv2d.default][0], behind])
    assert not utils.is_annotated([first, second])
    second.meta[Q_ANNOTATION_KEY] = QuantizationAnnotation(_annotated=True)
    assert utils.is_annotated([first, second]) and not utils.is_annotated([first])
    weight = second.args[1]
    bias = utils.create_zero_bias_int32(graph_module, weight, 0.25)
    assert bias.meta["val"].shape == (1,) and bias.meta["val"].dtype == torch.int32
    bias.meta["seen"] = True
    utils.copy_node_metadata(first, bias)
    assert first.meta["seen"] and first.meta["val"].shape == (1, 1, 2, 2)


def test_ranges_of_activations():
    smallest = utils.check_out_zero_point_is_min_range
    assert smallest(-128, torch.int8) and smallest(0, torch.uint8) and smallest(-(2**15), torch.int16)
    assert not smallest(0, torch.int8) and not smallest(0, torch.float32)


class OwnConvolution(Conv2dPattern):
    def fuse(self, gm, anchor_node):
        quant = pattern_utils.find_quant_user(anchor_node)
        return pattern_utils.fuse_conv(self, gm, anchor_node, *anchor_node.args[:2], quant)


class OwnLinear(LinearPattern):
    def fuse(self, gm, anchor_node):
        quant = pattern_utils.find_quant_user(anchor_node)
        x, weight, *bias = anchor_node.args
        bias = bias[0] if bias else None
        same = pattern_utils.insert_node_with_meta(
            gm, aten.alias_copy.default, (weight.args[0],), None, quant, anchor_node
        )
        return pattern_utils.fuse_linear(
            gm, x, weight, bias, quant, anchor_node, self.replacement_op(), weight_q=same
        )


class OwnProduct(MatmulPattern):
    def fuse(self, gm, anchor_node):
        quant = pattern_utils.find_quant_user(anchor_node)
        return pattern_utils.fuse_matmul(gm, anchor_node, *anchor_node.args, quant, self.replacement_op())


class Product(torch.nn.Module):
    def forward(self, x):
        return x @ x.mT


@pytest.mark.parametrize(
    ("own", "ours", "model", "shape"),
    [
        (OwnConvolution, Conv2dPattern, torch.nn.Conv2d(2, 3, 3, stride=2, bias=False), (1, 2, 7, 8)),
        (OwnLinear, LinearPattern, torch.nn.Linear(4, 3), (2, 4)),
        (OwnLinear, LinearPattern, torch.nn.Linear(4, 3, bias=False), (2, 4)),
        (OwnProduct, MatmulPattern, Product(), (2, 3, 4)),
    ],
)
def test_patterns_of_ones_own(own, ours, model, shape):
    torch.manual_seed(0)
    x = torch.randn(shape)
    programs = [
        quantize_pt2(model.eval(), (x,), CadenceQuantizer([CadenceAtenQuantizer(one(), qconfig_A8W8)]))
        for one in (own, ours)
    ]
    for program in programs:
        assert ours.replacement in {node.target for node in program.graph.nodes}
    made, wanted = (program.module()(x) for program in programs)
    assert made.equal(wanted)


def test_other_nodes_are_not_fused():
    graph = Graph()
    x, y = graph.placeholder("x"), graph.placeholder("y")
    product = graph.call_function(aten.matmul.default, (x, y))
    graph.output(product)
    module = GraphModule({}, graph)
    op = MatmulPattern.replacement
    assert pattern_utils.fuse_matmul(module, product, x, y, product, op) is None
    assert pattern_utils.fuse_linear(module, x, y, None, product, product, op) is None
    assert pattern_utils.fuse_conv(Conv2dPattern(), module, product, x, y, product) is None
    assert pattern_utils.find_quant_user(x) is None
