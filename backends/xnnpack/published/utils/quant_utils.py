"""How quantization looks in a graph: under this path, questions about one node at a time and checks of parameters."""

from __future__ import annotations

from typing import Any

from torch.fx import Node

from executorch.backends.xnnpack.graph.conversions import (
    is_affine_qdq,
    is_per_channel,
    is_per_channel_group,
    is_per_tensor,
    is_per_token,
)


def extract_qdq_affine_op_args_for_decomposed_ops(node: Node) -> tuple[list[Any] | None, str]:
    """The arguments that ``quantized_decomposed`` has for one of torchao's conversions.

    Args:
        node: ``quantize_affine`` or ``dequantize_affine``.

    Returns:
        The arguments behind the tensor, and the operator's name without ``quantize_`` or ``dequantize_``; None and the
        empty string for a conversion that ``quantized_decomposed`` does not have.
    """
    if not is_affine_qdq(node):
        return None, ""
    _, block, scale, zero_point, dtype, low, high = node.args[:7]
    limits = [low, high, dtype]
    if is_per_tensor(node):
        return [scale, zero_point, *limits], "per_tensor"
    if is_per_token(node):
        return [scale, zero_point, *limits], "per_token"
    if is_per_channel(node):
        return [scale, zero_point, 0, *limits], "per_channel"
    if is_per_channel_group(node):
        return [scale, zero_point, *limits, block[-1]], "per_channel_group"  # type: ignore[index]
    return None, ""
