"""Calls of delegates, and the steps inside of them that delegates report."""

from __future__ import annotations

from collections.abc import Sequence

from executorch.devtools.inspector._events import Event


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


__all__ = ["covered_by_delegates"]
