"""Programs of every dialect survive the way to bytes and back."""

import io

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from executorch.dialects import meta_keys
from executorch.exir import EdgeCompileConfig, load, save, to_edge
from executorch.exir.backend.canonical_partitioners.all_node_partitioner import AllNodePartitioner
from executorch.exir.serde.export_serialize import (
    _CURRENT_DESERIALIZER,
    GraphModuleDeserializer,
    deserialize_torch_artifact,
    serialize_torch_artifact,
)
from executorch.exir.serde.serialize import deserialize, serialize
from executorch.partitioner import BackendDetails, CompileSpec, NamedDataStore, PreprocessResult

PLAIN = EdgeCompileConfig(_check_ir_validity=False)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        self.count.add_(1)
        values, indices = torch.topk(self.linear(x), 2)
        return values + self.count, indices


class Choice(torch.nn.Module):
    def forward(self, p, x):
        return torch.cond(p, lambda x: x + 1, lambda x: x * 2, (x,))


class Halves(torch.nn.Module):
    def __init__(self, parts):
        super().__init__()
        self.parts = parts

    def forward(self, x):
        return tuple(torch.split(x, 4 // self.parts))


class SerdeBackend(BackendDetails):
    """Keeps data by name and maps identifiers to handles."""

    read_ahead = 32

    @staticmethod
    def preprocess(edge_program, compile_specs):
        store = NamedDataStore()
        store.add_named_data("inside", b"abc", alignment=8)
        store.add_named_data("outside", b"defg", external_tag="file")
        handles = {
            0: tuple(n.meta["debug_handle"] for n in edge_program.graph.nodes if n.op == "call_function")
        }
        return PreprocessResult(b"blob", handles, store.get_named_data_store_output())


def edge_of(model, *inputs, **options):
    return to_edge(torch.export.export(model, inputs, **options), compile_config=PLAIN)


def handles(program):
    return [node.meta.get(meta_keys.DEBUG_HANDLE) for node in program.graph.nodes]


def same_graph(a, b):
    assert [(n.op, str(n.target)) for n in a.graph.nodes] == [(n.op, str(n.target)) for n in b.graph.nodes]


@pytest.mark.parametrize("dynamic", [False, True])
def test_edge_programs(dynamic):
    x = torch.rand(2, 4)
    shapes = ({0: torch.export.Dim("batch", max=8)},) if dynamic else None
    program = edge_of(Model().eval(), x, dynamic_shapes=shapes).exported_program()
    found = deserialize(serialize(program))
    same_graph(program, found)
    assert found.dialect == "EDGE" and handles(found) == handles(program)
    for expected, actual in zip(program.module()(x), found.module()(x), strict=True):
        torch.testing.assert_close(actual, expected)
    assert str(found.graph_signature) == str(program.graph_signature)


def test_what_was_read_can_be_lowered():
    x = torch.rand(2, 4)
    edge = edge_of(torch.nn.Linear(4, 3), x)
    found = deserialize(serialize(edge.exported_program()))
    again = type(edge)(found, compile_config=PLAIN).to_executorch()
    assert again.buffer == edge.to_executorch().buffer


def test_control_flow():
    inputs = (torch.tensor(True), torch.rand(3))
    program = edge_of(Choice(), *inputs).exported_program()
    found = deserialize(serialize(program))
    torch.testing.assert_close(found.module()(*inputs), program.module()(*inputs))


def test_delegates():
    x = torch.rand(2, 4)
    partitioner = AllNodePartitioner("SerdeBackend", [CompileSpec("key", b"\x00value")])
    program = edge_of(Model().eval(), x).to_backend(partitioner).exported_program()
    found = deserialize(serialize(program))
    before, after = (
        next(m for m in p.graph_module.modules() if type(m).__name__ == "LoweredBackendModule")
        for p in (program, found)
    )
    assert (after.backend_id, after.processed_bytes) == ("SerdeBackend", b"blob")
    assert after.compile_specs == before.compile_specs
    assert after.meta["debug_handle_map"] == before.meta["debug_handle_map"]
    assert after.meta["read_ahead"] == before.meta["read_ahead"] == 32
    assert after.named_data_store_output == before.named_data_store_output
    same_graph(before.original_module, after.original_module)
    torch.testing.assert_close(found.module()(x), program.module()(x))


def test_execution_form():
    x = torch.rand(2, 4)
    program = edge_of(Model().eval(), x).to_executorch().exported_program()
    found = deserialize(serialize(program))
    same_graph(program, found)
    for before, after in zip(program.graph.nodes, found.graph.nodes, strict=True):
        assert str(before.args) == str(after.args)


def test_execution_form_of_operators_that_fill_lists():
    for parts in (1, 2):
        program = edge_of(Halves(parts), torch.rand(4)).to_executorch().exported_program()
        found = deserialize(serialize(program))
        same_graph(program, found)
        split = next(node for node in found.graph.nodes if "split" in node.name)
        assert isinstance(split.target, torch._ops.OpOverload) and not split.target._schema.returns


def test_files(tmp_path):
    program = torch.export.export(Model().eval(), (torch.rand(2, 4),))
    save(program, tmp_path / "model.pt2", extra_files={"note.txt": "text"})
    extra = {"note.txt": ""}
    found = load(tmp_path / "model.pt2", extra_files=extra)
    assert extra == {"note.txt": "text"} and found.dialect == program.dialect
    same_graph(program, found)
    stream = io.BytesIO()
    torch.export.save(program, stream)
    with pytest.raises(RuntimeError, match=r"torch\.export\.load"):
        load(stream)
    with pytest.raises(KeyError):
        load(tmp_path / "model.pt2", extra_files={"other": ""})


def test_an_input_may_have_the_name_of_a_python_builtin(tmp_path):
    """`torch.nn.Linear` calls its argument `input`."""
    program = torch.export.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),))
    path = tmp_path / "linear.pt2"
    save(program, path)
    assert load(path).graph_signature.user_inputs == ("input",)


class _Integers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = torch.nn.Parameter(torch.randint(0, 255, (4, 4), dtype=torch.uint8), requires_grad=False)
        self.register_buffer("scales", torch.rand(4, 4))

    def forward(self, x):
        return x + self.codes.to(torch.float32) * self.scales


def test_a_program_without_its_weights():
    program = edge_of(_Integers(), torch.rand(4, 4)).exported_program()
    mode = FakeTensorMode()
    program._state_dict = {
        name: mode.from_tensor(value, static_shapes=True) for name, value in program.state_dict.items()
    }
    allowed = set(torch.serialization.get_safe_globals())
    restored = deserialize(serialize(program)).state_dict
    assert set(torch.serialization.get_safe_globals()) == allowed
    assert all(isinstance(value, FakeTensor) for value in restored.values())
    assert isinstance(restored["codes"], torch.nn.Parameter) and restored["codes"].dtype == torch.uint8
    assert restored["scales"].shape == (4, 4)


def test_an_artifact_by_itself():
    reader = GraphModuleDeserializer()
    reader.fake_tensor_mode = FakeTensorMode()
    weight = FakeTensorMode().from_tensor(torch.rand(2, 3))
    _CURRENT_DESERIALIZER.append(reader)
    try:
        restored = deserialize_torch_artifact(serialize_torch_artifact({"weight": weight}))
    finally:
        _CURRENT_DESERIALIZER.pop()
    assert isinstance(restored["weight"], FakeTensor) and restored["weight"].shape == (2, 3)
