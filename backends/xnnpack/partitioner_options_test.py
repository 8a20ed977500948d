"""The options of the partitioners: which operators, in which precisions, in how many delegates, and what is said of the rest."""

import copy
import logging

import numpy
import pytest
import torch
from torch import nn
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.xnnpack.partition.config import (
    AddConfig,
    ConvolutionConfig,
    LinearConfig,
    SigmoidConfig,
)
from executorch.backends.xnnpack.partition.config.xnnpack_config import ConfigPrecisionType
from executorch.backends.xnnpack.partition.xnnpack_partitioner import (
    XnnpackDynamicallyQuantizedPartitioner,
    XnnpackFloatingPointPartitioner,
    XnnpackPartitioner,
    XnnpackQuantizedPartitioner,
)
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.backends.xnnpack.serialization.blob import unpack
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.lowered_backend_module import get_lowered_submodules
from executorch.runtime import Runtime

FP32, STATIC, DYNAMIC = ConfigPrecisionType
LOGGER = "executorch.backends.xnnpack.partition"


class Layers(nn.Module):
    """A convolution, a sum, a linear layer, and operators that XNNPACK does not have."""

    def __init__(self):
        super().__init__()
        self.image, self.line = nn.Conv2d(3, 4, 3), nn.Linear(8, 6)

    def forward(self, x):
        x = torch.sigmoid(self.image(x) + 1)
        return self.line(torch.softmax(torch.cumsum(x, 3), 1))


INPUTS = (torch.randn(1, 3, 6, 10),)


def quantized(model, is_dynamic):
    config = get_symmetric_quantization_config(is_per_channel=True, is_dynamic=is_dynamic)
    quantizer = XNNPACKQuantizer().set_object_type(nn.Linear, config)
    prepared = prepare_pt2e(torch.export.export(model, INPUTS).module(), quantizer)
    prepared(*INPUTS)
    return convert_pt2e(prepared)


MODELS = {
    "float": lambda: Layers().eval(),
    "static": lambda: quantized(Layers().eval(), is_dynamic=False),
    "dynamic": lambda: quantized(Layers().eval(), is_dynamic=True),
}


def lowered(model, *partitioners):
    """The edge program; it runs, and gives what the model gives."""
    edge = to_edge_transform_and_lower(torch.export.export(model, INPUTS), partitioner=list(partitioners))
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    torch.testing.assert_close(method.execute(list(INPUTS))[0], model(*INPUTS), atol=0.05, rtol=0.05)
    return edge.exported_program().graph_module


def delegates(module):
    """The operators in each delegate."""
    inner = [one.original_module for name, one in module.named_children() if "lowered" in name]
    return [[node for node in one.graph.nodes if node.op == "call_function"] for one in inner]


def operators_in(module):
    """Names of ATen's operators in all delegates: without conversions."""
    found = [str(node.target) for nodes in delegates(module) for node in nodes]
    return sorted(name for name in found if name.startswith("aten."))


def names(*operators):
    return sorted(f"aten.{name}" for name in operators)


def test_all_operators_by_default():
    module = lowered(MODELS["float"](), XnnpackPartitioner())
    assert operators_in(module) == names(
        "add.Tensor", "convolution.default", "linear.default", "sigmoid.default"
    )


@pytest.mark.parametrize(
    ("configs", "expected"),
    [
        ([ConvolutionConfig], ["convolution.default"]),
        ([LinearConfig, AddConfig], ["linear.default", "add.Tensor"]),
        ([SigmoidConfig], ["sigmoid.default"]),
    ],
)
def test_only_these_configs(configs, expected):
    module = lowered(MODELS["float"](), XnnpackPartitioner(configs=configs))
    assert operators_in(module) == names(*expected)


PRECISIONS = [
    # Model, precisions, whether its linear layer is delegated, and with its conversions.
    ("float", FP32, True, False),
    ("float", STATIC, False, False),
    ("float", [STATIC, DYNAMIC], False, False),
    ("static", STATIC, True, True),
    ("static", [STATIC, FP32], True, True),
    ("static", FP32, True, False),
    ("static", DYNAMIC, False, False),
    ("dynamic", DYNAMIC, True, True),
    ("dynamic", [FP32, DYNAMIC], True, True),
    ("dynamic", FP32, True, False),
    ("dynamic", STATIC, False, False),
]


