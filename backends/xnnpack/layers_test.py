"""Layers with weights: padding, transposition, weights alone quantized, precisions, weights outside the program."""

import pytest
import torch
from torchao.quantization import quantize_
from torchao.quantization.granularity import PerAxis, PerGroup
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.quant_api import (
    Int8DynamicActivationInt8WeightConfig,
    Int8DynamicActivationIntxWeightConfig,
    IntxWeightOnlyConfig,
)

from executorch.backends.transforms.duplicate_dynamic_quant_chain import DuplicateDynamicQuantChainPass
from executorch.backends.xnnpack.partition.config.xnnpack_config import GenericNodePartitionerConfig
from executorch.backends.xnnpack.partition.xnnpack_partitioner import (
    XnnpackDynamicallyQuantizedPartitioner,
    XnnpackFloatingPointPartitioner,
    XnnpackPartitioner,
)
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import to_edge, to_edge_transform_and_lower
from executorch.exir.passes.external_constants_pass import delegate_external_constants_pass_unlifted
from executorch.runtime import Runtime

nn = torch.nn


def quantized(model, inputs, **options):
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(**options))
    prepared = prepare_pt2e(torch.export.export(model.eval(), inputs).module(), quantizer)
    prepared(*inputs)
    return convert_pt2e(prepared)


def lowered(model, inputs, partitioner=None):
    program = torch.export.export(model, inputs)
    return to_edge_transform_and_lower(program, partitioner=[partitioner or XnnpackPartitioner()])


def calls(manager):
    graph = manager.exported_program().graph
    return [node.name for node in graph.nodes if node.op == "call_function" and "getitem" not in node.name]


def run(manager, inputs):
    method = Runtime.get().load_program(manager.to_executorch().buffer).load_method("forward")
    return method.execute(list(inputs))


def blob_nodes(manager):
    """How many nodes XNNPACK gets of each kind, by the name of its table."""
    from executorch.backends.xnnpack.serialization.blob import unpack

    kinds = []
    for name, module in manager.exported_program().graph_module.named_children():
        if "lowered" in name:
            graph, _ = unpack(module.processed_bytes)
            kinds += [type(node.xnode_union).__name__ for node in graph.xnodes]
    return kinds


@pytest.mark.parametrize(
    ("model", "shape"),
    [
        (nn.Conv2d(3, 4, (2, 1), padding="same"), (1, 3, 9, 8)),
        (nn.Sequential(nn.ZeroPad2d((1, 2, 3, 0)), nn.Conv2d(3, 4, 3), nn.Flatten()), (2, 3, 7, 6)),
        (nn.Sequential(nn.ZeroPad2d((0, 1, 0, 1)), nn.Conv2d(4, 8, 2, groups=4)), (1, 4, 7, 6)),
        (nn.Sequential(nn.ConstantPad1d((1, 2), 0.0), nn.Conv1d(4, 3, 2)), (2, 4, 9)),
    ],
)
@pytest.mark.parametrize("integers", [False, True])
def test_a_convolution_pads_its_input_itself(model, shape, integers):
    inputs = (torch.randn(*shape),)
    if integers:
        # What is padded are integers then.
        kind = nn.Conv1d if len(shape) == 3 else nn.Conv2d
        model = quantized(nn.Sequential(kind(shape[1], shape[1], 1), model), inputs)
    model = model if integers else model.eval()
    manager = lowered(model, inputs)
    assert calls(manager) == ["executorch_call_delegate"]
    assert "XNNStaticConstantPad" not in blob_nodes(manager)
    step = 0.05 if integers else 1e-5
    torch.testing.assert_close(run(manager, inputs)[0], model(*inputs), atol=step, rtol=1e-4)


def test_padding_that_something_else_reads_stays():
    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.convolution = nn.Conv2d(3, 3, 3, padding=1)

        def forward(self, x):
            padded = nn.functional.pad(x, (1, 1, 1, 1))
            return self.convolution(padded) + padded

    inputs = (torch.randn(1, 3, 5, 6),)
    manager = lowered(Both().eval(), inputs)
    assert "XNNStaticConstantPad" in blob_nodes(manager)


@pytest.mark.parametrize("options", [None, {}, {"is_per_channel": True}, {"is_dynamic": True}])
@pytest.mark.parametrize(
    ("model", "shape"),
    [
        (nn.ConvTranspose2d(4, 6, 3, 2, 1, 1, groups=2), (1, 4, 6, 5)),
        (nn.ConvTranspose1d(4, 6, 3, 2, 1, 1, groups=2), (2, 4, 6)),
        (nn.ConvTranspose1d(4, 6, 3, bias=False), (2, 4, 6)),
    ],
)
def test_transposed_convolutions(options, model, shape):
    inputs = (torch.randn(*shape),)
    model = model.eval() if options is None else quantized(model, inputs, **options)
    manager = lowered(model, inputs)
    assert "aten_convolution_default" not in calls(manager)
    step = 1e-5 if options is None else 0.02
    torch.testing.assert_close(run(manager, inputs)[0], model(*inputs), atol=step, rtol=1e-4)


