"""Operators of a captured graph that the quantizer does not know, as PyTorch writes them with others that it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

from executorch.backends.arm.quantizer.annotations import is_known, is_real
from executorch.backends.arm.quantizer.finite import DISALLOW_TFA_META_KEY
from executorch.backends.arm.quantizer.formulas import FORMULAS
from executorch.backends.transforms.inline_traced import inline_traced
from executorch.dialects import meta_keys
from executorch.dialects.torch_types import OpOverload
from executorch.passes.decomposition.complex_numbers import COMPLEX_NUMBERS
from executorch.passes.decomposition.decomposition_table import DecompositionTable

#: Of what one is written with, another may be taken apart in its turn.
_MOST_ROUNDS = 3
_UNIFORM = frozenset(
    getattr(torch.ops.aten, name).default for name in ("full", "scalar_tensor", "zeros", "ones")
)


def composites_apart(model: GraphModule, has_rule: Callable[[OpOverload], bool]) -> None:
    """Writes a call that the quantizer would leave with others, if it knows every one of those. In place.

    Calls on dynamic sizes stay, since they would be written for the example's, and so do those that write to an operand.
    ``has_rule`` says what is written otherwise elsewhere.
    """
    table = DecompositionTable()

    def is_quantized(target: OpOverload) -> bool:
        return is_known(target) or has_rule(target)

    def leads_there(traced: GraphModule) -> bool:
        calls = [node for node in traced.graph.nodes if node.op == "call_function"]
        return all(
            is_quantized(node.target) or _can_be_written(node, table) for node in calls if _is_of_reals(node)
        )

    for _ in range(_MOST_ROUNDS):
        written = False
        for node in list(model.graph.nodes):
            if _can_be_written(node, table) and not is_quantized(node.target):
                written |= _written(node, table, leads_there)
        if not written:
            return


def _is_of_reals(node: Node) -> bool:
    """What is made of nothing counts where its numbers differ: places, which eight bits do not tell apart."""
    if not node.all_input_nodes:
        return node.target not in _UNIFORM
    return is_real(node) or any(map(is_real, node.all_input_nodes))


def _can_be_written(node: Node, table: DecompositionTable) -> bool:
    """Whether there is a way to write this call otherwise, for the sizes that it has."""
    if not isinstance(node.target, OpOverload) or node.meta.get(DISALLOW_TFA_META_KEY):
        return False
    results = node.meta.get(meta_keys.VAL)
    read = [one.meta.get(meta_keys.VAL) for one in node.all_input_nodes]
    tensors = [*(results if isinstance(results, list | tuple) else [results]), *read]
    if not read or not all(isinstance(one, torch.Tensor) for one in tensors):
        return False
    if not all(isinstance(size, int) for one in tensors for size in one.shape):
        return False
    if node.target._schema.is_mutable or not any(map(is_real, node.all_input_nodes)):
        return False
    return node.target.name() not in COMPLEX_NUMBERS and _way(node.target, table) is not None


def _way(target: OpOverload, table: DecompositionTable) -> Callable[..., Any] | None:
    return FORMULAS.get(target) or table.find(target)


def _written(node: Node, table: DecompositionTable, accepts: Callable[[GraphModule], bool]) -> bool:
    operands, function = list(node.all_input_nodes), _way(node.target, table)  # type: ignore[arg-type]
    assert function is not None

    def calculated(*values: torch.Tensor) -> Any:
        known = dict(zip(operands, values, strict=True))
        args, kwargs = map_arg((node.args, node.kwargs), known.__getitem__)
        found = function(*args, **kwargs)
        # A way that is for other operands.
        return node.target(*args, **kwargs) if found is NotImplemented else found  # type: ignore[operator]

    def is_simpler(traced: GraphModule) -> bool:
        return all(call.target != node.target for call in traced.graph.nodes) and accepts(traced)

    return inline_traced(node, calculated, operands, f"_constant_{node.name}", accepts=is_simpler)
