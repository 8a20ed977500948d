"""Writes OPERATORS.md from the registry: ``python -m executorch.backends.vulkan.operator_table FILE``."""

from __future__ import annotations

import sys
from pathlib import Path

from executorch.backends.vulkan.graph.support import MOST_DIMENSIONS
from executorch.backends.vulkan.op_registry import OpFeatures, vulkan_supported_ops

_HEAD = f"""# Operators

Made by `operator_table.py` from `op_registry.py`, which the partitioner asks; a test compares. Every operator is checked against eager PyTorch.
What holds for all: {MOST_DIMENSIONS} dimensions at most, contiguous tensors with elements, bounded sizes, no state that others read or write; int64 has
32 bits in the delegate, and float32 has 16 with `force_fp16`. All take dynamic shapes unless the row says otherwise. Rows of `et_vk` and `torchao` stand for
what the lowering finds in a program.

| operator | types | conditions |
| --- | --- | --- |
"""


def operator_table() -> str:
    """The page."""
    rows = (vulkan_supported_ops[name] for name in sorted(vulkan_supported_ops))
    return _HEAD + "".join(map(_row, rows))


def _row(row: OpFeatures) -> str:
    types = ", ".join(str(one).removeprefix("torch.") for one in row.dtypes)
    if row.results and row.results != row.dtypes:
        types += " to " + ", ".join(str(one).removeprefix("torch.") for one in row.results)
    if row.pairs is not None and not row.is_complex:
        types += ", complex64"
    said = [row.conditions] if row.conditions else []
    if not row.resize:
        said.append("no resize support")
    return f"| `{row.name}` | {types} | {'; '.join(said)} |\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(operator_table(), encoding="utf-8")
