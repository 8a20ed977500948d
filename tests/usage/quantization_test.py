"""Quantized models, made and run as the documents of PT2E and torchao show it."""

import copy

import pytest
import torch
from torch import nn
from torch.export import export
from torchao.quantization.granularity import PerAxis, PerGroup
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.quant_api import (
    Int8DynamicActivationIntxWeightConfig,
    IntxWeightOnlyConfig,
    quantize_,
)
from torchao.quantization.utils import compute_error
from torchao.utils import unwrap_tensor_subclass

import executorch.kernels.quantized  # noqa: F401  # scripts import it before lowering
from executorch.backends.transforms.duplicate_dynamic_quant_chain import DuplicateDynamicQuantChainPass
from executorch.backends.xnnpack.partition.config import ALL_PARTITIONER_CONFIGS
from executorch.backends.xnnpack.partition.config.xnnpack_config import ConfigPrecisionType
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.backends.xnnpack.utils.configs import get_xnnpack_edge_compile_config
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _get_operator_names, _load_for_executorch_from_buffer
from executorch.passes.quantized.quantized_layers import QuantizedLayersPass
from executorch.runtime import Runtime


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return self.head(torch.flatten(self.pool(torch.relu(self.conv(x))), 1))


class FeedForward(nn.Module):
    def __init__(self, width: int = 64):
        super().__init__()
        self.up = nn.Linear(width, 2 * width, bias=False)
        self.gate = nn.Linear(width, 2 * width, bias=False)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.silu(self.gate(x)) * self.up(x))


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(32, 64)
        self.feed_forward = FeedForward()

    def forward(self, tokens):
        return self.feed_forward(self.embedding(tokens))


def quantized_statically(
    model: nn.Module, batches: list[tuple[torch.Tensor, ...]], **config: bool
) -> nn.Module:
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(**config))
    prepared = prepare_pt2e(export(model, batches[0], strict=True).module(), quantizer)
    for batch in batches:
        prepared(*batch)
    return convert_pt2e(prepared)


def delegated_share(manager) -> tuple[int, int]:
    """Calls of delegates, and calls of anything else that computes."""
    names = [str(n.target) for n in manager.exported_program().graph.nodes if n.op == "call_function"]
    delegated = sum("executorch_call_delegate" in name for name in names)
    return delegated, len(names) - delegated - sum("getitem" in name for name in names)


@pytest.mark.parametrize("per_channel", [True, False])
def test_static_quantization_of_a_convolutional_net(per_channel):
    torch.manual_seed(0)
    model, batches = ConvNet().eval(), [(torch.randn(1, 3, 16, 16),) for _ in range(4)]
    quantized = quantized_statically(model, batches, is_per_channel=per_channel)
    lowered = to_edge_transform_and_lower(
        export(quantized, batches[0]),
        compile_config=get_xnnpack_edge_compile_config(),
        partitioner=[XnnpackPartitioner()],
    )
    assert delegated_share(lowered)[0] == 1
    method = Runtime.get().load_program(lowered.to_executorch().buffer).load_method("forward")
    (scores,) = method.execute(batches[0])
    torch.testing.assert_close(scores, quantized(*batches[0]), rtol=0.05, atol=0.05)
    assert compute_error(model(*batches[0]), scores) > 15


def test_the_same_without_a_delegate():
    """The quantized graph on the kernels: quantize and dequantize run as operators."""
    torch.manual_seed(0)
    model, batches = ConvNet().eval(), [(torch.randn(1, 3, 16, 16),) for _ in range(2)]
    quantized = quantized_statically(model, batches, is_per_channel=False)
    edge = to_edge(export(quantized, batches[0]), compile_config=EdgeCompileConfig(_check_ir_validity=False))
    buffer = edge.to_executorch(ExecutorchBackendConfig(passes=[])).buffer
    assert any("quantized_decomposed" in name for name in _get_operator_names())
    (scores,) = _load_for_executorch_from_buffer(buffer).run_method("forward", batches[0])
    torch.testing.assert_close(scores, quantized(*batches[0]), rtol=0.05, atol=0.05)


@pytest.mark.parametrize("per_channel", [True, False])
def test_layers_on_integers_without_a_delegate(per_channel):
    """Convolutions and linear layers without a float in between; the activations are part of their ranges."""
    torch.manual_seed(0)
    model, batches = ConvNet().eval(), [(torch.randn(1, 3, 16, 16),) for _ in range(2)]
    quantized = quantized_statically(model, batches, is_per_channel=per_channel)
    edge = to_edge(export(quantized, batches[0])).transform([QuantizedLayersPass()])
    program = edge.to_executorch()
    names = {op.name for op in program.executorch_program.execution_plan[0].operators}
    assert {"quantized_decomposed::convolution", "quantized_decomposed::linear"} <= names
    assert not names & {"aten::convolution", "aten::addmm", "aten::relu"}
    (scores,) = _load_for_executorch_from_buffer(program.buffer).run_method("forward", batches[0])
    torch.testing.assert_close(scores, quantized(*batches[0]), rtol=0.02, atol=0.02)
    assert compute_error(model(*batches[0]), scores) > 15


