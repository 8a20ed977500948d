"""Groups of types that several operators have alike."""

from __future__ import annotations

from typing import Any, Final

import torch

HALVES: Final = (torch.float16, torch.float32)
BYTES: Final = (torch.int8, torch.int16, torch.int32)
#: Extension -> the type that it adds to operators in floating point.
BF16: Final[dict[str, Any]] = {"bf16": torch.bfloat16}
#: Extensions that operators which only move data gain from.
MOVED: Final[dict[str, Any]] = {
    **BF16,
    "fp8e4m3": torch.float8_e4m3fn,
    "fp8e5m2": torch.float8_e5m2,
    "int64": torch.int64,
}
