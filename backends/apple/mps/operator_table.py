"""Writes OPERATORS.md from the table: ``python -m executorch.backends.apple.mps.operator_table FILE``."""

from __future__ import annotations

import sys
from pathlib import Path

from executorch.backends.apple.mps.graph.support import MOST_DIMENSIONS
from executorch.backends.apple.mps.operators import OPERATORS, Row

_HEAD = f"""# Operators of the MPS delegate

Made by `operator_table.py` from `operators.py`, which the partitioner asks; a test compares. Every operator is checked against eager PyTorch
by an interpreter of the serialized graph. What holds for all: {MOST_DIMENSIONS} dimensions at most, contiguous tensors with elements, sizes that stay, no
state that the program writes.

| operator | types | conditions |
| --- | --- | --- |
"""


def operator_table() -> str:
    """The page."""
    return _HEAD + "".join(_row(OPERATORS[name]) for name in sorted(OPERATORS))


def _row(row: Row) -> str:
    types = ", ".join(str(one).removeprefix("torch.") for one in row.dtypes)
    if row.results and row.results != row.dtypes:
        types += " to " + ", ".join(str(one).removeprefix("torch.") for one in row.results)
    return f"| `{row.name}` | {types} | {row.conditions} |\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(operator_table(), encoding="utf-8")
