"""What a plan looks like: sizes against the lower bound, and what is live at the peak."""

from __future__ import annotations

from dataclasses import dataclass

from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

from executorch.dialects.errors import describe_target, source_line
from executorch.dialects.tensor_spec import ALIGNMENT
from executorch.memory_planning.algorithms import aligned_bytes, interval
from executorch.memory_planning.lower_bound import live_bytes, lower_bound
from executorch.memory_planning.memory_planning_pass import BUFFER_SIZES
from executorch.memory_planning.timeline import Storage, build_timeline


@dataclass(frozen=True)
class LiveValue:
    """A value that is live at the peak.

    Attributes:
        name: of the node that makes it.
        operator: that makes it, or its role when none does.
        shape, dtype: upper bound of the shape.
        nbytes: with padding.
        first, last: steps between which it is live, both included.
        source: line of the user's model, None when nobody recorded it.
    """

    name: str
    operator: str
    shape: tuple[int, ...]
    dtype: str
    nbytes: int
    mem_id: int
    mem_offset: int
    first: int
    last: int
    source: str | None


@dataclass(frozen=True)
class MemoryReport:
    """A plan in figures; sizes in bytes.

    Attributes:
        values: that have a place.
        planned_bytes: of all memories.
        lower_bound_bytes: the least that any plan of the same values could need.
        naive_bytes: without any reuse.
        bufsizes: by memory id.
        peak_step: step in which the most bytes are live.
        peak_node: name of the node that runs in it.
        live_at_peak: what is live then, the largest first.
    """

    values: int
    planned_bytes: int
    lower_bound_bytes: int
    naive_bytes: int
    bufsizes: tuple[int, ...]
    peak_step: int
    peak_node: str
    live_at_peak: tuple[LiveValue, ...]

    def table(self) -> str:
        """The report as text, one line for each live value."""
        head = (
            f"planned {self.planned_bytes:,} B, lower bound {self.lower_bound_bytes:,} B, "
            f"without reuse {self.naive_bytes:,} B; peak at step {self.peak_step} ({self.peak_node})"
        )
        rows = [("bytes", "place", "steps", "value", "operator", "type", "source")]
        for value in self.live_at_peak:
            rows.append(
                (
                    f"{value.nbytes:,}",
                    f"{value.mem_id}+{value.mem_offset}",
                    f"{value.first}..{value.last}",
                    value.name,
                    value.operator,
                    f"{value.dtype}{list(value.shape)}",
                    value.source or "",
                )
            )
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
        ]
        return "\n".join([head, *(line.rstrip() for line in lines)]) + "\n"


def memory_report(
    graph_module: GraphModule, graph_signature: ExportGraphSignature | None = None
) -> MemoryReport:
    """Reads the plan of a method back from its specs.

    Args:
        graph_module: a graph that `MemoryPlanningPass` has planned.
        graph_signature: the one that was given to the pass.

    Raises:
        ValueError: the graph has not been planned.
    """
    if BUFFER_SIZES not in graph_module.meta:
        raise ValueError("the graph has no memory plan; run MemoryPlanningPass first")
    bufsizes = tuple(graph_module.meta[BUFFER_SIZES])
    timeline = build_timeline(graph_module, graph_signature)
    storages = [storage for storage in timeline.planned() if storage.leader.mem_offset is not None]
    alignment = min((storage.leader.alignment for storage in storages), default=ALIGNMENT)
    sizes = [aligned_bytes(storage.leader, alignment) for storage in storages]
    intervals = [interval(storage.leader) for storage in storages]
    totals = live_bytes(sizes, [i[0] for i in intervals], [i[1] for i in intervals])
    peak_step = max(totals, key=lambda total: total[1], default=(0, 0))[0]
    live = [
        storage
        for storage, (first, last) in zip(storages, intervals, strict=True)
        if first <= peak_step <= last
    ]
    values = [_live_value(storage, alignment) for storage in live]
    return MemoryReport(
        values=len(storages),
        planned_bytes=sum(bufsizes),
        lower_bound_bytes=sum(lower_bound([storage.leader for storage in storages], alignment).values()),
        naive_bytes=sum(sizes),
        bufsizes=bufsizes,
        peak_step=peak_step,
        peak_node=timeline.steps[peak_step].name if timeline.steps else "",
        live_at_peak=tuple(sorted(values, key=lambda value: -value.nbytes)),
    )


def _live_value(storage: Storage, alignment: int) -> LiveValue:
    spec, node = storage.leader, storage.node
    first, last = interval(spec)
    assert spec.mem_id is not None and spec.mem_offset is not None
    is_computed = node is not None and node.op == "call_function"
    return LiveValue(
        name=node.name if node is not None else "?",
        operator=describe_target(node.target) if node is not None and is_computed else storage.role.value,
        shape=tuple(spec.shape),
        dtype=str(spec.dtype).removeprefix("torch."),
        nbytes=aligned_bytes(spec, alignment),
        mem_id=spec.mem_id,
        mem_offset=spec.mem_offset,
        first=first,
        last=last,
        source=source_line(node) if node is not None else None,
    )
