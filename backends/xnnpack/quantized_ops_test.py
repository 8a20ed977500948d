"""Operator by operator on integers: dequantize, compute, quantize in eager PyTorch against one XNNPACK node."""

import pytest
import torch
import torch.ao.quantization.fx._decomposed  # Registers the quantized_decomposed operators.
from torch import nn
from torchao.quantization.granularity import PerAxis, PerGroup
from torchao.quantization.quant_api import Int8DynamicActivationIntxWeightConfig, quantize_
from torchao.quantization.utils import compute_error

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.backends.xnnpack.graph.weights import pack_four_bits
from executorch.backends.xnnpack.serialization import schema
from executorch.backends.xnnpack.serialization.blob import unpack
from executorch.emitter import deserialize_pte_binary
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

F = nn.functional
ops = torch.ops.quantized_decomposed
RANGE = (-128, 127, torch.int8)
INPUT = (0.03, -10)
OTHER = (0.02, -20)


class Quantized(nn.Module):
    """A function between integers."""

    def __init__(self, function, output):
        super().__init__()
        self.function, self.output = function, output

    def forward(self, *inputs):
        integers = [ops.quantize_per_tensor(one, *INPUT, *RANGE) for one in inputs]
        result = self.function(*(ops.dequantize_per_tensor(one, *INPUT, *RANGE) for one in integers))
        return ops.dequantize_per_tensor(
            ops.quantize_per_tensor(result, *self.output, *RANGE), *self.output, *RANGE
        )


def kinds_of_nodes(buffer):
    """The XNNPACK nodes of the program's delegates."""
    blobs = [bytes(one.data) for one in deserialize_pte_binary(buffer).program.backend_delegate_data]
    return [type(node.xnode_union).__name__ for blob in blobs for node in unpack(blob)[0].xnodes]


def program_of(model, inputs, **options):
    edge = to_edge_transform_and_lower(
        torch.export.export(model.eval(), inputs), partitioner=[XnnpackPartitioner(**options)]
    )
    targets = [str(node.target) for node in edge.exported_program().graph.nodes if node.op == "call_function"]
    assert all("delegate" in name or "getitem" in name for name in targets), targets
    return edge.to_executorch().buffer


def run(buffer, inputs):
    return Runtime.get().load_program(buffer).load_method("forward").execute(list(inputs))[0]


ON_INTEGERS = {
    "abs": (torch.abs, OTHER, "XNNAbs"),
    "add": (torch.add, OTHER, "XNNAdd"),
    "add and relu": (lambda x, y: torch.relu(x + y), OTHER, "XNNAdd"),
    "cat": (lambda x, y: torch.cat([x, y], 1), INPUT, "XNNConcatenate2"),
    "clamp": (lambda x: x.clamp(-1, 1), OTHER, "XNNClamp"),
    "elu": (F.elu, OTHER, "XNNELU"),
    "exp": (torch.exp, (0.1, -128), "XNNExp"),
    "gelu": (F.gelu, OTHER, "XNNGelu"),
    "hardswish": (F.hardswish, OTHER, "XNNHardswish"),
    "leaky relu": (lambda x: F.leaky_relu(x, 0.1), OTHER, "XNNLeakyReLU"),
    "max pool": (lambda x: F.max_pool2d(x, 2), INPUT, "XNNMaxPooling2d"),
    "mean": (lambda x: x.mean([2, 3]), OTHER, "XNNGlobalAvgPooling2d"),
    "mean, kept": (lambda x: x.mean([2, 3], keepdim=True), OTHER, "XNNGlobalAvgPooling2d"),
    "mul": (torch.mul, OTHER, "XNNMultiply"),
    "neg": (torch.neg, OTHER, "XNNNegate"),
    "pad": (lambda x: F.pad(x, (1, 2)), INPUT, "XNNStaticConstantPad"),
    "permute": (lambda x: x.permute(0, 2, 1, 3), INPUT, "XNNStaticTranspose"),
    "relu6": (F.relu6, OTHER, "XNNClamp"),
    "sigmoid": (torch.sigmoid, (1 / 256, -128), "XNNSigmoid"),
    "slice": (lambda x: x[:, 1:3], INPUT, "XNNStaticSlice"),
    "slice with a step": (lambda x: x[..., 1::2], INPUT, "XNNStaticSlice"),
    "sub": (torch.sub, OTHER, "XNNSubtract"),
    "tanh": (torch.tanh, (1 / 128, 0), "XNNTanh"),
    "unsqueeze": (lambda x: x.unsqueeze(1), INPUT, "XNNStaticReshape"),
    "upsample": (
        lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
        INPUT,
        "XNNStaticResizeBilinear2D",
    ),
    "view": (lambda x: x.reshape(2, -1), INPUT, "XNNStaticReshape"),
}
#: XNNPACK has these on floating-point numbers only, or for equal scales only.
BETWEEN_CONVERSIONS = {
    "average pool": (lambda x: F.avg_pool2d(x, 2), OTHER, "XNNAvgPooling2d"),
    "cat of other scales": (lambda x, y: torch.cat([x, y], 1), OTHER, "XNNConcatenate2"),
    "max pool to another scale": (lambda x: F.max_pool2d(x, 2), OTHER, "XNNMaxPooling2d"),
    "number": (lambda x: x * 2.5, OTHER, "XNNMultiply"),
    "slice to another scale": (lambda x: x[:, 1:3], OTHER, "XNNStaticSlice"),
    "softmax": (lambda x: torch.softmax(x, -1), (1 / 256, -128), "XNNSoftmax"),
}

