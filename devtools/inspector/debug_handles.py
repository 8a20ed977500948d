"""Debug handles: numbers of nodes of the edge program, as compilers note them for instructions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class HandleMaps:
    """The maps of an ETRecord for one method."""

    debug_handles: Mapping[int, Any]
    delegates: Mapping[int, Mapping[str, Any]]
    num_outputs: Mapping[int, int]


def resolve_debug_handles(events: Iterable[Any], maps: HandleMaps) -> None:
    """Gives events inside of instructions the debug handles of what they come from."""
    for event in events:
        if event._chain_index < 0 or event._instruction_id is None:
            continue
        number = event._instruction_id
        event.num_outputs = _at(maps.num_outputs, number) or 1
        delegate = _at(maps.delegates, number)
        if delegate is not None:
            event.delegate_backend_name = delegate.get("name")
        if not event.is_delegated_op:
            event.debug_handles = handles_of_call(_at(maps.debug_handles, number), delegate)
        elif delegate is not None:
            event.debug_handles = _at(delegate.get("delegate_map") or {}, event.delegate_debug_identifier)


def _at(entries: Mapping[Any, Any], key: Any) -> Any:
    """An entry, or None. JSON turns numbers into text, so both are looked for."""
    return entries.get(key, entries.get(str(key)))


__all__ = ["HandleMaps", "handles_of", "handles_of_call", "resolve_debug_handles"]
