"""The documented place of small parts of the inspector."""

from __future__ import annotations

import os
import sys
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import torch

from executorch.devtools.etdump.schema_flatcc import DebugEvent, ETDumpFlatCC, Event, ProfileEvent
from executorch.devtools.etdump.serialize import deserialize_from_etdump_flatcc
from executorch.devtools.inspector._intermediate_output_capturer import NodeFilter
from executorch.devtools.inspector.graphs import (
    EDGE_DIALECT_GRAPH_KEY,
    FORWARD,
    create_debug_handle_to_op_node_mapping,
    gen_graphs_from_etrecord,
)
from executorch.devtools.inspector.handle_maps import (
    NodeData,
    NodeSource,
    find_op_names,
    get_aot_debug_handle_to_op_name_mapping,
    map_runtime_aot_intermediate_outputs,
    merge_runtime_overlapping_debug_handles,
)
from executorch.devtools.inspector.numerical_comparator import DebugHandle
from executorch.devtools.inspector.numerical_comparator.operands import to_float_tensor
from executorch.devtools.inspector.provenance import (
    DEBUG_HANDLE_KEY,
    FROM_NODE_KEY,
    UNSET_DEBUG_HANDLE,
    get_ancestor_node_identifiers,
    get_parent_node_identifier,
    propagate_back_debug_handle,
)
from executorch.devtools.inspector.results import (
    calculate_cosine_similarity,
    calculate_mse,
    calculate_snr,
    compare_results,
    plot_metric,
)
from executorch.devtools.inspector.time_scale import TIME_SCALE_DICT, TimeScale, calculate_time_scale_factor
from executorch.devtools.inspector.values import (
    InferenceOutput,
    inflate_runtime_output,
    is_debug_output,
    is_inference_output_equal,
    verify_debug_data_equivalence,
)

if TYPE_CHECKING:
    import pandas as pd

ProgramOutput: TypeAlias = list[InferenceOutput]
#: Events of the runtime itself, which no operator causes.
RESERVED_FRAMEWORK_EVENT_NAMES = ["Method::init", "Program::load_method", "Method::execute"]
#: Events that the table leaves out: they repeat the time of what is below them.
EXCLUDED_EVENTS_WHEN_PRINTING = {"OPERATOR_CALL"}
#: Events that are left out when values are compared: they repeat those of what is below them.
EXCLUDED_EVENTS_FOR_INTERMEDIATE_OUTPUT = {"OPERATOR_CALL"}
#: Columns that are too long for the table.
EXCLUDED_COLUMNS_WHEN_PRINTING = [
    "raw",
    "delegate_debug_identifier",
    "stack_traces",
    "module_hierarchy",
    "debug_data",
]


def gen_etdump_object(
    etdump_path: str | os.PathLike[str] | None = None, etdump_data: bytes | None = None
) -> ETDumpFlatCC:
    """Reads an ETDump.

    Args:
        etdump_path: The file; or
        etdump_data: its contents.

    Raises:
        ValueError: There is none, or two; or the bytes are no ETDump.
    """
    if (etdump_path is None) == (etdump_data is None):
        raise ValueError(
            "Unable to get ETDump data. One and only one of etdump_path and etdump_data must be specified."
        )
    if etdump_data is None:
        with open(etdump_path, "rb") as file:  # type: ignore[arg-type]
            etdump_data = file.read()
    return deserialize_from_etdump_flatcc(etdump_data)


def find_populated_event(event: Event) -> ProfileEvent | DebugEvent:
    """The span of time or the logged value that an event of an ETDump is.

    Raises:
        ValueError: It is neither.
    """
    if event.profile_event is not None:
        return event.profile_event
    if event.debug_event is not None:
        return event.debug_event
    raise ValueError("Unable to find populated event: it is neither a profile event nor a debug event")


def display_or_print_df(df: pd.DataFrame, file: IO[str] | None = None) -> None:
    """Shows a table: in a notebook as one, elsewhere as text.

    Args:
        df: The table.
        file: Where text goes; standard output by default.
    """
    shell = sys.modules.get("IPython")
    if shell is not None and shell.get_ipython() is not None:
        from IPython.display import display

        display(df)
        return
    text = "no events" if df.empty else df.to_string(max_colwidth=60, na_rep="")
    print(text, file=sys.stdout if file is None else file)


def convert_to_float_tensor(input_data: Any) -> torch.Tensor:
    """A tensor, a number, or nested lists of numbers, as float64 on the CPU; NaN counts as zero.

    Raises:
        ValueError: It is none of these.
        AssertionError: It is a list of tensors, which are values of their own.
    """
    if isinstance(input_data, (list, tuple)):
        if any(isinstance(item, torch.Tensor) and item.numel() != 1 for item in input_data):
            raise AssertionError("a list of tensors is no single value: convert each of them")
        try:
            input_data = torch.tensor(input_data)
        except (TypeError, ValueError, RuntimeError) as error:
            raise ValueError(
                f"Cannot convert value of type {type(input_data)} to a tensor: {error}"
            ) from error
    try:
        return to_float_tensor(input_data)
    except TypeError as error:
        raise ValueError(f"Cannot convert value of type {type(input_data)} to a tensor: {error}") from error


__all__ = [
    "DEBUG_HANDLE_KEY",
    "EDGE_DIALECT_GRAPH_KEY",
    "EXCLUDED_COLUMNS_WHEN_PRINTING",
    "EXCLUDED_EVENTS_FOR_INTERMEDIATE_OUTPUT",
    "EXCLUDED_EVENTS_WHEN_PRINTING",
    "FORWARD",
    "FROM_NODE_KEY",
    "RESERVED_FRAMEWORK_EVENT_NAMES",
    "TIME_SCALE_DICT",
    "UNSET_DEBUG_HANDLE",
    "DebugHandle",
    "InferenceOutput",
    "NodeData",
    "NodeFilter",
    "NodeSource",
    "ProgramOutput",
    "TimeScale",
    "calculate_cosine_similarity",
    "calculate_mse",
    "calculate_snr",
    "calculate_time_scale_factor",
    "compare_results",
    "convert_to_float_tensor",
    "create_debug_handle_to_op_node_mapping",
    "display_or_print_df",
    "find_op_names",
    "find_populated_event",
    "gen_etdump_object",
    "gen_graphs_from_etrecord",
    "get_ancestor_node_identifiers",
    "get_aot_debug_handle_to_op_name_mapping",
    "get_parent_node_identifier",
    "inflate_runtime_output",
    "is_debug_output",
    "is_inference_output_equal",
    "map_runtime_aot_intermediate_outputs",
    "merge_runtime_overlapping_debug_handles",
    "plot_metric",
    "propagate_back_debug_handle",
    "verify_debug_data_equivalence",
]