@pytest.mark.parametrize(("name", "precisions", "is_taken", "with_conversions"), PRECISIONS)
def test_precisions(name, precisions, is_taken, with_conversions):
    module = lowered(MODELS[name](), XnnpackPartitioner(config_precisions=precisions))
    inside = {str(node.target): node for nodes in delegates(module) for node in nodes}
    assert ("aten.linear.default" in inside) == is_taken
    if is_taken:
        source = inside["aten.linear.default"].args[0]
        assert (source.op == "call_function" and "dequantize" in source.name) == with_conversions
    floating = FP32 in (precisions if isinstance(precisions, list) else [precisions])
    assert ("aten.convolution.default" in inside) == floating


def test_partitioners_by_precision():
    for name, partitioner, expected in (
        ("float", XnnpackQuantizedPartitioner, []),
        ("static", XnnpackQuantizedPartitioner, ["linear.default"]),
        ("static", XnnpackDynamicallyQuantizedPartitioner, []),
        ("dynamic", XnnpackDynamicallyQuantizedPartitioner, ["linear.default"]),
        ("dynamic", XnnpackQuantizedPartitioner, ["linear.default"]),
    ):
        assert operators_in(lowered(MODELS[name](), partitioner())) == names(*expected), (name, partitioner)
    everything = ["add.Tensor", "convolution.default", "linear.default", "sigmoid.default"]
    for name in MODELS:
        assert operators_in(lowered(MODELS[name](), XnnpackFloatingPointPartitioner())) == names(*everything)


def test_two_partitioners():
    """What is quantized first, then the rest."""
    module = lowered(
        MODELS["dynamic"](), XnnpackDynamicallyQuantizedPartitioner(), XnnpackFloatingPointPartitioner()
    )
    assert len(delegates(module)) == 2
    assert operators_in(module) == names(
        "add.Tensor", "convolution.default", "linear.default", "sigmoid.default"
    )


def test_one_delegate_for_each_operator():
    whole = lowered(MODELS["float"](), XnnpackPartitioner())
    apart = lowered(MODELS["float"](), XnnpackPartitioner(per_op_mode=True))
    assert sorted(map(len, delegates(whole))) == [1, 3]
    assert [len(nodes) for nodes in delegates(apart)] == [1] * 4
    assert operators_in(whole) == operators_in(apart)


@pytest.fixture
def quiet_log(monkeypatch):
    """Makes the backend's log what it is in a program without configured logging.

    To be called by the test itself: pytest puts handlers in place after the fixtures.
    """
    logger = logging.getLogger(LOGGER)
    level = logger.level

    def silence():
        monkeypatch.setattr(logger, "handlers", [])
        monkeypatch.setattr(logger, "propagate", False)
        return logger

    yield silence
    logger.setLevel(level)


def test_reasons_are_printed(quiet_log, capsys):
    logger = quiet_log()
    lowered(MODELS["float"](), XnnpackPartitioner())
    assert LOGGER not in capsys.readouterr().err
    lowered(MODELS["float"](), XnnpackPartitioner(verbose=True))
    printed = [line for line in capsys.readouterr().err.splitlines() if line.startswith(LOGGER)]
    softmax = [line for line in printed if "softmax" in line]
    assert softmax and all("only the last dimension is known" in line for line in softmax)
    assert any("cumsum" in line and "no config for this operator" in line for line in printed)
    assert not any("convolution" in line or "linear" in line for line in printed)
    XnnpackPartitioner(verbose=True)
    assert len(logger.handlers) == 1


def test_reasons_say_which_precision_is_missing(quiet_log, capsys):
    quiet_log()
    lowered(MODELS["static"](), XnnpackPartitioner(config_precisions=DYNAMIC, verbose=True))
    printed = capsys.readouterr().err
    assert "linear.default): its precision STATIC_QUANT is not enabled" in printed
    assert "convolution.default): its precision FP32 is not enabled" in printed


class GivenWeight(nn.Module):
    def forward(self, x, weight):
        return nn.functional.linear(x, weight)


