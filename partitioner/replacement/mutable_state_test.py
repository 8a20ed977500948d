"""What becomes of state that a program writes when a backend takes what writes it."""

import pytest
import torch
from torch.export import export

from executorch.partitioner import get_lowered_backend_modules, to_backend
from executorch.partitioner.demo_for_tests import OpPartitioner, op_name
from executorch.partitioner.interface.errors import PartitionerContractError

INPUTS = (torch.rand(3),)


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        self.total.add_(x)
        return self.total * 2


class Weighing(torch.nn.Module):
    """A counter whose state is a parameter."""

    def __init__(self):
        super().__init__()
        self.total = torch.nn.Parameter(torch.zeros(3))

    def forward(self, x):
        with torch.no_grad():
            self.total.add_(x)
        return self.total * 2


def written(signature):
    return [*signature.buffers_to_mutate.values(), *signature.parameters_to_mutate.values()]


@pytest.mark.parametrize("model", [Counter, Weighing])
def test_mutable_state_stays_outside_unless_taken(model):
    program = export(model(), INPUTS).run_decompositions({})
    lowered = to_backend(program, OpPartitioner(["add.Tensor", "mul.Tensor"]))
    (module,) = get_lowered_backend_modules(lowered.graph_module)
    assert not module.original_module.constants and not module.original_module.state_dict
    assert written(lowered.graph_signature) == ["total"]
    assert len(module.original_module.graph_signature.user_outputs) == 2
    run = lowered.module()
    with torch.no_grad():
        assert [run(torch.ones(3))[0].item() for _ in range(3)] == [2.0, 4.0, 6.0]


@pytest.mark.parametrize("model", [Counter, Weighing])
def test_taken_mutable_state_is_the_delegates_own(model):
    program = export(model(), INPUTS).run_decompositions({})
    lowered = to_backend(program, OpPartitioner(["add.Tensor", "mul.Tensor"], mutable=True))
    (module,) = get_lowered_backend_modules(lowered.graph_module)
    inner = module.original_module.graph_signature
    assert written(inner) == ["total"]
    assert len(inner.user_outputs) == 1
    assert not written(lowered.graph_signature) and not lowered.state_dict


def test_a_mutable_buffer_cannot_be_split():
    class Reads(Counter):
        def forward(self, x):
            old = self.total * 2
            self.total.add_(x)
            return old

    program = export(Reads(), INPUTS).run_decompositions({})
    with pytest.raises(PartitionerContractError, match=r"buffer total is written.*mul.Tensor"):
        to_backend(program, OpPartitioner(["add.Tensor"], mutable=True))
    with pytest.raises(PartitionerContractError, match=r"buffer total is written.*but add "):
        to_backend(program, OpPartitioner(["mul.Tensor"], mutable=True))
    lowered = to_backend(
        export(Counter(), INPUTS).run_decompositions({}), OpPartitioner(["add.Tensor"], mutable=True)
    )
    assert not lowered.graph_signature.buffers_to_mutate
    calls = [node for node in lowered.graph.nodes if node.op == "call_function"]
    assert [op_name(node) for node in calls[1:]] == ["<built-in function getitem>", "mul.Tensor"]
