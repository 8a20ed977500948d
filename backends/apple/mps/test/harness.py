"""Lowers modules, and runs what became of them with the interpreter."""

from __future__ import annotations

from typing import Any

import torch

from executorch.backends.apple.mps.partition import MPSPartitioner
from executorch.backends.apple.mps.test.interpreter import Interpreter
from executorch.exir import EdgeProgramManager, to_edge_transform_and_lower
from executorch.ir.graph import output_arguments
from executorch.partitioner import CompileSpec, get_lowered_submodules

FULL = [CompileSpec("use_fp16", bytes([False]))]


class Apply(torch.nn.Module):
    """A function as a module."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any) -> Any:
        return self.function(*inputs)


def lower(
    module: torch.nn.Module, inputs: tuple[Any, ...], specs: Any = FULL, dynamic_shapes: Any = None
) -> EdgeProgramManager:
    """The edge program with its delegates."""
    exported = torch.export.export(module.eval(), inputs, dynamic_shapes=dynamic_shapes)
    found: EdgeProgramManager = to_edge_transform_and_lower(exported, partitioner=[MPSPartitioner(specs)])
    return found


def delegates(edge: EdgeProgramManager) -> list[Interpreter]:
    """An interpreter for each delegate."""
    found = get_lowered_submodules(edge.exported_program().graph_module)
    return [Interpreter(one.processed_bytes) for _, one, _ in found]


def only(edge: EdgeProgramManager) -> Interpreter:
    """The one delegate, which is the whole program; its results come in any order."""
    graph = edge.exported_program().graph
    outside = [str(node.target) for node in graph.nodes if node.op == "call_function"]
    assert {one for one in outside if "getitem" not in one} == {"executorch_call_delegate"}, outside
    (found,) = delegates(edge)
    found.order = [node.args[1] for node in output_arguments(graph)]
    return found


def largest_difference(
    delegate: Interpreter, module: torch.nn.Module, inputs: tuple[Any, ...], tolerance: float = 1e-5
) -> float:
    """Compares with eager PyTorch; how far the results are apart, in parts of the largest."""
    with torch.no_grad():
        wanted = torch.utils._pytree.tree_leaves(module(*inputs))
    results, worst = delegate(*inputs), 0.0
    for position, want in zip(delegate.order, wanted, strict=True):
        got = results[position]
        torch.testing.assert_close(got, want, atol=tolerance, rtol=tolerance, equal_nan=True)
        if want.is_floating_point() and bool(want.isfinite().all()):
            scale = float(want.abs().max()) or 1.0
            worst = max(worst, float((got - want).abs().max()) / scale)
    return worst
