"""Events and blocks of events: what an ETDump says, grouped over its runs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from executorch.devtools.debug_format.base_schema import OperatorNode
from executorch.devtools.etdump.schema_flatcc import DebugEvent, ETDumpFlatCC, ProfileEvent, RunData
from executorch.devtools.inspector.debug_handles import HandleMaps, resolve_debug_handles
from executorch.devtools.inspector.perf_data import PerfData
from executorch.devtools.inspector.signatures import (
    DebugEventSignature,
    EventSignature,
    InstructionEvent,
    ProfileEventSignature,
)
from executorch.devtools.inspector.sources import attach_sources
from executorch.devtools.inspector.time_scale import TimeScale, calculate_time_scale_factor
from executorch.devtools.inspector.values import (
    DIFFERENT_RUNS,
    InferenceOutput,
    describe_tensors,
    inflate_runtime_output,
    is_debug_output,
    verify_debug_data_equivalence,
)

if TYPE_CHECKING:
    import pandas as pd

MetadataParser: TypeAlias = Callable[[list[Any]], "list[str] | dict[str, Any]"]
TimeConverter: TypeAlias = Callable[[int | str, int | float], int | float]

_UNSET = -1
#: The runtime's own name for the call around a kernel; its time contains the kernel's.
OPERATOR_CALL = "OPERATOR_CALL"


@dataclass
class Event:
    """One thing that happened in every run of a block: an operator, a delegate's step, a whole method.

    Attributes:
        name: The event's name, or what a delegate identifies it by.
        perf_data: Its times; None if it was not timed.
        op_types: Operators of the edge program that it comes from. Needs an ETRecord, like the next two.
        stack_traces: Where in the model's source: node of the edge program to stack trace.
        module_hierarchy: Node of the edge program to the modules around it.
        delegate_debug_identifier: What the delegate named it by, for events inside of delegates.
        debug_handles: Debug handles of the nodes that it comes from.
        num_outputs: How many results the instruction has.
        is_delegated_op: Whether it happened inside a delegate.
        delegate_backend_name: The delegate's backend.
        debug_data: Values that were logged.
    """

    name: str
    perf_data: PerfData | None = None
    op_types: list[str] = field(default_factory=list)
    delegate_debug_identifier: int | str | None = None
    debug_handles: int | Sequence[int] | None = None
    num_outputs: int = 1
    stack_traces: dict[str, str] = field(default_factory=dict)
    module_hierarchy: dict[str, dict[str, Any]] = field(default_factory=dict)
    is_delegated_op: bool | None = None
    delegate_backend_name: str | None = None
    _delegate_debug_metadatas: list[Any] = field(default_factory=list)
    debug_data: list[InferenceOutput] = field(default_factory=list)
    _instruction_id: int | None = None
    _delegate_metadata_parser: MetadataParser | None = None
    _delegate_time_scale_converter: TimeConverter | None = None
    _start_time: list[int | float] | None = None
    _chain_index: int = field(default=_UNSET, compare=False, repr=False)

    @staticmethod
    def _gen_from_inference_events(
        signature: EventSignature,
        events: Sequence[InstructionEvent],
        scale_factor: float = 1.0,
        output_buffer: bytes | None = None,
        delegate_metadata_parser: MetadataParser | None = None,
        delegate_time_scale_converter: TimeConverter | None = None,
    ) -> Event:
        """The event that is one instruction's, ``events``, in several runs.

        Args:
            signature: What it is, of :meth:`EventSignature.gen_from_instruction_event`.
            events: The same event in each run.
            scale_factor: Ticks of the source in one unit of the result.
            output_buffer: The debug buffer with logged values.
            delegate_metadata_parser: As for the inspector.
            delegate_time_scale_converter: As for the inspector.

        Raises:
            ValueError: Runs logged different values.
        """
        event = Event(
            name="",
            _delegate_metadata_parser=delegate_metadata_parser,
            _delegate_time_scale_converter=delegate_time_scale_converter,
            _chain_index=events[0].signature.chain_index,
        )
        values, times = signature.debug_event_signature, signature.profile_event_signature
        Event._populate_debugging_related_fields(event, values, events, output_buffer)
        Event._populate_profiling_related_fields(event, times, events, scale_factor)
        event._instruction_id = signature.instruction_id
        return event

    @staticmethod
    def _populate_profiling_related_fields(
        ret_event: Event,
        profile_event_signature: ProfileEventSignature | None,
        events: Sequence[InstructionEvent],
        scale_factor: float,
    ) -> None:
        """Gives an event the times of ``events``, one for each run, and its name; without a signature, nothing."""
        spans = [span for event in events for span in event.profile_events or ()]
        if profile_event_signature is not None and spans:
            _identify(ret_event, *astuple(profile_event_signature))
            _measure(ret_event, spans, scale_factor)

    @staticmethod
    def _populate_debugging_related_fields(
        ret_event: Event,
        debug_event_signature: DebugEventSignature | None,
        events: Sequence[InstructionEvent],
        output_buffer: bytes | None = None,
    ) -> None:
        """As above, with the values that ``events`` logged.

        Raises:
            AssertionError: Runs logged different values.
        """
        logged = [event.debug_events or () for event in events]
        if debug_event_signature is not None and any(logged):
            _identify(ret_event, *astuple(debug_event_signature))
            ret_event.debug_data = _values(logged, output_buffer)

    @functools.cached_property
    def delegate_debug_metadatas(self) -> list[str] | dict[str, Any]:
        """What the delegate attached, through the parser if there is one."""
        if self._delegate_metadata_parser is None or not any(self._delegate_debug_metadatas):
            return self._delegate_debug_metadatas
        return self._delegate_metadata_parser(self._delegate_debug_metadatas)

    def _associate_with_op_graph_nodes(
        self, debug_handle_to_op_node_map: Mapping[int, Sequence[OperatorNode]]
    ) -> None:
        """Fills what the event knows of the model's source, from the operators with its debug handles."""
        attach_sources(self, debug_handle_to_op_node_map)

    @property
    def raw_delegate_debug_metadatas(self) -> list[Any]:
        """What the delegate attached, one for each run."""
        return self._delegate_debug_metadatas

    @property
    def start_time(self) -> list[int | float] | None:
        """When it started in each run, in the source's unit."""
        return self._start_time

    def asdict(self, _units: str = "") -> dict[str, Any]:
        """A row of a table; values are lists of one element, as pandas takes them."""
        perf = self.perf_data
        statistics = {
            f"{name}{_units}": None if perf is None else getattr(perf, name)
            for name in ("p10", "p50", "p90", "avg", "min", "max")
        }
        return {
            "event_name": self.name,
            "raw": [None if perf is None else perf.raw],
            **statistics,
            "op_types": [self.op_types],
            "delegate_debug_identifier": self.delegate_debug_identifier,
            "stack_traces": [self.stack_traces],
            "module_hierarchy": [self.module_hierarchy],
            "is_delegated_op": self.is_delegated_op,
            "delegate_backend_name": self.delegate_backend_name,
            "debug_data": [self.debug_data],
            "start_time": [self._start_time],
        }

    def to_dataframe(self, _units: str = "") -> pd.DataFrame:
        """The event as a table with one row."""
        import pandas as pd

        return pd.DataFrame(self.asdict(_units))


