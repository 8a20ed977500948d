"""Replaces arithmetic that only Python can do by operators the executor knows."""

import operator
from typing import Any, Final

import torch
from torch.fx import GraphModule, Node

from executorch.dialects.backend_ops import backend_op
from executorch.dialects.edge_ops import EdgeOpOverload
from executorch.dialects.errors import OperatorNotSupportedError, Problems
from executorch.dialects.prim_ops import SYM_OP_TO_PRIM
from executorch.dialects.torch_types import HigherOrderOperator, OpOverload
from executorch.dialects.verifiers import graph_modules
from executorch.passes.infrastructure.pass_base import PassBase, PassResult

_SUM: Final = torch.sym_sum
_ADD: Final = backend_op(SYM_OP_TO_PRIM[operator.add])


class EdgeToBackendOpsPass(PassBase):
    """Arithmetic on sizes becomes ``executorch_prim`` operators of the backend dialect; edge operators stay.

    ``EdgeToAtenPass`` turns both kinds into the torch operators that they wrap.

    Raises:
        OperatorNotSupportedError: arithmetic for which the executor has no operator; the message lists all.
    """

    def call(self, graph_module: GraphModule) -> PassResult:
        problems = Problems("Arithmetic on sizes that the executor cannot do")
        modified = False
        for module in graph_modules(graph_module):
            changed = False
            for node in list(module.graph.nodes):
                if node.op == "call_function":
                    changed |= _replace(node, problems)
            if changed:
                module.recompile()
            modified |= changed
        known = ", ".join(sorted(op.name() for op in SYM_OP_TO_PRIM.values()))
        problems.raise_if_any(f"express it with what the executor knows: {known}", OperatorNotSupportedError)
        return PassResult(graph_module, modified)


def _replace(node: Node, problems: Problems) -> bool:
    target: Any = node.target
    known = (EdgeOpOverload, OpOverload, HigherOrderOperator)
    if isinstance(target, known) or target is operator.getitem:
        return False
    prim = SYM_OP_TO_PRIM.get(target)
    if prim is not None:
        node.target = backend_op(prim)
        return True
    if target is _SUM:
        return _replace_sum(node)
    if getattr(target, "__module__", "").startswith("executorch."):
        return False  # memory.alloc and its kin
    problems.add(node, "has no executorch_prim operator")
    return False


def _replace_sum(node: Node) -> bool:
    """``sym_sum((a, b, c))`` is ``(a + b) + c``."""
    (items,) = node.args
    values = list(items)  # type: ignore[arg-type]
    total = values[0]
    with node.graph.inserting_before(node):
        for item in values[1:]:
            total = node.graph.call_function(_ADD, (total, item))
            total.meta = dict(node.meta)
            total.meta["val"] = _value(total.args[0]) + _value(item)
    if isinstance(total, Node):
        node.replace_all_uses_with(total)
        node.graph.erase_node(node)
    return True


def _value(item: Any) -> Any:
    return item.meta["val"] if isinstance(item, Node) else item
