"""Programs that have the same weights: in a file beside them, and in one program with two methods."""

import pytest
import torch
from torch.export import export

from executorch.backends.openvino import OpenvinoPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.partitioner import CompileSpec, get_lowered_submodules
from executorch.runtime import ExecuTorchError, Runtime

ROWS = {"one": 1, "four": 4}


class Net(torch.nn.Module):
    """Two large products and a constant of a few bytes; a name that is a word of the format."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.first = torch.nn.Linear(256, 512)
        self.offset = torch.nn.Parameter(torch.rand(7))
        self.last = torch.nn.Linear(512, 7)

    def forward(self, offset):
        return (self.last(self.first(offset).relu()) + self.offset).view(-1, 7, 1)


MODEL = Net().eval()
WEIGHTS = 4 * (256 * 512 + 512 * 7)


def _lowered(tag, *specs, names=tuple(ROWS)):
    programs = {name: export(MODEL, (torch.rand(ROWS[name], 256),)) for name in names}
    partitioner = OpenvinoPartitioner([CompileSpec("share_weights", tag), *specs])
    return to_edge_transform_and_lower(programs, partitioner=[partitioner]).to_executorch()


def _check(method, rows, tolerance=1e-5):
    given = torch.rand(rows, 256)
    torch.testing.assert_close(
        method.execute([given])[0], MODEL(given).detach(), atol=tolerance, rtol=tolerance
    )


def test_two_programs_share_a_file_of_weights(tmp_path):
    made = {name: _lowered(b"weights", names=(name,)) for name in ROWS}
    for name, one in made.items():
        folder = tmp_path / name
        folder.mkdir()
        one.write_tensor_data_to_file(str(folder))
        assert len(one.buffer) < 40_000
    files = [(tmp_path / name / "weights.ptd").read_bytes() for name in ROWS]
    assert files[0] == files[1] and WEIGHTS <= len(files[0]) < WEIGHTS + 10_000
    path = tmp_path / "one" / "weights.ptd"
    methods = {
        name: Runtime.get().load_program(one.buffer, data_path=path).load_method(name)
        for name, one in made.items()
    }
    for name in (*ROWS, *ROWS):
        _check(methods[name], ROWS[name])
    with pytest.raises(ExecuTorchError, match=r"no named data openvino_.*\.ptd"):
        Runtime.get().load_program(made["one"].buffer).load_method("one")


def test_methods_of_a_program_share_its_weights():
    buffer = _lowered(b"").buffer
    assert WEIGHTS < len(buffer) < WEIGHTS + 60_000
    program = Runtime.get().load_program(buffer)
    for name, rows in ROWS.items():
        _check(program.load_method(name), rows)


def test_shared_weights_may_have_few_bits():
    buffer = _lowered(b"", CompileSpec("compress_weights", b"INT8_ASYM")).buffer
    assert len(buffer) < WEIGHTS / 2
    program = Runtime.get().load_program(buffer)
    for name, rows in ROWS.items():
        _check(program.load_method(name), rows, 0.03)


def test_a_model_without_large_constants_shares_nothing():
    class Small(torch.nn.Module):
        def forward(self, x):
            return x.relu().sum(0)

    partitioner = OpenvinoPartitioner([CompileSpec("share_weights", b"weights")])
    edge = to_edge_transform_and_lower(export(Small(), (torch.rand(3, 4),)), partitioner=[partitioner])
    given = torch.randn(3, 4)
    (got,) = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward").execute([given])
    torch.testing.assert_close(got, Small()(given))


def test_inputs_and_outputs_keep_their_places():
    class Several(torch.nn.Module):
        def forward(self, a, unread, b, c):
            return c.relu() - b, a.exp(), (a * 2).sigmoid(), b.relu()

    given = tuple(torch.rand(2, 3) for _ in range(4))
    partitioner = OpenvinoPartitioner([CompileSpec("share_weights", b"")])
    edge = to_edge_transform_and_lower(export(Several(), given), partitioner=[partitioner])
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for got, expected in zip(method.execute(list(given)), Several()(*given), strict=True):
        torch.testing.assert_close(got, expected)


def test_properties_are_asked_of_the_device_when_a_program_is_loaded():
    buffer = _lowered(b"", CompileSpec("NUMBER_OF_TOASTS", b"2"), names=("one",)).buffer
    with pytest.raises(ExecuTorchError, match="CPU does not take NUMBER_OF_TOASTS=2"):
        Runtime.get().load_program(buffer).load_method("one")


def test_bytes_are_the_same_each_time():
    def data():
        edge = to_edge_transform_and_lower(
            export(MODEL, (torch.ones(2, 256),)),
            partitioner=[OpenvinoPartitioner([CompileSpec("share_weights", b"")])],
        )
        (delegate,) = [
            module for _, module, _ in get_lowered_submodules(edge.exported_program().graph_module)
        ]
        return bytes(delegate.processed_bytes)

    first = data()
    assert first.startswith(b"ETOVTEXT") and first == data()
