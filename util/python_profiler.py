"""``CProfilerFlameGraph``: where the time of a piece of Python goes, as a page for the browser."""

from __future__ import annotations

import cProfile
import html
import pstats
from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: File, line and name of a function, as ``pstats`` has it.
_Function = tuple[str, int, str]
#: Parts of less than this share of the whole are left out.
_LEAST_SHARE = 0.002
_MOST_DEPTH = 60

_STYLE = (
    "body{font:12px sans-serif;margin:16px}.row{display:flex}.box{min-width:0;box-sizing:border-box}"
    ".name{overflow:hidden;white-space:nowrap;text-overflow:ellipsis;padding:1px 3px;border:1px solid #fff;"
    "background:#f3b06a}.name:hover{background:#e67e22}"
)


class CProfilerFlameGraph:
    """Profiles the body of a ``with`` statement and writes a flame graph of it.

        with CProfilerFlameGraph("lowering.html"):
            to_edge(program).to_executorch()

    Each box is a function, as wide as its share of the time, above the functions that it called; pointing at it shows
    its file and its time. The page stands alone: it loads nothing.
    """

    def __init__(self, filename: str) -> None:
        """Takes the path of the page.

        Raises:
            ValueError: It does not end in ``.html``.
        """
        if not str(filename).endswith(".html"):
            raise ValueError(f"the flame graph is a page: {filename} should end in .html")
        self.filename = filename
        self._profile = cProfile.Profile()

    def __enter__(self) -> CProfilerFlameGraph:
        self._profile.enable()
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        self._profile.disable()
        if exc_type is None:
            statistics = pstats.Stats(self._profile)
            Path(self.filename).write_text(_page(statistics), encoding="utf-8")


def _page(statistics: pstats.Stats) -> str:
    table: Mapping[_Function, Any] = statistics.stats  # type: ignore[attr-defined]
    callees: dict[_Function, dict[_Function, float]] = {}
    for function, (*_, callers) in table.items():
        for caller, (*_, cumulative) in callers.items():
            callees.setdefault(caller, {})[function] = cumulative
    roots = {function: entry[3] for function, entry in table.items() if not entry[4]}
    total = sum(roots.values()) or 1.0
    boxes = _row(roots, callees, table, (total, total, ()))
    return (
        f"<!DOCTYPE html><html><head><meta charset='utf-8'><title>flame graph</title><style>{_STYLE}</style></head>"
        f"<body><p>{total:.3f} s</p>{boxes}</body></html>\n"
    )


def _row(
    times: Mapping[_Function, float],
    callees: Mapping[_Function, Mapping[_Function, float]],
    table: Mapping[_Function, Any],
    above: tuple[float, float, tuple[_Function, ...]],
) -> str:
    """The functions below another, the longest first; ``above`` is its time, the whole time, and the way to it."""
    width, total, path = above
    boxes = []
    for function, seconds in sorted(times.items(), key=lambda item: -item[1]):
        if seconds < _LEAST_SHARE * total or function in path or len(path) >= _MOST_DEPTH:
            continue
        share = min(seconds / width, 1.0)
        # What a function calls is known over all of its callers: scaled to the time of this call.
        scale = seconds / (table[function][3] or 1.0)
        inner = {callee: time * scale for callee, time in callees.get(function, {}).items()}
        file, line, name = function
        hint = html.escape(f"{name} {file}:{line} {seconds:.4f} s", quote=True)
        boxes.append(
            f"<div class='box' style='width:{100 * share:.3f}%'><div class='name' title='{hint}'>{html.escape(name)}"
            f"</div>{_row(inner, callees, table, (seconds, total, (*path, function)))}</div>"
        )
    return f"<div class='row'>{''.join(boxes)}</div>" if boxes else ""


__all__ = ["CProfilerFlameGraph"]
