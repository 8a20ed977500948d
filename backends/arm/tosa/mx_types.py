"""Types of MX blocks: numbers of 4, 6 or 8 bits, of which a block shares one power of two as its scale."""

from __future__ import annotations

from typing import Final, TypeAlias

import torch

#: A type of torch, or torchao's name of one that torch lacks.
MXFPDType: TypeAlias = torch.dtype | str

#: Name -> the type that stores the numbers, and how many numbers an element has.
STORED: Final[dict[str, tuple[torch.dtype, int]]] = {
    "float8_e4m3fn": (torch.float8_e4m3fn, 1),
    "float8_e5m2": (torch.float8_e5m2, 1),
    "float4_e2m1fn_x2": (torch.uint8, 2),
    "fp6_e2m3": (torch.uint8, 1),
    "fp6_e3m2": (torch.uint8, 1),
}
#: Numbers that share a scale.
BLOCK_SIZE: Final = 32
SCALE: Final = torch.float8_e8m0fnu


def mxfp_dtype_to_str(dtype: MXFPDType) -> str:
    """The name of a type, as operators take it.

    Raises:
        ValueError: it is no type of MX blocks.
    """
    name = str(dtype).removeprefix("torch.")
    if name not in STORED:
        raise ValueError(f"{dtype} is no type of MX blocks; there are {', '.join(STORED)}")
    return name
