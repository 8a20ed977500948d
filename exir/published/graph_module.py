"""Finding the control-flow bodies of a graph, and walking it with them."""

import operator
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

import torch
from torch._ops import HigherOrderOperator
from torch.fx import GraphModule, Node

#: ``(name, graph, node)``: the attribute that holds a body, the body, and the node that runs it.
Submodule: TypeAlias = tuple[str, GraphModule, Node]

_HOPS = torch.ops.higher_order
_COND_AND_WHILE: Mapping[HigherOrderOperator, list[int]] = {_HOPS.cond: [1, 2], _HOPS.while_loop: [0, 1]}
_MAP: Mapping[HigherOrderOperator, list[int]] = {_HOPS.map_impl: [0]}
_SCAN: Mapping[HigherOrderOperator, list[int]] = {_HOPS.scan: [0]}

LeafValue = (
    torch.Tensor,
    str,
    int,
    float,
    bool,
    complex,
    torch.dtype,
    torch.device,
    torch.memory_format,
    torch.layout,
    type(None),
)


def get_control_flow_submodules(graph_module: GraphModule) -> list[Submodule]:
    """Bodies of ``cond``, ``while_loop``, ``map`` and ``scan`` that nodes of this graph run, in order."""
    return _bodies(graph_module, {**_COND_AND_WHILE, **_MAP, **_SCAN})


def get_cond_while_submodules(graph_module: GraphModule) -> list[Submodule]:
    """Bodies of ``cond`` and ``while_loop`` only."""
    return _bodies(graph_module, _COND_AND_WHILE)


def get_scan_submodules(graph_module: GraphModule) -> list[Submodule]:
    """Bodies of ``scan`` only."""
    return _bodies(graph_module, _SCAN)


def _bodies(graph_module: GraphModule, positions: Mapping[HigherOrderOperator, list[int]]) -> list[Submodule]:
    found: list[Submodule] = []
    for node in graph_module.graph.nodes:
        if node.op != "call_function":
            continue
        for position in positions.get(node.target, ()):
            found.append(_get_submodule(graph_module, node, position))
    return found


def _get_submodule(graph_module: GraphModule, node: Node, arg_index: int) -> Submodule:
    """The body that is argument ``arg_index`` of ``node``, with its name."""
    body: Any = node.args[arg_index]
    if not isinstance(body, Node) or body.op != "get_attr":
        raise TypeError(
            f"argument {arg_index} of {node.format_node()} is {body!r}, not the body of a control-flow operator"
        )
    return str(body.target), operator.attrgetter(str(body.target))(graph_module), node


def bfs_trace_with_node_process(gm: GraphModule, node_op: Callable[[Node], None]) -> None:
    """Calls ``node_op`` with every node of the graph, then of its control-flow bodies, outer ones first."""
    waiting = deque([gm])
    while waiting:
        module = waiting.popleft()
        for node in list(module.graph.nodes):
            node_op(node)
        waiting.extend(body for _, body, _ in get_control_flow_submodules(module))


def contains_any_call_fn_target_op(graph_module: GraphModule, ops: Collection[Any]) -> bool:
    """True when a node of the graph, or of a control-flow body in it, calls one of ``ops``.

    An operator of torch stands for its edge operator too.
    """
    wanted = set(ops)

    def is_wanted(target: Any) -> bool:
        return target in wanted or getattr(target, "_op", target) in wanted

    def calls(module: GraphModule) -> bool:
        if any(node.op == "call_function" and is_wanted(node.target) for node in module.graph.nodes):
            return True
        return any(calls(body) for _, body, _ in get_control_flow_submodules(module))

    return calls(graph_module)
