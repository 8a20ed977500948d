"""The result of an inspection: sections with a table each, the same for text, HTML and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Section:
    """One heading with a table.

    Attributes:
        title: the heading.
        head: names of the columns; empty for a list of lines.
        rows: the cells, as many in each row as the head has; text is aligned left, numbers right.
        level: 1 for parts of the file, 2 for parts of a method.
    """

    title: str
    head: tuple[str, ...] = ()
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    level: int = 1


@dataclass
class Report:
    """What an inspection found.

    Attributes:
        sections: for people.
        facts: for programs, ready for JSON.
        problems: what is wrong with the file, one sentence each.
    """

    sections: list[Section] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def cell(value: Any) -> str:
    """A cell as text; numbers with thousands separated."""
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def is_number(value: Any) -> bool:
    """True for cells that are aligned right."""
    return isinstance(value, int) and not isinstance(value, bool)


def _table(section: Section) -> list[str]:
    rows: list[Sequence[Any]] = [section.head, *section.rows] if section.head else list(section.rows)
    if not rows:
        return ["  (none)"]
    columns = range(max(map(len, rows)))
    widths = [max(len(cell(row[i])) for row in rows if i < len(row)) for i in columns]
    lines = []
    for number, row in enumerate(rows):
        cells = []
        for i, value in enumerate(row):
            below = section.rows[0][i] if section.head and not number and section.rows else value
            cells.append(cell(value).rjust(widths[i]) if is_number(below) else cell(value).ljust(widths[i]))
        lines.append(("  " + "  ".join(cells)).rstrip())
    return lines


def to_text(report: Report) -> str:
    """The report for a terminal."""
    lines: list[str] = []
    for section in report.sections:
        mark = "=" if section.level == 1 else "-"
        lines += ["", f"{mark * 2} {section.title} {mark * 2}", *_table(section)]
    if report.problems:
        lines += [
            "",
            f"== Wrong with this file: {len(report.problems)} ==",
            *(f"  - {p}" for p in report.problems),
        ]
    return "\n".join(lines).lstrip("\n") + "\n"
