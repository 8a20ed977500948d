"""Experts whose weights have four bits in the module already, by the operator ``torch.ops.llama.quantized_moe_ffn``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torchao.quantization.utils import group_quantize_tensor_symmetric

from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401  # registers torch.ops.llama
from executorch.extension.llm.custom_ops.quantized_moe import BITS, pack_experts
from executorch.extension.llm.models.checkpoints import fill_pending
from executorch.extension.llm.models.feed_forward import MOEFeedForward
from executorch.extension.llm.models.refusal import RefusalError


class QuantizedMoEFFN(nn.Module):
    """A mixture of experts of :class:`~executorch.extension.llm.models.feed_forward.MOEFeedForward`, quantized; it calculates in single
    precision.

    Args:
        experts: what is quantized. ``score_func``, ``route_scale``, ``expert_bias`` and ``shared_expert`` are read if it has them.
        group_size: weights of a row that have a scale in common.
        weight_nbit: 4.

    Raises:
        ValueError: groups do not divide the sizes, or the kernel has no such bits, activation or weights of experts.
    """

    expert_bias: torch.Tensor

    def __init__(self, experts: MOEFeedForward, group_size: int = 32, weight_nbit: int = BITS) -> None:
        super().__init__()
        network: Any = experts.cond_ffn
        self.num_experts, self.hidden_dim, self.dim = network.w1.shape
        _check(self.hidden_dim, self.dim, group_size, weight_nbit, network.act_fn)
        if not getattr(experts, "norm_topk_prob", True):
            raise RefusalError(
                "quantized experts are weighted among themselves; this model's among all (norm_topk_prob): leave the operator out"
            )
        self.num_activated_experts = experts.num_activated_experts
        self.group_size, self.weight_nbit = group_size, weight_nbit
        self.score_func = str(getattr(experts, "score_func", "softmax"))
        self.route_scale = float(getattr(experts, "route_scale", 1.0))
        self.shared_expert = getattr(experts, "shared_expert", None)
        bias = getattr(experts, "expert_bias", None)
        self.register_buffer("gate_weight", experts.gate.weight.detach().dequantize().float().contiguous())
        self.register_buffer("expert_bias", torch.zeros(0) if bias is None else bias.detach().float())
        wide = [torch.cat((w1, w3)) for w1, w3 in zip(network.w1.detach(), network.w3.detach(), strict=True)]
        self.register_buffer("packed_w13", _packed(wide, group_size))
        # Of w2 a row is an inner place, and not a result.
        self.register_buffer("packed_w2", _packed([one.t() for one in network.w2.detach()], group_size))

    def _apply(self, fn: Callable[[torch.Tensor], torch.Tensor], recurse: bool = True) -> QuantizedMoEFFN:
        # A model in half precision chooses experts in single precision all the same.
        kept = {name: getattr(self, name) for name in ("gate_weight", "expert_bias")}
        super()._apply(fn, recurse)
        for name, value in kept.items():
            setattr(self, name, value.to(getattr(self, name).device))
        return self

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``[..., dim]`` to the same."""
        sizes = (self.num_activated_experts, self.num_experts, self.hidden_dim, self.dim, self.group_size)
        mixed: torch.Tensor = torch.ops.llama.quantized_moe_ffn(
            x.reshape(-1, self.dim).float(),
            self.gate_weight,
            self.expert_bias,
            self.packed_w13,
            self.packed_w2,
            *sizes,
            self.weight_nbit,
            self.score_func,
            self.route_scale,
        )
        out = mixed.to(x.dtype).reshape(x.shape)
        return out if self.shared_expert is None else out + self.shared_expert(x)


def replace_moe_with_quantized_op(
    module: nn.Module, group_size: int = 32, weight_nbit: int = BITS
) -> nn.Module:
    """Exchanges the mixtures of experts of a model; returns the model.

    Raises:
        ValueError: as of :class:`QuantizedMoEFFN`.
    """
    for parent in list(module.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, MOEFeedForward):
                fill_pending(child)
                setattr(parent, name, QuantizedMoEFFN(child, group_size, weight_nbit))
    return module


def symmetric_quantize_per_group(
    weight: torch.Tensor, group_size: int, bits: int = BITS
) -> tuple[torch.Tensor, torch.Tensor]:
    """Numbers of few bits, ``[n, k]``, and a scale for each group of a row, ``[n, groups]``, of a float weight ``[n, k]``."""
    numbers, scales, _ = group_quantize_tensor_symmetric(weight.float(), bits, group_size, torch.float32)
    return numbers, scales


def _packed(weights: list[torch.Tensor], group_size: int) -> torch.Tensor:
    """One expert after the other, so that floats of one alone are there beside the weights."""
    made = []
    for one in weights:
        numbers, scales = symmetric_quantize_per_group(one, group_size)
        made.append(pack_experts(numbers[None], scales[None]))
    return torch.cat(made)


def _check(hidden: int, dim: int, group_size: int, bits: int, act_fn: Any) -> None:
    if bits != BITS:
        raise RefusalError(f"quantized experts have weights of {BITS} bits, not {bits}")
    if group_size <= 0 or dim % group_size or hidden % group_size:
        raise RefusalError(
            f"groups of {group_size} do not divide the experts' sizes {dim} and {hidden}: give another group size"
        )
    if act_fn is not nn.functional.silu:
        raise RefusalError(
            "quantized experts have SiLU as their activation; this model has another one: leave the operator out"
        )
