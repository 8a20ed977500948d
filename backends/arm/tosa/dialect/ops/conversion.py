"""CAST and RESCALE."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from executorch.backends.arm.tosa.dialect.lib import (
    ALL,
    INT,
    TosaValueError,
    empty,
    operator,
    require_dtype,
    supported,
)
from executorch.backends.arm.tosa.dialect.ops.types import BYTES, HALVES
from executorch.backends.arm.tosa.graph.rescale import factor_of
from executorch.backends.arm.tosa.specification import TosaSpecification, get_context_spec

_FP8 = {"fp8e4m3": torch.float8_e4m3fn, "fp8e5m2": torch.float8_e5m2}


def _casts(spec: TosaSpecification) -> set[tuple[torch.dtype, torch.dtype]]:
    """Pairs that the specification's table of CAST has."""
    pairs: set[tuple[torch.dtype, torch.dtype]] = set()
    if spec.support_integer():
        kinds = (torch.bool, *BYTES)
        pairs.update((a, c) for a in kinds for c in kinds if a != c)
    if spec.support_float():
        both = [(a, c) for a in BYTES for c in HALVES] + [HALVES]
        both += [(torch.bool, one) for one in HALVES]
        if spec.support_extension("bf16"):
            both += [(torch.bfloat16, one) for one in (*BYTES, torch.float32)]
        for name, kind in _FP8.items():
            if spec.support_extension(name):
                both += [(kind, one) for one in HALVES]
                both += [(kind, torch.bfloat16)] if spec.support_extension("bf16") else []
        pairs.update(both)
        pairs.update((c, a) for a, c in both)
    if spec.support_extension("int64"):
        pairs.update({(torch.int32, torch.int64), (torch.int64, torch.int32)})
    return pairs


@operator("CAST(Tensor input, ScalarType dtype) -> Tensor", ALL, lambda x, dtype: _cast(x, dtype))
def _(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    spec = get_context_spec()
    if (x.dtype, dtype) not in _casts(spec):
        raise TosaValueError(f"Unsupported CAST from {x.dtype} to {dtype} by {spec}", "CAST")
    return empty(x, dtype=dtype)


def _cast(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    if x.dtype.is_floating_point and not dtype.is_floating_point and dtype is not torch.bool:
        info = torch.iinfo(dtype)
        return x.double().round().clamp(info.min, info.max).to(dtype)
    return x.to(dtype)


Scales = Sequence[float]


def _rescaled(
    x: torch.Tensor,
    dtype: torch.dtype,
    scale: Scales,
    input_zp: int,
    output_zp: int,
    *,
    input_unsigned: bool = False,
    output_unsigned: bool = False,
) -> torch.Tensor:
    bits = torch.iinfo(x.dtype).bits
    wide = x.long() & ((1 << bits) - 1) if input_unsigned else x.long()
    factors = [factor_of(one) for one in scale]
    multipliers = torch.tensor([one.multiplier for one in factors])
    shifts = torch.tensor([one.shift for one in factors])
    made = ((wide - input_zp) * multipliers + (1 << (shifts - 1))) >> shifts
    info = torch.iinfo(dtype)
    low, high = (0, (1 << info.bits) - 1) if output_unsigned else (info.min, info.max)
    made = (made + output_zp).clamp(low, high)
    if output_unsigned and dtype is not torch.uint8:
        made = torch.where(made > info.max, made - (1 << info.bits), made)
    return made.to(dtype)


def _zero_point(what: str, dtype: torch.dtype, point: int, unsigned: bool) -> None:
    if dtype in (torch.int8, torch.uint8):
        low, high = (0, 255) if unsigned or dtype is torch.uint8 else (-128, 127)
        if not low <= point <= high:
            # Released messages say in_zp here, and input_zp below.
            raise TosaValueError(
                f"{what.removesuffix('put')}_zp={point} outside valid range [{low}, {high}] of {dtype}",
                "RESCALE",
            )
    elif point != 0 and not (unsigned and dtype is torch.int16 and point == 32768):
        raise TosaValueError(f"TOSA requires {what}_zp to be zero for {dtype}, not {point}", "RESCALE")


@operator(
    "RESCALE(Tensor input, ScalarType dtype, float[] scale, int input_zp, int output_zp, *, "
    "bool input_unsigned=False, bool output_unsigned=False) -> Tensor",
    INT,
    _rescaled,
)
def _(
    x: torch.Tensor,
    dtype: torch.dtype,
    scale: Scales,
    input_zp: int,
    output_zp: int,
    *,
    input_unsigned: bool = False,
    output_unsigned: bool = False,
) -> torch.Tensor:
    allowed = supported(integers=(*BYTES, torch.uint8))
    require_dtype("RESCALE", x.dtype, allowed)
    require_dtype("RESCALE", dtype, allowed)
    if input_unsigned and output_unsigned:
        raise TosaValueError("input and output cannot both be unsigned", "RESCALE")
    if not scale or (len(scale) > 1 and len(scale) != x.shape[-1]):
        raise TosaValueError(
            f"{len(scale)} scales; it takes one, or one for each of the last dimension", "RESCALE"
        )
    _zero_point("input", x.dtype, input_zp, input_unsigned)
    _zero_point("output", dtype, output_zp, output_unsigned)
    for one in scale:
        try:
            factor_of(one)
        except ValueError as error:
            raise TosaValueError(str(error), "RESCALE") from error
    return empty(x, dtype=dtype)
