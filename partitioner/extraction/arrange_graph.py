"""Puts inputs and outputs of a submodule into the order that exported programs have.

For backends that cut partitions out themselves (`create_submodule_from_nodes`); `to_backend` does it by itself.
"""

from __future__ import annotations

import operator

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import OutputSpec

from executorch.dialects import meta_keys
from executorch.ir.signature import STATE_KINDS, state_inputs
from executorch.ir.torch_internals import rename


def arrange_graph_placeholders(
    gm: torch.fx.GraphModule, owning_program: ExportedProgram, tag: str
) -> torch.fx.GraphModule:
    """Orders the inputs of a submodule: parameters, buffers, constants, then everything else; in place.

    Args:
        gm: its placeholders have the names that they have in ``owning_program``.
        owning_program: says what the names stand for.
        tag: only state with this delegation tag moves into the submodule; the rest counts as inputs.
    """
    state = state_inputs(owning_program.graph_signature)

    def rank(node: torch.fx.Node) -> int:
        spec = state.get(node.name)
        if spec is None or node.meta.get(meta_keys.DELEGATION_TAG) != tag:
            return len(STATE_KINDS)
        return STATE_KINDS.index(spec.kind)

    before = gm.graph.find_nodes(op="placeholder")
    after = sorted(before, key=rank)
    if after != before:
        values: dict[torch.fx.Node, torch.fx.Node] = {}
        graph = torch.fx.Graph()
        for node in (*after, *(node for node in gm.graph.nodes if node.op != "placeholder")):
            values[node] = graph.node_copy(node, values.__getitem__)
            if values[node].name != node.name and node.op != "output":
                rename(values[node], node.name)
        gm.graph = graph
    gm.recompile()
    return gm


def arrange_graph_outputs(
    gm: torch.fx.GraphModule, output_specs: list[OutputSpec], call_module_node: torch.fx.Node
) -> torch.fx.GraphModule:
    """Orders the outputs of a submodule: new values of buffers and inputs before what it returns; in place.

    Args:
        gm: the submodule.
        output_specs: what each of its outputs is, in the order in which they stand; reordered as well.
        call_module_node: its call; the ``getitem`` nodes that pick its results follow their outputs.
    """
    output = gm.graph.output_node()
    (results,) = output.args
    results = list(results) if isinstance(results, (list, tuple)) else [results]
    order = sorted(
        range(len(results)), key=lambda index: not output_specs[index].kind.name.endswith("_MUTATION")
    )
    if order != list(range(len(results))):
        output.args = (tuple(results[index] for index in order),)
        output_specs[:] = [output_specs[index] for index in order]
        value = output.meta.get(meta_keys.VAL)
        if isinstance(value, (list, tuple)) and len(value) == len(order):
            output.meta[meta_keys.VAL] = tuple(value[index] for index in order)
        new_index = {old: new for new, old in enumerate(order)}
        value = call_module_node.meta.get(meta_keys.VAL)
        if isinstance(value, (list, tuple)) and len(value) == len(order):
            call_module_node.meta[meta_keys.VAL] = type(value)(value[index] for index in order)
        for user in list(call_module_node.users):
            if user.target is operator.getitem:
                user.args = (call_module_node, new_index[user.args[1]])  # type: ignore[index]
    gm.recompile()
    return gm
