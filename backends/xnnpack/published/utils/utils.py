"""What passes and partitioners for XNNPACK ask of nodes and programs."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.constants import name_of
from executorch.ir.signature import state_inputs

PERM_NCHW_TO_NHWC = [0, 2, 3, 1]
PERM_NHWC_TO_NCHW = [0, 3, 1, 2]

_RELU = {"aten.relu.default"}
_CONVOLUTION = "aten.convolution.default"


def is_node(node: Any) -> bool:
    """Whether this is a node of a graph."""
    return isinstance(node, Node)


def is_getitem(node: Node) -> bool:
    """Whether the node picks one of several results."""
    return node.op == "call_function" and node.target is operator.getitem


def is_get_attr_node(node: Node) -> bool:
    """Whether the node reads an attribute of its module."""
    return isinstance(node, Node) and node.op == "get_attr"


def check_or_raise(condition: bool, err: str) -> None:
    """Raises an ``AssertionError`` with ``err`` unless ``condition`` holds."""
    if not condition:
        raise AssertionError(err)


def get_input_node(node: Node, input_index: int) -> Node:
    """The argument at a position.

    Raises:
        AssertionError: it is no node.
    """
    found = node.args[input_index]
    check_or_raise(isinstance(found, Node), f"argument {input_index} of {node.name} is {found!r}, no node")
    return found  # type: ignore[return-value]


def get_relu_fused_node(node: Node) -> Node | None:
    """The rectifier that is all that reads ``node``, None if there is none."""
    user = next(iter(node.users)) if len(node.users) == 1 else None
    return user if user is not None and name_of(user) in _RELU else None


def get_source_fn(node: Node) -> Any:
    """What the model called for this node, None if the trace does not say."""
    stack = node.meta.get("source_fn_stack")
    return stack[-1][1] if stack else None


def is_param_node(exp_prog: ExportedProgram, node: Node) -> bool:
    """Whether the node is the placeholder of a parameter, a buffer or a lifted constant, or reads an attribute."""
    return is_get_attr_node(node) or (
        node.op == "placeholder" and node.name in state_inputs(exp_prog.graph_signature)
    )


def get_tensor_name(exp_prog: ExportedProgram, node: Node | None) -> str:
    """The qualified name of a constant, the empty string for anything else."""
    if node is None:
        return ""
    if is_get_attr_node(node):
        return str(node.target)
    spec = state_inputs(exp_prog.graph_signature).get(node.name)
    return "" if spec is None or spec.target is None else spec.target


def get_param_tensor(exp_prog: ExportedProgram, node: Node | None) -> torch.Tensor | None:
    """The tensor of a constant; None for None.

    Raises:
        RuntimeError: the node stands for no constant.
    """
    if node is None:
        return None
    if is_get_attr_node(node):
        holder: Any = exp_prog.graph_module
        for part in str(node.target).split("."):
            holder = getattr(holder, part)
        return holder  # type: ignore[no-any-return]
    name = get_tensor_name(exp_prog, node)
    if name in exp_prog.state_dict:
        return exp_prog.state_dict[name]
    if name and name in exp_prog.constants:
        return exp_prog.constants[name]
    raise RuntimeError(f"unsupported param type: {node.name} ({node.op}) is no constant of the program")


def get_groups_from_conv(conv_node: Node) -> int:
    """The groups of a convolution, also before it is ``aten.convolution``."""
    position = 8 if name_of(conv_node) == _CONVOLUTION else 6
    found: Any = conv_node.kwargs.get("groups", 1)
    return int(conv_node.args[position] if len(conv_node.args) > position else found)  # type: ignore[arg-type]


def is_depthwise_conv(kernel_shape: Sequence[int], groups: int = 1, is_transpose: bool = False) -> bool:
    """Whether each input channel has filters of its own.

    Args:
        kernel_shape: of the weight, as the model has it.
        groups: of the convolution.
        is_transpose: whether it is transposed; XNNPACK has no such depthwise convolution.
    """
    if len(kernel_shape) < 2 or groups < 1:
        return False
    outputs, inputs = kernel_shape[0], kernel_shape[1]
    return not is_transpose and inputs == 1 and groups > 1 and outputs % groups == 0


def normalize_pool2d_args(
    node: Node, has_dilation: bool
) -> tuple[list[int], list[int], list[int], list[int]]:
    """Kernel, stride, padding and dilation of a pool over an image, each as height and width.

    Args:
        node: ``max_pool2d`` or ``avg_pool2d``.
        has_dilation: the operator's fifth argument is its dilation; without one it is 1.
    """
    kernel = _pair(node.args[1])
    given = [list(node.args[position : position + 1]) for position in (2, 3, 4)]
    # No stride, or an empty one, is that of the kernel.
    stride = _pair(given[0][0]) if given[0] and given[0][0] != [] else list(kernel)
    padding = _pair(given[1][0]) if given[1] else [0, 0]
    dilation = _pair(given[2][0]) if has_dilation and given[2] else [1, 1]
    return kernel, stride, padding, dilation


def _pair(value: Any) -> list[int]:
    numbers = [value] if isinstance(value, int) else list(value)
    return numbers * 2 if len(numbers) == 1 else numbers


def normalize_mean_dims(mean_dims: Sequence[int] | int | None, rank: int) -> list[int]:
    """The dimensions of a mean, from 0 to ``rank - 1``; all if none is named."""
    if mean_dims is None:
        return list(range(rank))
    given = [mean_dims] if isinstance(mean_dims, int) else list(mean_dims)
    return [dim % rank for dim in given]
