"""Writes `aten_schemas.txt` from the installed PyTorch; run by hand when the pinned version changes.

A build needs schemas to declare and to box kernels, but must not need PyTorch. The file has the out
variants of the core ATen operators and of everything that the kernel libraries register by name.

Usage: python -m executorch.kernels.codegen.update_schemas [more operator names]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import torch

from executorch.kernels.codegen.schema import canonical_name

SCHEMAS = Path(__file__).with_name("aten_schemas.txt")


def core_out_variants() -> set[str]:
    """Names of the out variants of operators tagged as core."""
    core = set()
    every: dict[str, list[str]] = {}
    for schema in torch._C._jit_get_all_schemas():
        if not schema.name.startswith("aten::"):
            continue
        full = schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
        every.setdefault(schema.name, []).append(full)
        packet = getattr(torch.ops.aten, schema.name[len("aten::") :], None)
        overload = getattr(packet, schema.overload_name or "default", None)
        if overload is not None and torch.Tag.core in getattr(overload, "tags", []):
            core.add(schema.name)
    return {
        full
        for name in core
        for full in every[name]
        if re.search(r"out\b|_out|\.(values|dim_max|dim_min|grad_input)$", full)
    }


def schema_texts(names: set[str]) -> dict[str, str]:
    """Schema text of each of `names` that PyTorch knows."""
    texts = {}
    for schema in torch._C._jit_get_all_schemas():
        full = canonical_name(schema.name + (f".{schema.overload_name}" if schema.overload_name else ""))
        if full in names:
            texts[full] = str(schema)
    return texts


def main() -> None:
    kept = (
        {line.split("(", 1)[0] for line in SCHEMAS.read_text().splitlines() if "(" in line}
        if SCHEMAS.exists()
        else set()
    )
    names = core_out_variants() | kept | {canonical_name(name) for name in sys.argv[1:]}
    texts = schema_texts(names)
    missing = names - texts.keys()
    if missing:
        raise SystemExit(f"PyTorch {torch.__version__} does not know: {', '.join(sorted(missing))}")
    SCHEMAS.write_text("".join(f"{texts[name]}\n" for name in sorted(texts)))
    print(f"{len(texts)} schemas written to {SCHEMAS.name}")


if __name__ == "__main__":
    main()
