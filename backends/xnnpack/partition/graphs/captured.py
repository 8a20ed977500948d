"""Edge graphs of small functions."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule


class _Calling(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def forward(self, *inputs: Any) -> Any:
        return self._function(*inputs)


def edge_graph(function: Callable[..., Any], inputs: tuple[Any, ...], preserve: list[Any]) -> GraphModule:
    """The edge graph of a function of tensors, without unused nodes.

    A backend stands below the front door, so ``executorch.exir`` is looked up when its user calls this.

    Args:
        function: what is captured.
        inputs: it is captured with.
        preserve: operators that stay whole.
    """
    capture = importlib.import_module("executorch.exir")
    config = capture.EdgeCompileConfig(_check_ir_validity=False, preserve_ops=preserve)
    captured = torch.export.export(_Calling(function), inputs, strict=True)
    graph_module: GraphModule = (
        capture.to_edge(captured, compile_config=config).exported_program().graph_module
    )
    graph_module.graph.eliminate_dead_code()
    graph_module.recompile()
    return graph_module
