"""Runs the program of a model package on the CPU: the oracle for numbers where there is no Core ML.

Each operation is calculated in PyTorch as the format describes it, and its results are rounded to the elements that the program
declares for them; half precision is calculated in single precision and rounded, operation by operation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from executorch.backends.apple.coreml.test.mil import elementwise, layers, movers
from executorch.backends.apple.coreml.test.mil.model import MilProgram, Name, Operation

OPERATORS = {**elementwise.OPERATORS, **movers.OPERATORS, **layers.OPERATORS}


class MilInterpreter:
    """A loaded model with its state.

    Attributes:
        program: what was read.
        states: values by name, zeros at first as on a device.
        ran: operators that have run.
    """

    def __init__(self, program: MilProgram) -> None:
        self.program = program
        self.states = {name: value.clone() for name, value in program.states.items()}
        self.ran: set[str] = set()

    def run(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The outputs, in order."""
        values: dict[str, Any] = dict(zip(self.program.inputs, inputs, strict=True))
        for operation in self.program.operations:
            self.ran.add(operation.kind)
            for (name, dtype), made in zip(operation.outputs, self._results(operation, values), strict=True):
                if dtype is not None and isinstance(made, torch.Tensor):
                    made = made.to(dtype)
                values[name] = made
        return [values[name] for name in self.program.outputs]

    def _results(self, operation: Operation, values: dict[str, Any]) -> Sequence[Any]:
        given = {name: self._resolved(one, values) for name, one in operation.inputs.items()}
        if operation.kind == "const":
            return [given["val"]]
        if operation.kind == "read_state":
            return [self.states[operation.inputs["input"].of]]
        if operation.kind == "write_state":
            self.states[operation.inputs["input"].of] = given["data"]
            return []
        if operation.kind not in OPERATORS:
            raise NotImplementedError(f"the interpreter has no operator {operation.kind}")
        try:
            made = OPERATORS[operation.kind](**{name: _wide(one) for name, one in given.items()})
        except Exception as error:
            raise RuntimeError(f"{operation.kind} of {operation.outputs}: {error}") from error
        return made if isinstance(made, tuple | list) else [made]

    def _resolved(self, argument: Any, values: dict[str, Any]) -> Any:
        if isinstance(argument, list):
            return [self._resolved(one, values) for one in argument]
        if not isinstance(argument, Name):
            return argument
        return values.get(argument.of, self.states.get(argument.of))


def _wide(value: Any) -> Any:
    if isinstance(value, list):
        return [_wide(one) for one in value]
    is_half = isinstance(value, torch.Tensor) and value.dtype == torch.float16
    return value.float() if is_half else value
