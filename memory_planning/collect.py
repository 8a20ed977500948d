"""The documented questions about the tensors of a graph: which specs its nodes, inputs and results have.

`build_timeline` knows more (aliases, control flow, roles); these functions look at one graph, node by node.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import Any

from torch.export.graph_signature import ExportGraphSignature, InputKind, TensorArgument
from torch.fx import GraphModule, Node
from torch.utils import _pytree as pytree

from executorch.dialects import memory
from executorch.dialects.errors import InternalError, describe_node, describe_target
from executorch.dialects.execution import (
    is_delegate_call,
    is_higher_order,
    is_in_place,
    is_out_variant,
    is_primitive,
    tensor_specs,
)
from executorch.dialects.tensor_spec import TensorSpec
from executorch.ir.mutations import changing_state


def filter_nodes(inputs: Iterable[Any]) -> Iterator[Node]:
    """The nodes among `inputs`, also those within nested lists, tuples and dictionaries."""
    for leaf in pytree.tree_leaves(list(inputs)):
        if isinstance(leaf, Node):
            yield leaf


def get_node_tensor_specs(node: Node) -> list[TensorSpec]:
    """The specs of a node's tensor results; empty for numbers and for nodes without a spec."""
    return tensor_specs(node)


def is_out_var_node(node: Node) -> bool:
    """True for a call of an out variant."""
    return node.op == "call_function" and is_out_variant(node.target)


def is_inplace_node(node: Node) -> bool:
    """True for a call of an operator that writes one of its inputs."""
    return node.op == "call_function" and is_in_place(node)


def do_user_inputs_exist(graph_signature: ExportGraphSignature | None) -> bool:
    """True if the method takes a tensor from its caller; unknown without a signature, which counts as False."""
    specs = [] if graph_signature is None else graph_signature.input_specs
    return any(spec.kind is InputKind.USER_INPUT and isinstance(spec.arg, TensorArgument) for spec in specs)


def mutable_placeholders(graph_signature: ExportGraphSignature | None) -> set[str]:
    """Names of the placeholders whose memory lasts from one run to the next.

    They stand for the buffers and parameters that the method changes, and for the parameters whose gradients it
    returns: an optimizer changes these between two runs.
    """
    return set() if graph_signature is None else changing_state(graph_signature)


def is_mutable_buffer(node: Node, graph_signature: ExportGraphSignature | None) -> bool:
    """True for the placeholder of a buffer or parameter that the method changes, or of a parameter that it trains."""
    return node.op == "placeholder" and node.name in mutable_placeholders(graph_signature)


def get_graph_input_tensors(
    nodes: Iterable[Node], graph_signature: ExportGraphSignature | None = None
) -> set[TensorSpec]:
    """The specs of the placeholders, mutable buffers excepted."""
    mutable = mutable_placeholders(graph_signature)
    return {
        spec
        for node in nodes
        if node.op == "placeholder" and node.name not in mutable
        for spec in tensor_specs(node)
    }


def mutable_buffer_specs(
    nodes: Iterable[Node], graph_signature: ExportGraphSignature | None
) -> set[TensorSpec]:
    """The specs of the buffers that the method changes."""
    mutable = mutable_placeholders(graph_signature)
    return {
        spec
        for node in nodes
        if node.op == "placeholder" and node.name in mutable
        for spec in tensor_specs(node)
    }


def get_graph_output_tensors(nodes: Iterable[Node]) -> set[TensorSpec]:
    """The specs of the values that the graph returns."""
    return {
        spec
        for node in nodes
        if node.op == "output"
        for result in filter_nodes(node.args)
        for spec in tensor_specs(result)
    }


def get_input_specs(graph_module: GraphModule) -> set[TensorSpec]:
    """The specs of all placeholders."""
    return {
        spec for node in graph_module.graph.nodes if node.op == "placeholder" for spec in tensor_specs(node)
    }


def get_return_specs(graph_module: GraphModule) -> set[TensorSpec]:
    """The specs of the values that the graph returns."""
    return get_graph_output_tensors(graph_module.graph.nodes)


def _higher_order_nodes(graph_module: GraphModule, name: str) -> Iterator[Node]:
    for node in graph_module.graph.nodes:
        if is_higher_order(node) and describe_target(node.target) == name:
            yield node


def get_cond_nodes(graph_module: GraphModule) -> Iterator[Node]:
    """The calls of `torch.cond`."""
    return _higher_order_nodes(graph_module, "cond")


def get_while_nodes(graph_module: GraphModule) -> Iterator[Node]:
    """The calls of `while_loop`."""
    return _higher_order_nodes(graph_module, "while_loop")