_TWO_INPUTS = dict.fromkeys(["add", "add and relu", "cat", "mul", "sub", "cat of other scales"], 2)


def check(name, function, output, kind, conversions):
    torch.manual_seed(0)
    inputs = tuple(torch.randn(2, 4, 6, 8) for _ in range(_TWO_INPUTS.get(name, 1)))
    model = Quantized(function, output)
    buffer = program_of(model, inputs)
    nodes = kinds_of_nodes(buffer)
    assert nodes.count(kind) == 1
    assert nodes.count("XNNConvert") == conversions(len(inputs))
    # Rounding in integers differs from rounding in floating point by one step at most.
    torch.testing.assert_close(run(buffer, inputs), model(*inputs), atol=1.01 * output[0], rtol=0)


@pytest.mark.parametrize("name", ON_INTEGERS)
def test_on_integers(name):
    check(name, *ON_INTEGERS[name], conversions=lambda inputs: inputs + 1)


@pytest.mark.parametrize("name", BETWEEN_CONVERSIONS)
def test_between_conversions(name):
    check(name, *BETWEEN_CONVERSIONS[name], conversions=lambda inputs: 2 * inputs + 2)


def test_integers_over_the_border():
    """Arguments and results of a delegate may be integers."""

    class Sum(nn.Module):
        def forward(self, x):
            real = ops.dequantize_per_tensor(x, *INPUT, *RANGE)
            return ops.quantize_per_tensor(real + real, *OTHER, *RANGE)

    inputs = (torch.randint(-128, 128, (3, 5), dtype=torch.int8),)
    buffer = program_of(Sum(), inputs)
    assert kinds_of_nodes(buffer) == ["XNNAdd"]
    difference = run(buffer, inputs).int() - Sum()(*inputs).int()
    assert difference.abs().max() <= 1


GRANULARITIES = {
    "groups of 32": (torch.int4, PerGroup(32), "xnn_datatype_qbint4"),
    "groups of 32 in two bits": (torch.int2, PerGroup(32), "xnn_datatype_qbint4"),
    "rows of three bits": (torch.int3, PerAxis(0), "xnn_datatype_qcint4"),
    "rows of four bits": (torch.int4, PerAxis(0), "xnn_datatype_qcint4"),
    "rows of six bits": (torch.int6, PerAxis(0), "xnn_datatype_qcint8"),
    "rows of eight bits": (torch.int8, PerAxis(0), "xnn_datatype_qcint8"),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", GRANULARITIES)
def test_weights_of_torchao(name, dtype):
    """8da4w: inputs quantized at run time row by row, weights of four bits."""
    weight_dtype, granularity, wanted = GRANULARITIES[name]
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 8, bias=False)).to(dtype).eval()
    config = Int8DynamicActivationIntxWeightConfig(weight_dtype=weight_dtype, weight_granularity=granularity)
    quantize_(model, config)
    inputs = (torch.randn(2, 5, 64, dtype=dtype),)
    buffer = program_of(model, inputs, enable_bf16=dtype is torch.bfloat16)
    blobs = deserialize_pte_binary(buffer).program.backend_delegate_data
    values = [value.xvalue_union for blob in blobs for value in unpack(bytes(blob.data))[0].xvalues]
    kinds = [getattr(value, "tensor_value", value).datatype for value in values]
    assert kinds.count(getattr(schema.XNNDatatype, wanted)) == 2
    assert compute_error(model(*inputs), run(buffer, inputs)) > 35


def test_four_bits_are_packed_in_pairs():
    packed = pack_four_bits(torch.tensor([[-8, 7], [0, 1]], dtype=torch.int8))
    assert packed.tolist() == [0xF0, 0x98]


def test_an_empty_part_of_a_concatenation():
    """Its conversions run elsewhere, and the delegate leaves it out."""
    inputs = (torch.randn(2, 4, 6, 8), torch.randn(2, 0, 6, 8), torch.randn(2, 2, 6, 8))
    model = Quantized(lambda *parts: torch.cat(parts, 1), INPUT)
    edge = to_edge_transform_and_lower(
        torch.export.export(model.eval(), inputs), partitioner=[XnnpackPartitioner()]
    )
    buffer = edge.to_executorch().buffer
    assert "XNNConcatenate2" in kinds_of_nodes(buffer)
    torch.testing.assert_close(run(buffer, inputs), model(*inputs), atol=1.01 * INPUT[0], rtol=0)
