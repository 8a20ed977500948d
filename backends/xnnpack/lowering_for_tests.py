"""What tests of operators have in common: a function as a module, its lowering, and what stayed outside delegates."""

from collections.abc import Callable
from typing import Any

import torch
from torch.export import export

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.exir import EdgeProgramManager, to_edge_transform_and_lower


class Call(torch.nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any) -> Any:
        return self.function(*inputs)


def lowered(model: torch.nn.Module, inputs: tuple[Any, ...], **options: Any) -> EdgeProgramManager:
    """The model for XNNPACK; options are those of ``torch.export.export``."""
    program = export(model.eval(), inputs, **options)
    return to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])


def operators_left(edge: EdgeProgramManager) -> list[str]:
    """The operators outside delegates, in order."""
    return [
        str(node.target)
        for node in edge.exported_program().graph.nodes
        if node.op == "call_function"
        and "delegate" not in str(node.target)
        and "getitem" not in str(node.target)
    ]


__all__ = ["Call", "lowered", "operators_left"]
