"""Registers the operators ``torch.ops.llama.*``: importing this module is all that is needed to use and export them.

import torch
from executorch.extension.llm.custom_ops import custom_ops

torch.ops.llama.update_cache(keys, key_cache, position)
torch.ops.llama.custom_sdpa(query, key_cache, value_cache, position, is_causal=True)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch.library import Library

from executorch.extension.llm.custom_ops import attention
from executorch.extension.llm.custom_ops.attention import custom_sdpa
from executorch.extension.llm.custom_ops.hadamard import fast_hadamard_transform
from executorch.extension.llm.custom_ops.linear_4w import linear_4w, linear_4w_meta
from executorch.extension.llm.custom_ops.operands import (
    check_attention,
    check_cache,
    check_indices,
    check_one_dtype,
    need,
    need_apart,
    need_dtype,
    need_rank,
    need_room,
    need_same_sizes,
)
from executorch.extension.llm.custom_ops.quantized_moe import quantized_moe_ffn, quantized_moe_ffn_meta
from executorch.extension.llm.custom_ops.recurrence import check_recurrence, delta_rule

custom_ops_lib = Library("llama", "FRAGMENT")
_shared_lib = Library("executorch", "FRAGMENT")

_SDPA = (
    "SymInt start_pos, {}Tensor? attn_mask=None, float drpout_p=0.0, bool is_causal=False, float? scale=None"
)
_QUANTIZATION = ", ".join(f"Tensor? {name}_zero_points=None, Tensor? {name}_scales=None" for name in "qkv")
_RECURRENCE = "Tensor query, Tensor key, Tensor value, Tensor decay, Tensor beta, Tensor initial_state"
_CACHES = "Tensor(a!) key_cache, Tensor(b!) value_cache"


def _define(
    name: str, arguments: str, outs: tuple[str, ...], eager: Callable[..., Any], meta: Callable[..., Any]
) -> None:
    """Defines an operator and its out variant.

    Args:
        name: Of the operator.
        arguments: As a schema has them.
        outs: Names of the out variant's outputs; their alias names follow those of the arguments.
        eager: Computes it.
        meta: Computes shapes and dtypes of the results from tensors without memory.
    """
    used = arguments.count("!)")
    letters = ["abcdef"[used + place] for place in range(len(outs))]
    returned = ", ".join("Tensor" for _ in outs)
    written = ", ".join(f"Tensor({letter}!)" for letter in letters)
    given = ", ".join(f"Tensor({letter}!) {out}" for letter, out in zip(letters, outs, strict=True))
    as_tuple = "({})" if len(outs) > 1 else "{}"
    custom_ops_lib.define(f"{name}({arguments}) -> {as_tuple.format(returned)}")
    custom_ops_lib.define(f"{name}.out({arguments}, *, {given}) -> {as_tuple.format(written)}")

    names = list(inspect.signature(eager).parameters)

    def into(*values: Any, **options: Any) -> Any:
        targets = {out: options.pop(out) for out in outs}
        need_apart(targets, {**dict(zip(names, values, strict=False)), **options})
        found = eager(*values, **options)
        for target, result in zip(targets.values(), found if len(outs) > 1 else (found,), strict=True):
            target.resize_(result.shape).copy_(result)
        return tuple(targets.values()) if len(outs) > 1 else targets[outs[0]]

    custom_ops_lib.impl(name, eager, "CompositeExplicitAutograd")
    custom_ops_lib.impl(f"{name}.out", into, "CompositeExplicitAutograd")
    custom_ops_lib.impl(name, meta, "Meta")


def custom_sdpa_meta(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    start_pos: int,
    attn_mask: torch.Tensor | None = None,
    drpout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
) -> torch.Tensor:
    """The shape of attention is that of the query."""
    del start_pos, drpout_p, is_causal, scale
    check_attention(query, key, value, attn_mask)
    check_one_dtype(query, key=key, value=value)
    return torch.empty(query.shape, dtype=query.dtype, device=query.device)


def custom_quantized_sdpa_meta(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    start_pos: int,
    attn_mask: torch.Tensor | None = None,
    drpout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    q_zero_points: torch.Tensor | None = None,
    q_scales: torch.Tensor | None = None,
    k_zero_points: torch.Tensor | None = None,
    k_scales: torch.Tensor | None = None,
    v_zero_points: torch.Tensor | None = None,
    v_scales: torch.Tensor | None = None,
    is_seq_at_dim_2: bool = False,
) -> torch.Tensor:
    """As :func:`custom_sdpa_meta`, float32."""
    del start_pos, drpout_p, is_causal, scale
    check_attention(query, key, value, attn_mask, 2 if is_seq_at_dim_2 else 1)
    for name, values, zero_points, scales in (
        ("query", query, q_zero_points, q_scales),
        ("key", key, k_zero_points, k_scales),
        ("value", value, v_zero_points, v_scales),
    ):
        if zero_points is None or scales is None:
            need(values.is_floating_point(), f"{name} is {values.dtype} and needs zero points and scales")
            continue
        for kind, quantity, dtype in (
            ("zero points", zero_points, torch.int8),
            ("scales", scales, torch.float32),
        ):
            need_rank(f"{kind} of {name}", quantity, 4)
            need_dtype(f"{kind} of {name}", quantity, (dtype,))
            need_same_sizes(f"{kind} of {name}", quantity, name, values, (0, 1, 2))
    return torch.empty(query.shape, dtype=torch.float32, device=query.device)


def sdpa_with_kv_cache_meta(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    start_pos: int,
    seq_len: int,
    attn_mask: torch.Tensor | None = None,
    drpout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
) -> torch.Tensor:
    """The shape of attention is that of the query."""
    del start_pos, seq_len, drpout_p, is_causal, scale
    check_attention(query, key_cache, value_cache, attn_mask)
    check_attention(query, key, value, None)
    check_one_dtype(query, key=key, value=value, key_cache=key_cache, value_cache=value_cache)
    return torch.empty(query.shape, dtype=query.dtype, device=query.device)


def update_cache_meta(value: torch.Tensor, cache: torch.Tensor, start_pos: int) -> torch.Tensor:
    """A single value, which only orders the write and what reads the cache."""
    check_cache(value, cache, start_pos)
    need_room(start_pos, value.shape[1], cache.shape[1])
    return torch.empty((1,), dtype=value.dtype, device=value.device)


def update_cache_with_indices_meta(
    value: torch.Tensor, cache: torch.Tensor, start_pos: int, indices: torch.Tensor
) -> torch.Tensor:
    """As :func:`update_cache_meta`."""
    check_cache(value, cache, start_pos)
    check_indices(value, indices)
    return torch.empty((1,), dtype=value.dtype, device=value.device)


def fast_hadamard_transform_meta(mat: torch.Tensor) -> torch.Tensor:
    """The shape of the operand."""
    return torch.empty_like(mat)


def gated_delta_rule_meta(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    decay: torch.Tensor,
    beta: torch.Tensor,
    initial_state: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Results for each head of the query, and the last state."""
    check_recurrence(query, key, value, decay, beta, initial_state)
    results = torch.empty((*query.shape[:3], value.shape[3]), dtype=value.dtype, device=value.device)
    return results, torch.empty_like(initial_state)


