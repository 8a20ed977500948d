"""The rules of the execution form, one function a rule; each returns what is wrong with a node, or None."""

from typing import Any

import torch
from torch.fx import Node

from executorch.dialects import memory, meta_keys
from executorch.dialects.execution import (
    flatten_specs,
    is_alloc,
    is_getitem,
    is_in_place,
    is_out_variant,
    is_primitive,
    out_arguments,
    tensor_specs,
    written_argument_names,
)
from executorch.dialects.torch_types import HigherOrderOperator, OpOverload

_MEMORY_OPS = frozenset({memory.alloc, memory.view, memory.free})


def target_rule(node: Node) -> "str | None":
    """Only the operators of the execution form are called."""
    target = node.target
    if node.op != "call_function" or target in _MEMORY_OPS or isinstance(target, HigherOrderOperator):
        return None
    if is_getitem(node) or is_out_variant(target) or is_primitive(node) or is_in_place(node):
        return None
    if isinstance(target, OpOverload) and not target._schema.returns:
        return None
    return "is not an operator of the execution form (an out variant, a primitive, a memory operator or control flow)"


def spec_rule(node: Node) -> "str | None":
    """Every tensor value carries a spec."""
    if node.op not in ("placeholder", "call_function") or node.target is memory.free:
        return None
    if meta_keys.SPEC in node.meta:
        return None
    if isinstance(node.target, OpOverload) and not node.target._schema.returns:
        return None
    return "has no spec (meta['spec'])"


def shape_rule(node: Node) -> "str | None":
    """Sizes in specs are numbers, not symbols."""
    for spec in tensor_specs(node):
        if not all(isinstance(size, int) for size in spec.shape):
            return f"its shape {tuple(spec.shape)} still contains symbols instead of upper bounds"
    return None


def out_rule(node: Node) -> "str | None":
    """Each out argument is a ``memory.alloc`` node; those that are no work space share the specs of the results."""
    target = node.target
    if node.op != "call_function" or not is_out_variant(target):
        return None
    names = written_argument_names(target)  # type: ignore[arg-type]
    missing = [name for name in names if name not in node.kwargs]
    if missing:
        return f"out arguments {missing} are not given by keyword"
    if not all(is_alloc(item) for name in names for item in _as_list(node.kwargs[name])):
        return "an out argument is not a memory.alloc node"
    specs = [
        spec
        for out in out_arguments(node)
        for item in _as_list(out)
        for spec in flatten_specs(item.meta.get(meta_keys.SPEC))
    ]
    own = tensor_specs(node)
    if len(specs) != len(own) or any(left is not right for left, right in zip(specs, own, strict=True)):
        return "the specs of its results are not those of its out arguments"
    return None


def alloc_rule(node: Node) -> "str | None":
    """An allocation serves one operator."""
    if is_alloc(node) and len(node.users) > 1:
        return f"is the out argument of several nodes ({', '.join(user.name for user in node.users)})"
    return None


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def layout_rule(node: Node) -> "str | None":
    """Tensor types that no program can hold."""
    for spec in tensor_specs(node):
        if spec.layout is not torch.strided or spec.is_sparse:
            return f"has layout {spec.layout}; programs hold dense strided tensors only"
    return None


EXECUTION_RULES = (target_rule, spec_rule, shape_rule, out_rule, alloc_rule, layout_rule)
