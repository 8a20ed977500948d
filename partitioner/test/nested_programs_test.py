"""Delegates that are programs with delegates of their own, with the runtime that everybody has."""

import torch
from torch.export import export

from executorch.backends.executor import ExecutorPartitioner
from executorch.exir import to_edge
from executorch.exir.backend.test.op_partitioner_demo import AddMulPartitionerDemo
from executorch.runtime import Runtime


class Model(torch.nn.Module):
    def forward(self, a, x, b):
        return torch.mm(a - b, x) + b


def test_a_program_in_a_delegate_has_delegates_of_its_own():
    inputs = tuple(torch.randn(2, 2) for _ in range(3))
    manager = to_edge(export(Model(), inputs)).to_backend(AddMulPartitionerDemo())
    nested = manager.to_backend(ExecutorPartitioner()).to_executorch()
    (delegate,) = nested.executorch_program.execution_plan[0].delegates
    assert delegate.id == "ExecutorBackend"
    (result,) = Runtime.get().load_program(bytes(nested.buffer)).load_method("forward").execute(inputs)
    torch.testing.assert_close(result, Model()(*inputs))
