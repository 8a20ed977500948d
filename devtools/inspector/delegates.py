"""Calls of delegates, and the steps inside of them that delegates report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from executorch.devtools.inspector.values import handles_of

if TYPE_CHECKING:
    from executorch.devtools.inspector._events import Event


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


def covered_by_delegates(events: Sequence[Event], logged: bool = False) -> set[int]:
    """Identities of calls of delegates whose steps are known by themselves.

    Args:
        events: Those of a block.
        logged: Whether a step has to have values, too.
    """
    inside = {
        (event._chain_index, event._instruction_id)
        for event in events
        if event.is_delegated_op and event.debug_handles and (not logged or _has_values(event))
    }
    return {
        id(event)
        for event in events
        if not event.is_delegated_op and (event._chain_index, event._instruction_id) in inside
    }


def _has_values(event: Event) -> bool:
    return any(value is not None for value in event.debug_data)


__all__ = ["covered_by_delegates", "handles_of_call"]
