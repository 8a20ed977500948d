"""Facts about one graph."""

import hashlib
from collections.abc import Iterable
from typing import Any

from torch.fx import Graph, GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.torch_types import FakeTensor, FakeTensorMode
from executorch.dialects.verifiers import graph_modules


def output_arguments(graph: Graph) -> tuple[Any, ...]:
    """What the graph returns, as a flat tuple of nodes and constants."""
    (result,) = graph.output_node().args
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def sole_user(node: Node) -> "Node | None":
    """The only node that reads ``node``; None if there is none or more than one."""
    return next(iter(node.users)) if len(node.users) == 1 else None


def fake_mode_of(nodes: Iterable[Node]) -> "FakeTensorMode | None":
    """The fake mode of the first fake tensor among the nodes' example values; None where no node has one."""
    for node in nodes:
        value = node.meta.get(meta_keys.VAL)
        for item in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(item, FakeTensor):
                return item.fake_mode
    return None


def fingerprint(graph_module: GraphModule) -> bytes:
    """A digest of everything in the graph and its control-flow bodies but node meta."""
    digest = hashlib.sha256()
    for module in graph_modules(graph_module):
        for node in module.graph.nodes:
            digest.update(f"{node.op}|{node.name}|{node.target}|{node.args}|{node.kwargs}\n".encode())
    return digest.digest()
