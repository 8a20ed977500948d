"""Functions that lowerings and passes of users are put together from."""

from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.errors import ExportErrorType, PassError
from executorch.dialects.memory import alloc
from executorch.dialects.verifiers import graph_modules
from executorch.passes.infrastructure.pass_base import PassResult
from executorch.passes.to_execution.spec_prop_pass import SpecPropPass
from executorch.passes.to_execution.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass


def dead_code_elimination_pass(graph_module: GraphModule) -> PassResult:
    """Removes nodes that nobody uses, in the graph and its control-flow bodies (in place)."""
    modified = False
    for module in graph_modules(graph_module):
        if module.graph.eliminate_dead_code():
            module.recompile()
            modified = True
    return PassResult(graph_module, modified)


def propagate_dynamic_shape(dynamic_memory_planning_mode: int = 0) -> list[Any]:
    """The passes that give every value a spec with numbers for sizes: upper bounds where sizes are symbols.

    Args:
        dynamic_memory_planning_mode: 0 (``UPPER_BOUND``); memory is planned ahead of time, which needs numbers.

    Raises:
        PassError: another mode.
    """
    if dynamic_memory_planning_mode != 0:
        raise PassError(
            ExportErrorType.NOT_SUPPORTED,
            f"dynamic_memory_planning_mode={dynamic_memory_planning_mode!r}\nWay out: UPPER_BOUND, the default",
        )
    return [SpecPropPass(), ConstraintBasedSymShapeEvalPass()]


def make_alloc_node(graph_module: GraphModule, val: Any, tensor_meta: Any = None) -> Node:
    """Inserts the ``memory.alloc`` of one tensor, or of several, at the current insertion point of the graph.

    Args:
        graph_module: to insert into.
        val: example tensor, or a list or tuple of them.
        tensor_meta: kept on the node when given.
    """
    shapes: Any
    if isinstance(val, torch.Tensor):
        shapes = (tuple(val.shape), val.dtype)
    else:
        shapes = [(tuple(item.shape), item.dtype) for item in val]
    node = graph_module.graph.call_function(alloc, (shapes,))
    node.meta[meta_keys.VAL] = val
    if tensor_meta is not None:
        node.meta["tensor_meta"] = tensor_meta
    return node


def update_args(args: Sequence[Any], key: int, val: Any) -> tuple[Any, ...]:
    """``args`` with ``val`` in place ``key``."""
    new = list(args)
    new[key] = val
    return tuple(new)


__all__ = [
    "dead_code_elimination_pass",
    "make_alloc_node",
    "propagate_dynamic_shape",
    "update_args",
]
