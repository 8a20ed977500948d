"""Takes a specimen through the whole pipeline and says how far its program is from eager PyTorch."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils import _pytree as pytree

from executorch.exir import EdgeProgramManager, ExecutorchProgramManager, to_edge, to_edge_transform_and_lower
from executorch.runtime import Runtime
from executorch.tests.zoo.specimen import Specimen

Lower = Callable[[torch.export.ExportedProgram], EdgeProgramManager]


@dataclass(frozen=True)
class Outcome:
    """What came of one specimen.

    Attributes:
        error: largest error over all outputs and inputs, as a share of the largest magnitude of the output.
        planned_bytes: memory that the planner gave to activations.
        program_bytes: size of the program with its weights.
        operators: operator calls in the program.
    """

    error: float
    planned_bytes: int
    program_bytes: int
    operators: int


def lower(specimen: Specimen, lowering: Lower = to_edge_transform_and_lower) -> ExecutorchProgramManager:
    """``torch.export``, ``lowering`` (no partitioner), ``to_executorch``."""
    program = torch.export.export(specimen.module, specimen.inputs, dynamic_shapes=specimen.dynamic_shapes)
    return lowering(program).to_executorch()


def relative_error(actual: Any, expected: Any) -> float:
    """Largest error of any output, as a share of the largest magnitude of that output.

    Raises:
        AssertionError: outputs differ in number, dtype or shape, or in a value that has no rounding.
    """
    leaves = pytree.tree_leaves(expected)
    assert len(actual) == len(leaves), f"{len(actual)} outputs, eager gives {len(leaves)}"
    worst = 0.0
    for index, (left, right) in enumerate(zip(actual, leaves, strict=True)):
        if not isinstance(right, torch.Tensor):
            assert left == right, f"output {index} is {left}, eager gives {right}"
            continue
        assert (left.shape, left.dtype) == (right.shape, right.dtype), (
            f"output {index} is {left.dtype} {tuple(left.shape)}, eager gives {right.dtype} {tuple(right.shape)}"
        )
        if not right.is_floating_point():
            assert torch.equal(left, right), f"output {index} of {right.dtype} differs from eager"
            continue
        assert right.isfinite().all(), f"output {index} of eager is not finite: the specimen shows nothing"
        scale = right.abs().max().item() or 1.0
        error = ((left.double() - right.double()).abs().max() / scale).item()
        worst = max(worst, float("inf") if error != error else error)
    return worst


def planned_bytes(executable: ExecutorchProgramManager) -> int:
    """Bytes of all planned buffers of ``forward``."""
    (plan,) = executable.executorch_program.execution_plan
    return sum(plan.non_const_buffer_sizes)


def run(specimen: Specimen, lowering: Lower = to_edge_transform_and_lower) -> Outcome:
    """Lowers ``specimen``, runs it in the runtime beside eager on all its inputs, and compares."""
    eager = copy.deepcopy(specimen.module)
    executable = lower(specimen, lowering)
    method = Runtime.get().load_program(executable.buffer).load_method("forward")
    worst = 0.0
    for inputs in (specimen.inputs, *specimen.others, specimen.inputs):
        with torch.no_grad():
            expected = eager(*copy.deepcopy(inputs))
        worst = max(worst, relative_error(method.execute(pytree.tree_leaves(inputs)), expected))
    (plan,) = executable.executorch_program.execution_plan
    return Outcome(
        error=worst,
        planned_bytes=planned_bytes(executable),
        program_bytes=len(executable.buffer),
        operators=sum(len(chain.instructions) for chain in plan.chains),
    )


__all__ = ["Outcome", "lower", "planned_bytes", "relative_error", "run", "to_edge"]