@dataclass
class EventBlock:
    """The runs with the same events under one name, such as all executions of a method.

    Attributes:
        name: The block's name.
        events: Its events in the order of their end.
        source_time_scale: The unit of the ETDump.
        target_time_scale: The unit of ``perf_data``.
        bundled_input_index: Which test case of a bundled program was run; -1 for none.
        run_output: The program's outputs, if they were logged.
        reference_output: What the ETRecord says they should be.
    """

    name: str
    events: list[Event] = field(default_factory=list)
    source_time_scale: TimeScale = TimeScale.NS
    target_time_scale: TimeScale = TimeScale.MS
    bundled_input_index: int | None = None
    run_output: list[InferenceOutput] | None = None
    reference_output: list[InferenceOutput] | None = None

    @staticmethod
    def _gen_from_etdump(
        etdump: ETDumpFlatCC,
        source_time_scale: TimeScale = TimeScale.NS,
        target_time_scale: TimeScale = TimeScale.MS,
        output_buffer: bytes | None = None,
        delegate_metadata_parser: MetadataParser | None = None,
        delegate_time_scale_converter: TimeConverter | None = None,
    ) -> list[EventBlock]:
        """The blocks of an ETDump; see :func:`group_events`."""
        options = GroupingOptions(
            source_time_scale,
            target_time_scale,
            output_buffer,
            delegate_metadata_parser,
            delegate_time_scale_converter,
        )
        return group_events(etdump, options)

    def _gen_resolve_debug_handles(
        self,
        handle_map: Mapping[Any, Any],
        delegate_map: Mapping[Any, Mapping[str, Any]] | None = None,
        instruction_id_to_num_outs_map: Mapping[Any, int] | None = None,
    ) -> None:
        """Gives the events their debug handles; keys are instructions, as numbers or as text."""
        maps = HandleMaps(handle_map, delegate_map or {}, instruction_id_to_num_outs_map or {})
        resolve_debug_handles(self.events, maps)

    def to_dataframe(
        self, include_units: bool = False, include_delegate_debug_data: bool = False
    ) -> pd.DataFrame:
        """The block as a table with a row for each event.

        Args:
            include_units: Whether headers of times name the unit.
            include_delegate_debug_data: Whether there are columns with what delegates attached.
        """
        import pandas as pd

        units = f" ({self.target_time_scale.value})" if include_units else ""
        rows = []
        for event in self.events:
            row = {
                key: value[0] if isinstance(value, list) else value
                for key, value in event.asdict(units).items()
            }
            if include_delegate_debug_data:
                attached = event.delegate_debug_metadatas
                row.update(attached if isinstance(attached, dict) else {"delegate_debug_metadata": attached})
            rows.append({"event_block_name": self.name, **row})
        return pd.DataFrame(rows)


