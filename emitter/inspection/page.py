"""An inspection as one HTML page that needs nothing else."""

from __future__ import annotations

import html

from executorch.emitter.inspection.report import Report, Section, cell, is_number

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; }
th, td { border-bottom: 1px solid #ddd; padding: .15rem .8rem .15rem 0; text-align: left; vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
h2 { margin-top: 2.2rem; border-bottom: 2px solid #222; } h3 { margin-bottom: .2rem; }
.wrong { background: #fde8e8; border-left: .4rem solid #c00; padding: .5rem 1rem; }
"""


def _section(section: Section) -> str:
    tag = "h2" if section.level == 1 else "h3"
    parts = [f"<{tag}>{html.escape(section.title)}</{tag}>"]
    if not section.rows:
        return "".join([*parts, "<p>(none)</p>"])
    parts.append("<table>")
    if section.head:
        parts.append("<tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in section.head) + "</tr>")
    for row in section.rows:
        cells = "".join(
            f'<td class="n">{cell(value)}</td>'
            if is_number(value)
            else f"<td>{html.escape(cell(value))}</td>"
            for value in row
        )
        parts.append(f"<tr>{cells}</tr>")
    return "".join([*parts, "</table>"])


def to_html(report: Report, title: str) -> str:
    """The page for a file with the name `title`."""
    problems = "".join(f"<li>{html.escape(problem)}</li>" for problem in report.problems)
    wrong = f'<div class="wrong"><b>Wrong with this file</b><ul>{problems}</ul></div>' if problems else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{html.escape(title)}</h1>{wrong}"
        + "\n".join(map(_section, report.sections))
        + "</body></html>\n"
    )
