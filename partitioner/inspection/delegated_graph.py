"""Looking at graphs with delegates: what was lowered, what was not, and a print of both."""

from __future__ import annotations

import operator
from typing import TextIO

import torch

from executorch.dialects import meta_keys
from executorch.partitioner.interface.call_delegate import calls, executorch_call_delegate, is_lowered_module
from executorch.partitioner.interface.compile_spec import CompileSpec
from executorch.partitioner.interface.lowered_module import get_lowered_submodules

_STEP = "  "


def get_delegates(graph: torch.fx.Graph) -> list[torch.fx.Node]:
    """The ``get_attr`` nodes of lowered modules, in graph order."""
    calls = graph.find_nodes(op="call_function", target=executorch_call_delegate)
    called = {call.args[0] for call in calls}
    return [node for node in graph.find_nodes(op="get_attr") if node in called]


def is_delegate_result(node: torch.fx.Node) -> bool:
    """Whether the node is the ``getitem`` of a delegate call."""
    source = node.args[0] if node.op == "call_function" and node.args else None
    return (
        node.target is operator.getitem
        and isinstance(source, torch.fx.Node)
        and source.target is executorch_call_delegate
    )


def get_non_lowered_nodes(graph: torch.fx.Graph) -> list[torch.fx.Node]:
    """Operators that stay outside delegates; delegate calls and the ``getitem`` of their results are none."""
    return [
        node
        for node in calls(graph)
        if node.target is not executorch_call_delegate and not is_delegate_result(node)
    ]


def get_delegated_payload(
    graph_module: torch.fx.GraphModule,
) -> dict[str, tuple[str, list[CompileSpec], bytes]]:
    """Attribute name of each lowered module -> its backend id, compile specs and processed bytes."""
    return {
        name: (module.backend_id, module.compile_specs, module.processed_bytes)
        for name, module, _ in get_lowered_submodules(graph_module)
    }


def format_delegated_graph(graph_module: torch.fx.GraphModule) -> str:
    """The graph as text; below each ``get_attr`` of a delegate stand its backend and the graph inside it."""
    return "\n".join(["graph():", *_lines(graph_module, _STEP)]) + "\n"


def print_delegated_graph(graph_module: torch.fx.GraphModule, file: TextIO | None = None) -> None:
    """Prints :func:`format_delegated_graph`."""
    print(format_delegated_graph(graph_module), file=file)


def _lines(graph_module: torch.fx.GraphModule, indent: str) -> list[str]:
    lines = []
    for node in graph_module.graph.nodes:
        text = node.format_node()
        if text is not None:
            lines.append(indent + text)
        if node.op != "get_attr":
            continue
        module = operator.attrgetter(str(node.target))(graph_module)
        if is_lowered_module(module):
            lines.append(indent + _STEP + f"backend_id: {module.backend_id}")
            lines.append(indent + _STEP + "lowered graph():")
            lines += _lines(module.original_module.graph_module, indent + 2 * _STEP)
    return lines


def is_shape_dynamic(node: torch.fx.Node) -> bool:
    """Whether the tensor that the node gives (or one of several) has a symbolic size."""
    value = node.meta.get(meta_keys.VAL)
    tensors = value if isinstance(value, (tuple, list)) else [value]
    return any(
        isinstance(size, torch.SymInt)
        for one in tensors
        if isinstance(one, torch.Tensor)
        for size in one.shape
    )
