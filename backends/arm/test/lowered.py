"""Models and functions, quantized and lowered to TOSA."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.arm.quantizer import TOSAQuantizer, get_symmetric_quantization_config
from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.backends.arm.tosa.graph.constants import name_of
from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.partitioner import get_lowered_submodules


class Call(torch.nn.Module):
    """A function as a model."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any) -> Any:
        return self.function(*inputs)


def as_model(function: Callable[..., Any]) -> torch.nn.Module:
    """A model of a function; a model is itself, for inference."""
    return (function if isinstance(function, torch.nn.Module) else Call(function)).eval()


def lowered(model: torch.nn.Module, inputs: tuple[Any, ...], spec: str = "TOSA-1.0+FP") -> ExportedProgram:
    """The edge program with its delegates."""
    partitioner = TOSAPartitioner(TosaCompileSpec(spec))
    exported = torch.export.export(model, inputs)
    return to_edge_transform_and_lower(exported, partitioner=[partitioner]).exported_program()


def quantized(
    model: torch.nn.Module,
    inputs: tuple[Any, ...],
    spec: str = "TOSA-1.0+INT",
    config: Any = None,
    samples: Sequence[tuple[Any, ...]] = (),
) -> torch.nn.Module:
    """The model after calibration with ``inputs`` and ``samples``."""
    quantizer = TOSAQuantizer(TosaCompileSpec(spec)).set_global(config or get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
    for one in (inputs, *samples):
        prepared(*one)
    return convert_pt2e(prepared)


def names_inside(program: ExportedProgram) -> set[str]:
    """Operators within delegates."""
    return {
        name_of(node)
        for _, one, _ in get_lowered_submodules(program.graph_module)
        for node in one.original_module.graph.nodes
        if node.op == "call_function"
    }
