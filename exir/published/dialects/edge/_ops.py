"""The table of element types by operator, under the name that published code has for it."""

from typing import Any

from executorch.dialects.dtype_constraints import TABLE_PATH, read_entries


def __getattr__(name: str) -> Any:
    """``_edge_dialect_info``, the entries of the table of element types by operator, read when somebody asks."""
    if name != "_edge_dialect_info":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    entries = read_entries(TABLE_PATH.read_text(encoding="utf-8"))
    return {entry["inherits"]: entry for entry in entries}
