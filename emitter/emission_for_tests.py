"""What the tests of emission share: emitting a graph and looking at the result."""

from __future__ import annotations

from typing import Any

import torch

from executorch.emitter import EmitterOutput, emit_program
from executorch.memory_planning import MemoryPlanningPass
from executorch.memory_planning.testing import ExecutionGraph, planned
from executorch.schema.program import ExecutionPlan


def emit(
    graph: ExecutionGraph, planner: MemoryPlanningPass | None = None, **options: Any
) -> tuple[EmitterOutput, ExecutionPlan]:
    """The output and the plan of a graph as `forward`."""
    program = planned(graph, (planner or MemoryPlanningPass()).run)
    output = emit_program({"forward": program}, **options)
    return output, output.program.execution_plan[0]


def add_constants(*tensors: torch.Tensor) -> ExecutionGraph:
    """A graph that adds them to its input, one after the other."""
    graph = ExecutionGraph()
    result = graph.input(*tensors[0].shape)
    for number, tensor in enumerate(tensors):
        result = graph.add(result, graph.constant(tensor, name=f"w{number}"))
    return graph.output(result)


def calls(plan: ExecutionPlan) -> list[Any]:
    """The instructions."""
    return [instruction.instr_args for instruction in plan.chains[0].instructions]


def operators(plan: ExecutionPlan) -> list[str]:
    """Names of the operators."""
    return [f"{op.name}.{op.overload}" for op in plan.operators]


def value(plan: ExecutionPlan, number: int) -> Any:
    """A value by number."""
    return plan.values[number].val


def arguments(plan: ExecutionPlan, call: int = 0) -> list[Any]:
    """The values that a kernel call receives."""
    return [value(plan, number) for number in calls(plan)[call].args]
