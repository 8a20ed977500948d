"""Lowers modules, and runs what became of them with the interpreter."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import torch

from executorch.backends.vulkan import VulkanPartitioner
from executorch.backends.vulkan.test import cases, models
from executorch.backends.vulkan.test.interpreter import Interpreter
from executorch.exir import EdgeProgramManager, to_edge_transform_and_lower
from executorch.ir.graph import output_arguments
from executorch.partitioner import get_lowered_submodules


def lower(
    module: torch.nn.Module,
    inputs: tuple[Any, ...],
    options: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    **further: Any,
) -> EdgeProgramManager:
    """The edge program with its delegates."""
    if not isinstance(module, torch.fx.GraphModule):  # as after quantization, where it can do without
        module.eval()
    exported = torch.export.export(module, inputs, dynamic_shapes=dynamic_shapes)
    found: EdgeProgramManager = to_edge_transform_and_lower(
        exported, partitioner=[VulkanPartitioner(options, **further)]
    )
    return found


@functools.cache
def lowered(name: str, half: bool = False) -> EdgeProgramManager:
    """The edge program of a group of calls or of a model, by its name."""
    return lower(*example(name), {"force_fp16": True} if half else None)


def example(name: str) -> tuple[torch.nn.Module, tuple[Any, ...]]:
    """A group of calls or a model, and inputs."""
    return cases.make(name) if name in cases.GROUPS else models.make(name)


def delegates(edge: EdgeProgramManager) -> list[Interpreter]:
    """An interpreter for each delegate."""
    found = []
    for _, lowered, _ in get_lowered_submodules(edge.exported_program().graph_module):
        stored = lowered.named_data_store_output
        data = (
            {}
            if stored is None
            else {key: stored.buffers[one.buffer_index] for key, one in stored.pte_data.items()}
        )
        found.append(Interpreter(lowered.processed_bytes, data))
    return found


def only(edge: EdgeProgramManager) -> Interpreter:
    """The one delegate, which is the whole program; its results come in any order."""
    graph = edge.exported_program().graph
    outside = [str(node.target) for node in graph.nodes if node.op == "call_function"]
    assert {one for one in outside if "getitem" not in one} == {"executorch_call_delegate"}, outside
    (found,) = delegates(edge)
    found.order = [node.args[1] for node in output_arguments(graph)]
    return found


def names(delegate: Interpreter) -> list[str]:
    """The calls of a delegate, in order."""
    return [call.name for call in delegate.graph.chain]


def check(
    delegate: Interpreter, module: torch.nn.Module, inputs: tuple[Any, ...], tolerance: float = 1e-5
) -> None:
    """Compares with eager PyTorch."""
    wanted = torch.utils._pytree.tree_leaves(module(*inputs))
    results = delegate(*inputs)
    for position, want in zip(delegate.order, wanted, strict=True):
        got = results[position]
        torch.testing.assert_close(got, want, atol=tolerance, rtol=tolerance)
