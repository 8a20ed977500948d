"""Operators of ``et_vk`` that programs written for released ExecuTorch may call: taken apart into others, as ``to_edge`` does with any of
that kind, so that they run everywhere; what the delegate has in one piece is put together again there."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import torch
from torch.library import Library, impl

_lib = Library("et_vk", "FRAGMENT")


def _operator(schema: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function as an operator that is those which it calls."""
    _lib.define(schema)
    return impl(_lib, schema.partition("(")[0], "CompositeImplicitAutograd")


@_operator("prepack(Tensor x) -> Tensor")
def prepack(x: torch.Tensor) -> torch.Tensor:
    """A copy; where constants lie is the delegate's affair."""
    return x.clone()


@_operator("grid_priors(Tensor self, int stride, float offset) -> Tensor")
def grid_priors(self: torch.Tensor, stride: int, offset: float) -> torch.Tensor:
    """The places (x, y) of a grid as high and wide as ``self``, row by row."""
    height, width = self.shape[-2:]
    x = ((torch.arange(width) + offset) * stride).to(self.dtype)
    y = ((torch.arange(height) + offset) * stride).to(self.dtype)
    places = torch.stack([x.expand(height, -1), y.unsqueeze(1).expand(-1, width)], -1)
    return places.reshape(-1, 2)


@_operator("rms_norm(Tensor x, Tensor weight, float eps) -> Tensor")
def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """Over the last dimension."""
    return torch.nn.functional.rms_norm(x, list(weight.shape), weight, eps)


@_operator("sdpa(Tensor q, Tensor k, Tensor v, Tensor? attn_mask=None, float? scale=None) -> Tensor")
def sdpa(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    scale: float | None = None,
) -> torch.Tensor:
    """Attention over [batch, heads, positions, size]."""
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask, scale=scale)


def _turned(x: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor) -> torch.Tensor:
    """Neighbouring pairs, each turned by its angle."""
    even, odd = x.float().unflatten(-1, (-1, 2)).unbind(-1)
    turned = torch.stack([even * cosines - odd * sines, even * sines + odd * cosines], -1)
    return turned.flatten(-2).type_as(x)


