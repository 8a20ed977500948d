"""Runs as a Chrome trace: open the file in chrome://tracing or in Perfetto.

A block of events is a process, and each of its runs has a row, in which calls lie inside of what called them. Events of a
delegate whose clock is not the runtime's have a row of their own, which begins with their first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from executorch.devtools.inspector._events import Event, EventBlock
from executorch.devtools.inspector.time_scale import TimeScale, calculate_time_scale_factor

#: Start and duration in microseconds (in cycles, where the source counts these), and the event.
_Span = tuple[float, float, Event]


def _spans(block: EventBlock, run: int, start_scale: float, elapsed_scale: float) -> list[_Span]:
    return [
        (event.start_time[run] / start_scale, event.perf_data.raw[run] / elapsed_scale, event)
        for event in block.events
        if event.perf_data is not None and event.start_time is not None and run < len(event.start_time)
    ]


def _rows(spans: Sequence[_Span]) -> Iterator[tuple[str, list[_Span]]]:
    """The runtime's own events and those of delegates among them; then those that another clock timed."""
    own = [span for span in spans if not span[2].is_delegated_op]
    begin = min((start for start, _, _ in own), default=float("-inf"))
    end = max((start + elapsed for start, elapsed, _ in own), default=float("inf"))
    inside = [span for span in spans if begin <= span[0] <= end]
    yield "", inside
    yield ", delegate's clock", [span for span in spans if not begin <= span[0] <= end]


def _arguments(event: Event) -> dict[str, Any]:
    known = {
        "operators": event.op_types,
        "modules": sorted({name for modules in event.module_hierarchy.values() for name in modules}),
        "source": next(iter(event.stack_traces.values()), ""),
        "delegate": event.delegate_backend_name or "",
    }
    return {name: value for name, value in known.items() if value}


def chrome_trace(
    blocks: Sequence[EventBlock], source: TimeScale = TimeScale.NS, target: TimeScale = TimeScale.MS
) -> dict[str, Any]:
    """The events of blocks in the Trace Event Format.

    Args:
        blocks: ``Inspector.event_blocks``.
        source: The unit in which events say when they began.
        target: The unit of their lengths. Cycles, in both, are shown as if one took a microsecond.

    Returns:
        What is to be written as JSON. Each run begins at 0.
    """
    cycles = source == TimeScale.CYCLES
    start_scale = 1.0 if cycles else calculate_time_scale_factor(source, TimeScale.US)
    elapsed_scale = 1.0 if cycles else calculate_time_scale_factor(target, TimeScale.US)
    events: list[dict[str, Any]] = []
    for process, block in enumerate(blocks):
        events.append({"ph": "M", "name": "process_name", "pid": process, "args": {"name": block.name}})
        runs = max((len(event.start_time or ()) for event in block.events), default=0)
        for run in range(runs):
            spans = _spans(block, run, start_scale, elapsed_scale)
            for kind, (suffix, row) in enumerate(_rows(spans)):
                events += _row(row, process, 2 * run + kind, f"run {run}{suffix}")
    return {"displayTimeUnit": "ns", "traceEvents": events}


def _row(spans: Sequence[_Span], process: int, row: int, name: str) -> Iterator[dict[str, Any]]:
    if not spans:
        return
    place = {"pid": process, "tid": row}
    yield {"ph": "M", "name": "thread_name", **place, "args": {"name": name}}
    begin = min(start for start, _, _ in spans)
    for start, elapsed, event in spans:
        span = {"ts": start - begin, "dur": elapsed}
        yield {"ph": "X", "name": event.name, **place, **span, "args": _arguments(event)}