channelwise_gated_delta_rule_meta = gated_delta_rule_meta

_define(
    "custom_sdpa",
    "Tensor query, Tensor key, Tensor value, " + _SDPA.format(""),
    ("out",),
    custom_sdpa,
    custom_sdpa_meta,
)
_define(
    "custom_quantized_sdpa",
    f"Tensor query, Tensor key, Tensor value, {_SDPA.format('')}, {_QUANTIZATION}, bool is_seq_at_dim_2=False",
    ("out",),
    attention.custom_quantized_sdpa,
    custom_quantized_sdpa_meta,
)
_define(
    "sdpa_with_kv_cache",
    f"Tensor query, Tensor key, Tensor value, {_CACHES}, " + _SDPA.format("SymInt seq_len, "),
    ("out",),
    attention.sdpa_with_kv_cache,
    sdpa_with_kv_cache_meta,
)
_define(
    "update_cache",
    "Tensor value, Tensor(a!) cache, SymInt start_pos",
    ("out",),
    attention.update_cache,
    update_cache_meta,
)
_define(
    "update_cache_with_indices",
    "Tensor value, Tensor(a!) cache, SymInt start_pos, Tensor indices",
    ("out",),
    attention.update_cache_with_indices,
    update_cache_with_indices_meta,
)
_define(
    "fast_hadamard_transform",
    "Tensor mat",
    ("out",),
    fast_hadamard_transform,
    fast_hadamard_transform_meta,
)
_define(
    "linear_4w",
    "Tensor input, Tensor weight, Tensor scales, int columns",
    ("out",),
    linear_4w,
    linear_4w_meta,
)
_define(
    "quantized_moe_ffn",
    "Tensor x, Tensor gate_weight, Tensor expert_bias, Tensor packed_w13, Tensor packed_w2, int num_activated_experts, "
    "int num_experts, int hidden_dim, int dim, int group_size, int weight_nbit, str score_func, float route_scale",
    ("out",),
    quantized_moe_ffn,
    quantized_moe_ffn_meta,
)
for _name in ("gated_delta_rule", "channelwise_gated_delta_rule"):
    _define(_name, _RECURRENCE, ("out", "final_state_out"), delta_rule, gated_delta_rule_meta)


def _check_cross(value: torch.Tensor, cache: torch.Tensor) -> None:
    for name, tensor in (("value", value), ("cache", cache)):
        need(tensor.dim() == 4, f"{name} must be 4D")
    need(value.dtype == cache.dtype, f"dtype mismatch: {value.dtype} and {cache.dtype}")
    for dim, what in ((0, "batch size"), (1, "num heads"), (3, "head dim")):
        need(
            bool(value.shape[dim] == cache.shape[dim]),
            f"{what} mismatch: {value.shape[dim]} and {cache.shape[dim]}",
        )
    length, capacity = value.shape[2], cache.shape[2]
    torch._check(length <= capacity, lambda: f"value sequence length {length} exceeds cache size {capacity}")


def _update_cross_attn_cache(value: torch.Tensor, cache: torch.Tensor) -> torch.Tensor:
    _check_cross(value, cache)
    need(value.shape[2] <= cache.shape[2], "value sequence length exceeds cache size")
    cache[:, :, : value.shape[2]] = value
    return cache.clone()


def _update_cross_attn_cache_fake(value: torch.Tensor, cache: torch.Tensor) -> torch.Tensor:
    _check_cross(value, cache)
    return torch.empty_like(cache)


# Without a mark on the cache, as released versions define it: compilers take it as it is.
_shared_lib.define("update_cross_attn_cache(Tensor value, Tensor cache) -> Tensor")
_shared_lib.impl("update_cross_attn_cache", _update_cross_attn_cache, "CompositeExplicitAutograd")
_shared_lib.impl("update_cross_attn_cache", _update_cross_attn_cache_fake, "Meta")
_shared_lib.define("alias(Tensor x, Tensor y) -> (Tensor, Tensor)")
_shared_lib.impl("alias", lambda x, y: (x.clone(), y.clone()), "CompositeExplicitAutograd")
_shared_lib.impl("alias", lambda x, y: (torch.empty_like(x), torch.empty_like(y)), "Meta")
