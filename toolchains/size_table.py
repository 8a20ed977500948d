"""The tables of docs/size.md: size_table MANIFEST.json OUT.md

The core is the difference of two linked programs, with and without it; the digits are a linked program; primitive
operators and kernels are the code and constants of their object files, which is the most that linking one adds besides
the helpers that kernels share.
"""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

from executorch.toolchains.binaries import Binary, members, read


def _read(path: str) -> Binary:
    return read(pathlib.Path(path).read_bytes())


def platform_row(row: dict[str, Any]) -> list[int]:
    """One platform's figures: the core's code, constants and RAM, the primitive operators, the digits without model.

    Args:
        row: of the manifest.
    """
    larger, smaller = _read(row["size_with"]), _read(row["size_without"])
    ram = larger.data + larger.bss - smaller.data - smaller.bss
    digits = _read(row["program"]).flash - pathlib.Path(row["embedded"]).stat().st_size
    text, rodata = larger.text - smaller.text, larger.rodata - smaller.rodata
    return [text, rodata, text + rodata, ram, _read(row["prim_ops"]).flash, digits]


def kernel_rows(archive: bytes) -> dict[str, int]:
    """Kernel to bytes of its object file, for the kernels of an archive; the rest is summed as the helpers."""
    sizes: dict[str, int] = {}
    helpers = 0
    for name, body in members(archive):
        stem = name.split(".")[0]
        if stem.startswith("op_"):
            sizes[stem.removeprefix("op_")] = sizes.get(stem.removeprefix("op_"), 0) + read(body).flash
        else:
            helpers += read(body).flash
    return dict(sorted(sizes.items())) | {"(helpers, registration)": helpers}


def tables(rows: list[dict[str, Any]]) -> str:
    """All tables, as Markdown."""
    lines = ["| platform | core: text | rodata | flash | RAM | prim ops | digits without model |"]
    lines.append("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        figures = " | ".join(f"{figure:,}" for figure in platform_row(row))
        lines.append(f"| {row['platform']} | {figures} |")
    for row in (one for one in rows if "kernels" in one):
        kernels = kernel_rows(pathlib.Path(row["kernels"]).read_bytes())
        lines += [
            "",
            f"Portable kernels on `{row['platform']}`, bytes of code and constants of each object file:",
            "",
        ]
        cells = [f"{name} {size:,}" for name, size in kernels.items()]
        lines += ["| | | | |", "| --- | --- | --- | --- |"]
        for at in range(0, len(cells), 4):
            lines.append("| " + " | ".join([*cells[at : at + 4], "", "", ""][:4]) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    rows = json.loads(pathlib.Path(sys.argv[1]).read_text())
    pathlib.Path(sys.argv[2]).write_text(tables(rows))


if __name__ == "__main__":
    main()