def get_map_nodes(graph_module: GraphModule) -> Iterator[Node]:
    """The calls of `map`."""
    return _higher_order_nodes(graph_module, "map_impl")


def get_scan_nodes(graph_module: GraphModule) -> Iterator[Node]:
    """The calls of `scan`."""
    return _higher_order_nodes(graph_module, "scan")


def _is_expected(node: Node) -> bool:
    """True for a node that makes tensors of its own, which out variants do not: their `alloc` nodes do."""
    return (
        node.op in ("placeholder", "output")
        or node.target in (memory.alloc, memory.view, operator.getitem)
        or is_delegate_call(node)
        or is_higher_order(node)
        or is_in_place(node)
        or is_primitive(node)
    )


def collect_specs_from_nodes(
    nodes: Iterable[Node],
    graph_signature: ExportGraphSignature | None = None,
    ignore_graph_input: bool = False,
    ignore_graph_output: bool = False,
    ignore_mutable_buffers: bool = False,
    ignore_const: bool = True,
    ignore_out_var_node: bool = True,
    dedup: bool = True,
    do_assertion: bool = True,
    ignore_dynamic_unbound_tensor: bool = True,
) -> Iterator[TensorSpec]:
    """The specs of the tensors that `nodes` make, in the order of the nodes.

    Args:
        nodes: of one graph.
        graph_signature: tells mutable buffers from inputs.
        ignore_graph_input: leave out the placeholders' specs.
        ignore_graph_output: leave out the results' specs.
        ignore_mutable_buffers: leave out the buffers that the method changes.
        ignore_const: leave out constants.
        ignore_out_var_node: leave out the out variants' specs; those of their `alloc` nodes are the same.
        dedup: give each spec once.
        do_assertion: raise when a node is found that should not make a tensor.
        ignore_dynamic_unbound_tensor: leave out tensors of unbounded size.

    Raises:
        InternalError: see `do_assertion`.
    """
    nodes = list(nodes)
    seen: set[TensorSpec] = set()
    left_out = get_graph_input_tensors(nodes, graph_signature) if ignore_graph_input else set()
    if ignore_graph_output:
        left_out |= get_graph_output_tensors(nodes)
    if ignore_mutable_buffers:
        left_out |= mutable_buffer_specs(nodes, graph_signature)
    for node in nodes:
        if node.op in ("get_attr", "output") or (ignore_out_var_node and is_out_var_node(node)):
            continue
        specs = tensor_specs(node)
        if not specs:
            continue
        if do_assertion and not _is_expected(node):
            raise InternalError(
                f"{describe_node(node)}: a {node.op} of {node.target} makes no tensor of its own"
            )
        for spec in specs:
            is_const = ignore_const and spec.const
            is_unbound = ignore_dynamic_unbound_tensor and spec.is_dynamic_unbound_tensor
            if spec.is_view or spec in left_out or is_const or is_unbound or (dedup and spec in seen):
                continue
            seen.add(spec)
            yield spec


def update_tensor_lifetime(
    node: Node,
    spec: TensorSpec,
    node_idx: int,
    max_node_idx: int,
    gs: ExportGraphSignature | None = None,
) -> None:
    """Extends a spec's lifetime to a node that makes or reads it.

    Args:
        node: at `node_idx` in the graph.
        max_node_idx: index of the last node: mutable buffers live until then.
        gs: tells mutable buffers from inputs.
    """
    first, last = spec.lifetime
    begin = 0 if node.op == "placeholder" else node_idx
    end = max_node_idx if is_mutable_buffer(node, gs) else node_idx
    spec.lifetime = [
        begin if first is None else min(first, begin),
        end if last is None else max(last, end),
    ]


def insert_calls_to_free(graph_module: GraphModule, allspecs: Iterable[TensorSpec]) -> None:
    """Puts a `memory.free` behind the last use of each tensor of unbounded size that the graph allocates.

    Args:
        allspecs: the specs that may be freed, lifetimes set.
    """
    unbound = {spec for spec in allspecs if spec.is_dynamic_unbound_tensor}
    kept = get_return_specs(graph_module) | get_input_specs(graph_module)
    last_use: dict[TensorSpec, Node] = {}
    allocated: dict[TensorSpec, Node] = {}
    for node in graph_module.graph.nodes:
        if node.op == "output":
            continue
        for spec in (*tensor_specs(node), *(s for arg in node.all_input_nodes for s in tensor_specs(arg))):
            if spec.root in unbound - kept:
                last_use[spec.root] = node
                allocated.setdefault(spec.root, node)
    for spec, node in last_use.items():
        with graph_module.graph.inserting_after(node):
            graph_module.graph.call_function(memory.free, (allocated[spec],))
    if last_use:
        graph_module.recompile()