def test_dynamic_quantization_of_linear_layers():
    """Only one kind of operator is annotated, and the chain of quantization is repeated for each user."""
    torch.manual_seed(0)
    model, inputs = FeedForward().eval(), (torch.randn(1, 5, 64),)
    quantizer = XNNPACKQuantizer()
    quantizer.set_operator_type(
        torch.ops.aten.linear.default, get_symmetric_quantization_config(is_per_channel=True, is_dynamic=True)
    )
    prepared = prepare_pt2e(export(model, inputs).module(), quantizer)
    prepared(*inputs)
    quantized = convert_pt2e(prepared)
    DuplicateDynamicQuantChainPass()(quantized)
    partitioners = [
        XnnpackPartitioner(config_precisions=ConfigPrecisionType.DYNAMIC_QUANT, per_op_mode=True),
        XnnpackPartitioner(),
    ]
    lowered = to_edge_transform_and_lower(export(quantized, inputs), partitioner=partitioners)
    assert delegated_share(lowered)[0] >= 1
    method = Runtime.get().load_program(lowered.to_executorch().buffer).load_method("forward")
    assert compute_error(model(*inputs), method.execute(inputs)[0]) > 25


def test_some_configs_of_the_partitioner():
    torch.manual_seed(0)
    model, inputs = ConvNet().eval(), (torch.randn(1, 3, 16, 16),)
    configs = [
        config for config in ALL_PARTITIONER_CONFIGS if config.__name__ not in ("LinearConfig", "AddmmConfig")
    ]
    assert len(configs) == len(ALL_PARTITIONER_CONFIGS) - 2
    some = XnnpackPartitioner(configs=configs, config_precisions=[ConfigPrecisionType.FP32])
    lowered = to_edge_transform_and_lower(export(model, inputs), partitioner=[some])
    delegated, others = delegated_share(lowered)
    assert delegated >= 1 and others >= 1


@pytest.mark.parametrize("granularity", [PerGroup(32), PerAxis(0)], ids=["groups", "channels"])
def test_8da4w(granularity):
    """torchao's eight-bit activations with four-bit weights, as language models use them."""
    torch.manual_seed(0)
    model, inputs = FeedForward().eval(), (torch.randn(1, 3, 64),)
    quantized = copy.deepcopy(model)
    config = Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=granularity)
    quantize_(quantized, config)
    unwrap_tensor_subclass(quantized)
    lowered = to_edge_transform_and_lower(export(quantized, inputs), partitioner=[XnnpackPartitioner()])
    assert delegated_share(lowered)[0] >= 1
    method = Runtime.get().load_program(lowered.to_executorch().buffer).load_method("forward")
    assert compute_error(quantized(*inputs), method.execute(inputs)[0]) > 25


@pytest.mark.parametrize("granularity", [PerGroup(16), PerAxis(0)], ids=["groups", "rows"])
@pytest.mark.parametrize(
    "dtype,name",
    [(torch.int8, "embedding_byte"), (torch.int4, "embedding_4bit"), (torch.int2, "embedding_2bit")],
)
@pytest.mark.parametrize("unwrapped", [True, False])
def test_quantized_embeddings(dtype, name, granularity, unwrapped):
    torch.manual_seed(0)
    model, tokens = Tagger().eval(), (torch.tensor([[1, 7, 30]]),)
    quantized = copy.deepcopy(model)
    quantize_(
        quantized,
        IntxWeightOnlyConfig(weight_dtype=dtype, granularity=granularity),
        lambda module, name: isinstance(module, nn.Embedding),
    )
    expected = quantized(*tokens)
    if unwrapped:
        unwrap_tensor_subclass(quantized)
    lowered = to_edge_transform_and_lower(export(quantized, tokens), partitioner=[XnnpackPartitioner()])
    executable = lowered.to_executorch(ExecutorchBackendConfig(do_quant_fusion_and_const_prop=True))
    plain = lowered.to_executorch()
    operators = [operator.name for operator in executable.executorch_program.execution_plan[0].operators]
    assert f"quantized_decomposed::{name}" in operators
    for made in (executable, plain):  # without fusion the table is dequantized as the program runs
        method = Runtime.get().load_program(made.buffer).load_method("forward")
        torch.testing.assert_close(method.execute(tokens)[0], expected, rtol=1e-3, atol=1e-3)


def test_quantized_embeddings_take_their_bits():
    """Tables of 4 bits take half a byte an element, tables of 2 bits a quarter."""
    tokens = (torch.tensor([[1, 7, 30]]),)
    sizes = {}
    for dtype in (torch.int8, torch.int4, torch.int2):
        table = nn.Sequential(nn.Embedding(1000, 128)).eval()
        config = IntxWeightOnlyConfig(weight_dtype=dtype, granularity=PerAxis(0))
        quantize_(table, config, lambda module, name: isinstance(module, nn.Embedding))
        fused = to_edge_transform_and_lower(export(table, tokens)).to_executorch(
            ExecutorchBackendConfig(do_quant_fusion_and_const_prop=True)
        )
        sizes[dtype] = len(fused.buffer) - 1000 * 4  # without the scales
    assert 128_000 < sizes[torch.int8] < 130_000
    assert 64_000 < sizes[torch.int4] < 66_000
    assert 32_000 < sizes[torch.int2] < 34_000
