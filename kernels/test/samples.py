"""Tensors for the operator tests: shapes, dtypes and layouts that have been trouble before."""

from __future__ import annotations

import torch

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
BOOL = (torch.bool,)
REAL = FLOATS + INTS + BOOL
NUMBERS = FLOATS + INTS

# No dimensions, no elements, one line, several; the last ones are longer than a kernel's chunk.
SHAPES = [(), (0,), (5,), (2, 0, 3), (2, 3, 4), (2, 3, 4, 5), (1300,), (3, 700)]

BROADCASTS = [
    ((3, 4), (3, 4)),
    ((3, 4), (4,)),
    ((4,), (3, 4)),
    ((2, 1, 4), (3, 1)),
    ((), (3,)),
    ((3,), ()),
    ((), ()),
    ((0, 3), (1, 3)),
    ((1,), (2, 3)),
    ((2, 650), (2, 650)),
    ((2, 650), (2, 1)),
    ((2, 650), (1, 650)),
    ((5, 1, 7, 1), (1, 6, 1, 8)),
]


def tensor(
    shape: tuple[int, ...],
    dtype: torch.dtype,
    *,
    low: float = -3.0,
    high: float = 3.0,
    special: bool = False,
    channels_last: bool = False,
    seed: int = 0,
) -> torch.Tensor:
    """A random tensor, the same for the same arguments.

    Args:
        special: Puts NaN, infinities and both zeros among floating elements.
    """
    generator = torch.Generator().manual_seed(seed * 1000 + len(shape) * 10 + sum(shape))
    if dtype == torch.bool:
        t = torch.randint(0, 2, shape, generator=generator).to(dtype)
    elif dtype.is_floating_point:
        t = (torch.rand(shape, generator=generator, dtype=torch.float64) * (high - low) + low).to(dtype)
        if special and t.numel() > 4:
            values = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0], dtype=dtype)
            t.view(-1)[:5] = values[torch.randperm(5, generator=generator)]
    else:
        least = max(int(low), torch.iinfo(dtype).min) if dtype != torch.uint8 else max(int(low), 0)
        t = torch.randint(least, int(high) + 1, shape, generator=generator).to(dtype)
    if channels_last and len(shape) == 4:
        t = t.contiguous(memory_format=torch.channels_last)
    return t
