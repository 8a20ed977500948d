"""Constants and mutable buffers of an exported program, and how a partitioner takes them over."""

from __future__ import annotations

from collections.abc import Callable

from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from executorch.dialects import meta_keys
from executorch.ir.mutations import changing_state, mutated_state
from executorch.ir.signature import state_inputs

#: Set by a partitioner on a tagged constant that must not be copied into several partitions.
NO_COPY = "no_copy"
#: Set by a partitioner on a tagged call that makes a constant of constants and of nothing else, or a size: where nodes outside
#: its partition read the result, they get a copy of the call, as they get one of a constant.
COPY_FOR_READERS = "copy_for_readers"
#: Set by a partitioner on a tagged call: position -> argument that it has in its partition, where that says the same without
#: what is outside, such as -1 for the size that a view finds itself.
ARGUMENTS_INSIDE = "arguments_inside"


def _tag_state(edge_program: ExportedProgram, chosen: set[str]) -> None:
    for node in edge_program.graph.find_nodes(op="placeholder"):
        if node.name not in chosen:
            continue
        tags = [
            user.meta[meta_keys.DELEGATION_TAG]
            for user in node.users
            if meta_keys.DELEGATION_TAG in user.meta
        ]
        if tags:
            node.meta[meta_keys.DELEGATION_TAG] = tags[0]


def tag_constant_data(edge_program: ExportedProgram) -> None:
    """Gives every constant that a tagged node uses the tag of its first tagged user.

    A tagged constant moves into the delegate: it is in the ``state_dict`` (or ``constants``) of the program
    that ``preprocess`` sees, and no longer an input at run time. Where nodes outside that partition use it
    too, ``to_backend`` leaves them a copy, unless ``node.meta["no_copy"]`` is set. Call it after the
    operators have been tagged. Mutable buffers are left alone, see ``tag_mutated_buffer``.
    """
    signature = edge_program.graph_signature
    # A delegate that took a trained parameter would go on computing with its first value.
    _tag_state(edge_program, state_inputs(signature).keys() - changing_state(signature))


def tag_prepared_constants(edge_program: ExportedProgram, is_constant: Callable[[Node], bool]) -> None:
    """Like ``tag_constant_data``, and what makes the constants that delegates read goes into them; other readers get copies.

    Args:
        edge_program: with the operators tagged.
        is_constant: whether a node is, calls of nothing but constants among them.
    """
    tag_copies(edge_program, is_constant)
    tag_constant_data(edge_program)


def tag_copies(edge_program: ExportedProgram, may_copy: Callable[[Node], bool]) -> None:
    """Each partition gets its own copy of the calls that it reads, and of those that they read, where ``may_copy`` says so."""
    for module in edge_program.graph_module.modules():
        for node in reversed(module.graph.nodes) if isinstance(module, GraphModule) else ():
            tag = node.meta.get(meta_keys.DELEGATION_TAG)
            for one in node.all_input_nodes if tag is not None and node.op == "call_function" else ():
                is_made = one.op == "call_function" and may_copy(one)
                if is_made and meta_keys.DELEGATION_TAG not in one.meta:
                    one.meta[meta_keys.DELEGATION_TAG] = tag
                    one.meta[COPY_FOR_READERS] = True


def tag_mutated_buffer(edge_program: ExportedProgram) -> None:
    """Like ``tag_constant_data`` for buffers and parameters that the program writes: their state moves into the delegate.

    All readers and the writer of the state must be in one partition.
    """
    _tag_state(edge_program, set(mutated_state(edge_program.graph_signature)))
