"""The inspector: joins an ETDump and an ETRecord into tables."""

from executorch.devtools.inspector._inspector import Event, EventBlock, Inspector, PerfData
from executorch.devtools.inspector.results import compare_results
from executorch.devtools.inspector.time_scale import TimeScale

__all__ = ["Event", "EventBlock", "Inspector", "PerfData", "TimeScale", "compare_results"]
