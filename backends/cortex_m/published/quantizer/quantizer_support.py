"""What pattern quantizers of released versions look for, with what they ask of it: sums and products, and activations behind them."""

from __future__ import annotations

import torch

from executorch.backends.arm.quantizer.annotations import BINARY, CLAMPING
from executorch.backends.cortex_m.published.quantizer.pattern_checkers import CortexMAddMulCheck, PatternCheck
from executorch.dialects.torch_types import OpOverload


def _named(names: set[str]) -> list[OpOverload]:
    parts = (name.split(".") for name in sorted(names))
    return [getattr(getattr(torch.ops.aten, packet), overload) for _, packet, overload in parts]


#: Operators, one behind the other -> the check of a match.
BINARY_OP_PATTERNS: dict[tuple[OpOverload, ...], type[PatternCheck]] = {
    (op, *behind): CortexMAddMulCheck
    for op in _named(BINARY)
    for behind in ((), *((clamp,) for clamp in _named(CLAMPING)))
}
