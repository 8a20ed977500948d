"""Whole programs: two backends and portable operators in one, dynamic shapes, several methods, failures at run time."""

# First: the runtime with the demo backends inside.
import executorch.backends.test.demo_bindings  # noqa: F401  isort: skip

import pytest
import torch
from torch.export import Dim, export

from executorch.backends.bytecode import BytecodePartitioner
from executorch.backends.executor import ExecutorPartitioner
from executorch.backends.plumbing import PlumbingPartitioner, fail_execute, fail_init
from executorch.exir import to_edge, to_edge_transform_and_lower
from executorch.partitioner import (
    BackendDetails,
    PreprocessResult,
    get_delegation_info,
    get_lowered_submodules,
    get_reasons,
    to_backend,
)
from executorch.runtime import ExecuTorchError, Runtime

X = torch.randn(4, 8)


class Mixed(torch.nn.Module):
    """Bytecode (silu, products), plumbing (negations), portable kernels (linear, softmax)."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x):
        h = torch.nn.functional.silu(self.linear(x))
        return torch.softmax(-h, -1) * h, -(h + 1)


def backends_of(program):
    return [module.backend_id for _, module, _ in get_lowered_submodules(program.graph_module)]


def load(buffer, method="forward"):
    return Runtime.get().load_program(bytes(buffer)).load_method(method)


def check(found, expected):
    for mine, eager in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, eager.detach(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("together", [True, False])
def test_two_backends_and_portable_operators(together):
    model = Mixed().eval()
    program = export(model, (X,))
    chain = [PlumbingPartitioner(), BytecodePartitioner()]
    if together:
        edge = to_edge_transform_and_lower(program, partitioner=chain)
    else:
        edge = to_edge(program)
        for one in chain:
            edge = edge.to_backend(one)
    lowered = edge.exported_program()
    assert sorted(set(backends_of(lowered))) == ["BytecodeBackend", "PlumbingBackend"]
    assert backends_of(lowered).count("PlumbingBackend") == 2
    assert get_delegation_info(lowered.graph_module).num_non_delegated_nodes > 0
    left = {(one.op, one.who) for one in get_reasons(lowered.graph_module)}
    assert ("aten._softmax.default", "PlumbingPartitioner") in left
    assert ("aten._softmax.default", "BytecodePartitioner") in left
    method = load(edge.to_executorch().buffer)
    for x in (X, torch.randn(4, 8)):
        check(method.execute([x]), model(x))


def test_dynamic_shapes():
    model = Mixed().eval()
    program = export(model, (X,), dynamic_shapes=({0: Dim("batch", min=2, max=16)},))
    edge = to_edge_transform_and_lower(program, partitioner=[PlumbingPartitioner(), BytecodePartitioner()])
    method = load(edge.to_executorch().buffer)
    for batch in (2, 7, 16, 3):
        x = torch.randn(batch, 8)
        check(method.execute([x]), model(x))


class Scaled(torch.nn.Module):
    def __init__(self, scale, shift):
        super().__init__()
        self.scale = torch.nn.Parameter(scale)
        self.shift = shift

    def forward(self, x):
        return -(x * self.scale + self.shift)


def test_methods_share_named_data():
    scale = torch.rand(64, 64)
    models = {"forward": Scaled(scale, 1.0), "other": Scaled(scale.clone(), 2.0)}
    inputs = (torch.randn(64, 64),)
    sizes = {}
    for names in (["forward"], ["forward", "other"]):
        programs = {name: export(models[name], inputs) for name in names}
        edge = to_edge_transform_and_lower(
            programs, partitioner={name: [PlumbingPartitioner(), BytecodePartitioner()] for name in names}
        )
        buffer = bytes(edge.to_executorch().buffer)
        sizes[len(names)] = len(buffer)
        for name in names:
            check(load(buffer, name).execute(list(inputs)), [models[name](*inputs)])
    weights = scale.numel() * 4
    assert weights <= sizes[1] < sizes[2] < sizes[1] + weights // 2, "the weights stand in the file once"


def test_control_flow():
    class Choice(torch.nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda a: torch.sin(a) * a, lambda a: -a, (x,))

    model = Choice()
    edge = to_edge(export(model, (X,)))
    edge = edge.to_backend(PlumbingPartitioner()).to_backend(BytecodePartitioner())
    method = load(edge.to_executorch().buffer)
    for x in (X.abs(), -X.abs()):
        check(method.execute([x]), [model(x)])


def test_a_program_in_a_delegate():
    model = Mixed().eval()
    program = export(model, (X,), dynamic_shapes=({0: Dim("batch", min=2, max=16)},))
    edge = to_edge(program).to_backend(ExecutorPartitioner())
    assert backends_of(edge.exported_program()) == ["ExecutorBackend"]
    method = load(edge.to_executorch().buffer)
    for batch in (2, 16, 3):
        x = torch.randn(batch, 8)
        check(method.execute([x]), model(x))
    alone = to_backend("ExecutorBackend", to_edge(export(model, (X,))).exported_program(), [])
    check(load(alone.buffer()).execute([X]), model(X))


def test_delegates_in_delegates():
    model = Mixed().eval()
    edge = to_edge(export(model, (X,)))
    for partitioner in (PlumbingPartitioner(), BytecodePartitioner(), *[ExecutorPartitioner()] * 4):
        edge = edge.to_backend(partitioner)
    method = load(edge.to_executorch().buffer)
    check(method.execute([X]), model(X))
    with pytest.raises(ExecuTorchError, match="go deeper than 4"):
        load(edge.to_backend(ExecutorPartitioner()).to_executorch().buffer)


def test_state_inside_a_delegate():
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.zeros(3))

        def forward(self, x):
            self.total.add_(x)
            return self.total * 2

    edge = to_edge(export(Counter(), (torch.ones(3),))).to_backend(ExecutorPartitioner())
    assert not edge.exported_program().graph_signature.buffers_to_mutate
    method = load(edge.to_executorch().buffer)
    assert [method.execute([torch.ones(3)])[0][0].item() for _ in range(3)] == [2.0, 4.0, 6.0]


def failing(*options):
    edge = to_edge_transform_and_lower(
        export(Mixed().eval(), (X,)), partitioner=[PlumbingPartitioner(list(options)), BytecodePartitioner()]
    )
    return edge.to_executorch().buffer


def test_a_failure_in_init_fails_the_load():
    buffer = failing(fail_init(0x12))
    for _ in range(3):
        with pytest.raises(ExecuTorchError) as error:
            load(buffer)
        assert error.value.code == 0x12
        assert "fails as asked" in str(error.value)


def test_a_failure_in_execute_fails_the_call_and_not_the_next():
    model = Mixed().eval()
    method = load(failing(fail_execute(0x20, call=1)))
    check(method.execute([X]), model(X))
    for _ in range(2):  # The second call of the first negation, then that of the second.
        with pytest.raises(ExecuTorchError) as error:
            method.execute([X])
        assert error.value.code == 0x20
    check(method.execute([X]), model(X))


class NowhereBackend(BackendDetails):
    @staticmethod
    def preprocess(edge_program, compile_specs):
        return PreprocessResult(b"nothing at run time")


def test_an_absent_backend_is_named_with_those_that_are_there():
    lowered = to_backend("NowhereBackend", to_edge(export(Mixed().eval(), (X,))).exported_program(), [])
    with pytest.raises(ExecuTorchError) as error:
        load(lowered.buffer())
    text = str(error.value)
    assert error.value.code == 0x20
    assert "NowhereBackend" in text and "BytecodeBackend" in text and "PlumbingBackend" in text
