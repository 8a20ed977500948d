"""Buffers that a program writes, as Core ML's state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.export import ExportedProgram

from executorch.backends.apple.coreml.compiler.operators import MAX_RANK
from executorch.backends.apple.coreml.compiler.targets import IOS18, asked_for
from executorch.dialects import meta_keys
from executorch.ir.mutations import state_mutations
from executorch.ir.signature import state_inputs, state_value
from executorch.partitioner import CompileSpec, note_reason


def take_state(program: ExportedProgram, specs: Sequence[CompileSpec]) -> None:
    """Gives each written buffer that can be state to the delegate that has all its readers and its writer."""
    inputs, values = state_inputs(program.graph_signature), {node.name: node for node in program.graph.nodes}
    for one in state_mutations(program.graph_signature):
        node, writer = values[one.placeholder], values[one.value]
        why = _refusal(state_value(program, inputs[node.name]), specs)
        tags = {
            user.meta.get(meta_keys.DELEGATION_TAG) for user in (*node.users, writer) if user.op != "output"
        }
        if why is None and len(tags) == 1 and None not in tags:
            node.meta[meta_keys.DELEGATION_TAG] = tags.pop()
        else:
            note_reason(node, "CoreMLPartitioner", why or "what reads and writes it is not in one delegate")


def _refusal(value: Any, specs: Sequence[CompileSpec]) -> str | None:
    target = asked_for(specs)
    if target is not None and target < IOS18:
        return "the oldest system that the program is for has no state"
    if not isinstance(value, torch.Tensor) or not value.dtype.is_floating_point:
        return "Core ML's state is in half precision, and this is none of floating point"
    if not 0 < value.dim() <= MAX_RANK:
        return f"Core ML's state has one to {MAX_RANK} dimensions"
    if bool(value.count_nonzero()):
        return "Core ML's state begins with zeros, and this does not"
    return None
