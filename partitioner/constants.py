"""Constants and mutable buffers of an exported program, and how a partitioner takes them over."""

from __future__ import annotations

import enum

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import ExportGraphSignature, InputKind, InputSpec

from executorch.dialects import meta_keys
from executorch.dialects.mutations import changing_state, state_mutations

#: Set by a partitioner on a tagged constant that must not be copied into several partitions.
NO_COPY = "no_copy"
#: Set by a partitioner on a tagged call that makes a constant of constants and of nothing else: where nodes outside its
#: partition read the result, they get a copy of the call, as they get one of a constant.
COPY_FOR_READERS = "copy_for_readers"


class StateKind(enum.Enum):
    """What a placeholder stands for."""

    USER_INPUT = "user input"
    CONSTANT = "constant"
    MUTABLE_BUFFER = "mutable buffer"  # or a parameter that the program writes


_STATE_KINDS = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


def state_inputs(signature: ExportGraphSignature) -> dict[str, InputSpec]:
    """Placeholder name -> its spec, for parameters, buffers and lifted tensor constants."""
    return {
        spec.arg.name: spec
        for spec in signature.input_specs
        if spec.kind in _STATE_KINDS and hasattr(spec.arg, "name")
    }


def state_kind(node: torch.fx.Node, signature: ExportGraphSignature) -> StateKind:
    """What the placeholder ``node`` stands for."""
    if node.name not in state_inputs(signature):
        return StateKind.USER_INPUT
    mutable = any(one.placeholder == node.name for one in state_mutations(signature))
    return StateKind.MUTABLE_BUFFER if mutable else StateKind.CONSTANT


def _tag_state(edge_program: ExportedProgram, wanted: StateKind) -> None:
    signature = edge_program.graph_signature
    state = state_inputs(signature)
    mutable = {one.placeholder for one in state_mutations(signature)}
    # A delegate that took a trained parameter would go on computing with its first value.
    chosen = mutable if wanted is StateKind.MUTABLE_BUFFER else set(state) - changing_state(signature)
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
    _tag_state(edge_program, StateKind.CONSTANT)


def tag_mutated_buffer(edge_program: ExportedProgram) -> None:
    """Like ``tag_constant_data`` for buffers and parameters that the program writes: their state moves into the delegate.

    All readers and the writer of the state must be in one partition.
    """
    _tag_state(edge_program, StateKind.MUTABLE_BUFFER)
