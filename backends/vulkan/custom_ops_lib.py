"""The operators of ``et_vk``, which the delegate has in one piece, with what they calculate."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch.ao.quantization.fx import _decomposed  # noqa: F401 - torch.ops.quantized_decomposed.
from torch.library import Library, impl, register_fake

import executorch.backends.vulkan.composite_ops  # noqa: F401 - the others of the namespace.

_NAMESPACE = "et_vk"
_lib = Library(_NAMESPACE, "DEF")

_CONVOLUTION = (
    "Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, "
    "SymInt[] output_padding, SymInt groups"
)
_lib.define(f"conv_with_clamp({_CONVOLUTION}, Scalar? output_min, Scalar? output_max) -> Tensor")
_lib.define("linear_q8csw(Tensor self, Tensor weights, Tensor weight_scales, Tensor? bias=None) -> Tensor")
for _bits in (4, 8):
    _lib.define(
        f"linear_q{_bits}gsw(Tensor self, Tensor weights, Tensor weight_scales, int group_size, Tensor? bias=None) -> Tensor"
    )
    _lib.define(
        f"linear_dq8ca_q{_bits}gsw(Tensor input, Tensor input_scales, Tensor input_zp, Tensor weights, Tensor weight_sums, "
        "Tensor weight_scales, int group_size, Tensor? bias=None) -> Tensor"
    )
_lib.define(
    "embedding_q4gsw(Tensor weight, Tensor weight_scales, int group_size, Tensor indices, bool is_linear_weight=False) -> Tensor"
)
_lib.define("embedding_q8csw(Tensor weight, Tensor weight_scales, Tensor indices) -> Tensor")
_RESULT = "float scale, int zero_point, int least, int most"
_WEIGHTS = "Tensor weights, Tensor factors, Tensor? bias"
_lib.define(f"linear_int8(Tensor input, int input_zero, {_WEIGHTS}, {_RESULT}) -> Tensor")
_lib.define(
    f"conv_int8(Tensor input, int input_zero, {_WEIGHTS}, {_RESULT}, int[] stride, int[] padding, int[] dilation, int groups) -> Tensor"
)
_lib.define(
    f"add_int8(Tensor a, float a_scale, int a_zero, Tensor b, float b_scale, int b_zero, {_RESULT}) -> Tensor"
)
_lib.define("rotary_embedding(Tensor x, Tensor cosines, Tensor sines, SymInt start) -> Tensor")

_lib.define("quantize_per_token(Tensor x) -> (Tensor, Tensor, Tensor)")


@impl(_lib, "quantize_per_token", "CompositeExplicitAutograd")
def quantize_per_token(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Lines as int8, the scale of each, and its zero point."""
    ops: Any = torch.ops.quantized_decomposed
    scales, zeros = ops.choose_qparams_per_token_asymmetric(x.float(), torch.int8)
    scales, zeros = scales.float(), zeros.to(torch.int8)
    return ops.quantize_per_token(x.float(), scales, zeros, -128, 127, torch.int8), scales, zeros


@impl(_lib, "rotary_embedding", "CompositeExplicitAutograd")
def rotary_embedding(x: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor, start: int) -> torch.Tensor:
    """Neighbouring pairs of [batch, positions, heads, size], turned by angles of [positions, size / 2] from ``start`` on."""
    rows = slice(start, start + x.shape[1])
    turned = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)).contiguous())
    angles = torch.complex(cosines[rows].float(), sines[rows].float()).unsqueeze(1)
    return torch.view_as_real(turned * angles).flatten(-2).to(x.dtype)


@impl(_lib, "conv_with_clamp", "CompositeExplicitAutograd")
def conv_with_clamp(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    transposed: bool,
    output_padding: list[int],
    groups: int,
    output_min: float | None,
    output_max: float | None,
) -> torch.Tensor:
    """A convolution whose results are clamped."""
    found = torch.ops.aten.convolution.default(
        input, weight, bias, stride, padding, dilation, transposed, output_padding, groups
    )
    return found if output_min is None and output_max is None else found.clamp(output_min, output_max)