def test_a_batch_norm_behind_a_transposed_convolution_with_groups():
    model = nn.Sequential(nn.ConvTranspose2d(4, 6, 3, groups=2), nn.BatchNorm2d(6)).eval()
    model[1].running_mean.uniform_(-1, 1)
    inputs = (torch.randn(1, 4, 6, 5),)
    manager = lowered(model, inputs)
    assert calls(manager) == ["executorch_call_delegate"]
    torch.testing.assert_close(run(manager, inputs)[0], model(*inputs), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("channels", [False, True])
def test_transposed_convolutions_that_quantize_their_input(channels):
    model, inputs = nn.ConvTranspose2d(3, 5, 3, stride=2), (torch.randn(1, 3, 6, 5),)
    model = quantized(model, inputs, is_per_channel=channels, is_dynamic=True)
    assert any("choose_qparams" in str(node.target) for node in model.graph.nodes)
    manager = lowered(model, inputs)
    assert blob_nodes(manager).count("XNNConvert") == 1
    torch.testing.assert_close(run(manager, inputs)[0], model(*inputs), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(("dtype", "bits"), [(torch.int8, 8), (torch.int4, 4)])
def test_linear_layers_whose_weights_alone_are_quantized(dtype, bits):
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 64, bias=False)).eval()
    quantize_(model, IntxWeightOnlyConfig(weight_dtype=dtype, granularity=PerAxis(0)))
    inputs = (torch.randn(3, 64),)
    manager = lowered(model, inputs)
    assert calls(manager) == ["executorch_call_delegate"]
    assert blob_nodes(manager) == ["XNNFullyConnected", "XNNAdd", "XNNFullyConnected"]
    weights = 2 * 64 * 32 * bits // 8
    assert len(manager.to_executorch().buffer) < weights + 4500
    torch.testing.assert_close(run(manager, inputs)[0], model(*inputs), atol=1e-4, rtol=1e-3)


@pytest.mark.parametrize("granularity", [PerAxis(0), PerGroup(32)])
def test_8da4w_through_to_edge_and_to_backend(granularity):
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 8)).eval()
    quantize_(model, Int8DynamicActivationIntxWeightConfig(torch.int4, granularity))
    inputs = (torch.randn(3, 64),)
    manager = to_edge(torch.export.export(model, inputs)).to_backend(XnnpackPartitioner())
    assert calls(manager) == ["executorch_call_delegate"]
    assert blob_nodes(manager).count("XNNFullyConnected") == 2
    torch.testing.assert_close(run(manager, inputs)[0], model(*inputs), atol=0.05, rtol=0.05)


@pytest.mark.parametrize("dtype", [torch.int4, torch.int8])
def test_weights_alone_by_group_are_floating_point_in_the_program(dtype):
    """XNNPACK has no such products: what the integers stand for is calculated when the program is made."""
    model, inputs = nn.Sequential(nn.Linear(64, 32)).eval(), (torch.randn(3, 64),)
    quantize_(model, IntxWeightOnlyConfig(dtype, PerGroup(32)))
    manager = lowered(model, inputs)
    assert calls(manager) == ["executorch_call_delegate"]
    assert len(manager.to_executorch().buffer) > 4 * 64 * 32
    torch.testing.assert_close(run(manager, inputs)[0], model(*inputs), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("dtype", [torch.int2, torch.int4, torch.int8], ids=str)
def test_embeddings_of_few_bits_before_8da4w(dtype):
    """As the page on quantization has it, with nothing asked of ``to_executorch``: rows are dequantized after look-up."""
    model, inputs = (
        nn.Sequential(nn.Embedding(200, 64), nn.Linear(64, 32)).eval(),
        (torch.tensor([[3, 199]]),),
    )
    embeddings = IntxWeightOnlyConfig(weight_dtype=dtype, granularity=PerGroup(32))
    quantize_(model, embeddings, lambda module, name: isinstance(module, nn.Embedding))
    quantize_(model, Int8DynamicActivationIntxWeightConfig(torch.int4, PerGroup(32)))
    manager = lowered(model, inputs)
    assert len(manager.to_executorch().buffer) < 200 * 64 * 2
    torch.testing.assert_close(run(manager, inputs)[0], model(*inputs), atol=0.02, rtol=0.02)


def test_inputs_quantized_around_zero_run_between_delegates():
    """XNNPACK quantizes inputs between their limits only: the products are those of kernels outside."""
    model, inputs = (
        nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 64)).eval(),
        (torch.randn(3, 64),),
    )
    quantize_(model, Int8DynamicActivationInt8WeightConfig())
    torch.testing.assert_close(run(lowered(model, inputs), inputs)[0], model(*inputs), atol=1e-5, rtol=1e-5)


