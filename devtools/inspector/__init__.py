"""The inspector: joins an ETDump and an ETRecord into tables."""

from executorch.devtools.inspector._inspector import Event, EventBlock, Inspector, PerfData
from executorch.devtools.inspector.results import compare_results
from executorch.devtools.inspector.time_scale import TimeScale
from executorch.devtools.inspector.vgf_neural_statistics import (
    parse_vgf_neural_statistics_delegate_metadata,
    parse_vgf_neural_statistics_metadata,
)

__all__ = [
    "Event",
    "EventBlock",
    "Inspector",
    "PerfData",
    "TimeScale",
    "compare_results",
    "parse_vgf_neural_statistics_delegate_metadata",
    "parse_vgf_neural_statistics_metadata",
]
