"""What makes events of several runs of a program the same event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypedDict

from executorch.devtools.etdump.schema_flatcc import DebugEvent, Event, ProfileEvent
from executorch.devtools.inspector.values import is_debug_output

#: A delegate's own numbers or names to debug handles of the edge program.
DelegateIdentifierDebugHandleMap: TypeAlias = Mapping[int, tuple[int, ...]] | Mapping[str, tuple[int, ...]]

_UNSET = -1


class DelegateMetadata(TypedDict):
    """What an ETRecord knows of the call of a delegate: the backend's name, and what its events come from."""

    name: str
    delegate_map: DelegateIdentifierDebugHandleMap


@dataclass(frozen=True, order=True)
class InstructionEventSignature:
    """The instruction that an event belongs to, and what a delegate identifies it by."""

    instruction_id: int
    chain_index: int
    delegate_id: int | None = None
    delegate_id_str: str | None = None


@dataclass
class InstructionEvent:
    """All events of an instruction in one run."""

    signature: InstructionEventSignature
    profile_events: list[ProfileEvent] | None = None
    debug_events: list[DebugEvent] | None = None

    @staticmethod
    def gen_from_events(run_events: Sequence[Event]) -> list[InstructionEvent]:
        """The events of a run by instruction, in the order of their first; outputs of the program are left out."""
        found: dict[InstructionEventSignature, InstructionEvent] = {}
        for event in run_events:
            known = event.profile_event or event.debug_event
            if known is None or (isinstance(known, DebugEvent) and is_debug_output(known.debug_entry)):
                continue
            signature = InstructionEventSignature(
                known.instruction_id,
                known.chain_index,
                known.delegate_debug_id_int,
                known.delegate_debug_id_str,
            )
            instruction = found.setdefault(signature, InstructionEvent(signature))
            if isinstance(known, ProfileEvent):
                instruction.profile_events = [*(instruction.profile_events or ()), known]
            else:
                instruction.debug_events = [*(instruction.debug_events or ()), known]
        return list(found.values())


@dataclass(frozen=True, order=True)
class ProfileEventSignature:
    """The name and place of a span of time; what an ETDump leaves unset is None."""

    name: str
    instruction_id: int | None
    delegate_id: int | None = None
    delegate_id_str: str | None = None

    @staticmethod
    def _gen_from_event(event: ProfileEvent) -> ProfileEventSignature:
        return ProfileEventSignature(event.name or "", *_place(event))


@dataclass(frozen=True, order=True)
class DebugEventSignature:
    """The name and place of a logged value; what an ETDump leaves unset is None."""

    name: str = ""
    instruction_id: int | None = _UNSET
    delegate_id: int | None = None
    delegate_id_str: str | None = None

    @staticmethod
    def _gen_from_event(event: DebugEvent) -> DebugEventSignature:
        return DebugEventSignature(event.name or "", *_place(event))


@dataclass(frozen=True, order=True)
class EventSignature:
    """What makes an event: a span of time, logged values, or both; the instruction is that of both."""

    instruction_id: int
    profile_event_signature: ProfileEventSignature | None = None
    debug_event_signature: DebugEventSignature | None = None

    @staticmethod
    def gen_from_instruction_event(
        instruction_event: InstructionEvent,
    ) -> list[tuple[EventSignature, InstructionEvent]]:
        """The events of an instruction: one for each span of time, each with all values; or one with values alone."""
        values = instruction_event.debug_events
        number = instruction_event.signature.instruction_id
        logged = DebugEventSignature._gen_from_event(values[0]) if values else None
        if not instruction_event.profile_events:
            return [(EventSignature(number, None, logged), replace(instruction_event, profile_events=[]))]
        return [
            (
                EventSignature(number, ProfileEventSignature._gen_from_event(span), logged),
                replace(instruction_event, profile_events=[span]),
            )
            for span in instruction_event.profile_events
        ]


@dataclass(frozen=True, order=True)
class RunSignature:
    """What makes runs the same: the method, its events, and the test case of a bundled program."""

    name: str
    events: tuple[EventSignature, ...] | None = None
    bundled_input_index: int | None = None


def _place(event: ProfileEvent | DebugEvent) -> tuple[int | None, int | None, str | None]:
    return (
        None if event.instruction_id == _UNSET else event.instruction_id,
        None if event.delegate_debug_id_int == _UNSET else event.delegate_debug_id_int,
        event.delegate_debug_id_str or None,
    )


__all__ = [
    "DebugEventSignature",
    "DelegateIdentifierDebugHandleMap",
    "DelegateMetadata",
    "EventSignature",
    "InstructionEvent",
    "InstructionEventSignature",
    "ProfileEventSignature",
    "RunSignature",
]
