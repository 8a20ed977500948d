"""A dynamic quantization of its own for every user, so that each can be delegated with its user."""

from __future__ import annotations

import operator

import torch
from torch.fx import Graph, GraphModule, Node
from torch.fx.passes.infra.pass_base import PassBase, PassResult

_CHOICES = ("choose_qparams",)
_QUANTIZATIONS = ("quantize_per_tensor", "quantize_per_token", "quantize_affine")
_DEQUANTIZATIONS = ("dequantize_per_tensor", "dequantize_per_token", "dequantize_affine")


class DuplicateDynamicQuantChainPass(PassBase):
    """Copies ``choose_qparams -> quantize -> dequantize`` for every user of the dequantized value but the first.

    After ``convert_pt2e`` several linear layers may share one dynamically quantized input. A partitioner that takes
    each layer with the quantization of its input would need the chain in every partition; this pass gives each its
    own. What reads only a size of the dequantized value stays on the first copy. ATen and edge graphs.
    """

    def call(self, graph_module: GraphModule) -> PassResult:
        modified = False
        for module in graph_module.modules():
            if isinstance(module, GraphModule) and _duplicate_in(module.graph):
                module.recompile()
                modified = True
        return PassResult(graph_module, modified)


def _duplicate_in(graph: Graph) -> bool:
    modified = False
    for node in list(graph.nodes):
        chain = _chain_of(node)
        if chain is None:
            continue
        users = [user for user in node.users if user.target is not torch.ops.aten.sym_size.int]
        for user in users[1:]:
            _replace_input_node_with_new_node(user, node, _copy_chain(graph, chain, user))
            modified = True
    return modified


def _copy_chain(graph: Graph, chain: list[Node], before: Node) -> Node:
    """Copies nodes, given in order, before another and returns the copy of the last."""
    copies: dict[Node, Node] = {}
    with graph.inserting_before(before):
        for link in chain:
            copies[link] = graph.node_copy(link, lambda arg: copies.get(arg, arg))
    return copies[chain[-1]]


def _replace_input_node_with_new_node(node: Node, input_node: Node, new_node: Node) -> None:
    """Lets ``node`` read ``new_node`` where it reads ``input_node``."""
    node.replace_input_with(input_node, new_node)


def _replicate_chose_qparam_nodes_for_q_dq(
    gm: GraphModule, chose_qparams_node: Node, get_item_node_1: Node, get_item_node_2: Node
) -> tuple[Node, Node]:
    """Another choice of scale and zero point, before the first; returns the nodes of the two."""
    graph = gm.graph
    with graph.inserting_before(chose_qparams_node):
        choice = graph.node_copy(chose_qparams_node, lambda arg: arg)
        pair = [
            graph.node_copy(item, lambda arg: choice if arg is chose_qparams_node else arg)
            for item in (get_item_node_1, get_item_node_2)
        ]
    return pair[0], pair[1]


def _replicate_node_for_each_user(gm: GraphModule, node: Node) -> None:
    """A copy of ``node`` for each of its users; the node itself goes."""
    for user in list(node.users):
        with gm.graph.inserting_before(node):
            copied = gm.graph.node_copy(node, lambda arg: arg)
        _replace_input_node_with_new_node(user, node, copied)
    gm.graph.erase_node(node)


def _maybe_duplicate_dynamic_quantize_chain(
    gm: GraphModule,
    chose_qparams_node: Node,
    get_item_node_1: Node,
    get_item_node_2: Node,
    q_node: Node,
    dq_node: Node,
) -> None:
    """A chain of its own for every user of ``dq_node`` but the first."""
    chain = [chose_qparams_node, get_item_node_1, get_item_node_2, q_node, dq_node]
    for user in list(dq_node.users)[1:]:
        _replace_input_node_with_new_node(user, dq_node, _copy_chain(gm.graph, chain, user))


def _chain_of(node: Node) -> list[Node] | None:
    """The nodes that calculate a dynamically dequantized value, in order; None for any other node."""
    if not _calls(node, _DEQUANTIZATIONS):
        return None
    quantization = node.args[0]
    if not isinstance(quantization, Node) or not _calls(quantization, _QUANTIZATIONS):
        return None
    parameters = [arg for arg in quantization.all_input_nodes[1:] if arg.target is operator.getitem]
    choices = {parameter.args[0] for parameter in parameters}
    if len(choices) != 1:
        return None
    choice = choices.pop()
    if not isinstance(choice, Node) or not _calls(choice, _CHOICES):
        return None
    others = [
        arg for arg in node.all_input_nodes[1:] if arg not in parameters and arg.target is operator.getitem
    ]
    return [choice, *parameters, *others, quantization, node]


def _calls(node: Node, names: tuple[str, ...]) -> bool:
    if node.op != "call_function":
        return False
    schema = getattr(node.target, "_schema", None)
    return schema is not None and schema.name.split("::")[-1].startswith(names)
