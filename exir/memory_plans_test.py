"""Memory plans through the front door: the documented examples, and buffers that methods share."""

from typing import Optional

import pytest
import torch
from torch.export.exported_program import ExportGraphSignature
from torch.fx import GraphModule

import executorch.exir as exir
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.memory_planning import MemoryPlanningAlgorithmSuite, Verifier, greedy, naive
from executorch.exir.pass_base import PassResult
from executorch.exir.passes import MemoryPlanningPass


# Word for word the example of the documentation's page on memory planning.
class CustomPoolMemoryPlanningPass(MemoryPlanningPass):
    def run(self, graph_module: GraphModule, graph_signature: Optional[ExportGraphSignature]) -> PassResult:  # noqa: UP045
        for subgm in graph_module.modules():
            if not isinstance(subgm, GraphModule):
                continue
            for node in subgm.graph.nodes:
                # mem_id = 1 placeholder and outputs of mul
                # mem_id = 2 for outputs of add
                # parent class will copy spec will to alloc nodes
                if node.op == "placeholder":
                    node.meta["spec"].mem_id = 1
                    continue

                if node.op != "call_function":
                    continue

                if node.target == torch.ops.aten.add.out:
                    node.meta["spec"].mem_id = 2
                elif node.target == torch.ops.aten.mul.out:
                    node.meta["spec"].mem_id = 1

        return super().run(graph_module, graph_signature)


class Pools(torch.nn.Module):
    def forward(self, a):
        b = a + a
        c = a + b
        d = b + c
        return c * d


def edge_program():
    return to_edge(torch.export.export(Pools(), (torch.ones(1),)))


def places(program):
    module = program.exported_program().graph_module
    ops = (torch.ops.aten.add.out, torch.ops.aten.mul.out)
    found = [
        node.meta["spec"] for node in module.graph.nodes if node.op == "placeholder" or node.target in ops
    ]
    return [(spec.mem_id, spec.mem_offset) for spec in found], module.meta["non_const_buffer_sizes"]


def test_the_documented_custom_pools():
    program = edge_program().to_executorch(
        exir.ExecutorchBackendConfig(
            memory_planning_pass=CustomPoolMemoryPlanningPass(
                memory_planning_algo=greedy,
            )
        )
    )
    found, sizes = places(program)
    assert [mem_id for mem_id, _ in found] == [1, 2, 2, 2, 1] and sizes == [0, 16, 48]


@pytest.mark.parametrize(
    ("algorithm", "expected", "sizes"),
    [
        (naive, [(1, 0), (2, 0), (2, 4), (2, 8), (1, 4)], [0, 8, 12]),
        (greedy, [(1, 0), (2, 8), (2, 4), (2, 0), (1, 0)], [0, 4, 12]),
    ],
)
def test_places_are_those_of_release_1_5(algorithm, expected, sizes):
    planner = CustomPoolMemoryPlanningPass(
        memory_planning_algo=MemoryPlanningAlgorithmSuite(algo_list=[algorithm]), alignment=1
    )
    program = edge_program().to_executorch(ExecutorchBackendConfig(memory_planning_pass=planner))
    assert places(program) == (expected, sizes)


def test_the_documented_flags():
    program = edge_program().to_executorch(
        exir.ExecutorchBackendConfig(
            memory_planning_pass=MemoryPlanningPass(
                alloc_graph_input=False,  # Inputs will not be memory planned
                alloc_graph_output=True,
            )
        )
    )
    module = program.exported_program().graph_module
    verifier = Verifier(module, alloc_graph_input=False, alloc_graph_output=True, alloc_mutable_buffers=True)
    verifier.verify_graph_input_output()
    (plan,) = program.executorch_program.execution_plan
    assert plan.values[plan.inputs[0]].val.allocation_info is None
    assert plan.values[plan.outputs[0]].val.allocation_info is not None


def test_an_algorithm_by_name():
    program = edge_program().to_executorch(
        ExecutorchBackendConfig(passes=[], memory_planning_pass=MemoryPlanningPass("greedy"))
    )
    assert places(program)[1] == [0, 48]


class Stateful(torch.nn.Module):
    """Its state is a buffer or a parameter."""

    def __init__(self, of_parameter):
        super().__init__()
        if of_parameter:
            self.state = torch.nn.Parameter(torch.zeros(4))
        else:
            self.register_buffer("state", torch.zeros(4))


class Writes(Stateful):
    def forward(self, x):
        with torch.no_grad():
            self.state.add_(x)
        return x * 2


class Reads(Stateful):
    def forward(self):
        return self.state + 1


class _FailsOnce(MemoryPlanningPass):
    fails = True

    def run(self, graph_module, graph_signature=None):
        result = super().run(graph_module, graph_signature)
        if self.fails:
            self.fails = False
            raise RuntimeError("out of ideas")
        return result


def test_a_lowering_that_failed_does_not_spoil_the_next():
    config = ExecutorchBackendConfig(memory_planning_pass=_FailsOnce(share_mutable_buffers=True))
    first = to_edge(torch.export.export(Writes(False), (torch.ones(4),)))
    with pytest.raises(RuntimeError, match="out of ideas"):
        first.to_executorch(config)
    larger = Writes(False)
    larger.state = torch.zeros(12)
    module = to_edge(torch.export.export(larger, (torch.ones(12),))).to_executorch(config).exported_program()
    assert module.graph_module.meta["non_const_buffer_sizes"][2] == 48


@pytest.mark.parametrize("of_parameter", [False, True])
def test_a_method_that_only_reads_shared_state_reads_the_shared_place(of_parameter):
    methods = {
        "read": torch.export.export(Reads(of_parameter), ()),
        "write": torch.export.export(Writes(of_parameter), (torch.ones(4),)),
    }
    placeholder = "p_state" if of_parameter else "b_state"
    edge = to_edge(methods)
    planner = MemoryPlanningPass(share_mutable_buffers=True)
    program = edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=planner))
    states = []
    for name in methods:
        module = program.exported_program(name).graph_module
        (state,) = (node for node in module.graph.nodes if node.name == placeholder)
        states.append((state.meta["spec"].mem_id, state.meta["spec"].mem_offset))
        assert module.meta["non_const_buffer_sizes"][2] == 16
    assert states == [(2, 0), (2, 0)]
    # Nothing is written by the method that reads, and without sharing the buffer is a constant to it.
    operators = [op.name for op in program.executorch_program.execution_plan[0].operators]
    assert operators == ["aten::add"]
    alone = edge.to_executorch().exported_program("read").graph_module
    assert not any(node.name == placeholder for node in alone.graph.nodes)
