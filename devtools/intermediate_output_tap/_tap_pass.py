"""Taps in an exported program, and their values among its outputs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TypeAlias

import torch
import torch.utils._pytree as pytree
from torch.export import ExportedProgram
from torch.export.exported_program import TensorArgument
from torch.export.graph_signature import OutputKind, OutputSpec
from torch.fx import GraphModule, Node

from executorch.devtools.intermediate_output_tap._reducers import (
    STATS,
    StatReducer,
    get_reducer,
    register_reducer,
)
from executorch.devtools.intermediate_output_tap._selectors import (
    NodeSelector,
    modules_of,
    select_all_call_function,
)
from executorch.devtools.intermediate_output_tap._spec import TapSpec
from executorch.devtools.intermediate_output_tap.custom_ops_lib import TAP_OP

TapRule: TypeAlias = tuple[NodeSelector, "str | StatReducer"]

#: What a tap takes over from the node it taps; what the node was made from is not among it.
_INHERITED = ("stack_trace", "nn_module_stack")


def tap_intermediate_outputs_(
    ep: ExportedProgram,
    rules: Sequence[TapRule] | TapRule | None = None,
    *,
    max_taps: int | None = None,
    error_on_empty: bool = True,
) -> tuple[ExportedProgram, list[TapSpec]]:
    """Makes values of nodes outputs of a program, which is changed.

    Args:
        ep: What ``torch.export`` returned.
        rules: Pairs of a selector and a reducer, or one pair: a node is tapped with the reducer of the first rule that
            selects it. Every call with ``STATS`` by default. Only nodes that give one tensor with elements are tapped.
        max_taps: Taps no more than the first so many nodes.
        error_on_empty: If nothing is selected, raises; else only warns.

    Returns:
        The program, and a spec for each tap in the order of their outputs.

    Raises:
        ValueError: No rules, an unknown reducer, or nothing is selected.
    """
    chosen = _resolve(rules)
    taps = [(node, reducer) for node in ep.graph.nodes if (reducer := _reducer_for(node, chosen)) is not None]
    taps = taps[:max_taps]
    if not taps:
        message = (
            "tap_intermediate_outputs_: no rule matched any node. Double-check your rule predicates, or pass "
            "`error_on_empty=False` to suppress this error."
        )
        if error_on_empty:
            raise ValueError(message)
        warnings.warn(message, UserWarning, stacklevel=2)
        return ep, []
    first = sum(
        spec.kind in (OutputKind.USER_OUTPUT, OutputKind.LOSS_OUTPUT)
        for spec in ep.graph_signature.output_specs
    )
    nodes = [_insert_tap(node, reducer) for node, reducer in taps]
    _append_outputs(ep, nodes)
    specs = [_spec(node, reducer, first + place) for place, (node, reducer) in enumerate(taps)]
    return ep, specs


def is_tap_node(n: Node) -> bool:
    """Whether a node is a tap, in the exported program or in the edge program."""
    return n.op == "call_function" and TAP_OP in (n.target, getattr(n.target, "_op", None))


def find_tap_nodes(gm: GraphModule) -> list[Node]:
    """The taps of a graph in its order."""
    return [node for node in gm.graph.nodes if is_tap_node(node)]


def _resolve(rules: Sequence[TapRule] | TapRule | None) -> list[tuple[NodeSelector, StatReducer]]:
    if rules is None:
        rules = [(select_all_call_function(), STATS)]
    elif isinstance(rules, tuple) and len(rules) == 2 and callable(rules[0]):
        rules = [rules]  # type: ignore[list-item]
    if not rules:
        raise ValueError("tap_intermediate_outputs_: `rules` must be non-empty.")
    resolved = [(selector, get_reducer(reducer)) for selector, reducer in rules]  # type: ignore[misc]
    for _, reducer in resolved:
        register_reducer(reducer)
    return resolved


def _reducer_for(node: Node, rules: Sequence[tuple[NodeSelector, StatReducer]]) -> StatReducer | None:
    value = node.meta.get("val")
    if is_tap_node(node) or not isinstance(value, torch.Tensor):
        return None
    if isinstance(numel := value.numel(), int) and numel == 0:
        return None
    return next((reducer for selector, reducer in rules if selector(node)), None)


def _insert_tap(node: Node, reducer: StatReducer) -> Node:
    value = node.meta["val"]
    with node.graph.inserting_after(node):
        tap = node.graph.call_function(TAP_OP, (node, reducer.name))
    tap.meta = {key: node.meta[key] for key in _INHERITED if key in node.meta}
    tap.meta["val"] = TAP_OP(value, reducer.name)
    return tap


def _append_outputs(ep: ExportedProgram, taps: list[Node]) -> None:
    output = ep.graph.output_node()
    output.args = ((*output.args[0], *taps),)  # type: ignore[misc]
    output.meta["val"] = pytree.tree_map_only(Node, lambda node: node.meta.get("val"), output.args[0])
    ep.graph_signature.output_specs.extend(
        OutputSpec(OutputKind.USER_OUTPUT, TensorArgument(name=tap.name), None) for tap in taps
    )
    for entry in ep.module_call_graph:
        if entry.fqn == "" and entry.signature is not None:
            signature = entry.signature
            signature.out_spec = _with_leaves(signature.out_spec, len(taps))
            # Lowering renames the taps, and the name is only compared if there is one.
            signature.outputs = [*signature.outputs, *(TensorArgument(name="") for _ in taps)]
    ep.graph_module.recompile()


def _with_leaves(spec: pytree.TreeSpec, count: int) -> pytree.TreeSpec:
    """The structure of the outputs with ``count`` more: a longer tuple, or a tuple around what there was."""
    first = list(spec.children()) if spec.type is tuple else [spec]
    return pytree.TreeSpec(tuple, None, [*first, *(pytree.treespec_leaf() for _ in range(count))])


def _spec(node: Node, reducer: StatReducer, index: int) -> TapSpec:
    path, name = next(reversed(list(modules_of(node))), (None, None))
    return TapSpec(
        node_name=node.name,
        op_target=str(node.target),
        output_index=index,
        reducer_name=reducer.name,
        fields=reducer.fields,
        stack_trace=node.meta.get("stack_trace"),
        module_path=path,
        module_class=name,
    )


__all__ = ["TapRule", "find_tap_nodes", "is_tap_node", "tap_intermediate_outputs_"]
