"""The published interpreter of emitted programs against eager PyTorch."""

import pytest
import torch
from torch.export import export

from executorch.dialects.errors import ExportError
from executorch.exir import to_edge
from executorch.exir.backend.test.op_partitioner_demo import AddMulPartitionerDemo
from executorch.exir.verification.interpreter import Interpreter


class Calls(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.register_buffer("weight", torch.arange(9.0).reshape(3, 3).cos())

    def forward(self, *args):
        return self.function(self, *args)


def program(function, *args, partitioner=None):
    manager = to_edge(export(Calls(function), args))
    if partitioner is not None:
        manager = manager.to_backend(partitioner)
    return manager.to_executorch().executorch_program


def test_a_program_gives_what_eager_gives():
    def function(module, x):
        values, places = torch.topk(x @ module.weight, 2)
        return torch.cat([values, values.mean(-1, keepdim=True)], 1), places, x.view(9)

    x = torch.randn(3, 3)
    interpreter = Interpreter(program(function, x))
    constants = [interpreter.load_value(i) for i in range(len(interpreter.execution_plan.values))]
    assert any(isinstance(one, torch.Tensor) and one.shape == (3, 3) for one in constants)
    for got, wanted in zip(interpreter.run(x), Calls(function)(x), strict=True):
        torch.testing.assert_close(got, wanted)


def test_branches_are_taken():
    def function(module, x):
        return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, [x])

    emitted = program(function, torch.ones(3))
    for x in (torch.ones(3), -torch.ones(3)):
        torch.testing.assert_close(Interpreter(emitted).run(x)[0], x * 2 if x[0] > 0 else x - 1)


def test_operators_are_named():
    emitted = program(lambda module, x: x * x - 1.0, torch.ones(3))
    assert set(Interpreter(emitted).get_operators_list()) == {torch.ops.aten.mul.out, torch.ops.aten.sub.out}
    assert len(Interpreter(emitted).get_value_list()) == len(emitted.execution_plan[0].values)


def test_what_it_cannot_run_is_said():
    delegated = program(lambda module, x: x + x, torch.ones(3), partitioner=AddMulPartitionerDemo())
    with pytest.raises(ExportError, match="calls a delegate"):
        Interpreter(delegated).run(torch.ones(3))
    with pytest.raises(ExportError, match="takes 1 inputs and was given 2"):
        Interpreter(delegated).run(torch.ones(3), torch.ones(3))
