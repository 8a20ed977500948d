"""Constants of a graph: what is stored, and what calls make of that and of nothing else."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.ir.mutations import changing_state
from executorch.ir.signature import state_inputs, state_value
from executorch.partitioner.selection.partition_proposals import operator_name
from executorch.passes.optimization.constant_prop_pass import evaluate, is_foldable

_EXTERNAL = "delegate_constant_tag"
#: Operators that make a tensor of numbers alone.
_FROM_NUMBERS = {
    "aten.arange.default",
    "aten.arange.start",
    "aten.arange.start_step",
    "aten.full.default",
    "aten.ones.default",
    "aten.scalar_tensor.default",
    "aten.zeros.default",
}
#: Elements of a folded constant that what it is made of does not have.
_MOST_NEW_ELEMENTS = 1 << 16


def name_of(node: Node) -> str:
    """``aten.add.Tensor`` of a call, the empty string for other nodes."""
    return operator_name(node.target) if node.op == "call_function" else ""


class Constants:
    """Which nodes of a program are constant, and their tensors, calculated when they are asked for.

    State that the program writes or trains is none: a delegate would go on with its first value.
    """

    def __init__(self, program: ExportedProgram) -> None:
        signature = program.graph_signature
        state, changing = state_inputs(signature), changing_state(signature)
        self._known: dict[Node, Any] = {}
        self._changing = set()
        for node in program.graph.find_nodes(op="placeholder"):
            if node.name in changing:
                self._changing.add(node)
            elif node.name in state:
                value = state_value(program, state[node.name])
                self._known[node] = value.detach() if isinstance(value, torch.Tensor) else value
        self._folded: dict[Node, None] = {}
        known = dict(self._known)
        for node in program.graph.nodes:
            if _is_folded(node, known):
                known[node] = self._folded[node] = None

    def __contains__(self, node: Any) -> bool:
        return node in self._known or node in self._folded

    def __getitem__(self, node: Node) -> Any:
        if node not in self._known:
            with torch.no_grad():
                self._known[node] = evaluate(node, {one: self[one] for one in node.all_input_nodes})
        return self._known[node]

    def changes(self, node: Node) -> bool:
        """Whether ``node`` is state that the program writes or trains."""
        return node in self._changing

    def number(self, node: Any) -> float | int | bool | None:
        """The element of a constant that has one, None for everything else."""
        if node not in self:
            return None
        value = node.meta.get(meta_keys.VAL)
        if not isinstance(value, torch.Tensor) or value.numel() != 1:
            return None
        found: float | int | bool = self[node].item()
        return found


def _is_folded(node: Node, known: dict[Node, Any]) -> bool:
    """Whether ``node`` is constant if ``known`` are, and not much larger than those."""
    value = node.meta.get(meta_keys.VAL)
    if not (is_foldable(node, known) or (name_of(node) in _FROM_NUMBERS and not node.all_input_nodes)):
        return False
    if not isinstance(value, torch.Tensor):
        return False
    read = [one.meta.get(meta_keys.VAL) for one in node.all_input_nodes]
    sizes = [one.numel() for one in [value, *read] if isinstance(one, torch.Tensor)]
    return all(isinstance(size, int) for size in sizes) and sizes[0] <= sum(sizes[1:]) + _MOST_NEW_ELEMENTS


def external_tag(node: Node) -> str | None:
    """The ``.ptd`` file that a constant, or what it is made of, is marked for; None for the program."""
    custom = node.meta.get("custom") or {}
    for mark in (
        custom.get(_EXTERNAL),
        custom.get(meta_keys.CONSTANT_TAG),
        node.meta.get(meta_keys.CONSTANT_TAG),
    ):
        if mark is not None:
            return str(mark)
    found = (external_tag(one) for one in node.all_input_nodes)
    return next((mark for mark in found if mark is not None), None)
