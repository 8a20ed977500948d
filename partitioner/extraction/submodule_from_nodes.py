"""Moves some nodes of a graph into a submodule of it, for backends that lower module by module."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from torch.fx import GraphModule, Node
from torch.fx.passes.tools_common import legalize_graph
from torch.fx.passes.utils.fuser_utils import fuse_as_graphmodule, topo_sort

from executorch.dialects import meta_keys


def create_submodule_from_nodes(
    gm: GraphModule, node_list: Sequence[Node], tag: str, skip_legalize_graph: bool = False
) -> tuple[GraphModule, Node]:
    """Replaces nodes by the call of a submodule ``fused_TAG`` that holds them (in place).

    The submodule returns a list of the values that are read outside, and the graph takes them out of it.

    Args:
        gm: is changed; its nodes in ``node_list`` are gone afterwards.
        node_list: operators of ``gm`` with no way from one to another through nodes that are not listed.
        tag: names the submodule.
        skip_legalize_graph: leave the order of the other nodes alone; they have to stand right already.

    Returns:
        The submodule, and the node that calls it.

    Raises:
        AssertionError: a node is of another graph, or the nodes depend on each other through nodes outside.
    """
    nodes = topo_sort(list(node_list))
    name = f"fused_{tag}"
    submodule, inputs, outputs = fuse_as_graphmodule(gm, nodes, name)
    _return_list(submodule)
    gm.add_submodule(name, submodule)
    last = max(nodes)
    with gm.graph.inserting_after(last):
        call = gm.graph.call_module(name, tuple(inputs))
    values = [output.meta.get(meta_keys.VAL) for output in outputs]
    call.meta = dict(outputs[-1].meta) if outputs else {}
    call.meta[meta_keys.VAL] = values[0] if len(values) == 1 else tuple(values)
    previous = call
    if len(values) == 1 and isinstance(values[0], (list, tuple)):
        # The one operator has several results: the submodule returns them, and whoever picked one picks it there.
        outputs[0].replace_all_uses_with(call, propagate_meta=False)
        outputs = ()
    for index, output in enumerate(outputs):
        with gm.graph.inserting_after(previous):
            previous = gm.graph.call_function(operator.getitem, (call, index))
        previous.meta = dict(output.meta)
        output.replace_all_uses_with(previous, propagate_meta=False)
    for node in reversed(nodes):
        gm.graph.erase_node(node)
    if not skip_legalize_graph:
        legalize_graph(gm)
        # That made another graph of it, in which the call is another node.
        (call,) = gm.graph.find_nodes(op="call_module", target=name)
    gm.recompile()
    return submodule, call


def _return_list(submodule: GraphModule) -> None:
    """Lets a submodule with one result return a list too; of several results of one operator, a list of these."""
    output = submodule.graph.output_node()
    results = output.args[0]
    found: list[Any] = list(results) if isinstance(results, (tuple, list)) else [results]
    values = found[0].meta.get(meta_keys.VAL) if len(found) == 1 and isinstance(found[0], Node) else None
    if isinstance(values, (list, tuple)):
        with submodule.graph.inserting_before(output):
            picked = [
                submodule.graph.call_function(operator.getitem, (found[0], i)) for i in range(len(values))
            ]
        for node, value in zip(picked, values, strict=True):
            node.meta[meta_keys.VAL] = value
        found = picked
    output.args = (found,)
    submodule.recompile()