@dataclass(frozen=True)
class _Key:
    """What makes events of several runs the same one. ``occurrence`` counts repetitions in a run (loops)."""

    name: str | None
    chain: int
    instruction: int
    delegate_int: int
    delegate_str: str | None
    occurrence: int = 0

    @property
    def place(self) -> tuple[int, int, int, str | None]:
        return (self.chain, self.instruction, self.delegate_int, self.delegate_str)


def _key(event: ProfileEvent | DebugEvent) -> _Key:
    number = event.delegate_debug_id_int
    return _Key(
        event.name,
        event.chain_index,
        event.instruction_id,
        _UNSET if number is None else number,
        event.delegate_debug_id_str or None,
    )


@dataclass
class _Run:
    """The events of a run by what they are."""

    profile: dict[_Key, ProfileEvent]
    debug: dict[tuple[int, int, int, str | None], list[DebugEvent]]
    outputs: list[DebugEvent]

    @classmethod
    def of(cls, data: RunData) -> _Run:
        run = cls({}, {}, [])
        counts: dict[_Key, int] = {}
        for event in data.events or ():
            if event.profile_event is not None:
                key = _key(event.profile_event)
                counts[key] = counts.get(key, -1) + 1
                run.profile[replace(key, occurrence=counts[key])] = event.profile_event
            elif event.debug_event is not None and is_debug_output(event.debug_event.debug_entry):
                run.outputs.append(event.debug_event)
            elif event.debug_event is not None:
                run.debug.setdefault(_key(event.debug_event).place, []).append(event.debug_event)
        return run


@dataclass(frozen=True)
class GroupingOptions:
    """How times and values of an ETDump become events."""

    source_time_scale: TimeScale = TimeScale.NS
    target_time_scale: TimeScale = TimeScale.MS
    output_buffer: bytes | None = None
    delegate_metadata_parser: MetadataParser | None = None
    delegate_time_scale_converter: TimeConverter | None = None


def group_events(etdump: ETDumpFlatCC, options: GroupingOptions) -> list[EventBlock]:
    """The blocks of an ETDump, in the order in which they first came.

    Raises:
        ValueError: Units that cannot be converted, or a debug buffer that does not fit.
        AssertionError: The same event has different values in two runs.
    """
    groups: dict[Any, list[_Run]] = {}
    for data in etdump.run_data:
        run = _Run.of(data)
        what = (tuple(run.profile), tuple(run.debug))
        groups.setdefault((data.name, data.bundled_input_index, what), []).append(run)
    blocks = []
    names: dict[str, int] = {}
    for (name, index, _), runs in groups.items():
        names[name] = names.get(name, 0) + 1
        block = EventBlock(
            name=name if names[name] == 1 else f"{name}_{names[name]}",
            source_time_scale=options.source_time_scale,
            target_time_scale=options.target_time_scale,
            bundled_input_index=index,
            run_output=_values([run.outputs for run in runs], options.output_buffer),
        )
        block.events = _events_of(runs, options)
        blocks.append(block)
    return blocks


