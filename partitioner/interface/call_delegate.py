"""The instruction in the graph that runs a delegate: ``executorch_call_delegate(lowered_module, *inputs)``.

torch ships the operator itself (tracing, fake tensors and autograd included); this module is its address in
this project, with what is needed to recognise and to number lowered modules.
"""

import torch

from executorch.dialects.torch_types import (
    LOWERED_BACKEND_MODULE_TYPE,
    executorch_call_delegate,
    get_lowered_module_name,
    is_lowered_module,
)


def calls(graph: torch.fx.Graph) -> list[torch.fx.Node]:
    """The ``call_function`` nodes of a graph, in its order: operators, ``getitem`` and delegate calls."""
    return [node for node in graph.nodes if node.op == "call_function"]


__all__ = [
    "LOWERED_BACKEND_MODULE_TYPE",
    "calls",
    "executorch_call_delegate",
    "get_lowered_module_name",
    "is_lowered_module",
]
