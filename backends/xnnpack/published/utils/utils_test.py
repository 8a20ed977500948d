"""What is asked of nodes and programs."""

import pytest
import torch
import torchao.quantization  # noqa: F401 - registers torchao's operators

from executorch.backends.xnnpack.utils.quant_utils import (
    extract_qdq_affine_op_args_for_decomposed_ops,
    is_dequant,
    is_dynamic_qdq,
    is_per_channel,
    is_per_tensor,
    is_quant,
    is_tagged_as_implicit_q_dq,
    tag_as_implicit_q_dq,
    validate_quant_scales,
    validate_quant_zeropoints,
)
from executorch.backends.xnnpack.utils.utils import (
    check_or_raise,
    get_input_node,
    get_param_tensor,
    get_relu_fused_node,
    get_tensor_name,
    is_depthwise_conv,
    is_param_node,
    normalize_mean_dims,
    normalize_pool2d_args,
)

_Q = torch.ops.quantized_decomposed


def example():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(3))

        def forward(self, x):
            q = _Q.quantize_per_tensor(x, 0.5, 0, -128, 127, torch.int8)
            return torch.relu(_Q.dequantize_per_tensor(q, 0.5, 0, -128, 127, torch.int8) + self.weight)

    return torch.export.export(Model(), (torch.rand(2, 3),))


def node_of(program, name):
    return next(node for node in program.graph.nodes if name in str(node.target) and node.op != "output")


def test_quantization_of_nodes():
    program = example()
    quantize, dequantize = (node_of(program, name) for name in (".quantize_per", "dequantize_per"))
    assert is_quant(quantize) and not is_dequant(quantize)
    assert is_dequant(dequantize) and not is_quant(dequantize)
    assert is_per_tensor(quantize) and not is_per_channel(quantize) and not is_dynamic_qdq(quantize)
    assert not is_tagged_as_implicit_q_dq(quantize)
    tag_as_implicit_q_dq(quantize)
    assert is_tagged_as_implicit_q_dq(quantize)


def test_nodes_of_a_program():
    program = example()
    weight, add = node_of(program, "weight"), node_of(program, "add.Tensor")
    assert is_param_node(program, weight) and not is_param_node(program, add)
    assert get_tensor_name(program, weight) == "weight"
    assert torch.equal(get_param_tensor(program, weight), torch.ones(3))
    with pytest.raises(RuntimeError, match="no constant"):
        get_param_tensor(program, add)
    assert get_relu_fused_node(add) is node_of(program, "relu")
    assert get_relu_fused_node(weight) is None
    assert get_input_node(add, 1) is weight
    with pytest.raises(AssertionError, match="no node"):
        get_input_node(node_of(program, ".quantize_per"), 1)


def test_shapes():
    assert is_depthwise_conv((8, 1, 3, 3), groups=8) and is_depthwise_conv((16, 1, 3, 3), groups=8)
    assert not is_depthwise_conv((8, 2, 3, 3), groups=4) and not is_depthwise_conv((8, 1, 3, 3), 8, True)
    assert normalize_mean_dims([-1, 1], 4) == [3, 1] and normalize_mean_dims(None, 2) == [0, 1]
    with pytest.raises(AssertionError, match="so it is"):
        check_or_raise(False, "so it is")


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf"), 1e-40])
def test_scales_that_are_none(scale):
    with pytest.raises(ValueError, match="Scales"):
        validate_quant_scales(torch.tensor([1.0, scale]))
    validate_quant_scales(1.0)


def test_zero_points():
    validate_quant_zeropoints(torch.tensor([-128, 127]), torch.int8, is_4bit=False)
    validate_quant_zeropoints(8, torch.int8, is_4bit=True)
    for value, four_bits in ((128, False), (-1, True), (16, True)):
        with pytest.raises(ValueError, match="invalid zeropoint"):
            validate_quant_zeropoints(value, torch.int8, four_bits)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (([2, 2],), ([2, 2], [2, 2], [0, 0], [1, 1])),
        (([3], [], 1), ([3, 3], [3, 3], [1, 1], [1, 1])),
        (([3, 2], [1, 2], [1, 0], 2, True), ([3, 2], [1, 2], [1, 0], [2, 2])),
    ],
)
def test_arguments_of_pools(arguments, expected):
    graph = torch.fx.Graph()
    pool = graph.call_function(torch.ops.aten.max_pool2d.default, (graph.placeholder("x"), *arguments))
    assert normalize_pool2d_args(pool, has_dilation=True) == expected
    assert normalize_pool2d_args(pool, has_dilation=False) == (*expected[:3], [1, 1])


@pytest.mark.parametrize(
    ("block", "name", "count"),
    [((4, 8), "per_tensor", 5), ((1, 8), "per_token", 5), ((1, 4), "per_channel_group", 6), ((2, 8), "", 0)],
)
def test_torchaos_conversions_as_others(block, name, count):
    graph = torch.fx.Graph()
    source = graph.placeholder("x")
    source.meta["val"] = torch.empty(4, 8)
    arguments = (source, list(block), 0.5, 0, torch.int8, -8, 7)
    node = graph.call_function(torch.ops.torchao.quantize_affine.default, arguments)
    found, kind = extract_qdq_affine_op_args_for_decomposed_ops(node)
    assert kind == name and len(found or ()) == count
    assert extract_qdq_affine_op_args_for_decomposed_ops(source) == (None, "")