def test_torchao_conversions_that_no_backend_takes_run_all_the_same():
    model = nn.Sequential(nn.Linear(64, 8)).eval()
    quantize_(model, Int8DynamicActivationIntxWeightConfig(torch.int4, PerGroup(32)))
    inputs = (torch.randn(3, 64),)
    manager = to_edge(torch.export.export(model, inputs))
    assert any("dequantize_affine" in name for name in calls(manager))
    torch.testing.assert_close(run(manager, inputs)[0], model(*inputs), atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("dynamic", [False, True])
def test_layers_whose_precision_is_not_enabled_calculate_in_floating_point(dynamic):
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(2), nn.Linear(24, 8))
    inputs = (torch.randn(1, 3, 8, 6),)
    model = quantized(model, inputs, is_dynamic=dynamic)
    manager = lowered(model, inputs, XnnpackFloatingPointPartitioner())
    left = calls(manager)
    assert not any(part in name for name in left for part in ("convolution", "linear", "addmm"))
    assert any("quantize" in name for name in left)
    torch.testing.assert_close(run(manager, inputs)[0], model(*inputs), atol=0.02, rtol=1e-3)


def test_what_is_made_of_constants_goes_with_its_reader():
    model, inputs = quantized(nn.Sequential(nn.Linear(8, 4)), (torch.randn(3, 8),)), (torch.randn(3, 8),)
    # `to_edge` transposes the weight; a linear layer that is left takes that along.
    edge = to_edge(torch.export.export(model, inputs))
    left = calls(edge.to_backend(XnnpackDynamicallyQuantizedPartitioner()))
    assert "executorch_call_delegate" not in left and "aten_permute_copy_default" in left
    assert calls(edge.to_backend(XnnpackPartitioner())) == ["executorch_call_delegate"]


@pytest.mark.parametrize("bias", [False, True])
def test_weights_of_linear_layers_as_arguments_of_the_delegate(bias):
    model, inputs = nn.Linear(8, 4, bias=bias).eval(), (torch.randn(3, 8),)
    partitioner = XnnpackPartitioner(force_non_static_weights_for_f32_linear=True)
    manager = lowered(model, inputs, partitioner)
    kept = manager.exported_program().graph_signature.parameters
    assert calls(manager) == ["executorch_call_delegate"] and len(kept) == 1 + bias
    torch.testing.assert_close(run(manager, inputs)[0], model(*inputs), atol=1e-5, rtol=1e-5)


class _Together(GenericNodePartitionerConfig):
    """Takes absolute values together with what they are of."""

    target_name = "abs.default"

    def get_node_and_deps(self, node, ep):
        return [*node.all_input_nodes, node]


def test_a_config_of_ones_own():
    class Model(nn.Module):
        def forward(self, x):
            return torch.abs(torch.neg(x)) + 1

    inputs = (torch.randn(3, 8),)
    partitioner = XnnpackPartitioner(configs=[_Together])
    manager = lowered(Model(), inputs, partitioner)
    assert calls(manager) == ["executorch_call_delegate", "aten_add_tensor"]
    assert sorted(blob_nodes(manager)) == ["XNNAbs", "XNNNegate"]


class _Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 4), nn.Linear(8, 4)

    def forward(self, x):
        return self.first(x), self.second(x)


@pytest.mark.parametrize("apart", [False, True])
def test_layers_that_quantize_one_input_and_are_delegated_one_by_one(apart):
    inputs = (torch.randn(3, 8),)
    model = quantized(_Two(), inputs, is_dynamic=True)
    if apart:
        DuplicateDynamicQuantChainPass()(model)
    manager = lowered(model, inputs, XnnpackPartitioner(per_op_mode=True))
    assert len(calls(manager)) == 1 + apart
    for got, expected in zip(run(manager, inputs), model(*inputs), strict=True):
        # XNNPACK has a scale for each row.
        torch.testing.assert_close(got, expected, atol=0.05, rtol=0.05)


def test_weights_that_are_marked_for_a_file():
    model, inputs = nn.Sequential(nn.Linear(64, 64), nn.Linear(64, 16)).eval(), (torch.randn(3, 64),)
    marked = torch.export.export(model, inputs, strict=True).module()
    delegate_external_constants_pass_unlifted(marked, lambda node: "model")
    # Only this way of exporting keeps what is said of a weight.
    program = torch.export.export(marked, inputs, strict=True)
    manager = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    weights = 4 * (64 * 65 + 16 * 65)
    made = manager.to_executorch()
    assert len(made.buffer) < 4000
    assert weights <= len(bytes(made.data_files["model"])) < weights + 4000
