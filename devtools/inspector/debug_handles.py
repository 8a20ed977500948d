"""Debug handles: numbers of nodes of the edge program, as compilers note them for instructions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def handles_of(handles: int | Sequence[int] | None) -> tuple[int, ...]:
    """Debug handles as a tuple."""
    if handles is None:
        return ()
    return (handles,) if isinstance(handles, int) else tuple(handles)


def handles_of_call(own: int | Sequence[int] | None, delegate: Mapping[str, Any] | None) -> Any:
    """The debug handles of an instruction.

    Args:
        own: What the compiler noted for it. Some compilers note a number of its own for the call of a delegate, others a
            list, of all operators that the delegate took.
        delegate: What the compiler noted for the delegate that it calls, if it does.

    Returns:
        ``own``, or for a call with a number of its own the handles of what the delegate took; the last one is the
        operator that computes the result.
    """
    if own is not None and not isinstance(own, int):
        return own
    inside = (handles_of(value) for value in ((delegate or {}).get("delegate_map") or {}).values())
    return tuple(sorted({handle for handles in inside for handle in handles})) or own


__all__ = ["handles_of", "handles_of_call"]
