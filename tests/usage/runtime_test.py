"""The two Python interfaces of the runtime, as scripts use them."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.export import Dim, export

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge, to_edge_transform_and_lower
from executorch.extension.pybindings import portable_lib
from executorch.extension.pybindings.portable_lib import (
    ExecuTorchModule,
    _get_operator_names,
    _get_registered_backend_names,
    _load_for_executorch,
    _load_for_executorch_from_buffer,
)
from executorch.runtime import (
    BackendRegistry,
    Method,
    OperatorRegistry,
    Program,
    Runtime,
    Verification,
)


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.left, self.right = nn.Linear(4, 8), nn.Linear(8, 2), nn.Linear(8, 3)

    def forward(self, x, scale: float = 1.0):
        body = torch.tanh(self.body(x))
        return {"left": self.left(body) * scale, "right": self.right(body)}


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return TwoHeads().eval()


@pytest.fixture(scope="module")
def program(model):
    rows = Dim("rows", max=8)
    exported = export(model, (torch.randn(2, 4),), dynamic_shapes=({0: rows},))
    return to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()]).to_executorch()


@pytest.fixture
def path(program, tmp_path):
    program.save(str(tmp_path / "model.pte"))
    return tmp_path / "model.pte"


def test_the_runtime_and_its_registries(path):
    runtime: Runtime = Runtime.get()
    assert runtime is Runtime.get()
    operators: OperatorRegistry = runtime.operator_registry
    assert "aten::add.out" in operators.operator_names
    backends: BackendRegistry = runtime.backend_registry
    assert "XnnpackBackend" in backends.registered_backend_names
    assert backends.is_available("XnnpackBackend") and not backends.is_available("NoSuchBackend")
    loaded: Program = runtime.load_program(path, verification=Verification.InternalConsistency)
    method: Method = loaded.load_method("forward")
    assert method.metadata.name() == "forward"


@pytest.mark.parametrize("source", ["path", "text", "bytes", "file"])
def test_a_program_from_anywhere(path, model, source):
    x = torch.randn(3, 4)
    data = {"path": path, "text": str(path), "bytes": path.read_bytes()}.get(source)
    loaded = Runtime.get().load_program(open(path, "rb") if data is None else data)  # noqa: SIM115
    left, right = loaded.load_method("forward").execute([x])
    expected = model(x)
    torch.testing.assert_close(left, expected["left"], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(right, expected["right"], rtol=1e-4, atol=1e-5)


def test_what_a_method_takes(path):
    metadata = Runtime.get().load_program(path).metadata("forward")
    assert metadata.num_inputs() == 1 and metadata.num_outputs() == 2
    info = metadata.input_tensor_meta(0)
    assert tuple(info.sizes()) == (8, 4)
    assert int(info.dtype()) == 6  # Float
    assert info.nbytes() == 8 * 4 * 4 and isinstance(info.is_memory_planned(), bool)
    assert tuple(metadata.output_tensor_meta(1).sizes()) == (8, 3)


def test_the_module_interface(path, program, model):
    x = torch.randn(1, 4)
    for module in (_load_for_executorch(str(path)), _load_for_executorch_from_buffer(program.buffer)):
        assert isinstance(module, ExecuTorchModule)
        assert module.method_names() == ["forward"]
        expected = list(model(x).values())
        for outputs in (
            module.forward([x]),
            module((x,)),
            module.run_method("forward", (x,)),
            module.run_method("forward", [x]),
        ):
            torch.testing.assert_close(list(outputs), expected, rtol=1e-4, atol=1e-5)
        meta = module.method_meta("forward")
        assert meta.name() == "forward" and list(meta.input_tensor_meta(0).sizes()) == [8, 4]
    assert any(name.startswith("aten::") for name in _get_operator_names())
    assert "XnnpackBackend" in _get_registered_backend_names()
    assert portable_lib._load_for_executorch is _load_for_executorch


def test_outputs_of_one_run_stay_when_the_next_comes(path, model):
    method = Runtime.get().load_program(path).load_method("forward")
    first_input, second_input = torch.randn(2, 4), torch.randn(2, 4)
    first = method.execute([first_input])
    method.execute([second_input])
    torch.testing.assert_close(first[0], model(first_input)["left"], rtol=1e-4, atol=1e-5)
    assert isinstance(first[0].numpy(), np.ndarray)


def test_inputs_of_every_kind():
    """Numbers, booleans and nested containers go in flat, in the order of the model's arguments."""

    class Kinds(nn.Module):
        def forward(self, pair, options, flag: bool, count: int):
            total = pair[0] + pair[1] * options["weight"]
            return (total, total.argmax(-1)) if flag else (total * count, total.argmin(-1))

    example = ((torch.ones(2, 3), torch.arange(6.0).view(2, 3)), {"weight": torch.tensor(2.0)}, True, 3)
    module = _load_for_executorch_from_buffer(to_edge(export(Kinds(), example)).to_executorch().buffer)
    flat = [*example[0], example[1]["weight"], *example[2:]]
    for value, expected in zip(module.forward(flat), Kinds()(*example), strict=True):
        assert torch.equal(value, expected)


def test_mistakes_are_runtime_errors(path, tmp_path):
    method = Runtime.get().load_program(path).load_method("forward")
    wrong = {
        "too few": [],
        "too many": [torch.randn(1, 4)] * 2,
        "dtype": [torch.ones(1, 4, dtype=torch.int64)],
        "rank": [torch.randn(4)],
        "size": [torch.randn(9, 4)],
    }
    for inputs in wrong.values():
        with pytest.raises(RuntimeError):
            method.execute(inputs)
    with pytest.raises((RuntimeError, ValueError)):
        Runtime.get().load_program(path).load_method("no_such_method")
    with pytest.raises((RuntimeError, ValueError)):
        Runtime.get().load_program(b"no program at all")
    with pytest.raises((RuntimeError, FileNotFoundError, ValueError)):
        Runtime.get().load_program(tmp_path / "absent.pte")
    (left, _) = method.execute([torch.zeros(1, 4)])  # none of this did harm
    assert left.shape == (1, 2)
