"""Tables as text, for reports that people read."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence


def text_table(headers: Sequence[str], rows: Sequence[Sequence[object]], width: int = 60) -> str:
    """A table with a rule below its head; numbers stand right, long texts wrap.

    Args:
        headers: one per column.
        rows: as many cells as there are headers.
        width: characters after which a cell wraps.
    """
    cells = [[_wrapped(cell, width) for cell in row] for row in rows]
    widths = [
        max([len(header), *(len(line) for row in cells for line in row[column])])
        for column, header in enumerate(headers)
    ]
    numeric = [
        bool(rows) and all(isinstance(row[c], (int, float)) for row in rows) for c in range(len(headers))
    ]
    lines = [_line([[h] for h in headers], widths, numeric)[0], "-+-".join("-" * w for w in widths)]
    for row in cells:
        lines += _line(row, widths, numeric)
    return "\n".join(line.rstrip() for line in lines)


def _wrapped(cell: object, width: int) -> list[str]:
    lines = [part for text in str(cell).splitlines() for part in textwrap.wrap(text, width) or [""]]
    return lines or [""]


def _line(row: Sequence[Sequence[str]], widths: Sequence[int], numeric: Sequence[bool]) -> list[str]:
    height = max(len(cell) for cell in row)
    lines = []
    for index in range(height):
        parts = [cell[index] if index < len(cell) else "" for cell in row]
        lines.append(
            " | ".join(
                text.rjust(width) if right else text.ljust(width)
                for text, width, right in zip(parts, widths, numeric, strict=True)
            )
        )
    return lines
