"""Attention as the matrix products and the softmax it stands for."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.backends.transforms.inline_traced import inline_traced
from executorch.ir.rewriter import is_call
from executorch.ir.values import tensor_of
from executorch.passes.infrastructure.pass_base import GraphPass

_SDPA = torch.ops.aten.scaled_dot_product_attention.default
_MATH = torch.ops.aten._scaled_dot_product_attention_math.default
_OPTIONAL = {"attn_mask": None, "dropout_p": 0.0, "is_causal": False}


class DecomposeScaledDotProductAttention(GraphPass):
    """``scaled_dot_product_attention`` becomes products, a mask and ``_safe_softmax``, as PyTorch defines it.

    Args:
        allow_non_fake_inputs: whether values of nodes may be real tensors.
    """

    def __init__(self, allow_non_fake_inputs: bool = True) -> None:
        super().__init__()
        self._allow_non_fake_inputs = allow_non_fake_inputs

    def call(self, graph_module: GraphModule, allow_non_fake_inputs: bool | None = None) -> Any:
        if allow_non_fake_inputs is not None:
            self._allow_non_fake_inputs = allow_non_fake_inputs
        return super().call(graph_module)

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        modified = False
        for node in list(graph_module.graph.nodes):
            if is_call(node, _SDPA):
                self._decompose(node)
                modified = True
        return modified

    def _decompose(self, node: Node) -> None:
        operands, options = _split_arguments(node)
        values = [tensor_of(operand) for operand in operands]
        heads = [value.shape[-3] for value in values[:3] if value is not None and value.dim() > 3]
        if not options["enable_gqa"] and len({str(count) for count in heads}) > 1:
            raise ValueError(
                f"{node}: query, key and value have {heads} heads\nWay out: equal numbers, or enable_gqa=True"
            )

        def attention(*tensors: torch.Tensor) -> torch.Tensor:
            query, key, value, *rest = tensors
            mask = rest[0] if rest else None
            if mask is not None and mask.dtype is torch.bool:  # True takes part
                mask = torch.zeros_like(mask, dtype=query.dtype).masked_fill(mask.logical_not(), -torch.inf)
            result: torch.Tensor = _MATH.decompose(
                query,
                key,
                value,
                mask,
                options["dropout_p"],
                options["is_causal"],
                scale=options["scale"],
                enable_gqa=options["enable_gqa"],
            )[0]
            return result

        inline_traced(
            node, attention, operands, "_attention_constant", allows_real=self._allow_non_fake_inputs
        )


def _split_arguments(node: Node) -> tuple[list[Node], dict[str, Any]]:
    """The tensors of a call (with the mask, if there is one), and its other arguments by name."""
    named: dict[str, Any] = {**_OPTIONAL, "scale": None, "enable_gqa": False}
    named.update(zip(_OPTIONAL, node.args[3:], strict=False))
    named.update(node.kwargs)
    query, key, value = (
        node.args[position] if position < len(node.args) else node.kwargs[name]
        for position, name in enumerate(("query", "key", "value"))
    )
    mask: Any = named.pop("attn_mask")
    operands: list[Any] = [query, key, value]
    return operands if mask is None else [*operands, mask], named


__all__ = ["DecomposeScaledDotProductAttention"]
