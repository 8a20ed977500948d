"""Weights in few bits: what is stored, what OpenVINO makes of it, what is refused."""

import io

import numpy as np
import pytest
import torch
from torch import nn
from torch.export import export

from executorch.backends.openvino import OpenvinoPartitioner
from executorch.backends.openvino.conversion.compression import Compression, rounded
from executorch.backends.openvino.conversion.model import DEFAULTS
from executorch.dialects.errors import ExportError
from executorch.exir import to_edge_transform_and_lower
from executorch.partitioner import CompileSpec, get_lowered_submodules
from executorch.runtime import Runtime

X = torch.randn(4, 512, generator=torch.Generator().manual_seed(1))


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 96, bias=False)).eval()


def lower(model, **specs):
    given = [CompileSpec(key, text.encode()) for key, text in specs.items()]
    return to_edge_transform_and_lower(export(model, (X,)), partitioner=[OpenvinoPartitioner(given)])


def rounded_network(mode, size):
    """The same network with the weights that integers and scales stand for."""
    model, asked = network(), Compression.of({"compress_weights": mode, "group_size": size})
    for layer in (model[0], model[2]):
        integers, scales, zeros = rounded(layer.weight.detach().numpy(), asked)
        values = (integers.astype(np.float32) - zeros) * scales
        layer.weight.data = torch.from_numpy(values.reshape(layer.weight.shape))
    return model


CASES = [
    ("INT8_SYM", "-1"),
    ("INT8_ASYM", "-1"),
    ("INT4_SYM", "128"),
    ("INT4_ASYM", "64"),
    ("INT4_SYM", "96"),
]


@pytest.mark.parametrize(("mode", "size"), CASES)
def test_results_are_those_of_rounded_weights(mode, size):
    import openvino

    edge = lower(network(), compress_weights=mode, group_size=size)
    ((_, module, _),) = get_lowered_submodules(edge.exported_program().graph_module)
    compiled = openvino.Core().import_model(io.BytesIO(module.processed_bytes), "CPU", DEFAULTS)
    got, want = torch.from_numpy(compiled([X.numpy()])[0]), rounded_network(mode, size)(X)
    torch.testing.assert_close(got, want, atol=1e-4, rtol=1e-4)
    largest = (network()(X) - want).abs().max() / want.abs().max()
    assert largest < (0.02 if "8" in mode else 0.3)
    plain = 4 * (512 * 256 + 256 * 96)
    assert len(module.processed_bytes) < plain / (3.5 if "8" in mode else 5.5)


def test_the_delegate_runs_them():
    edge = lower(network(), compress_weights="INT4_ASYM", group_size="64")
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    want = rounded_network("INT4_ASYM", "64")(X).detach()
    torch.testing.assert_close(method.execute([X])[0], want, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        ({"compress_weights": "INT3"}, "no compress_weights 'INT3'. Way out: one of"),
        ({"group_size": "64"}, "group_size is of weights. Way out: compress_weights"),
        ({"compress_weights": "INT4_SYM", "group_size": "0"}, "Way out: -1 for whole rows"),
        ({"compress_weights": "INT8_SYM", "group_size": "64"}, "Way out: -1 for whole rows"),
    ],
)
def test_what_is_not_there_is_refused(specs, message):
    with pytest.raises(ExportError, match=message):
        lower(network(), **specs)
