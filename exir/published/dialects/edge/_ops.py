"""The table of element types by operator, under the name that published code has for it."""

from typing import Any

from executorch.dialects.dtype_constraints import entries


def __getattr__(name: str) -> Any:
    """``_edge_dialect_info``, the table of element types itself, which a user may add entries to; read when asked for."""
    if name != "_edge_dialect_info":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return entries()
