"""Events of a run by instruction."""

from __future__ import annotations

from executorch.devtools.etdump import schema_flatcc as flatcc
from executorch.devtools.inspector._inspector import (
    DebugEventSignature,
    EventSignature,
    InstructionEvent,
    InstructionEventSignature,
    ProfileEventSignature,
    RunSignature,
)


def _timed(name: str, chain: int, instruction: int, number: int = -1, text: str = "") -> flatcc.Event:
    return flatcc.Event(flatcc.ProfileEvent(name, chain, instruction, number, text, None, 1, 2), None, None)


def _logged(chain: int, instruction: int, output: bool = False) -> flatcc.Event:
    mark = flatcc.Bool(True) if output else None
    value = flatcc.Value("Int", None, None, flatcc.Int(1), None, None, None, mark)
    return flatcc.Event(None, None, flatcc.DebugEvent("", chain, instruction, -1, "", value))


def test_events_are_collected_by_instruction() -> None:
    run = [
        _timed("op", 0, 1),
        _logged(0, 1),
        _logged(0, 1),
        _timed("OPERATOR_CALL", 0, 1),
        _timed("step", 0, 2, 5),
        _timed("step", 0, 2, -1, "x"),
        _logged(-1, -1, output=True),
        _logged(0, 3),
    ]
    instructions = InstructionEvent.gen_from_events(run)
    assert [event.signature for event in instructions] == [
        InstructionEventSignature(1, 0, -1, ""),
        InstructionEventSignature(2, 0, 5, ""),
        InstructionEventSignature(2, 0, -1, "x"),
        InstructionEventSignature(3, 0, -1, ""),
    ]
    first, second, third, last = (EventSignature.gen_from_instruction_event(event) for event in instructions)
    logged = DebugEventSignature("", 1)
    assert [signature for signature, _ in first] == [
        EventSignature(1, ProfileEventSignature("op", 1), logged),
        EventSignature(1, ProfileEventSignature("OPERATOR_CALL", 1), logged),
    ]
    assert [len(event.profile_events or ()) for _, event in first] == [1, 1]
    assert [len(event.debug_events or ()) for _, event in first] == [2, 2]
    assert second[0][0].profile_event_signature == ProfileEventSignature("step", 2, 5)
    assert third[0][0].profile_event_signature == ProfileEventSignature("step", 2, None, "x")
    assert last == [
        (
            EventSignature(3, None, DebugEventSignature("", 3)),
            InstructionEvent(instructions[3].signature, [], last[0][1].debug_events),
        )
    ]


def test_runs_with_the_same_events_are_the_same() -> None:
    def signature(*events: flatcc.Event) -> RunSignature:
        found = (
            signature
            for event in InstructionEvent.gen_from_events(events)
            for signature, _ in EventSignature.gen_from_instruction_event(event)
        )
        return RunSignature("forward", tuple(found))

    one = signature(_timed("op", 0, 1), _timed("op", 0, 2))
    assert len({one, signature(_timed("op", 0, 1), _timed("op", 0, 2))}) == 1
    assert one != signature(_timed("op", 0, 1))