@dataclass(frozen=True)
class _Reading:
    """How one event is read: ticks of the source in a unit of the result, and the rest of the options."""

    scale: float
    output_buffer: bytes | None
    parser: MetadataParser | None
    converter: TimeConverter | None


def _events_of(runs: Sequence[_Run], options: GroupingOptions) -> list[Event]:
    reading = _Reading(
        calculate_time_scale_factor(options.source_time_scale, options.target_time_scale),
        options.output_buffer,
        options.delegate_metadata_parser,
        options.delegate_time_scale_converter,
    )
    first = runs[0]
    events = []
    for key in first.profile:
        logged = [run.debug.get(key.place, []) for run in runs]
        events.append(_event(key, [run.profile[key] for run in runs], logged, reading))
    timed = {key.place for key in first.profile}
    for place, values in first.debug.items():
        if place not in timed:
            events.append(_event(_key(values[0]), [], [run.debug.get(place, []) for run in runs], reading))
    return events


def _event(
    key: _Key, timed: Sequence[ProfileEvent], logged: Sequence[Sequence[DebugEvent]], reading: _Reading
) -> Event:
    """One event: its span of time and its values in each run."""
    event = Event(
        name="",
        debug_data=_values(logged, reading.output_buffer),
        _delegate_metadata_parser=reading.parser,
        _delegate_time_scale_converter=reading.converter,
        _chain_index=key.chain,
    )
    number = None if key.delegate_int == _UNSET else key.delegate_int
    _identify(event, key.name, key.instruction, number, key.delegate_str)
    if timed:
        _measure(event, timed, reading.scale)
    return event


def _identify(
    event: Event, name: str | None, instruction: int | None, delegate_id: int | None, delegate_str: str | None
) -> None:
    identifier = delegate_str if delegate_str is not None else delegate_id
    event.name = (name or "") if identifier is None else str(identifier)
    event.delegate_debug_identifier = identifier
    event.is_delegated_op = identifier is not None
    event._instruction_id = instruction


def _measure(event: Event, spans: Sequence[ProfileEvent], scale: float) -> None:
    """Gives an event that knows what it is its times, and what a delegate attached to them."""
    identifier, convert = event.delegate_debug_identifier, event._delegate_time_scale_converter

    def elapsed(span: ProfileEvent) -> float:
        ticks = span.end_time - span.start_time
        if identifier is not None and convert is not None:
            return float(convert(identifier, ticks))
        return ticks / scale

    attached = [span.delegate_debug_metadata or "" for span in spans]
    event.perf_data = PerfData([elapsed(span) for span in spans])
    event._delegate_debug_metadatas = attached if identifier is not None and any(attached) else []
    event._start_time = [span.start_time for span in spans]


def _values(logged: Sequence[Sequence[DebugEvent]], output_buffer: bytes | None) -> list[InferenceOutput]:
    """The values of the first run that has some.

    Raises:
        AssertionError: Another run logged others (without an ``output_buffer``, tensors of other types or sizes); only runs with the same inputs can be one block.
    """
    values: list[InferenceOutput] = []
    shapes: list[Any] = []
    for run in logged:
        found = [inflate_runtime_output(event.debug_entry, output_buffer) for event in run]
        # Without a debug buffer, what is known of tensors has to be the same at least.
        known = [describe_tensors(event.debug_entry) for event in run]
        shapes = shapes or known
        if known and known != shapes:
            raise AssertionError(
                "Debug Data is different. Expected to be equal. Runs of one block logged tensors of different "
                f"types or sizes: {shapes} and {known}." + DIFFERENT_RUNS
            )
        if not values:
            values = found
        elif found:
            verify_debug_data_equivalence(values, found)
    return values


__all__ = [
    "OPERATOR_CALL",
    "Event",
    "EventBlock",
    "GroupingOptions",
    "PerfData",
    "group_events",
]
