"""Where spans of a trace lie."""

from __future__ import annotations

from typing import Any

from executorch.devtools.etdump import schema_flatcc as flatcc
from executorch.devtools.inspector._inspector import EventBlock, TimeScale
from executorch.devtools.inspector.timeline import chrome_trace


def _timed(start: int, end: int, name: str, number: int = -1) -> flatcc.Event:
    return flatcc.Event(flatcc.ProfileEvent(name, 0, 3, number, "", None, start, end), None, None)


def _trace(*runs: list[flatcc.Event], scale: TimeScale = TimeScale.NS) -> list[dict[str, Any]]:
    target = scale if scale == TimeScale.CYCLES else TimeScale.MS
    data = [flatcc.RunData("Execute", -1, [], events) for events in runs]
    blocks = EventBlock._gen_from_etdump(
        flatcc.ETDumpFlatCC(0, data), source_time_scale=scale, target_time_scale=target
    )
    events: list[dict[str, Any]] = chrome_trace(blocks, scale, target)["traceEvents"]
    return events


def _places(events: list[dict[str, Any]]) -> list[tuple[str, int, float, float]]:
    return [(e["name"], e["tid"], e["ts"], round(e["dur"], 6)) for e in events if e["ph"] == "X"]


def test_runs_are_rows_that_begin_at_zero_in_microseconds() -> None:
    runs = [[_timed(at, at + 2000, "call"), _timed(at + 500, at + 1500, "kernel")] for at in (10_000, 70_000)]
    events = _trace(*runs)
    assert _places(events) == [
        ("call", 0, 0.0, 2.0),
        ("kernel", 0, 0.5, 1.0),
        ("call", 2, 0.0, 2.0),
        ("kernel", 2, 0.5, 1.0),
    ]
    names = [event["args"]["name"] for event in events if event["ph"] == "M"]
    assert names == ["Execute", "run 0", "run 1"]


def test_cycles_are_shown_as_they_are() -> None:
    assert _places(_trace([_timed(100, 350, "call")], scale=TimeScale.CYCLES)) == [("call", 0, 0.0, 250.0)]


def test_a_delegate_with_the_runtimes_clock_lies_inside_of_its_call() -> None:
    events = _trace([_timed(1000, 5000, "DELEGATE_CALL"), _timed(2000, 3000, "conv", number=7)])
    assert _places(events) == [("DELEGATE_CALL", 0, 0.0, 4.0), ("7", 0, 1.0, 1.0)]


def test_a_delegate_with_another_clock_has_a_row_of_its_own() -> None:
    events = _trace([_timed(1_000_000, 5_000_000, "DELEGATE_CALL"), _timed(20, 30, "conv", number=7)])
    assert _places(events) == [("DELEGATE_CALL", 0, 0.0, 4000.0), ("7", 1, 0.0, 0.01)]
    assert "run 0, delegate's clock" in [event["args"]["name"] for event in events if event["ph"] == "M"]


def test_nothing_timed_is_an_empty_block() -> None:
    entry = flatcc.Value("Int", None, None, flatcc.Int(1), None, None, None, None)
    (block,) = _trace([flatcc.Event(None, None, flatcc.DebugEvent("op", 0, 3, -1, "", entry))])
    assert block["ph"] == "M"