def _to_int8(value: torch.Tensor, scale: float, zero_point: int, least: int, most: int) -> torch.Tensor:
    return (torch.round(value * (1 / scale)) + zero_point).clamp(least, most).to(torch.int8)


@impl(_lib, "linear_int8", "CompositeExplicitAutograd")
def linear_int8(
    input: torch.Tensor,
    input_zero: int,
    weights: torch.Tensor,
    factors: torch.Tensor,
    bias: torch.Tensor | None,
    *result: float,
) -> torch.Tensor:
    """A linear layer of int8; ``factors`` are the input's scale by those of the rows of the weights."""
    sums = torch.nn.functional.linear(input.double() - input_zero, weights.double())
    found = sums * factors + (0 if bias is None else bias)
    return _to_int8(found, *result)  # type: ignore[arg-type]


@impl(_lib, "conv_int8", "CompositeExplicitAutograd")
def conv_int8(
    input: torch.Tensor,
    input_zero: int,
    weights: torch.Tensor,
    factors: torch.Tensor,
    bias: torch.Tensor | None,
    scale: float,
    zero_point: int,
    least: int,
    most: int,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    groups: int,
) -> torch.Tensor:
    """A convolution of int8 over one or two dimensions."""
    count = len(stride)
    given = (
        input.double() - input_zero,
        weights.double(),
        None,
        stride,
        padding,
        dilation,
        False,
        [0] * count,
        groups,
    )
    by_channel = [-1, *[1] * count]
    sums = torch.ops.aten.convolution.default(*given) * factors.reshape(by_channel)
    found = sums if bias is None else sums + bias.reshape(by_channel)
    return _to_int8(found, scale, zero_point, least, most)


@impl(_lib, "add_int8", "CompositeExplicitAutograd")
def add_int8(
    a: torch.Tensor, a_scale: float, a_zero: int, b: torch.Tensor, b_scale: float, b_zero: int, *result: float
) -> torch.Tensor:
    """A sum of two tensors of int8."""
    found = (a.double() - a_zero) * a_scale + (b.double() - b_zero) * b_scale
    return _to_int8(found, *result)  # type: ignore[arg-type]


def pack_q4(weights: torch.Tensor) -> torch.Tensor:
    """Integers from -8 to 7, (N, K), two in a byte: the even column in the low half, each plus 8."""
    shifted = weights.to(torch.int16) + 8
    return (shifted[:, 0::2] + shifted[:, 1::2] * 16).to(torch.uint8)


def unpack_q4(packed: torch.Tensor) -> torch.Tensor:
    """What ``pack_q4`` packed, as int8."""
    halves = torch.stack([packed & 15, packed >> 4], dim=-1).reshape(packed.shape[0], -1)
    return (halves.to(torch.int16) - 8).to(torch.int8)


def _dequantized(integers: torch.Tensor, scales: torch.Tensor, group_size: int) -> torch.Tensor:
    return integers * scales.t().repeat_interleave(group_size, dim=1)


@impl(_lib, "linear_q4gsw", "CompositeExplicitAutograd")
def linear_q4gsw(self: torch.Tensor, weights: torch.Tensor, *further: Any) -> torch.Tensor:
    """The same as ``linear_q8gsw`` of four-bit weights."""
    return linear_q8gsw(self, unpack_q4(weights), *further)


@impl(_lib, "linear_q8csw", "CompositeExplicitAutograd")
def linear_q8csw(
    self: torch.Tensor, weights: torch.Tensor, weight_scales: torch.Tensor, bias: torch.Tensor | None = None
) -> torch.Tensor:
    """A linear layer of int8 weights with a scale for each output."""
    return torch.nn.functional.linear(
        self, weights.to(self.dtype) * weight_scales.reshape(-1, 1).to(self.dtype), bias
    )


