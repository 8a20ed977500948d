"""Example values of nodes: how to make them without running the whole graph again."""

import functools
from collections.abc import Callable
from typing import Any, Final

import torch
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg
from torch.utils import _pytree as pytree

from executorch.dialects import meta_keys
from executorch.dialects.dim_order import (
    contiguous_stride_from_shape,
    dim_order_of,
    is_channels_last_dim_order,
)
from executorch.dialects.edge_ops import EdgeOpOverload, aten_op
from executorch.dialects.torch_types import FakeTensor, OpOverload
from executorch.ir.graph import fake_mode_of

#: What is known of a node because of its example value.
DERIVED_META: Final = frozenset({meta_keys.VAL, meta_keys.SPEC, "tensor_meta"})
#: By name: the second is defined in the edge dialect.
_CLONES: Final = ("aten::clone", "dim_order_ops::_clone_dim_order")


def value_of(node: Node) -> Any:
    """The example value of a node; None when there is none."""
    return node.meta.get(meta_keys.VAL)


def tensor_of(node: Any) -> "torch.Tensor | None":
    """The example tensor of a node; None for anything else."""
    value = node.meta.get(meta_keys.VAL) if isinstance(node, Node) else None
    return value if isinstance(value, torch.Tensor) else None


def shape_of(node: Any) -> "tuple[Any, ...] | None":
    """The sizes of a node's tensor; None where it has none."""
    value = tensor_of(node)
    return None if value is None else tuple(value.shape)


def sizes_of(node: Node) -> list[Any]:
    """The sizes of a node that makes a tensor."""
    return list(node.meta[meta_keys.VAL].shape)


def rank_of(node: Any) -> "int | None":
    """How many dimensions the tensor of a node has; None where there is none."""
    value = tensor_of(node)
    return None if value is None else value.dim()


def have_same_layout(left: Node, right: Node) -> bool:
    """Whether two nodes are tensors of one element type, with the same sizes and strides, on one device."""
    first, second = tensor_of(left), tensor_of(right)
    if first is None or second is None or first.device != second.device:
        return False
    return bool(description(first) == description(second))


def is_plain_clone(node: Any) -> bool:
    """Whether a node is a clone in the layout of what it copies.

    Where no example value tells, as in a graph made by hand, it is one that asks for no layout.
    """
    op = aten_op(node.target) if isinstance(node, Node) and node.op == "call_function" else None
    if op is None or op._schema.name not in _CLONES:
        return False
    source = node.all_input_nodes[0]
    if tensor_of(node) is None and tensor_of(source) is None:
        return len(node.args) + len(node.kwargs) == 1
    return have_same_layout(node, source)


def description(value: Any) -> Any:
    """Types, sizes and strides of a value, to compare.

    Sizes are text: comparing symbols would add guards to the program.
    """
    if isinstance(value, (tuple, list)):
        return [description(item) for item in value]
    if isinstance(value, torch.Tensor):
        return value.dtype, [str(size) for size in value.shape], [str(step) for step in value.stride()]
    return str(value)


def compute_value(target: Callable[..., Any], args: Any, kwargs: Any, graph_nodes: Any) -> Any:
    """Runs ``target`` on the example values of the nodes in its arguments, under their fake mode."""
    target = _callable_with_symbols(target)
    fake_args = map_arg(args, value_of)
    fake_kwargs = map_arg(kwargs, value_of)
    mode = _mode_of_values((fake_args, fake_kwargs)) or fake_mode_of(graph_nodes)
    if mode is None:
        return target(*fake_args, **fake_kwargs)
    with mode:
        return target(*fake_args, **fake_kwargs)


@functools.cache
def _callable_with_symbols(target: Callable[..., Any]) -> Callable[..., Any]:
    """``target``, or what gives the same example value without asking symbolic sizes for numbers.

    Some of torch's copying forms (``permute_copy``) replace the symbols of the whole program by the example's sizes when
    they are called on fake tensors. Their views do not.
    """
    op = aten_op(target)
    if op is None or op.namespace != "aten" or not op._schema.name.endswith("_copy"):
        return target
    packet = getattr(torch.ops.aten, op._schema.name.removeprefix("aten::").removesuffix("_copy"), None)
    view = getattr(packet, op._overloadname, None)
    if view is None:
        return target

    def copied(*args: Any, **kwargs: Any) -> Any:
        return pytree.tree_map(_contiguous_copy, view(*args, **kwargs))

    return copied


def _contiguous_copy(value: torch.Tensor) -> torch.Tensor:
    return value.clone(memory_format=torch.contiguous_format)


def fill_missing_values(graph_module: GraphModule) -> bool:
    """Computes the example values of operators that have none, as nodes made by fx's pattern rewriter (in place).

    Returns whether there were any. Nodes whose arguments have no value either stay without.
    """
    filled = False
    for node in graph_module.graph.nodes:
        is_operator = node.op == "call_function" and isinstance(node.target, (EdgeOpOverload, OpOverload))
        if not is_operator or meta_keys.VAL in node.meta or not node.target._schema.returns:
            continue
        if all(meta_keys.VAL in source.meta for source in node.all_input_nodes):
            node.meta[meta_keys.VAL] = compute_value(
                node.target, node.args, node.kwargs, graph_module.graph.nodes
            )
            filled = True
    return filled


def _mode_of_values(values: Any) -> Any:
    for leaf in pytree.tree_leaves(values):
        if isinstance(leaf, FakeTensor):
            return leaf.fake_mode
    return None


def is_contiguous_value(value: torch.Tensor) -> bool:
    """True when ``value``'s strides are those of a contiguous tensor of its (possibly symbolic) sizes."""
    return _same_strides(value, contiguous_stride_from_shape(value.shape))


def _same_strides(value: torch.Tensor, expected: Any) -> bool:
    # Compare as expressions: asking symbolic sizes "==" would add guards to the program.
    return [str(stride) for stride in value.stride()] == [str(stride) for stride in expected]


def is_channels_last_value(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and is_channels_last_dim_order(
        dim_order_of(value.shape, value.stride())
    )


def contiguous_value(value: torch.Tensor) -> torch.Tensor:
    """A fake tensor like ``value`` with contiguous strides; ``value`` itself if it has them already."""
    if is_contiguous_value(value):
        return value
    if isinstance(value, FakeTensor):
        with value.fake_mode:
            return torch.empty(value.shape, dtype=value.dtype, device=value.device)
    return torch.empty(value.shape, dtype=value.dtype, device=value.device)
