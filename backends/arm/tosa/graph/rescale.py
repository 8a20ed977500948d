"""Real factors as TOSA's RESCALE has them: a multiplier of 31 bits, or of 15, and a shift to the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from executorch.backends.arm.tosa.graph.builder import Builder, DType, RoundingMode, Tensor

#: Shifts that the specification allows.
_LEAST_SHIFT, _MOST_SHIFT = 2, 62


@dataclass(frozen=True)
class Factor:
    """``multiplier / 2 ** shift``."""

    multiplier: int
    shift: int


def factor_of(scale: float, bits: int = 31) -> Factor:
    """The factor nearest to ``scale``.

    Raises:
        ValueError: it is not positive, or too large for a RESCALE.
    """
    if not 0 < scale < 2.0**29:
        raise ValueError(
            f"a factor of {scale} between scales, of which RESCALE takes those between 0 and 2**29"
        )
    mantissa, exponent = np.frexp(scale)
    multiplier = round(float(mantissa) * (1 << bits))
    shift = bits - int(exponent)
    if multiplier == 1 << bits:
        multiplier, shift = multiplier >> 1, shift - 1
    if shift > _MOST_SHIFT:
        # What is so small keeps what is left of its digits.
        multiplier, shift = multiplier >> min(shift - _MOST_SHIFT, bits), _MOST_SHIFT
    return Factor(multiplier, shift)


def rescale(
    b: Builder,
    x: Tensor,
    scale: float | Sequence[float] | np.ndarray,
    dtype: Any,
    zero_in: int = 0,
    zero_out: int = 0,
) -> Tensor:
    """``(x - zero_in) * scale + zero_out``, rounded to nearest with halves up, saturated to ``dtype``.

    Several scales belong to the slices along the last dimension. What has 48 bits is multiplied by 15.
    """
    narrow = x.dtype == DType.INT48
    scales = np.atleast_1d(np.asarray(scale, dtype=np.float64))
    factors = [factor_of(float(one), 15 if narrow else 31) for one in scales]
    inputs = [
        x,
        b.constant([one.multiplier for one in factors], DType.INT16 if narrow else DType.INT32),
        b.constant([one.shift for one in factors], DType.INT8),
        b.constant([zero_in], x.dtype),
        b.constant([zero_out], dtype),
    ]
    several = len(factors) > 1
    attributes = not narrow, RoundingMode.SINGLE_ROUND, several, False, False
    return b.emit("RESCALE", inputs, x.shape, dtype, *attributes)
