"""A mixture of experts whose weights have four bits in groups, as a kernel reads them."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any

import torch

from executorch.extension.llm.custom_ops.linear_4w import BLOCK, linear_4w, pack
from executorch.extension.llm.custom_ops.operands import need, need_dtype, need_rank

#: How experts are rated.
SCORES = ("sigmoid", "softmax")

#: Bits of a weight.
BITS = 4


def quantized_moe_ffn(
    x: torch.Tensor,
    gate_weight: torch.Tensor,
    expert_bias: torch.Tensor,
    packed_w13: torch.Tensor,
    packed_w2: torch.Tensor,
    num_activated_experts: int,
    num_experts: int,
    hidden_dim: int,
    dim: int,
    group_size: int,
    weight_nbit: int,
    score_func: str,
    route_scale: float,
) -> torch.Tensor:
    """Each token to the experts that the gate rates highest: the weighted sum of ``w2(silu(w1(x)) * w3(x))``.

    Args:
        x: float32 of ``[tokens, dim]``.
        gate_weight: float32 of ``[experts, dim]``.
        expert_bias: float32 of ``[experts]``, or empty; with ``sigmoid`` experts are chosen by rating plus bias.
        packed_w13: of :func:`pack_experts`, ``w3``'s rows behind those of ``w1``.
        packed_w2: likewise.
        num_activated_experts: of a token.
        num_experts, hidden_dim, dim: sizes.
        group_size: weights of a row that have a scale in common; divides both sizes.
        weight_nbit: 4.
        score_func: ``softmax`` of the chosen ratings, or ``sigmoid``: shares of their sum, times ``route_scale``.
        route_scale: see there.

    Raises:
        OperandError: shapes, element types or numbers do not fit.
    """
    sizes = (num_activated_experts, num_experts, hidden_dim, dim, group_size, weight_nbit)
    _check(x, gate_weight, expert_bias, packed_w13, packed_w2, *sizes, score_func, route_scale)
    scores = torch.nn.functional.linear(x, gate_weight)
    if score_func == "sigmoid":
        scores = torch.sigmoid(scores)
        keys = scores + expert_bias if expert_bias.numel() else scores
        experts = torch.topk(keys, num_activated_experts, dim=-1).indices
        weights = torch.gather(scores, -1, experts)
        weights = weights * route_scale / (weights.sum(dim=-1, keepdim=True) + 1e-20)
    else:
        chosen, experts = torch.topk(scores, num_activated_experts, dim=-1)
        weights = chosen.softmax(dim=-1)
    out = torch.zeros_like(x)
    for expert in experts.unique().tolist():
        tokens, places = torch.nonzero(experts == expert, as_tuple=True)
        wide, wide_scales = _unpack(packed_w13[expert], 2 * hidden_dim, dim, group_size)
        narrow, narrow_scales = _unpack(packed_w2[expert], dim, hidden_dim, group_size)
        gate, up = linear_4w(x[tokens], wide, wide_scales, 2 * hidden_dim).chunk(2, dim=-1)
        given = linear_4w(torch.nn.functional.silu(gate) * up, narrow, narrow_scales, dim)
        out.index_add_(0, tokens, given * weights[tokens, places, None])
    return out


def quantized_moe_ffn_meta(x: torch.Tensor, *rest: Any) -> torch.Tensor:
    """The shape of the input."""
    _check(x, *rest)
    return torch.empty_like(x)


def pack_experts(numbers: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """The weights of experts for :func:`quantized_moe_ffn`: for each one its lines, and the bytes of its scales behind them.

    Args:
        numbers: from -8 to 7, ``[experts, n, k]``.
        scales: of each group of a row, ``[experts, n, groups]``.

    Returns:
        uint8 of ``[experts, bytes]``.
    """
    packed = [
        torch.cat([part.reshape(-1).view(torch.uint8) for part in pack(one, its_scales)])
        for one, its_scales in zip(numbers, scales, strict=True)
    ]
    return torch.stack(packed)


def _unpack(packed: torch.Tensor, rows: int, depth: int, group: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The weight and the scales of one expert, as :func:`~executorch.extension.llm.custom_ops.linear_4w.pack` made them."""
    blocks = -(-rows // BLOCK)
    lines, scales = packed.split(_packed_bytes(rows, depth, group))
    wide = scales.contiguous().view(torch.float32).reshape(blocks, depth // group, BLOCK)
    return lines.reshape(blocks, depth, BLOCK // 2), wide


def _packed_bytes(rows: int, depth: int, group: int) -> list[int]:
    """Of an expert's lines, and of its scales."""
    blocks = -(-rows // BLOCK)
    return [blocks * depth * (BLOCK // 2), blocks * (depth // group) * BLOCK * 4]


_SIGNATURE = inspect.signature(quantized_moe_ffn)


def _check(*operands: Any) -> None:
    """Operands and sizes fit together; in the order of :func:`quantized_moe_ffn`, whose names they have here."""
    given = SimpleNamespace(**_SIGNATURE.bind(*operands).arguments)
    experts, hidden, dim, group = given.num_experts, given.hidden_dim, given.dim, given.group_size
    need(given.weight_nbit == BITS, f"experts have weights of {BITS} bits, not {given.weight_nbit}")
    need(
        given.score_func in SCORES,
        f"Expected score_func to be one of {', '.join(SCORES)} but got {given.score_func}",
    )
    chosen = given.num_activated_experts
    need(0 < chosen <= experts, f"a token goes to 1 to {experts} experts, not to {chosen}")
    need(min(hidden, dim, group) > 0, f"sizes {hidden} and {dim}, in groups of {group}, must be positive")
    need(dim % group == 0 and hidden % group == 0, f"groups of {group} do not divide {dim} and {hidden}")
    need_rank("x", given.x, 2)
    need_rank("expert_bias", given.expert_bias, 1)
    for name in ("x", "gate_weight", "expert_bias"):
        need_dtype(name, getattr(given, name), (torch.float32,))
    need(given.x.shape[1] == dim, f"Expected x to be [tokens, {dim}] but got {list(given.x.shape)}")
    need(
        list(given.gate_weight.shape) == [experts, dim],
        f"Expected gate_weight to be [{experts}, {dim}] but got {list(given.gate_weight.shape)}",
    )
    need(
        given.expert_bias.shape[0] in (0, experts),
        f"Expected expert_bias to be empty or [{experts}] but got {list(given.expert_bias.shape)}",
    )
    for name, sizes in (
        ("packed_w13", _packed_bytes(2 * hidden, dim, group)),
        ("packed_w2", _packed_bytes(dim, hidden, group)),
    ):
        packed, size = getattr(given, name), sum(sizes)
        need_dtype(name, packed, (torch.uint8,))
        need(
            list(packed.shape) == [experts, size],
            f"Expected {name} to be [{experts}, {size}], as pack_experts gives it, but got {list(packed.shape)}",
        )


__all__ = ["BITS", "SCORES", "pack_experts", "quantized_moe_ffn", "quantized_moe_ffn_meta"]