@_operator(
    "apply_rotary_emb(Tensor xq, Tensor xk, Tensor freqs_cos, Tensor freqs_sin) -> (Tensor, Tensor)",
)
def apply_rotary_emb(
    xq: torch.Tensor, xk: torch.Tensor, freqs_cos: torch.Tensor, freqs_sin: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """Neighbouring pairs of [batch, positions, heads, size], turned by angles of [positions, size / 2]."""
    cosines, sines = freqs_cos.unsqueeze(1), freqs_sin.unsqueeze(1)
    return _turned(xq, cosines, sines), _turned(xk, cosines, sines)


@_operator("apply_rotary_emb_interleaved(Tensor x, Tensor freqs_cis) -> Tensor")
def apply_rotary_emb_interleaved(x: torch.Tensor, freqs_cis: torch.Tensor) -> torch.Tensor:
    """Neighbouring pairs of [batch, positions, size], turned by complex numbers, cosine and sine side by side."""
    angles = freqs_cis.reshape(x.shape[1], -1, 2)
    cosines, sines = angles.unbind(-1)
    return _turned(x, cosines, sines)


@_operator(
    "apply_rotary_emb_hf(Tensor xq, Tensor xk, Tensor freqs_cos, Tensor freqs_sin, SymInt start_pos) -> (Tensor, Tensor)",
)
def apply_rotary_emb_hf(
    xq: torch.Tensor, xk: torch.Tensor, freqs_cos: torch.Tensor, freqs_sin: torch.Tensor, start_pos: int
) -> tuple[torch.Tensor, ...]:
    """Halves of the last dimension of [batch, positions, heads, size] as pairs; angles of [positions, size], from ``start_pos`` on."""
    count = xq.shape[1]
    cosines, sines = (one.narrow(0, start_pos, count).unsqueeze(1) for one in (freqs_cos, freqs_sin))

    def turned(x: torch.Tensor) -> torch.Tensor:
        half = x.shape[-1] // 2
        return x * cosines + torch.cat([-x[..., half:], x[..., :half]], -1) * sines

    return turned(xq), turned(xk)


def _quantized() -> Any:
    importlib.import_module("torch.ao.quantization.fx._decomposed")
    return torch.ops.quantized_decomposed


def _floats(x: torch.Tensor, scale: float, zero_point: int) -> torch.Tensor:
    found: torch.Tensor = _quantized().dequantize_per_tensor(x, scale, zero_point, -128, 127, torch.int8)
    return found


def _bytes(x: torch.Tensor, scale: float, zero_point: int, activation: str = "none") -> torch.Tensor:
    if activation not in ("none", "relu"):
        raise ValueError(f"activation is {activation!r}. Way out: 'none' or 'relu'")
    x = torch.relu(x) if activation == "relu" else x
    found: torch.Tensor = _quantized().quantize_per_tensor(x, scale, zero_point, -128, 127, torch.int8)
    return found


@_operator(
    "q8ta_add(Tensor input_a, Tensor input_b, float input_a_scale, int input_a_zero_point, float input_b_scale, "
    "int input_b_zero_point, float output_scale, int output_zero_point, float alpha) -> Tensor"
)
def q8ta_add(
    input_a: torch.Tensor,
    input_b: torch.Tensor,
    input_a_scale: float,
    input_a_zero_point: int,
    input_b_scale: float,
    input_b_zero_point: int,
    output_scale: float,
    output_zero_point: int,
    alpha: float,
) -> torch.Tensor:
    """A sum of int8."""
    a = _floats(input_a, input_a_scale, input_a_zero_point)
    b = _floats(input_b, input_b_scale, input_b_zero_point)
    return _bytes(a + b if alpha == 1 else a + b * alpha, output_scale, output_zero_point)


@_operator(
    "q8ta_relu(Tensor input, float input_scale, int input_zero_point, float output_scale, int output_zero_point) -> Tensor"
)
def q8ta_relu(
    input: torch.Tensor,
    input_scale: float,
    input_zero_point: int,
    output_scale: float,
    output_zero_point: int,
) -> torch.Tensor:
    """What is below zero becomes it, in int8."""
    return _bytes(_floats(input, input_scale, input_zero_point), output_scale, output_zero_point, "relu")


@_operator(
    "q8ta_pixel_shuffle(Tensor input, float input_scale, int input_zero_point, float output_inv_scale, "
    "int output_zero_point, int upscale_factor) -> Tensor"
)
def q8ta_pixel_shuffle(
    input: torch.Tensor,
    input_scale: float,
    input_zero_point: int,
    output_inv_scale: float,
    output_zero_point: int,
    upscale_factor: int,
) -> torch.Tensor:
    """Channels become places, in int8."""
    x = _floats(input, input_scale, input_zero_point)
    return _bytes(torch.pixel_shuffle(x, upscale_factor), 1 / output_inv_scale, output_zero_point)


_LINEAR = (
    "(Tensor x, float input_scale, int input_zero_point, Tensor weights, Tensor weight_sums, Tensor weight_scales, "
    'float output_scale, int output_zero_point, Tensor? bias=None, str activation="none") -> Tensor'
)


@_operator(f"q8ta_linear{_LINEAR}")
@_operator(f"q8ta_linear_gemv{_LINEAR}")
def q8ta_linear(
    x: torch.Tensor,
    input_scale: float,
    input_zero_point: int,
    weights: torch.Tensor,
    weight_sums: torch.Tensor,
    weight_scales: torch.Tensor,
    output_scale: float,
    output_zero_point: int,
    bias: torch.Tensor | None = None,
    activation: str = "none",
) -> torch.Tensor:
    """A linear layer of int8, with a scale for each row of its weights (N, K). Scales and bias may have numbers behind the last row."""
    del weight_sums  # What a zero point adds up to, which those who calculate with floats need not take away.
    count = weights.shape[0]
    scales, zeros = weight_scales[:count], torch.zeros(count, dtype=torch.int64)
    weight = _quantized().dequantize_per_channel(weights, scales, zeros, 0, -127, 127, torch.int8)
    given = _floats(x, input_scale, input_zero_point)
    found = torch.nn.functional.linear(given, weight, None if bias is None else bias[:count])
    return _bytes(found, output_scale, output_zero_point, activation)
