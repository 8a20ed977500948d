"""Copies of what several users share: constants, and dequantizations, so that partitions need not."""

from __future__ import annotations

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputSpec, TensorArgument
from torch.fx.passes.infra.pass_base import PassBase, PassResult

from executorch.dialects import meta_keys
from executorch.ir.mutations import mutated_state
from executorch.ir.signature import state_inputs
from executorch.partitioner.interface.errors import PartitionerContractError
from executorch.partitioner.selection.constants import ARGUMENTS_INSIDE, COPY_FOR_READERS
from executorch.partitioner.selection.partition_proposals import operator_name

_DEQUANTIZATIONS = (
    "quantized_decomposed.dequantize_per_tensor.",
    "quantized_decomposed.dequantize_per_channel.",
)


def duplicate_constant_node(exported_program: ExportedProgram, candidate_node: str) -> set[str]:
    """Gives every user but the first of a constant a placeholder of its own, with the same tensor.

    Args:
        exported_program: changed in place: graph, signature and state.
        candidate_node: name of the placeholder of a parameter, a buffer or a lifted tensor constant.

    Returns:
        names of the new placeholders, ``<name>_copy_<n>``.

    Raises:
        PartitionerContractError: there is no such constant, or the program writes it.
    """
    signature = exported_program.graph_signature
    spec = state_inputs(signature).get(candidate_node)
    if spec is None or spec.target is None:
        known = ", ".join(state_inputs(signature)) or "none"
        raise PartitionerContractError(
            f"{candidate_node} is not a constant of the program; these are: {known}"
        )
    if candidate_node in mutated_state(signature):
        raise PartitionerContractError(
            f"{candidate_node} is written by the program, so its readers must share it. Way out: leave it whole."
        )
    node = next(n for n in exported_program.graph.find_nodes(op="placeholder") if n.name == candidate_node)
    in_state = spec.target in exported_program.state_dict
    home = exported_program.state_dict if in_state else exported_program.constants
    position = signature.input_specs.index(spec)
    copies: list[str] = []
    for user in list(node.users)[1:]:
        name = f"{candidate_node}_copy_{len(copies)}"
        with exported_program.graph.inserting_before(node):
            copied = exported_program.graph.placeholder(name)
        copied.name = name
        copied.meta = dict(node.meta)
        user.replace_input_with(node, copied)
        home[name] = home[spec.target]
        signature.input_specs.insert(
            position + len(copies), InputSpec(spec.kind, TensorArgument(name), name, spec.persistent)
        )
        copies.append(name)
    exported_program.graph_module.recompile()
    return set(copies)


def give_arguments_inside(graph_module: torch.fx.GraphModule) -> None:
    """Gives the tagged calls marked ``ARGUMENTS_INSIDE`` these arguments (in place)."""
    for module in graph_module.modules():
        for node in module.graph.nodes if isinstance(module, torch.fx.GraphModule) else ():
            if meta_keys.DELEGATION_TAG in node.meta:
                for position, argument in node.meta.pop(ARGUMENTS_INSIDE, {}).items():
                    node.update_arg(position, argument)


def copy_for_readers(graph_module: torch.fx.GraphModule) -> None:
    """Gives each partition, and what is in none, its own copy of the calls marked ``COPY_FOR_READERS`` (in place).

    Results of such calls cross no border of a partition then. What nobody reads goes.
    """
    for module in graph_module.modules():
        if not isinstance(module, torch.fx.GraphModule):
            continue
        copied = False
        # From the end: a copy is a reader, too, of what is before it.
        for node in reversed(list(module.graph.nodes)):
            if COPY_FOR_READERS in node.meta:
                copied |= _copy_call(node)
        if copied:
            module.recompile()


def _copy_call(node: torch.fx.Node) -> bool:
    own = node.meta.get(meta_keys.DELEGATION_TAG)
    copies: dict[str | None, torch.fx.Node] = {}
    for reader in list(node.users):
        tag = reader.meta.get(meta_keys.DELEGATION_TAG)
        if tag == own:
            continue
        if tag not in copies:
            with node.graph.inserting_before(node):
                copies[tag] = node.graph.node_copy(node, lambda arg: arg)
            copies[tag].meta[meta_keys.DELEGATION_TAG] = tag
            if tag is None:
                del copies[tag].meta[meta_keys.DELEGATION_TAG]
        reader.replace_input_with(node, copies[tag])
    unread = not node.users
    if unread:
        node.graph.erase_node(node)
    return unread or bool(copies)


class DuplicateDequantNodePass(PassBase):
    """Gives every user of a dequantization one of its own.

    A dequantization that two partitions share would tie them to whoever takes it; a copy is free, since
    backends fuse it away.
    """

    def call(self, graph_module: torch.fx.GraphModule) -> PassResult:
        modified = False
        for module in graph_module.modules():
            if isinstance(module, torch.fx.GraphModule):
                changed = self._duplicate_in(module.graph)
                if changed:
                    module.recompile()
                modified = modified or changed
        return PassResult(graph_module, modified)

    def _duplicate_in(self, graph: torch.fx.Graph) -> bool:
        modified = False
        for node in list(graph.nodes):
            if node.op != "call_function" or not operator_name(node.target).startswith(_DEQUANTIZATIONS):
                continue
            for user in list(node.users)[1:]:
                with graph.inserting_after(node):
                    copied = graph.node_copy(node, lambda arg: arg)
                user.replace_input_with(node, copied)
                modified = True
        return modified
