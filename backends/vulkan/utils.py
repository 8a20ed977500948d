"""What tools that look at lowered graphs ask of a node."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from executorch.dialects.edge_ops import EdgeOpOverload
from executorch.dialects.torch_types import OpOverload


def is_torch_op_node(node: Any) -> bool:
    """Whether a node calls an operator of PyTorch, of the Edge dialect, or one of higher order that stands for such."""
    if not isinstance(node, Node) or node.op != "call_function":
        return False
    wrapped = (torch.ops.higher_order.auto_functionalized, torch.ops.higher_order.auto_functionalized_v2)
    return isinstance(node.target, OpOverload | EdgeOpOverload) or node.target in wrapped


def _value_text(value: Any) -> str:
    if isinstance(value, Node):
        return _value_text(value.meta.get("val"))
    if isinstance(value, torch.Tensor):
        sizes = ", ".join(str(size) for size in value.shape)
        return f"{str(value.dtype).removeprefix('torch.')}[{sizes}]"
    if isinstance(value, list | tuple):
        return f"({', '.join(_value_text(one) for one in value)})"
    return str(value)


def node_io_str(node: Node) -> str:
    """A call on one line: its operator, the types and sizes of its arguments, and those of its result."""
    given = ", ".join(_value_text(one) for one in (*node.args, *node.kwargs.values()))
    return f"{node.target}({given}) -> {_value_text(node.meta.get('val'))}"
