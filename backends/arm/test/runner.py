"""Runs lowered programs without a device: delegates go through TOSA's reference model, the rest through PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
import tosa_reference_model
from torch.export import ExportedProgram
from torch.fx import GraphModule, Interpreter

from executorch.backends.arm.tosa.graph.lowering import memory_order
from executorch.backends.arm.tosa.graph.narrow import EXTENSIONS
from executorch.dialects import meta_keys
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
        lowered = args[0]
        graph = lowered.original_module.graph
        given = [node.meta[meta_keys.VAL] for node in graph.nodes if node.name in _user_inputs(lowered)]
        tensors = [
            one.permute(memory_order(value)) if isinstance(one, torch.Tensor) else one
            for one, value in zip(args[1:], given, strict=True)
        ]
        made = self._run_delegate(lowered.processed_bytes, tensors)
        wanted = [node.meta[meta_keys.VAL] for node in graph.output_node().args[0]]
        return [
            _typed(one, value).permute([memory_order(value).index(i) for i in range(value.dim())])
            for one, value in zip(made, wanted, strict=True)
        ]


def _user_inputs(lowered: Any) -> set[str]:
    return set(lowered.original_module.graph_signature.user_inputs)


def with_reference_model(binary: bytes, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    """A delegate of ``TOSABackend``."""
    made = run_tosa(binary, [_to_array(one.detach().contiguous()) for one in inputs])
    return [_to_tensor(np.ascontiguousarray(one).reshape(one.shape)) for one in made]


def _to_array(tensor: torch.Tensor) -> np.ndarray:
    """The bits of what numpy has not."""
    if tensor.dtype in EXTENSIONS:
        tensor = tensor.view(torch.uint16 if tensor.dtype is torch.bfloat16 else torch.uint8)
    return tensor.numpy()


def _to_tensor(array: np.ndarray) -> torch.Tensor:
    if array.dtype.kind == "V":
        array = array.view(np.int16 if array.dtype.itemsize == 2 else np.uint8).reshape(array.shape)
    return torch.from_numpy(array)


def _typed(tensor: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Bits as what they stand for."""
    return tensor.view(like.dtype) if like.dtype in EXTENSIONS else tensor


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
