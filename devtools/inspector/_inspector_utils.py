"""The documented place of small parts of the inspector."""

from executorch.devtools.inspector.results import compare_results
from executorch.devtools.inspector.time_scale import TIME_SCALE_DICT, TimeScale, calculate_time_scale_factor
from executorch.devtools.inspector.values import InferenceOutput, inflate_runtime_output, is_debug_output

__all__ = [
    "TIME_SCALE_DICT",
    "InferenceOutput",
    "TimeScale",
    "calculate_time_scale_factor",
    "compare_results",
    "inflate_runtime_output",
    "is_debug_output",
]
