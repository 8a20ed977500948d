"""How quantization and casts look in a graph, asked of one node at a time."""

from __future__ import annotations

import torch.ao.quantization.fx._decomposed  # noqa: F401 - torch registers quantized_decomposed's operators here.
from torch.fx import Node

from executorch.backends.xnnpack.graph.constants import name_of
from executorch.dialects import meta_keys

#: Set on conversions that an XNNPACK node does on its way.
IS_IMPLICIT_Q_DQ_TAG = "IS_IMPLICIT_Q_DQ_TAG"

_QUANTIZE = "quantize_"
_DEQUANTIZE = "dequantize_"
_NAMESPACES = ("quantized_decomposed", "torchao")


def _name(node: Node) -> str:
    """``quantize_per_tensor.default`` of an operator that is about quantization, the empty string of any other."""
    namespace, _, name = name_of(node).partition(".")
    return name if namespace in _NAMESPACES else ""


def is_cast(node: Node) -> bool:
    """Whether this is a copy into elements of another type."""
    if name_of(node) != "dim_order_ops._to_dim_order_copy.default":
        return False
    read: Node = node.args[0]  # type: ignore[assignment]
    return bool(node.meta[meta_keys.VAL].dtype != read.meta[meta_keys.VAL].dtype)


def is_quant(node: Node) -> bool:
    """Whether the node makes integers of floating-point numbers."""
    return _name(node).startswith(_QUANTIZE)


def is_dequant(node: Node) -> bool:
    """Whether the node makes floating-point numbers of integers."""
    return _name(node).startswith(_DEQUANTIZE)


def is_qparam(node: Node) -> bool:
    """Whether the node chooses scales at run time."""
    return "choose_qparams" in _name(node)


def is_affine_qdq(node: Node) -> bool:
    """Whether this is torchao's form of a conversion."""
    return _name(node) in ("quantize_affine.default", "dequantize_affine.default")


def is_dynamic_qdq(node: Node) -> bool:
    """Whether this is a conversion with scales that are found at run time."""
    if not (is_quant(node) or is_dequant(node)):
        return False
    scale = node.args[2] if is_affine_qdq(node) else node.args[1]
    chosen = isinstance(scale, Node) and name_of(scale) == "getitem" and is_qparam(scale.args[0])  # type: ignore[arg-type]
    return chosen or _name(node).endswith(("per_tensor.tensor", "per_token.default"))


def is_per_channel(node: Node) -> bool:
    """Whether this is a conversion with a scale for each slice along one dimension."""
    if is_affine_qdq(node):
        shape, block = _shape_and_block(node)
        return len(block) > 1 and block[0] == 1 and block[1:] == shape[1:]
    return "per_channel" in _name(node)


def is_per_tensor(node: Node) -> bool:
    """Whether this is a conversion with one scale for all."""
    if is_affine_qdq(node):
        shape, block = _shape_and_block(node)
        return block == shape
    return "per_tensor" in _name(node)


def is_per_token(node: Node) -> bool:
    """Whether this is a conversion with a scale for each row."""
    if is_affine_qdq(node):
        shape, block = _shape_and_block(node)
        return set(block[:-1]) <= {1} and block[-1] == shape[-1]
    return "per_token" in _name(node)


def is_per_channel_group(node: Node) -> bool:
    """Whether this is a conversion with a scale for each group of neighbours in a row."""
    if is_affine_qdq(node):
        shape, block = _shape_and_block(node)
        return len(block) == 2 and block[0] == 1 and block[1] < shape[1]
    return "per_channel_group" in _name(node)


def _shape_and_block(node: Node) -> tuple[list[int], list[int]]:
    source: Node = node.args[0]  # type: ignore[assignment]
    return list(source.meta[meta_keys.VAL].shape), list(node.args[1])  # type: ignore[arg-type]


def tag_as_implicit_q_dq(node: Node) -> None:
    """Says that an XNNPACK node does this conversion on its way."""
    node.meta[IS_IMPLICIT_Q_DQ_TAG] = True


def is_tagged_as_implicit_q_dq(node: Node) -> bool:
    """Whether ``tag_as_implicit_q_dq`` was called."""
    return bool(node.meta.get(IS_IMPLICIT_Q_DQ_TAG, False))
