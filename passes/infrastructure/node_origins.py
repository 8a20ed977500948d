"""Which node of the exported program a node comes from: torch's ``from_node`` metadata.

``node.meta["from_node"]`` is a list of ``torch.fx.traceback.NodeSource``: what the node was made from, which in turn
says what it was made from. ``torch.export`` extends these chains whenever it traces a program again; here the same is
done for programs that are edited in place of being traced.
"""

import operator
from typing import Final

from torch.fx import GraphModule, Node
from torch.fx.traceback import NodeSource, NodeSourceAction

from executorch.dialects import meta_keys

_PASS_NAME: Final = "decompose"


def record_origins(copied: GraphModule, original: GraphModule) -> None:
    """Writes into the operators of ``copied`` that they come from those of ``original`` (in place).

    Selections of one of several results come from what gave the results, as torch has it. Bodies of control flow
    are included.

    Args:
        copied: what :func:`~executorch.ir.clone.copy_graph_module` made of ``original``, unchanged so far.
        original: left alone.
    """
    for new, old in zip(copied.graph.nodes, original.graph.nodes, strict=True):
        if new.op != "call_function":
            continue
        producer = new.args[0] if new.target is operator.getitem else None
        if isinstance(producer, Node) and meta_keys.FROM_NODE in producer.meta:
            new.meta[meta_keys.FROM_NODE] = producer.meta[meta_keys.FROM_NODE]
        else:
            new.meta[meta_keys.FROM_NODE] = [_source(old)]
    for name, child in copied.named_children():
        if isinstance(child, GraphModule):
            record_origins(child, getattr(original, name))


def _source(node: Node) -> NodeSource:
    # Not NodeSource(node): that copies the chain behind the node deeply, which costs more than all the rest. Chains
    # are never edited, so that nodes can share them.
    source = NodeSource(None, _PASS_NAME, NodeSourceAction.CREATE)
    source.node_info = NodeSource.NodeInfo(node.name, str(node.target), id(node.graph))
    source.from_node = node.meta.get(meta_keys.FROM_NODE) or []
    return source


def greatest_ancestor(node: Node) -> "NodeSource | None":
    """The oldest node that ``node`` is known to come from; None if nothing is known."""
    found: NodeSource | None = None
    sources = node.meta.get(meta_keys.FROM_NODE)
    while sources:
        found = sources[-1]
        sources = found.from_node
    return found


def get_greatest_ancestor_node_identifier(node: Node) -> str:
    """The oldest node that ``node`` is known to come from, as text: its name and graph (``linear.140046``).

    Nodes that one operator of an exported program decomposed into have the same identifier.

    Raises:
        KeyError: nothing is known of where ``node`` comes from.
    """
    ancestor = greatest_ancestor(node)
    if ancestor is None:
        raise KeyError(
            f"{node.name} has no {meta_keys.FROM_NODE!r} metadata. Way out: ask for operators of a program that "
            "to_edge() made; inputs and nodes that passes added out of nothing come from no node."
        )
    return f"{ancestor.name}.{ancestor.graph_id}"


__all__ = ["get_greatest_ancestor_node_identifier", "greatest_ancestor", "record_origins"]
