"""Errors of layers, on graphs whose errors are known."""

import copy
import math

import pytest
import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.utils import compute_error

from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.devtools.quantization import layer_errors, signal_to_noise, table


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(3, 8, 3)
        self.norm = torch.nn.BatchNorm2d(8)
        self.second = torch.nn.Conv2d(8, 4, 1)

    def forward(self, x):
        return torch.sigmoid(self.second(torch.relu(self.norm(self.first(x)))))


@pytest.fixture(scope="module")
def graphs():
    torch.manual_seed(0)
    inputs = [(torch.randn(1, 3, 8, 8),) for _ in range(3)]
    config = get_symmetric_quantization_config(is_per_channel=True)
    quantizer = XNNPACKQuantizer().set_global(config)
    prepared = prepare_pt2e(torch.export.export(Model().eval(), inputs[0]).module(), quantizer)
    for one in inputs:
        prepared(*one)
    reference = copy.deepcopy(prepared)
    return reference, convert_pt2e(prepared), inputs


def test_layers_of_a_quantized_graph(graphs):
    errors = layer_errors(*graphs)
    operators = [error.operator for error in errors]
    assert operators == ["conv2d", "relu", "conv2d", "sigmoid"]
    assert [error.is_quantized for error in errors] == [False, True, True, False]
    assert all(15 < error.sqnr_db < 70 for error in errors)
    assert [error.module for error in errors if error.operator == "conv2d"] == ["first", "second"]
    reference, quantized, inputs = graphs
    got = torch.cat([quantized(*one) for one in inputs])
    wanted = torch.cat([reference(*one) for one in inputs])
    assert errors[-1].sqnr_db == pytest.approx(float(compute_error(wanted, got)), abs=1e-3)


def test_a_graph_beside_itself(graphs):
    reference, _, inputs = graphs
    assert all(error.sqnr_db == math.inf for error in layer_errors(reference, reference, inputs))


def test_decibels():
    x = torch.ones(4)
    assert signal_to_noise(x, x) == math.inf
    assert signal_to_noise(x, x * 0.9) == pytest.approx(20, abs=1e-4)
    assert signal_to_noise(torch.zeros(4), x) == -math.inf


def test_table(graphs):
    lines = table(layer_errors(*graphs)).splitlines()
    assert "SQNR dB" in lines[0] and len(lines) == 5
    assert lines[1].endswith("float") and "second" in lines[3]
