"""Weights to torchao's tensors of few bits, one by one, as a :class:`~executorch.extension.llm.export.quant.recipe.QuantRecipe` says."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator

import torch
from torch import nn
from torchao.quantization import IntxUnpackedToInt8Tensor
from torchao.quantization.quant_primitives import (
    MappingType,
    _choose_qparams_and_quantize_affine_hqq,
    _choose_qparams_and_quantize_scale_only_hqq,
    choose_qparams_affine,
    quantize_affine,
)
from torchao.quantization.quantize_.workflows.int4.int4_tensor import Int4Tensor

from executorch.extension.llm.export.quant.convert import is_plain, maybe_cast, to_default, to_exportable
from executorch.extension.llm.export.quant.recipe import QuantConfig, QuantRecipe

_METHODS = ("min_max", "hqq")
_IN_BYTES = (5, 6, 8)
_log = logging.getLogger(__name__)

#: Bits from the lowest of their type, scales and zero points, the last two ``[rows, groups]``.
_Parts = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def quantize_weight(weight: torch.Tensor, config: QuantConfig) -> torch.Tensor:
    """A weight ``[..., rows, columns]`` as torchao's ``Int4Tensor``, or ``IntxUnpackedToInt8Tensor`` of 5, 6 or 8 bits.

    Scales are found in float32, since those of small weights in bfloat16 would fall together.

    Raises:
        ValueError: there is no such method, number of bits or group, or no asymmetric hqq of that many bits.
    """
    _check(weight, config)
    rows = weight.detach().to(torch.float32).flatten(0, -2)
    parts = _hqq(rows, config) if config.method == "hqq" else _min_max(rows, config)
    bits, scale, zero = (one.reshape(*weight.shape[:-1], -1) for one in parts)
    dtype = weight.dtype if weight.dtype.is_floating_point else torch.bfloat16
    block = [1] * (weight.dim() - 1) + [config.group_size]
    if config.bits != 4:
        return IntxUnpackedToInt8Tensor(
            qdata=bits,
            scale=scale.to(dtype),
            zero_point=zero.to(torch.int8),
            target_dtype=getattr(torch, f"int{config.bits}"),
            block_size=tuple(block),
            dtype=dtype,
            activation_quantization=None,
        )
    unsigned = (bits.to(torch.int16) + 8).to(torch.uint8)
    return Int4Tensor(
        qdata=unsigned[..., 0::2] | (unsigned[..., 1::2] << 4),
        scale=scale.transpose(-1, -2).contiguous().to(dtype),
        zero_point=(zero + 8).transpose(-1, -2).contiguous().to(dtype),
        block_size=block,
        shape=weight.shape,
    )


def _check(weight: torch.Tensor, config: QuantConfig) -> None:
    if config.method not in _METHODS:
        raise ValueError(f"no method {config.method} of quantization: there are {', '.join(_METHODS)}")
    if config.bits != 4 and config.bits not in _IN_BYTES:
        raise ValueError(f"weights have 4, 5, 6 or 8 bits here, not {config.bits}")
    if config.method == "hqq" and config.bits != 4 and not config.symmetric:
        raise ValueError(
            f"hqq of {config.bits} bits finds scales only: it is symmetric, or use the method min_max"
        )
    if config.group_size < 1 or weight.shape[-1] % config.group_size:
        raise ValueError(
            f"groups of {config.group_size} do not divide the {weight.shape[-1]} columns of a weight"
        )


def _range(bits: int) -> tuple[int, int]:
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


def _min_max(rows: torch.Tensor, config: QuantConfig) -> _Parts:
    lowest, highest = _range(config.bits)
    mapping = MappingType.SYMMETRIC if config.symmetric else MappingType.ASYMMETRIC
    block = (1, config.group_size)
    scale, zero = choose_qparams_affine(
        rows, mapping, block, torch.int8, lowest, highest, zero_point_dtype=torch.int8, keepdim=True
    )
    return quantize_affine(rows, block, scale, zero, torch.int8, lowest, highest), scale, zero


def _hqq(rows: torch.Tensor, config: QuantConfig) -> _Parts:
    lowest, highest = _range(config.bits)
    if config.symmetric:
        bits, scale = _choose_qparams_and_quantize_scale_only_hqq(
            rows, [1, config.group_size], lowest, highest
        )
        return bits.to(torch.int8), scale, torch.zeros_like(scale)
    unsigned, scale, middle, _ = _choose_qparams_and_quantize_affine_hqq(
        rows,
        nbits=config.bits,
        group_size=config.group_size,
        compute_dtype=torch.float32,
        device=str(rows.device),
        raw_output=True,
    )
    # There, zero is one of unsigned bits.
    bits = (unsigned.to(torch.int16) + lowest).to(torch.int8).reshape(rows.shape)
    scale, zero = (one.to(torch.float32).reshape(rows.shape[0], -1) for one in (scale, middle))
    return bits, scale, zero + lowest


def dequantize_weight(weight: torch.Tensor, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """The values of a weight, quantized or not.

    Raises:
        TypeError: it is a tensor of torchao's that does not say its values.
    """
    exportable = maybe_cast(to_exportable("", weight), dtype)
    if is_plain(exportable):
        return exportable.to(dtype)
    if not hasattr(exportable, "dequantize"):
        raise TypeError(f"{type(weight).__name__} does not say its values: it has no dequantize")
    values: torch.Tensor = exportable.dequantize()
    return values.to(dtype)


def quantize_stream(
    pairs: Iterable[tuple[str, torch.Tensor]], recipe: QuantRecipe, dtype: torch.dtype = torch.bfloat16
) -> Iterator[tuple[str, torch.Tensor]]:
    """Names and weights to names and quantized weights, one at a time, in the form in which torchao writes them to files.

    Weights that the recipe leaves get ``dtype``, as the values of quantized ones do where that keeps the bits.
    """
    for fqn, tensor in pairs:
        config = recipe.get_config(fqn)
        made = tensor.detach() if config is None else quantize_weight(tensor, config)
        yield fqn, maybe_cast(made, dtype)


def quantize_model(
    model: nn.Module,
    recipe: QuantRecipe,
    *,
    convert: Callable[[str, torch.Tensor], torch.Tensor] = to_default,
    dtype: torch.dtype = torch.bfloat16,
    verbose: bool = False,
) -> dict[str, torch.Tensor]:
    """A model's parameters, quantized and in the form in which they are exported, with its persistent buffers as they are.

    Args:
        convert: called with the name and weight of each parameter, before its dtype changes.
        verbose: log what becomes of each.
    """
    made = {}
    for fqn, tensor in quantize_stream(
        ((name, parameter.data) for name, parameter in model.named_parameters()), recipe, dtype
    ):
        made[fqn] = maybe_cast(convert(fqn, tensor), dtype)
        if verbose:
            _log.info("%s: %s %s", fqn, type(made[fqn]).__name__, tuple(made[fqn].shape))
    persistent = model.state_dict(keep_vars=False).keys()
    return made | {
        name: buffer.data for name, buffer in model.named_buffers() if name in persistent and name not in made
    }
