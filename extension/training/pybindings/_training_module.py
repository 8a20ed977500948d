"""Programs of joint graphs: results, gradients and parameters of a method."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from executorch.runtime import Error, ExecuTorchError, Method, Program, Runtime

if TYPE_CHECKING:
    import torch

#: What the methods are called that say where the sections of a method's outputs begin, and what the parameters are.
GRADIENTS_METHOD_PREFIX = "__et_training_gradients_index_"
PARAMETERS_METHOD_PREFIX = "__et_training_parameters_index_"
FQN_METHOD_PREFIX = "__et_training_fqn_"


@dataclass
class _Joint:
    """A method whose outputs are results, then gradients, then parameters."""

    method: Method
    gradients: int
    parameters: int
    names: list[str]
    outputs: list[Any]

    def named(self, begin: int) -> dict[str, torch.Tensor]:
        """The outputs from ``begin`` on, one for each parameter, under its name."""
        return dict(zip(self.names, self.outputs[begin:], strict=False))


class TrainingModule:
    """A program with joint graphs: the loss and other results, the gradients, and the parameters.

    Parameters and gradients are tensors in the memory of the method: an optimizer that writes to the parameters
    changes what the next run computes with.
    """

    gradients_method_prefix = GRADIENTS_METHOD_PREFIX
    parameters_method_prefix = PARAMETERS_METHOD_PREFIX
    fqn_method_prefix = FQN_METHOD_PREFIX

    def __init__(self, program: Program) -> None:
        self._program = program
        self._methods: dict[str, _Joint] = {}
        self._last: _Joint | None = None

    def forward_backward(self, method_name: str, inputs: Sequence[Any]) -> list[Any]:
        """Runs a method.

        Args:
            method_name: Its name.
            inputs: One value for each input, as for :meth:`executorch.runtime.Method.execute`.

        Returns:
            The results in front of the gradients; the loss is the first one.

        Raises:
            ExecuTorchError: ``InvalidProgram``: the program was not exported for training; otherwise as for
                :meth:`executorch.runtime.Method.execute`.
        """
        joint = self._joint(method_name)
        joint.outputs = joint.method.execute(list(inputs), clone_outputs=False)
        if len(joint.outputs) < joint.parameters + len(joint.names):
            raise _not_for_training(
                method_name,
                f"it has {len(joint.outputs)} outputs, but {len(joint.names)} parameters should be there from output "
                f"{joint.parameters} on",
            )
        self._last = joint
        # A result of the user's stays what it was, whatever runs next.
        return [_copied(value) for value in joint.outputs[: joint.gradients]]

    def named_gradients(self) -> dict[str, torch.Tensor]:
        """The gradients of the last run under the names of their parameters.

        Raises:
            RuntimeError: Nothing was run yet.
        """
        last = self._run("named_gradients")
        return last.named(last.gradients)

    def named_parameters(self) -> dict[str, torch.Tensor]:
        """The parameters of the last run by name.

        Raises:
            RuntimeError: Nothing was run yet.
        """
        last = self._run("named_parameters")
        return last.named(last.parameters)

    named_grads = named_gradients
    named_params = named_parameters

    def _run(self, what: str) -> _Joint:
        if self._last is None:
            raise RuntimeError(f"Must call forward_backward before {what}: the tensors are outputs of a run")
        return self._last

    def _joint(self, name: str) -> _Joint:
        if name not in self._methods:
            gradients = self._index(GRADIENTS_METHOD_PREFIX, name)
            parameters = self._index(PARAMETERS_METHOD_PREFIX, name)
            names = self._constants(FQN_METHOD_PREFIX, name)
            if not all(isinstance(text, str) for text in names):
                raise _not_for_training(name, "the names of its parameters are no text")
            if parameters - gradients != len(names):
                raise _not_for_training(
                    name, f"outputs {gradients} to {parameters} are no gradients of {len(names)} parameters"
                )
            method = self._program.load_method(name)
            self._methods[name] = _Joint(method, gradients, parameters, names, [])
        return self._methods[name]

    def _constants(self, prefix: str, name: str) -> list[Any]:
        if name not in self._program.method_names:
            # Says which methods there are.
            self._program.load_method(name)
        if prefix + name not in self._program.method_names:
            raise _not_for_training(name, f"there is no method {prefix + name!r}")
        return self._program.load_method(prefix + name).execute([])

    def _index(self, prefix: str, name: str) -> int:
        values = self._constants(prefix, name)
        if len(values) != 1 or not isinstance(values[0], int) or values[0] < 0:
            raise _not_for_training(name, f"{prefix + name!r} gives no index but {values}")
        return values[0]


def _copied(value: Any) -> Any:
    return value.clone() if hasattr(value, "clone") else value


def _not_for_training(method_name: str, reason: str) -> ExecuTorchError:
    way_out = (
        "Way out: call torch.export.experimental._export_forward_backward() on the model before to_edge()"
    )
    return ExecuTorchError(
        f"training with method {method_name!r}",
        Error.InvalidProgram,
        (f"It is no joint graph: {reason}", way_out),
    )


def _load_for_executorch_for_training(
    path: str | os.PathLike[str], data_path: str | os.PathLike[str] | None = None
) -> TrainingModule:
    """Loads a program for training.

    Args:
        path: The `.pte` file.
        data_path: A `.ptd` file with its weights.

    Raises:
        ExecuTorchError: The file is missing or wrong.
    """
    return _load(path, data_path)


def _load_for_executorch_for_training_from_buffer(
    buffer: bytes, data_buffer: bytes | None = None
) -> TrainingModule:
    """As :func:`_load_for_executorch_for_training`, from the contents of the files."""
    return _load(buffer, data_buffer)


def _load(program: Any, data: Any) -> TrainingModule:
    import torch  # noqa: F401 - outputs are torch tensors where torch is imported, and an optimizer writes to them.

    options: Mapping[str, Any] = {} if data is None else {"data_path": data}
    return TrainingModule(Runtime.get().load_program(program, **options))


__all__ = [
    "TrainingModule",
    "_load_for_executorch_for_training",
    "_load_for_executorch_for_training_from_buffer",
]
