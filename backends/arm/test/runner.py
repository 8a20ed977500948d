"""Runs lowered programs without a device: delegates go through TOSA's reference model, the rest through PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
import tosa_reference_model
from torch.export import ExportedProgram
from torch.fx import GraphModule, Interpreter

from executorch.partitioner.interface.call_delegate import executorch_call_delegate


def run_tosa(binary: bytes, inputs: Sequence[np.ndarray], level: str = "EIGHTK") -> list[np.ndarray]:
    """The outputs of a TOSA file.

    Raises:
        RuntimeError: the reference model refuses the file.
    """
    arrays = [np.ascontiguousarray(one).reshape(np.shape(one)) for one in inputs]
    outputs, status = tosa_reference_model.run(binary, arrays, tosa_level=level)
    if status != tosa_reference_model.GraphStatus.TOSA_VALID:
        raise RuntimeError(f"the reference model refuses the graph: {status}")
    return list(outputs)


class _Run(Interpreter):
    """Calls delegates with ``run_delegate(bytes, tensors)``."""

    def __init__(
        self, module: GraphModule, run_delegate: Callable[[bytes, list[torch.Tensor]], list[Any]]
    ) -> None:
        super().__init__(module)
        self._run_delegate = run_delegate
        self.calls = 0

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        if target is not executorch_call_delegate:
            return super().call_function(target, args, kwargs)
        self.calls += 1
        return self._run_delegate(args[0].processed_bytes, list(args[1:]))


def with_reference_model(binary: bytes, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    """A delegate of ``TOSABackend``."""
    made = run_tosa(binary, [one.detach().contiguous().numpy() for one in inputs])
    return [torch.from_numpy(np.ascontiguousarray(one).reshape(one.shape)) for one in made]


def run_program(
    program: ExportedProgram,
    inputs: Sequence[Any],
    run_delegate: Callable[[bytes, list[torch.Tensor]], list[Any]] = with_reference_model,
) -> tuple[list[Any], int]:
    """Outputs of a lowered edge program, and how many delegates ran."""
    state = []
    for spec in program.graph_signature.input_specs:
        if spec.target is not None:
            found = program.state_dict.get(spec.target)
            state.append(program.constants[spec.target] if found is None else found)
    interpreter = _Run(program.graph_module, run_delegate)
    with torch.no_grad():
        outputs = interpreter.run(*state, *inputs)
    return list(outputs), interpreter.calls