class AddedMatrix(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight, self.summand = nn.Parameter(torch.randn(64, 32)), nn.Parameter(torch.randn(4, 32))

    def forward(self, x):
        return torch.addmm(self.summand, x, self.weight)


def _normal(*shape):
    return torch.randn(shape, dtype=torch.bfloat16)


BFLOAT16 = {
    "a bias": (nn.Linear(64, 32), (_normal(4, 64),), 1),
    "no bias": (nn.Linear(64, 32, bias=False), (_normal(1, 5, 64),), 1),
    "a matrix is added": (AddedMatrix(), (_normal(4, 64),), 1),
    "one behind the other": (nn.Sequential(nn.Linear(64, 48), nn.Linear(48, 32)), (_normal(4, 64),), 1),
    "an activation between": (
        nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 32)),
        (_normal(4, 64),),
        2,
    ),
    "the weight is an argument": (GivenWeight(), (_normal(4, 64), _normal(32, 64)), 0),
    "a convolution": (nn.Conv2d(3, 8, 3), (_normal(1, 3, 8, 8),), 0),
}


@pytest.mark.parametrize("name", BFLOAT16)
def test_linear_layers_in_bfloat16_are_taken_if_enabled(name):
    model, inputs, taken = BFLOAT16[name]
    model = model.bfloat16().eval()
    exported = torch.export.export(model, inputs)
    for enable, wanted in ((True, taken), (False, 0)):
        edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner(enable_bf16=enable)])
        assert len(list(get_lowered_submodules(edge.exported_program().graph_module))) == wanted
        method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
        result = method.execute(list(inputs))[0]
        assert result.dtype is torch.bfloat16
        # The last of eight bits of each rounding: of layers behind each other XNNPACK rounds the last one only.
        exact = copy.deepcopy(model).double()(*(one.double() for one in inputs))
        eager = (model(*inputs).double() - exact).abs().max()
        torch.testing.assert_close(result.double(), exact, rtol=2**-8, atol=2 * eager.item())


def test_weights_in_bfloat16_are_written_as_they_are():
    model, x = nn.Linear(64, 32).bfloat16().eval(), torch.randn(2, 64, dtype=torch.bfloat16)
    exported = torch.export.export(model, (x,))
    edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner(enable_bf16=True)])
    ((_, lowered, _),) = get_lowered_submodules(edge.exported_program().graph_module)
    graph, _ = unpack(lowered.processed_bytes)
    (node,) = (one.xnode_union for one in graph.xnodes)
    types = [graph.xvalues[one].xvalue_union.datatype.name for one in (0, node.filter_id, node.bias_id)]
    assert types == ["xnn_datatype_bf16", "xnn_datatype_bf16", "xnn_datatype_fp32"]
    # 32 x 64 of two bytes and 32 floats.
    assert sum(map(len, lowered.named_data_store_output.buffers)) == 4096 + 128


def test_symbolic_sizes_in_bfloat16():
    model = nn.Linear(64, 32).bfloat16().eval()
    rows = torch.export.Dim("rows", min=1, max=16)
    exported = torch.export.export(model, (_normal(4, 64),), dynamic_shapes=({0: rows},))
    edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner(enable_bf16=True)])
    assert len(list(get_lowered_submodules(edge.exported_program().graph_module))) == 1
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for count in (1, 16, 3):
        x = _normal(count, 64)
        torch.testing.assert_close(method.execute([x])[0], model(x), rtol=2**-7, atol=1e-3)


def test_final_constants_are_referred_to_where_they_lie():
    model, x = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Conv1d(1, 2, 3)).eval(), torch.randn(1, 64)
    programs = []
    for is_final in (False, True):
        partitioner = XnnpackPartitioner(final_constants=is_final)
        edge = to_edge_transform_and_lower(torch.export.export(model, (x,)), partitioner=[partitioner])
        (_, lowered, _), *more = get_lowered_submodules(edge.exported_program().graph_module)
        assert not more and lowered.compile_specs == []
        buffers = lowered.named_data_store_output.buffers
        places = {numpy.asarray(one).ctypes.data for one in buffers if isinstance(one, memoryview)}
        assert (model[0].weight.data_ptr() in places) == is_final and bool(places) == is_final
        programs.append(edge.to_executorch().buffer)
    assert programs[0] == programs[1]
