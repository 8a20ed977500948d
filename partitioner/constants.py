"""Constants and mutable buffers of an exported program, and how a partitioner takes them over."""

from __future__ import annotations

import enum

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import ExportGraphSignature, InputKind, InputSpec, OutputKind

from executorch.dialects import meta_keys

#: Set by a partitioner on a tagged constant that must not be copied into several partitions.
NO_COPY = "no_copy"


class StateKind(enum.Enum):
    """What a placeholder stands for."""

    USER_INPUT = "user input"
    CONSTANT = "constant"
    MUTABLE_BUFFER = "mutable buffer"


_STATE_KINDS = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


def mutated_buffers(signature: ExportGraphSignature) -> dict[str, str]:
    """Name of the node that holds a buffer's new value -> the buffer's fully qualified name."""
    return {
        spec.arg.name: spec.target
        for spec in signature.output_specs
        if spec.kind is OutputKind.BUFFER_MUTATION and spec.target is not None and hasattr(spec.arg, "name")
    }


def trained_parameters(signature: ExportGraphSignature) -> set[str]:
    """Names of the parameters whose gradients the program returns: they change between its runs."""
    gradients = (spec for spec in signature.output_specs if spec.kind is OutputKind.GRADIENT_TO_PARAMETER)
    return {spec.target for spec in gradients if spec.target is not None}


def state_inputs(signature: ExportGraphSignature) -> dict[str, InputSpec]:
    """Placeholder name -> its spec, for parameters, buffers and lifted tensor constants."""
    return {
        spec.arg.name: spec
        for spec in signature.input_specs
        if spec.kind in _STATE_KINDS and hasattr(spec.arg, "name")
    }


def state_kind(node: torch.fx.Node, signature: ExportGraphSignature) -> StateKind:
    """What the placeholder ``node`` stands for."""
    spec = state_inputs(signature).get(node.name)
    if spec is None:
        return StateKind.USER_INPUT
    if spec.kind is InputKind.BUFFER and spec.target in mutated_buffers(signature).values():
        return StateKind.MUTABLE_BUFFER
    return StateKind.CONSTANT


def _tag_state(edge_program: ExportedProgram, wanted: StateKind) -> None:
    signature = edge_program.graph_signature
    state = state_inputs(signature)
    mutable, trained = set(mutated_buffers(signature).values()), trained_parameters(signature)
    for node in edge_program.graph.find_nodes(op="placeholder"):
        spec = state.get(node.name)
        # A delegate that took a trained parameter would go on computing with its first value.
        if spec is None or (spec.kind is InputKind.PARAMETER and spec.target in trained):
            continue
        is_mutable = spec.kind is InputKind.BUFFER and spec.target in mutable
        if is_mutable is not (wanted is StateKind.MUTABLE_BUFFER):
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
    """Like ``tag_constant_data`` for buffers that the program writes: their state moves into the delegate.

    All readers and the writer of the buffer must be in one partition.
    """
    _tag_state(edge_program, StateKind.MUTABLE_BUFFER)
