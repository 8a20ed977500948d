"""What the specification says of RESIZE: its sizes, and what its scales may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from executorch.backends.arm.tosa.specification import TosaSpecification

#: Largest numerator of a scale, and the first size that is too large.
MOST_SCALE = 1 << 11
_TOO_LARGE = 16384
_DOWNSCALE = "RESIZE downscale must be strictly greater than 1/16"

Sizes = Sequence[Any]


def resized_size(size: Any, numerator: Any, denominator: Any, offset: Any, border: Any) -> Any:
    """The size of the result along one dimension."""
    return ((size - 1) * numerator - offset + border) // denominator + 1


def resize_refusal(input_hw: Sizes, scale: Sizes, offset: Sizes, border: Sizes) -> str | None:
    """Why TOSA has no such RESIZE, None if it has. Symbols are taken as fitting."""
    if len(scale) != 4 or len(offset) != 2 or len(border) != 2:
        return "RESIZE takes four numbers of scale, two of offset and two of border"
    numbers = [one if isinstance(one, int) else None for one in (*scale, *offset, *border)]
    if any(one is not None and one < 1 for one in numbers[:4]):
        return f"RESIZE scales must be positive, got {list(scale)}"
    if any(isinstance(one, int) and one >= _TOO_LARGE for one in input_hw):
        return f"RESIZE takes images below {_TOO_LARGE}, got {list(input_hw)}"
    for i in range(2):
        n, d, start, end = numbers[2 * i], numbers[2 * i + 1], numbers[4 + i], numbers[6 + i]
        if n is None:
            continue
        if n > MOST_SCALE:
            return f"RESIZE scale numerator must be <= {MOST_SCALE}, got {n}"
        if d is not None and d >= 16 * n:
            return f"{_DOWNSCALE}, got {n}/{d}"
        if start is not None and not -n <= start < 16 * n:
            return f"RESIZE offset must be in [{-n}, {16 * n}), got {start}"
        if end is not None and not -16 * n <= end < n:
            return f"RESIZE border must be in [{-16 * n}, {n}), got {end}"
    return None


def is_exact_tosa_resize_boundary_downscale_case(
    *,
    input_hw: Sequence[int],
    output_hw: Sequence[int],
    scale: Sequence[int],
    offset: Sequence[int],
    border: Sequence[int],
    tosa_spec: TosaSpecification,
) -> bool:
    """Whether a reduction to exactly a sixteenth is all that keeps a RESIZE from being one of TOSA.

    The bounds are those of every specification.
    """
    exact = any(scale[2 * i + 1] == 16 * scale[2 * i] for i in range(2))
    if not exact or any(scale[2 * i + 1] > 16 * scale[2 * i] for i in range(2)):
        return False
    # The same with a denominator just below is judged by the other rules.
    inside = [min(one, 16 * scale[i - 1] - 1) if i % 2 else one for i, one in enumerate(scale)]
    if resize_refusal(input_hw, inside, offset, border) is not None:
        return False
    made = [resized_size(input_hw[i], scale[2 * i], scale[2 * i + 1], offset[i], border[i]) for i in range(2)]
    return made == list(output_hw)