@impl(_lib, "linear_q8gsw", "CompositeExplicitAutograd")
def linear_q8gsw(
    self: torch.Tensor,
    weights: torch.Tensor,
    weight_scales: torch.Tensor,
    group_size: int,
    bias: torch.Tensor | None = None,
) -> torch.Tensor:
    """A linear layer of int8 weights with a scale for each group of columns; scales are (K / group_size, N)."""
    weight = _dequantized(weights, weight_scales, group_size).to(self.dtype)
    return torch.nn.functional.linear(self, weight, bias)


@impl(_lib, "linear_dq8ca_q4gsw", "CompositeExplicitAutograd")
def linear_dq8ca_q4gsw(
    input: torch.Tensor,
    input_scales: torch.Tensor,
    input_zp: torch.Tensor,
    weights: torch.Tensor,
    *further: Any,
) -> torch.Tensor:
    """The same as ``linear_dq8ca_q8gsw`` of four-bit weights."""
    return linear_dq8ca_q8gsw(input, input_scales, input_zp, unpack_q4(weights), *further)


@impl(_lib, "linear_dq8ca_q8gsw", "CompositeExplicitAutograd")
def linear_dq8ca_q8gsw(
    input: torch.Tensor,
    input_scales: torch.Tensor,
    input_zp: torch.Tensor,
    weights: torch.Tensor,
    weight_sums: torch.Tensor,
    weight_scales: torch.Tensor,
    group_size: int,
    bias: torch.Tensor | None = None,
) -> torch.Tensor:
    """The same as ``linear_q8gsw`` of rows that are quantized to int8 by scales and zero points of their own, or all by one, in integers within a group."""
    lines = input.shape[:-1] if input_scales.numel() > 1 else [1] * (input.dim() - 1)
    scales, zeros = (one.reshape(*lines, 1) for one in (input_scales.float(), input_zp.float()))
    rows = (torch.round(input.float() / scales) + zeros).clamp(-128, 127)
    groups = rows.unflatten(-1, (-1, group_size))
    matrix = weights.float().unflatten(-1, (-1, group_size))
    sums = torch.einsum("...gk,ngk->...gn", groups, matrix) - zeros.unsqueeze(-1) * weight_sums.float()
    found = (sums * weight_scales.float()).sum(-2) * scales
    return (found if bias is None else found + bias.float()).to(input.dtype)


@impl(_lib, "embedding_q4gsw", "CompositeExplicitAutograd")
def embedding_q4gsw(
    weight: torch.Tensor,
    weight_scales: torch.Tensor,
    group_size: int,
    indices: torch.Tensor,
    is_linear_weight: bool = False,
) -> torch.Tensor:
    """Rows of a table of four-bit weights; those of a linear layer, whose packing is the only one."""
    del is_linear_weight
    return torch.nn.functional.embedding(indices, _dequantized(unpack_q4(weight), weight_scales, group_size))


@impl(_lib, "embedding_q8csw", "CompositeExplicitAutograd")
def embedding_q8csw(weight: torch.Tensor, weight_scales: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    """Rows of a table of int8 weights with a scale for each row."""
    return torch.nn.functional.embedding(indices, weight * weight_scales.reshape(-1, 1))


def _fake_linear(*args: Any, weights: int) -> torch.Tensor:
    """A result without elements; ``weights`` says which argument they are."""
    found: torch.Tensor = args[0].new_empty([*args[0].shape[:-1], args[weights].shape[0]])
    return found


for _name, _weights in (
    ("linear_q4gsw", 1),
    ("linear_q8csw", 1),
    ("linear_q8gsw", 1),
    ("linear_dq8ca_q4gsw", 3),
    ("linear_dq8ca_q8gsw", 3),
):
    register_fake(f"{_NAMESPACE}::{_name}", functools.partial(_fake_linear, weights=_weights), lib=_lib)


@register_fake(f"{_NAMESPACE}::rotary_embedding", lib=_lib)
def _(x: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor, start: int) -> torch.Tensor:
    return torch.empty_like(x)
