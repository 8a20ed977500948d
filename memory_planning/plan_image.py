"""The memory plan as a picture: addresses upwards, steps to the right, a box for each value."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

from executorch.memory_planning.algorithms import interval
from executorch.memory_planning.report import memory_report
from executorch.memory_planning.timeline import Role, Storage, build_timeline

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

_COLOURS = {
    Role.INPUT: "#8fbc8f",
    Role.OUTPUT: "#e9967a",
    Role.INTERMEDIATE: "#87aedb",
    Role.MUTABLE_BUFFER: "#d8c46a",
    Role.CONSTANT: "#cccccc",
}
_MARGIN, _HEAD, _GAP = 12, 34, 28
"""Pixels around the picture, for its text, and for the text above each memory."""
_LABEL_WIDTH, _LABEL_HEIGHT = 7, 12
"""Pixels that a letter needs; boxes that are too small get no label."""


def draw_plan(
    graph_module: GraphModule,
    graph_signature: ExportGraphSignature | None = None,
    width: int = 1200,
    height: int = 800,
) -> Image:
    """Draws the plan of a method that `MemoryPlanningPass` has planned; width and height in pixels.

    Each memory that holds anything is a panel as high as its share of the bytes. A red line marks the peak.

    Raises:
        ImportError: Pillow is missing.
        ValueError: the graph has not been planned.
    """
    try:
        from PIL import Image, ImageDraw
    except ImportError as error:
        raise ImportError("a picture of the plan needs Pillow; pip install pillow") from error
    report = memory_report(graph_module, graph_signature)
    timeline = build_timeline(graph_module, graph_signature)
    storages = [storage for storage in timeline.planned() if storage.leader.mem_offset is not None]
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    draw.text(
        (_MARGIN, _MARGIN),
        f"planned {report.planned_bytes:,} B, lower bound {report.lower_bound_bytes:,} B, "
        f"without reuse {report.naive_bytes:,} B; peak at step {report.peak_step} ({report.peak_node})",
        fill="black",
    )
    used = [mem_id for mem_id, size in enumerate(report.bufsizes) if size]
    steps = max(1, len(timeline.steps))
    room = height - _HEAD - _MARGIN - _GAP * len(used)
    top = _HEAD
    for mem_id in used:
        size = report.bufsizes[mem_id]
        panel = max(1, room * size // max(1, report.planned_bytes))
        draw.text((_MARGIN, top), f"memory {mem_id}: {size:,} B", fill="black")
        box = (_MARGIN, top + _GAP // 2, width - _MARGIN, top + _GAP // 2 + panel)
        _draw_memory(draw, box, [s for s in storages if s.leader.mem_id == mem_id], size, steps)
        peak = box[0] + (box[2] - box[0]) * (2 * report.peak_step + 1) // (2 * steps)
        draw.line((peak, box[1], peak, box[3]), fill="#d00000")
        top += _GAP + panel
    return image


def _draw_memory(
    draw: ImageDraw, box: tuple[int, int, int, int], storages: list[Storage], size: int, steps: int
) -> None:
    left, top, right, bottom = box
    draw.rectangle(box, outline="#404040", fill="#f6f6f6")
    for storage in storages:
        first, last = interval(storage.leader)
        begin = storage.leader.mem_offset or 0
        end = begin + storage.leader.nbytes()
        area = (
            left + (right - left) * first // steps,
            bottom - (bottom - top) * end // size,
            left + (right - left) * (last + 1) // steps,
            bottom - (bottom - top) * begin // size,
        )
        draw.rectangle(area, outline="#404040", fill=_COLOURS[storage.role])
        name = storage.node.name if storage.node is not None else ""
        letters = (area[2] - area[0] - 4) // _LABEL_WIDTH
        if letters > 2 and area[3] - area[1] >= _LABEL_HEIGHT:
            draw.text((area[0] + 3, area[1] + 1), name[:letters], fill="black")


def write_plan_png(
    graph_module: GraphModule,
    path: str | os.PathLike[str],
    graph_signature: ExportGraphSignature | None = None,
    width: int = 1200,
    height: int = 800,
) -> None:
    """Writes `draw_plan` to a PNG file."""
    draw_plan(graph_module, graph_signature, width, height).save(path, format="PNG")
