"""Weights outside the program: in several files, shared by several programs, merged, and exchanged."""

import pytest
import torch
from torch import nn

from executorch.emitter import DataPayload, FlatTensorSerializer
from executorch.emitter.named_data import DataCollector
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.runtime import ExecuTorchError, Runtime

X = torch.rand(2, 6)


class _Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(6, 3), nn.Linear(3, 6)

    def forward(self, x):
        return self.decoder(self.encoder(x).relu())


class _First(nn.Module):
    def __init__(self, both):
        super().__init__()
        self.encoder = both.encoder

    def forward(self, x):
        return self.encoder(x)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return _Both().eval()


def _lower(module, external):
    edge = to_edge(torch.export.export(module, (X,)))
    return edge.to_executorch(ExecutorchBackendConfig(external_constants=external))


def _run(manager, files):
    return Runtime.get().load_program(manager.buffer, data_path=files).load_method("forward").execute([X])[0]


def test_several_files_for_one_program(model):
    manager = _lower(model, lambda node: "encoder" if "encoder" in node.name else "decoder")
    files = manager.data_files
    assert sorted(files) == ["decoder", "encoder"]
    torch.testing.assert_close(_run(manager, [files["encoder"], files["decoder"]]), model(X))
    with pytest.raises(ExecuTorchError):
        _run(manager, [files["encoder"]])


def test_programs_share_a_file(model):
    """The names are those of the model, so the file of the whole serves a program of a part."""
    whole, part = _lower(model, True), _lower(_First(model), True)
    (data,) = whole.data_files.values()
    torch.testing.assert_close(_run(whole, [data]), model(X))
    torch.testing.assert_close(_run(part, [data]), model.encoder(X))
    (own,) = part.data_files.values()
    names = [set(FlatTensorSerializer().deserialize(file).named_data) for file in (own, data)]
    assert names[0] < names[1]


def test_files_are_merged(model):
    manager = _lower(model, lambda node: "encoder" if "encoder" in node.name else "decoder")
    serializer, both = FlatTensorSerializer(), DataCollector()
    for data in manager.data_files.values():
        payload = serializer.deserialize(data)
        both.merge(payload.buffers, payload.named_data)
    torch.testing.assert_close(_run(manager, [bytes(serializer.serialize(both.payload))]), model(X))


def test_weights_are_exchanged_without_the_program(model):
    manager = _lower(model, True)
    (data,) = manager.data_files.values()
    payload = FlatTensorSerializer().deserialize(data)
    doubled = [
        bytes((torch.frombuffer(bytearray(item), dtype=torch.float32) * 2).numpy())
        for item in payload.buffers
    ]
    new = bytes(FlatTensorSerializer().serialize(DataPayload(doubled, payload.named_data)))
    with torch.no_grad():
        expected = _Both()
        expected.load_state_dict({name: value * 2 for name, value in model.state_dict().items()})
        torch.testing.assert_close(_run(manager, [new]), expected(X))
