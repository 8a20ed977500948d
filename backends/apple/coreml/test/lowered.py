"""Lowers models to Core ML and runs what came out: delegates through the interpreter, the rest through PyTorch."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Interpreter

from executorch.backends.apple.coreml.compiler import CoreMLBackend
from executorch.backends.apple.coreml.compiler.multifunction import read_reference
from executorch.backends.apple.coreml.compiler.package import unflatten, write_files
from executorch.backends.apple.coreml.compiler.toolbox import coremltools
from executorch.backends.apple.coreml.partition import CoreMLPartitioner
from executorch.backends.apple.coreml.test.mil.interpreter import MilInterpreter
from executorch.backends.apple.coreml.test.mil.model import MilProgram, read_package
from executorch.exir import to_edge_transform_and_lower
from executorch.ir.graph import output_arguments
from executorch.ir.mutations import is_returned
from executorch.ir.signature import state_inputs, state_value
from executorch.partitioner import NamedDataStoreOutput
from executorch.partitioner.interface.call_delegate import executorch_call_delegate


def specs(half: bool = False, ios: str | None = None) -> Any:
    """Compile specs in single precision unless ``half``."""
    ct = coremltools()
    return CoreMLBackend.generate_compile_specs(
        compute_precision=ct.precision.FLOAT16 if half else ct.precision.FLOAT32,
        minimum_deployment_target=None if ios is None else ct.target[ios],
    )


def lowered(program: ExportedProgram, compile_specs: Any = None, **options: Any) -> Any:
    """The edge program manager."""
    partitioner = CoreMLPartitioner(compile_specs=compile_specs or specs(), **options)
    return to_edge_transform_and_lower(program, partitioner=[partitioner])


def model_of(data: bytes, named: NamedDataStoreOutput | None = None) -> MilProgram:
    """The model in a delegate's bytes, or in the data that they name."""
    function = "main"
    found = read_reference(data)
    if found is not None:
        assert named is not None
        key, function = found
        data = bytes(named.buffers[named.pte_data[key].buffer_index])
    with tempfile.TemporaryDirectory() as temporary:
        write_files(unflatten(data), Path(temporary))
        return read_package(Path(temporary) / "model.mlpackage", function)


class LoweredProgram(Interpreter):
    """A lowered program that keeps its state from call to call.

    Attributes:
        ran: operators of Core ML that have run.
    """

    def __init__(self, program: ExportedProgram) -> None:
        super().__init__(program.graph_module)
        self._state = [state_value(program, spec) for spec in state_inputs(program.graph_signature).values()]
        self._models: dict[int, MilInterpreter] = {}

    def __call__(self, *inputs: Any) -> list[Any]:
        with torch.no_grad():
            return list(self.run(*self._state, *inputs))

    @property
    def ran(self) -> set[str]:
        return {name for one in self._models.values() for name in one.ran}

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        if target is not executorch_call_delegate:
            return super().call_function(target, args, kwargs)
        module, given = args[0], args[1:]
        if id(module) not in self._models:
            held = model_of(module.processed_bytes, module.named_data_store_output)
            self._models[id(module)] = MilInterpreter(held)
        model = self._models[id(module)]
        results = model.run([_as_core_ml_has_it(one) for one in given])
        wanted = _returned(module.original_module)
        return [_as_pytorch_has_it(one, like) for one, like in zip(results, wanted, strict=True)]


def _returned(program: ExportedProgram) -> list[torch.Tensor]:
    """Examples of what a delegate gives back; its state is not among them."""
    specs = program.graph_signature.output_specs
    nodes = output_arguments(program.graph)
    return [
        node.meta["val"]
        for node, spec in zip(nodes, specs, strict=True)
        if is_returned(spec, program.graph_signature)
    ]


def _as_core_ml_has_it(value: Any) -> torch.Tensor:
    value = torch.as_tensor(value)
    order = value.dim_order()
    value = value.permute(order).contiguous()
    value = value.reshape(1) if value.dim() == 0 else value
    return value.to(torch.int32) if value.dtype == torch.int64 else value


def _as_pytorch_has_it(value: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    value = value.contiguous()  # as Core ML hands it over
    order = like.dim_order()
    if value.dim() == len(order):
        value = value.permute([order.index(dim) for dim in range(len(order))])
    else:
        value = value.reshape([int(size) for size in like.shape])
    return value.to(like.dtype)
