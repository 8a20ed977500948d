"""Captured graphs that are quantized for Core ML: integers in the model, and results near those of the quantized graph."""

import pytest
import torch
from coremltools.optimize.torch.quantization import LinearQuantizerConfig, ModuleLinearQuantizerConfig
from torch.export import export
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e, prepare_qat_pt2e

from executorch.backends.apple.coreml.quantizer import CoreMLQuantizer
from executorch.backends.apple.coreml.test.lowered import LoweredProgram, lowered


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU())
        self.second, self.last = torch.nn.Conv2d(8, 8, 1), torch.nn.Linear(8, 4)

    def forward(self, x):
        y = self.first(x)
        return self.last((y + self.second(y)).mean((2, 3)))


def config(**options):
    return LinearQuantizerConfig(
        global_config=ModuleLinearQuantizerConfig(
            **{"quantization_scheme": "symmetric", "weight_dtype": torch.qint8, "weight_per_channel": True}
            | options
        )
    )


@pytest.mark.parametrize("activations", [torch.quint8, torch.float32], ids=["static", "weights alone"])
def test_what_is_quantized_is_lowered_whole(activations):
    torch.manual_seed(0)
    model, inputs = Model().eval(), (torch.randn(2, 3, 8, 8),)
    prepared = prepare_pt2e(
        export(model, inputs).module(), CoreMLQuantizer(config(activation_dtype=activations))
    )
    prepared(*inputs)
    quantized = convert_pt2e(prepared)
    run = LoweredProgram(lowered(export(quantized, inputs), lower_full_graph=True).exported_program())
    (got,) = run(*inputs)
    want = quantized(*inputs).detach()
    assert float((got - want).abs().max() / want.abs().max()) < 0.02
    weights = {"constexpr_affine_dequantize", "constexpr_blockwise_shift_scale"}
    assert run.ran & weights and ("quantize" in run.ran) is (activations == torch.quint8)


def test_training_sees_what_the_integers_will_hold():
    torch.manual_seed(0)
    model, inputs = torch.nn.Sequential(torch.nn.Linear(16, 8), torch.nn.ReLU()), (torch.randn(4, 16),)
    prepared = prepare_qat_pt2e(
        export(model, inputs).module(), CoreMLQuantizer(config(activation_dtype=torch.quint8))
    )
    rounded = prepared(*inputs)
    assert 0 < float((rounded - model(*inputs)).detach().abs().max()) < 0.05
    rounded.sum().backward()
    assert any(parameter.grad is not None for parameter in prepared.parameters())
    quantized = convert_pt2e(prepared)
    torch.testing.assert_close(quantized(*inputs), rounded, atol=0.02, rtol=0)


def test_what_is_not_there_is_refused():
    with pytest.raises(ValueError, match="not supported"):
        CoreMLQuantizer(config(weight_dtype=torch.float32))
    with pytest.raises(ValueError, match="settings of <built-in"):
        CoreMLQuantizer(LinearQuantizerConfig(module_type_configs={torch.add: None}))


def test_modules_have_settings_by_name_and_by_class():
    settings = ModuleLinearQuantizerConfig(weight_dtype=torch.qint8, activation_dtype=torch.quint8)
    weights = ModuleLinearQuantizerConfig(weight_dtype=torch.qint8, activation_dtype=torch.float32)
    chosen = LinearQuantizerConfig(
        global_config=settings,
        module_type_configs={torch.nn.Linear: weights},
        module_name_configs={"first": None, "second": weights},
    )
    inputs = (torch.randn(2, 3, 8, 8),)
    prepared = prepare_pt2e(export(Model().eval(), inputs).module(), CoreMLQuantizer(chosen))
    prepared(*inputs)
    graph = convert_pt2e(prepared).graph

    def read(target):
        return [
            ["dequantize" in str(one.target) for one in node.args[:2]]
            for node in graph.nodes
            if node.target is target
        ]

    aten = torch.ops.aten
    assert read(aten.conv2d.default) == [[False, False], [False, True]]
    assert read(aten.linear.default) == [[False, True]] and read(aten.add.Tensor) == [[True, True]]
