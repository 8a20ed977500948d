"""``Inspector``: what an ETDump and an ETRecord say together."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from typing import IO, TYPE_CHECKING, Any

import torch
from torch.export import ExportedProgram

from executorch.devtools.debug_format.base_schema import OperatorNode
from executorch.devtools.etdump import schema_flatcc as flatcc
from executorch.devtools.etrecord import ETRecord, parse_etrecord
from executorch.devtools.inspector._events import (
    Event,
    EventBlock,
    MetadataParser,
    PerfData,
    TimeConverter,
)
from executorch.devtools.inspector._inspector_utils import (
    EDGE_DIALECT_GRAPH_KEY,
    EXCLUDED_COLUMNS_WHEN_PRINTING,
    EXCLUDED_EVENTS_WHEN_PRINTING,
    FORWARD,
    create_debug_handle_to_op_node_mapping,
    display_or_print_df,
    gen_etdump_object,
    gen_graphs_from_etrecord,
    is_inference_output_equal,
    propagate_back_debug_handle,
)
from executorch.devtools.inspector._intermediate_output_capturer import IntermediateOutputCapturer
from executorch.devtools.inspector.debug_handles import HandleMaps, handles_of, resolve_debug_handles
from executorch.devtools.inspector.delegate_records import delegate_record_reader
from executorch.devtools.inspector.delegates import covered_by_delegates
from executorch.devtools.inspector.graphs import body_graphs
from executorch.devtools.inspector.handle_maps import (
    get_aot_debug_handle_to_op_name_mapping,
    map_runtime_aot_intermediate_outputs,
    merge_runtime_overlapping_debug_handles,
)
from executorch.devtools.inspector.numerical_comparator import DebugHandle, NumericalComparatorBase
from executorch.devtools.inspector.numerical_comparator.comparators import find_comparator
from executorch.devtools.inspector.signatures import (
    DebugEventSignature,
    DelegateMetadata,
    EventSignature,
    InstructionEvent,
    InstructionEventSignature,
    ProfileEventSignature,
    RunSignature,
)
from executorch.devtools.inspector.sources import is_in_module
from executorch.devtools.inspector.time_scale import TimeScale
from executorch.devtools.inspector.timeline import chrome_trace

if TYPE_CHECKING:
    import pandas as pd

EDGE_PROGRAM = "edge_dialect_exported_program"
EXPORTED_PROGRAM = "exported_program"


class Inspector:
    """Tables of what happened in runs, and where in the model it comes from.

    Attributes:
        event_blocks: The :class:`EventBlock` s of the ETDump.
    """

    def __init__(
        self,
        etdump_path: str | os.PathLike[str] | None = None,
        etdump_data: bytes | None = None,
        etrecord: ETRecord | str | os.PathLike[str] | None = None,
        source_time_scale: TimeScale = TimeScale.NS,
        target_time_scale: TimeScale = TimeScale.MS,
        debug_buffer_path: str | os.PathLike[str] | None = None,
        delegate_metadata_parser: MetadataParser | None = None,
        delegate_time_scale_converter: TimeConverter | None = None,
        enable_module_hierarchy: bool = False,
        reference_graph_name: str = EDGE_DIALECT_GRAPH_KEY,
        buffer_path: str | os.PathLike[str] | None = None,
    ) -> None:
        """Reads a recording.

        Args:
            etdump_path: The file with the events; or
            etdump_data: its contents.
            etrecord: What the compiler knows; a record or its file. Without it, events have no source.
            source_time_scale: The unit of the platform's clock.
            target_time_scale: The unit of the tables.
            debug_buffer_path: The file with the values that were logged.
            delegate_metadata_parser: Makes something readable of what a delegate attached to an event in each run.
            delegate_time_scale_converter: Converts the time of a delegate's event, given what it is identified by.
            enable_module_hierarchy: Has no effect: the hierarchy is always there.
            reference_graph_name: The graph of the ETRecord in which events are looked up.
            buffer_path: The older name of ``debug_buffer_path``.

        Raises:
            ValueError: There is no ETDump, or two; or a file is not what it should be; or the ETRecord has no such graph.
        """
        if (source_time_scale == TimeScale.CYCLES) != (target_time_scale == TimeScale.CYCLES):
            raise RuntimeError(
                "For TimeScale in cycles both the source and target time scale have to be in cycles."
            )
        del enable_module_hierarchy
        etdump = gen_etdump_object(etdump_path=etdump_path, etdump_data=etdump_data)
        debug_path = debug_buffer_path if debug_buffer_path is not None else buffer_path
        self._source_time_scale = source_time_scale
        self._target_time_scale = target_time_scale
        self._etrecord = (
            etrecord
            if etrecord is None or isinstance(etrecord, ETRecord)
            else parse_etrecord(etrecord_path=etrecord)
        )
        self.event_blocks: list[EventBlock] = EventBlock._gen_from_etdump(
            etdump=etdump,
            source_time_scale=source_time_scale,
            target_time_scale=target_time_scale,
            output_buffer=None if debug_path is None else _read(debug_path),
            delegate_metadata_parser=delegate_metadata_parser,
            delegate_time_scale_converter=delegate_time_scale_converter,
        )
        if self._etrecord is not None:
            self._consume_etrecord(self._etrecord, reference_graph_name)

    def _consume_etrecord(self, record: ETRecord, graph_name: str) -> None:
        """Gives events their debug handles, and with them their place in the model."""
        maps = record._debug_handle_map or {}
        # The ETDump does not name the method.
        method = FORWARD if FORWARD in maps or not maps else next(iter(maps))
        handle_maps = HandleMaps(
            maps.get(method, {}),
            (record._delegate_map or {}).get(method, {}),
            (record._instruction_id_to_num_outs_map or {}).get(method, {}),
        )
        key = graph_name if method == FORWARD else f"{graph_name}/{method}"
        graphs = gen_graphs_from_etrecord(record)
        if key not in graphs and graph_name != EDGE_DIALECT_GRAPH_KEY:
            raise ValueError(f"the ETRecord has no graph {key!r}, only {sorted(graphs)}")
        graph = graphs.get(key)
        program = record.edge_programs().get(method)
        nodes: dict[int, list[OperatorNode]] = defaultdict(list)
        for part in () if graph is None or program is None else (graph, *body_graphs(program)):
            for handle, found in create_debug_handle_to_op_node_mapping(part).items():
                nodes[handle] += found
        outputs = (record._reference_outputs or {}).get(method)
        for block in self.event_blocks:
            resolve_debug_handles(block.events, handle_maps)
            # What happened in a delegate counts once: with its steps, if they are known.
            covered = covered_by_delegates(block.events)
            for event in block.events:
                if id(event) not in covered:
                    event._associate_with_op_graph_nodes(nodes)
            index = block.bundled_input_index
            if outputs is not None and index is not None and 0 <= index < len(outputs):
                block.reference_output = outputs[index]

    def to_dataframe(
        self, include_units: bool = True, include_delegate_debug_data: bool = False
    ) -> pd.DataFrame:
        """All events, one a row.

        Args:
            include_units: Whether headers of times name the unit.
            include_delegate_debug_data: Whether there are columns with what delegates attached.
        """
        import pandas as pd

        tables = [
            block.to_dataframe(include_units, include_delegate_debug_data) for block in self.event_blocks
        ]
        return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()

    def _table(self, include_units: bool, include_delegate_debug_data: bool) -> pd.DataFrame:
        table = self.to_dataframe(include_units, include_delegate_debug_data)
        if table.empty:
            return table
        table = table[~table["event_name"].isin(EXCLUDED_EVENTS_WHEN_PRINTING)]
        hidden = [name for name in EXCLUDED_COLUMNS_WHEN_PRINTING if name in table.columns]
        return table.drop(columns=hidden).reset_index(drop=True)

    def print_data_tabular(
        self,
        file: IO[str] | None = None,
        include_units: bool = True,
        include_delegate_debug_data: bool = False,
    ) -> None:
        """Prints the events as a table, without those that only wrap others.

        Args:
            file: Where to; standard output by default. A notebook shows the table instead.
            include_units: As for :meth:`to_dataframe`.
            include_delegate_debug_data: As for :meth:`to_dataframe`.
        """
        table = self._table(include_units, include_delegate_debug_data)
        display_or_print_df(table, file)

    def save_data_to_tsv(
        self, file: IO[str], include_units: bool = True, include_delegate_debug_data: bool = False
    ) -> None:
        """Writes the table of :meth:`print_data_tabular` with tabs between columns."""
        self._table(include_units, include_delegate_debug_data).to_csv(file, sep="\t")

    def save_timeline(self, file: IO[str]) -> None:
        """Writes the runs as a Chrome trace, :mod:`.timeline`, for chrome://tracing or Perfetto."""
        trace = chrome_trace(self.event_blocks, self._source_time_scale, self._target_time_scale)
        json.dump(trace, file)

    def find_total_for_module(self, module_name: str) -> float:
        """The mean time of all operators of a module together, in the target's unit.

        Args:
            module_name: The path in the model (``layers.0``) or torch's name for it (``L__self___layers_0``). Needs
                an ETRecord.
        """
        return sum(
            event.perf_data.avg
            for block in self.event_blocks
            for event in block.events
            if event.name not in EXCLUDED_EVENTS_WHEN_PRINTING
            and event.perf_data is not None
            and is_in_module(event, module_name)
        )

    def get_op_list(self, event_block: str, show_delegated_ops: bool | None = True) -> dict[str, list[Event]]:
        """Operator of the edge program to its events in a block. Needs an ETRecord.

        Raises:
            ValueError: There is no block of this name.
        """
        blocks = [block for block in self.event_blocks if block.name == event_block]
        if not blocks:
            names = [block.name for block in self.event_blocks]
            raise ValueError(f"no event block {event_block!r}; there are {names}")
        found: dict[str, list[Event]] = defaultdict(list)
        for event in blocks[0].events:
            if event.name in EXCLUDED_EVENTS_WHEN_PRINTING:
                continue
            if show_delegated_ops or not event.is_delegated_op:
                for op_type in dict.fromkeys(event.op_types):
                    found[op_type].append(event)
        return dict(found)

    def get_delegate_records(self, name: str) -> list[dict[str, Any]]:
        """Records of a format that delegates attached to events, in the events' order.

        Args:
            name: Of the format; a backend registers what reads it, see :mod:`.delegate_records`.

        Raises:
            ValueError: Nobody has registered the format, or what says that it is such a record cannot be read.
        """
        read = delegate_record_reader(name)
        return [
            record
            for block in self.event_blocks
            for event in block.events
            for record in read([attached for attached in event.raw_delegate_debug_metadatas if attached])
        ]

    def get_vgf_neural_statistics(self) -> list[dict[str, Any]]:
        """:meth:`get_delegate_records` of the VGF delegate's neural statistics."""
        return self.get_delegate_records("executorch.vgf.neural_statistics")

    def get_exported_program(self, graph: str | None = None) -> ExportedProgram | None:
        """A program out of the ETRecord; None without one.

        Args:
            graph: Its name; the edge program of ``forward`` (or of the only method) by default.
        """
        if self._etrecord is None:
            return None
        if graph is not None:
            programs = self._etrecord.graph_map or {}
            return programs.get(graph) or programs.get(f"{graph}/{FORWARD}")
        programs = self._etrecord.edge_programs()
        return programs.get(FORWARD) or next(iter(programs.values()), None)

    def calculate_numeric_gap(
        self,
        distance: str | NumericalComparatorBase,
        disable_debug_handle_valdiation: bool = False,
        reference_graph: str | None = None,
    ) -> pd.DataFrame:
        """Compares what operators gave at run time with what they give in eager mode.

        Needs an ETDump with intermediate values, its debug buffer, and an ETRecord with the inputs of that run
        (:meth:`ETRecord.update_representative_inputs`).

        Args:
            distance: ``"L1"``, ``"MSE"``, ``"SNR"``, or a comparator.
            disable_debug_handle_valdiation: For the exported program: compares what can be told also if some operators
                of the edge program come from no node of it. Handles of the edge program need no validation.
            reference_graph: The program of the ETRecord to compare with: ``edge_dialect_exported_program`` (the
                default), ``exported_program``, or the name of another one, ``/forward`` if it names no method.

        Returns:
            A row for each operator: its name in the graph and in the ETDump, both values, and the gap.

        Raises:
            ValueError: Something is missing; the message says what.
        """
        comparator = find_comparator(distance)
        comparator.inspector = self
        module, name = self._resolve_reference_graph(reference_graph, disable_debug_handle_valdiation)
        reference, names = self._get_aot_intermediate_outputs_and_op_names(module)
        values, runtime_names = self._get_runtime_intermediate_outputs_and_op_names()
        mapping = map_runtime_aot_intermediate_outputs(reference, values)
        if not mapping:
            raise ValueError("no operator has values at run time: was the program run with a debug buffer?")
        table = comparator.compare(mapping, names, runtime_names)
        if not table.empty:
            traces = self._get_aot_debug_handle_to_stack_traces(module, name)
            table["stacktraces"] = [
                {
                    operator: trace
                    for known, found in traces.items()
                    if set(known) <= set(handle)
                    for operator, trace in found.items()
                }
                for handle in table["aot_debug_handle"]
            ]
        return table

    def _resolve_reference_graph(
        self, reference_graph: str | None = None, disable_debug_handle_valdiation: bool = False
    ) -> tuple[torch.fx.GraphModule, str]:
        """The graph to compare with, whose nodes have the debug handles of the edge program, and its name.

        Raises:
            ValueError: The ETRecord does not have it, or no inputs; or its nodes cannot be told from the edge program's.
        """
        record = self._etrecord
        name = EDGE_PROGRAM if reference_graph is None else reference_graph
        if record is None:
            raise ValueError(f"comparing values needs an ETRecord with the program {name!r}")
        if record._representative_inputs is None:
            raise ValueError(
                "the ETRecord has no inputs: call update_representative_inputs() before saving it"
            )
        if name == EXPORTED_PROGRAM:
            program, edge = record.exported_program, self.get_exported_program()
            if program is None or edge is None or record.export_graph_id is None:
                raise ValueError(f"the ETRecord has no {EXPORTED_PROGRAM!r}, or no edge program made of it")
            if not propagate_back_debug_handle(
                program, record.export_graph_id, edge, disable_debug_handle_valdiation
            ):
                raise ValueError(
                    f"Cannot use {EXPORTED_PROGRAM!r}: debug handle backpropagation failed, as some operators of the "
                    "edge program come from no node of it\nWay out: disable_debug_handle_valdiation=True compares "
                    "the others"
                )
        else:
            program = self.get_exported_program(reference_graph if name != EDGE_PROGRAM else None)
        if program is None:
            wanted = name if "/" in name or name == EDGE_PROGRAM else f"{name}/{FORWARD}"
            raise ValueError(
                f"the program {wanted!r} was not found in the ETRecord, which has "
                f"{[EDGE_PROGRAM, *(record.graph_map or {})]}"
            )
        return program.module(), name

    def _get_aot_intermediate_outputs_and_op_names(
        self, reference_graph_module: torch.fx.GraphModule
    ) -> tuple[dict[DebugHandle, Any], dict[DebugHandle, list[str]]]:
        """Debug handle to what operators of a graph give for the ETRecord's inputs, and to their names."""
        assert self._etrecord is not None and self._etrecord._representative_inputs is not None
        capturer = IntermediateOutputCapturer(reference_graph_module)
        values = capturer.run_and_capture(*self._etrecord._representative_inputs)
        return values, get_aot_debug_handle_to_op_name_mapping(reference_graph_module)

    def _get_aot_debug_handle_to_stack_traces(
        self, reference_graph_module: torch.fx.GraphModule, resolved_graph_name: str
    ) -> dict[DebugHandle, dict[str, str | None]]:
        """Debug handle to names of operators and the lines of the model that they come from."""
        del resolved_graph_name  # whatever graph it is, its nodes know
        found: dict[DebugHandle, dict[str, str | None]] = {}
        for node in reference_graph_module.graph.nodes:
            handle = handles_of(node.meta.get("debug_handle"))
            if node.op == "call_function" and handle:
                found.setdefault(handle, {})[node.name] = node.meta.get("stack_trace")
        return found

    def _get_runtime_intermediate_outputs_and_op_names(
        self,
    ) -> tuple[dict[DebugHandle, tuple[Any, int]], dict[DebugHandle, list[str]]]:
        """Debug handle to what was logged and the number of outputs, and to the name of the event that logged it.

        Of several instructions with one debug handle, the last one counts.
        """
        logged: dict[DebugHandle, tuple[int, Any, int]] = {}
        names: dict[DebugHandle, list[str]] = {}
        for event in self._logged_events():
            handle = handles_of(event.debug_handles)
            if not handle:
                continue
            instruction = -1 if event._instruction_id is None else event._instruction_id
            if handle not in logged or logged[handle][0] <= instruction:
                flat = [
                    item
                    for value in event.debug_data
                    for item in (value if isinstance(value, list) else [value])
                ]
                logged[handle] = (instruction, flat, event.num_outputs)
                names[handle] = [event.name]
        merged = merge_runtime_overlapping_debug_handles(logged)
        return {handle: (value, outputs) for handle, (_, value, outputs) in merged.items()}, names

    def _logged_events(self) -> list[Event]:
        found = []
        for block in self.event_blocks:
            covered = covered_by_delegates(block.events, logged=True)
            # Calls whose steps are known get no operators themselves.
            calls = covered_by_delegates(block.events)
            found += [
                event
                for event in block.events
                if event.name not in EXCLUDED_EVENTS_WHEN_PRINTING
                and id(event) not in covered
                and (event.op_types or id(event) in calls)
                and any(value is not None for value in event.debug_data)
            ]
        return found


def _read(path: Any) -> bytes:
    with open(path, "rb") as file:
        return file.read()


__all__ = [
    "DebugEventSignature",
    "DelegateMetadata",
    "Event",
    "EventBlock",
    "EventSignature",
    "Inspector",
    "InstructionEvent",
    "InstructionEventSignature",
    "PerfData",
    "ProfileEventSignature",
    "RunSignature",
    "TimeScale",
    "flatcc",
    "is_inference_output_equal",
]
