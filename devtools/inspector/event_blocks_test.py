"""Events of several runs as one event, and blocks of them."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest
import torch

from executorch.devtools.etdump import schema_flatcc as flatcc
from executorch.devtools.inspector._inspector import (
    DebugEventSignature,
    Event,
    EventBlock,
    EventSignature,
    InstructionEvent,
    PerfData,
    ProfileEventSignature,
    TimeScale,
)
from executorch.devtools.inspector.delegates import covered_by_delegates
from executorch.devtools.inspector.values import verify_debug_data_equivalence


def _timed(
    start: int, end: int, name: str = "op", number: int = -1, text: str = "", attached: bytes | None = None
) -> flatcc.Event:
    span = flatcc.ProfileEvent(name, 0, 3, number, text, attached, start, end)
    return flatcc.Event(span, None, None)


def _logged(value: int, number: int = -1, name: str = "op", output: bool = False) -> flatcc.Event:
    mark = flatcc.Bool(True) if output else None
    entry = flatcc.Value("Int", None, None, flatcc.Int(value), None, None, None, mark)
    return flatcc.Event(None, None, flatcc.DebugEvent(name, 0, 3, number, "", entry))


def _blocks(*runs: list[flatcc.Event], **options: object) -> list[EventBlock]:
    data = [flatcc.RunData("forward", -1, [], events) for events in runs]
    return EventBlock._gen_from_etdump(flatcc.ETDumpFlatCC(0, data), **options)  # type: ignore[arg-type]


def test_times_of_all_runs_are_in_one_event() -> None:
    runs = ([_timed(0, 10), _logged(4)], [_timed(5, 35), _logged(4)])
    (block,) = _blocks(*runs, source_time_scale=TimeScale.US, target_time_scale=TimeScale.MS)
    (event,) = block.events
    assert event.perf_data is not None and event.perf_data.raw == [0.01, 0.03]
    assert (event.start_time, event.debug_data) == ([0, 5], [4])


def test_events_are_equal_if_their_times_are() -> None:
    assert Event("a", PerfData([1.0])) == Event("a", PerfData([1.0])) != Event("a", PerfData([2.0]))


def test_runs_with_other_values_are_an_error() -> None:
    with pytest.raises(
        AssertionError, match=r"Debug Data is different.*Two runs.*value 0 is 4 and 5.*\n.*same inputs"
    ):
        _blocks([_logged(4)], [_logged(5)])
    with pytest.raises(AssertionError, match="Debug Data is different"):
        _blocks([_timed(0, 1), _logged(4, output=True)], [_timed(0, 1), _logged(5, output=True)])


def test_how_runs_differ_is_said() -> None:
    for one, other, said in (
        (torch.zeros(3), torch.ones(3), "float32[3], differs in 3 of 3 elements"),
        (torch.zeros(3), torch.zeros(2), "value 0 is float32[3] and float32[2]"),
        (1, 2.0, "Value 0 is a int in one run and a float in another"),
    ):
        with pytest.raises(AssertionError, match=re.escape(said)):
            verify_debug_data_equivalence([one], [other])


def test_runs_with_other_tensors_are_an_error_without_a_debug_buffer() -> None:
    def logged(size: int) -> flatcc.Event:
        event = _logged(0)
        assert event.debug_event is not None
        tensor = flatcc.Tensor(flatcc.ScalarType.INT, [size], [1], size * 64)
        value = flatcc.Value(flatcc.ValueType.TENSOR.value, tensor, None, None, None, None, None, None)
        return dataclasses.replace(
            event, debug_event=dataclasses.replace(event.debug_event, debug_entry=value)
        )

    (block,) = _blocks([logged(2)], [logged(2)])
    assert block.events[0].debug_data == [None]
    with pytest.raises(AssertionError, match=r"types or sizes.*\[2\].*\[3\]"):
        _blocks([logged(2)], [logged(3)])


def test_calls_of_delegates_have_the_handles_of_what_is_inside() -> None:
    (block,) = _blocks([_timed(0, 1), _timed(1, 2, number=7)])
    delegate = {"name": "B", "delegate_map": {7: (2,), 8: (1, 3)}}
    block._gen_resolve_debug_handles({3: 9}, {3: delegate}, {})
    call, step = block.events
    assert (call.debug_handles, step.debug_handles) == ((1, 2, 3), (2,))
    assert covered_by_delegates(block.events) == {id(call)}
    assert covered_by_delegates(block.events, logged=True) == set()


def test_runs_with_and_without_values_are_different_blocks() -> None:
    logged, plain = _blocks([_timed(0, 10), _logged(4)], [_timed(0, 10)])
    assert [len(block.events) for block in (logged, plain)] == [1, 1]
    assert (logged.events[0].debug_data, plain.events[0].debug_data) == ([4], [])


def test_an_event_of_a_delegate_is_called_what_identifies_it() -> None:
    (block,) = _blocks([_timed(0, 1, "name", 7), _timed(1, 2, "", text="conv", attached=b"m"), _logged(1, 9)])
    assert [event.name for event in block.events] == ["7", "conv", "9"]
    assert [event.is_delegated_op for event in block.events] == [True, True, True]
    assert [event._delegate_debug_metadatas for event in block.events] == [[], [b"m"], []]
    assert [event.start_time for event in block.events] == [[0], [1], None]


def test_an_event_is_made_of_an_instruction_in_each_run() -> None:
    runs = [InstructionEvent.gen_from_events([_timed(0, end), _logged(2)]) for end in (1000, 3000)]
    ((signature, _),) = EventSignature.gen_from_instruction_event(runs[0][0])
    event = Event._gen_from_inference_events(signature, [run[0] for run in runs], 1000)
    assert (event.name, event.debug_data, event._instruction_id) == ("op", [2], 3)
    assert event.perf_data is not None and event.perf_data.raw == [1, 3]


def test_an_event_is_given_times_and_values_one_after_the_other() -> None:
    times = [InstructionEvent.gen_from_events([_timed(0, end, text="conv")])[0] for end in (1000, 3000)]
    event = Event("before")
    Event._populate_profiling_related_fields(event, None, times, 1000)
    assert (event.name, event.perf_data) == ("before", None)
    signature = ProfileEventSignature("op", 3, delegate_id_str="conv")
    Event._populate_profiling_related_fields(event, signature, times, 1000)
    assert (event.name, event.is_delegated_op, event._instruction_id) == ("conv", True, 3)
    assert event.perf_data is not None and event.perf_data.raw == [1, 3]
    event._delegate_time_scale_converter = lambda name, time: time / 10
    Event._populate_profiling_related_fields(event, signature, times, 1000)
    assert event.perf_data.raw == [100, 300]
    values = [InstructionEvent.gen_from_events([_logged(value)])[0] for value in (2, 2, 5)]
    Event._populate_debugging_related_fields(event, DebugEventSignature("v", 4), values[:2])
    assert (event.name, event.debug_data, event._instruction_id) == ("v", [2], 4)
    with pytest.raises(AssertionError, match="Debug Data is different"):
        Event._populate_debugging_related_fields(event, DebugEventSignature("v", 4), values)


def test_debug_handles_are_found_by_number_and_by_text() -> None:
    maps: tuple[dict[Any, Any], dict[Any, Any]]
    for maps in (({3: [5, 6]}, {3: {"name": "B", "delegate_map": {7: (8,)}}}), ({"3": [5, 6]}, {"3": {}})):
        (block,) = _blocks([_timed(0, 1), _timed(1, 2, number=7)])
        block._gen_resolve_debug_handles(*maps, {3: 2})
        own, delegated = block.events
        assert (own.debug_handles, own.num_outputs) == ([5, 6], 2)
        assert delegated.debug_handles == ((8,) if 3 in maps[1] else None)
