"""Writes OPERATORS.md from the registry: ``python -m executorch.backends.arm.operator_table FILE``."""

from __future__ import annotations

import sys
from pathlib import Path

import executorch.backends.arm.tosa.operators  # noqa: F401 - fills the registry.
from executorch.backends.arm.tosa.graph.registry import OPERATORS, Operator

_HEAD = """# Operators

Made by `operator_table.py` from the registry of lowerings; `readme_test.py` compares. Plain: on tensors as they are, of these types, checked against eager PyTorch.
Int8: between dequantizations and a quantization, checked within one step of the quantized model. Both run in TOSA's reference model.
What holds for all: fixed sizes, six dimensions at most, no int64 but in constants, no state that the program writes.

| operator | plain | int8 | conditions |
| --- | --- | --- | --- |
"""


def operator_table() -> str:
    """The page."""
    return _HEAD + "".join(_row(OPERATORS[name]) for name in sorted(OPERATORS))


def _row(row: Operator) -> str:
    types = [] if row.plain is None else [str(one).removeprefix("torch.") for one in row.dtypes]
    return (
        f"| `{row.name}` | {', '.join(types) or '-'} | {'yes' if row.integer else '-'} | {row.conditions} |\n"
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(operator_table(), encoding="utf-8")
