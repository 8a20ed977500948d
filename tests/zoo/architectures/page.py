"""The record of the suite's results, and the page that is written from it."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterable, Mapping
from typing import Any

#: Both are paths in the checkout.
RESULTS = "tests/zoo/architectures/results.json"
PAGE = "docs/architectures.md"

#: Largest error in floating point, as a share of the largest magnitude in an output.
TOLERANCE = 1e-4
#: What rounding to int8 may cost a program beyond what it costs the quantized module in PyTorch, in decibels; and the
#: agreement of the two that is enough by itself: one rounding that falls the other way moves all that follows.
INT8_LOSS, INT8_AGREEMENT = 3.0, 30.0

#: ``library/name`` to way to the fields of a result.
Results = Mapping[str, Mapping[str, Mapping[str, Any]]]

_WAYS = {
    "portable": "without a partitioner",
    "xnnpack": "XNNPACK",
    "int8": "int8 with XNNPACK",
    "dynamic": "dynamic batch",
}

_HEAD = """# Architectures

{count} public architectures by name, with random weights, in small configurations: each is exported, lowered, run and compared
with eager PyTorch without a partitioner, with XNNPACK, quantized to int8 (PT2E, scales by output channel) for XNNPACK, and
without a partitioner for a batch of one to four rows that is exported once. This page is written by the suite from its record:

```sh
./bazelw run //tests/zoo/architectures            # all of them, an hour and more; writes the record and this page
./bazelw run //tests/zoo/architectures -- --only 'convnext|mixtral' --ways portable,int8
```

`timm` and `transformers` are pinned in [third-party](../third-party/README.md); nothing else is downloaded. Scales, offsets and
positions that a fresh model fills with one number get random values, and batch norms the statistics of random inputs: otherwise
whole branches count for nothing.

* Floating point: the largest error of any output, as a share of the output's largest magnitude; right up to {tolerance:.0e}.
  Where it is more, eager in double precision is what counts: eager rounds as well.
* int8: the ratio of signal to noise of the program against the model in floating point and, in brackets, that of the quantized module
  in PyTorch, in decibels. Right if the program loses at most {loss:.0f} dB against the module, or agrees with it to {agreement:.0f} dB: where one
  rounding falls the other way, all that follows moves. XNNPACK's integer arithmetic rounds at other places than the module does; the
  released package's programs for `eca_resnet33ts` and `efficientnet_b0`, made from the same modules, are as far off (21.5 and 0.9 dB).
* Calls: instructions of the program with XNNPACK, and how many of them call a delegate.
* Lowering: seconds from the exported program to the file, without a partitioner, on one thread of a shared machine.
* A dash: `torch.export`, or torch's preparation for quantization, refuses; the reasons are below the table.

{summary}

"""


def source(path: str) -> pathlib.Path:
    """A file of the checkout; `bazel run` says where the checkout is."""
    root = os.environ.get("BUILD_WORKSPACE_DIRECTORY")
    return (pathlib.Path(root) if root else pathlib.Path(__file__).absolute().parents[3]) / path


def results_text(results: Results) -> str:
    """The record: one line for each architecture and way."""
    rows = []
    for name in sorted(results):
        ways = ",\n".join(f"  {json.dumps(way)}: {json.dumps(found)}" for way, found in results[name].items())
        rows.append(f"{json.dumps(name)}: {{\n{ways}\n}}")
    return "{\n" + ",\n".join(rows) + "\n}\n"


def missing(
    results: Results, rows: Iterable[tuple[str, str]], ways: Iterable[str]
) -> dict[tuple[str, str], tuple[str, ...]]:
    """(library, name) to those of the ways that the record lacks, without those that it has whole."""
    lacking = {row: tuple(way for way in ways if way not in results.get("/".join(row), {})) for row in rows}
    return {row: found for row, found in lacking.items() if found}


def summary(results: Results) -> str:
    """A table: of the architectures that torch exports, how many are right in each way."""
    rows = []
    for way, title in _WAYS.items():
        found = [ways[way]["verdict"] for ways in results.values() if way in ways]
        refused = found.count("not exported")
        rows.append(
            (title, str(found.count("right")), str(len(found) - found.count("right") - refused), str(refused))
        )
    return _table(("", "right", "wrong or failed", "not exported"), rows)


def text(results: Results, names: Iterable[str]) -> str:
    """The page.

    Args:
        names: ``library/name`` of all architectures of the suite, recorded or not.
    """
    names = list(names)
    results = {name: results[name] for name in names if name in results}
    head = _HEAD.format(
        count=len(names),
        summary=summary(results),
        tolerance=TOLERANCE,
        loss=INT8_LOSS,
        agreement=INT8_AGREEMENT,
    )
    parts = []
    for library in sorted({name.partition("/")[0] for name in results}):
        mine = {name: ways for name, ways in results.items() if name.startswith(f"{library}/")}
        parts.append(f"## {library}\n{_architectures(mine)}\n")
    return head + "\n".join(parts) + _reasons(results) + _unrecorded(results, names)


def _architectures(results: Results) -> str:
    titles = ("name", "portable", "XNNPACK", "calls", "int8", "dynamic batch", "planned bytes", "lowering")
    rows = []
    for name in sorted(results):
        ways = {way: results[name].get(way, {}) for way in _WAYS}
        calls = ways["xnnpack"].get("calls")
        rows.append(
            (
                name.partition("/")[2],
                _error(ways["portable"]),
                _error(ways["xnnpack"]),
                f"{calls} ({ways['xnnpack'].get('delegates')})" if calls is not None else "",
                _decibels(ways["int8"]),
                _error(ways["dynamic"]),
                f"{ways['portable']['planned']:,}" if "planned" in ways["portable"] else "",
                f"{ways['portable']['lowering']:.1f}" if "lowering" in ways["portable"] else "",
            )
        )
    return _table(titles, rows)


def _error(found: Mapping[str, Any]) -> str:
    verdict = found.get("verdict", "")
    if verdict == "right":
        return f"{found['error']:.0e}"
    return {"not exported": "-", "": ""}.get(verdict, f"**{verdict}**")


def _decibels(found: Mapping[str, Any]) -> str:
    verdict = found.get("verdict", "")
    if verdict == "right":
        return f"{found['error']:.0f} ({found['reference']:.0f})"
    return {"not exported": "-", "": ""}.get(verdict, f"**{verdict}**")


def _reasons(results: Results) -> str:
    """What is not right, by reason."""
    by_reason: dict[tuple[str, str], dict[str, list[str]]] = {}
    for name in sorted(results):
        for way, found in results[name].items():
            if found["verdict"] != "right":
                key = (found["verdict"], found.get("reason", ""))
                by_reason.setdefault(key, {}).setdefault(name.partition("/")[2], []).append(_WAYS[way])
    rows = []
    for (verdict, reason), names in sorted(
        by_reason.items(), key=lambda item: (item[0][0] == "not exported", item[0])
    ):
        whom = "; ".join(f"{name} ({', '.join(ways)})" for name, ways in names.items())
        rows.append((verdict, reason.replace("|", "\\|"), whom))
    return f"\n## What is not right\n{_table(('verdict', 'reason', 'architectures'), rows)}\n" if rows else ""


def _unrecorded(results: Results, names: Iterable[str]) -> str:
    """What the suite has and the record lacks, in whole or in part."""
    parts = []
    for way, title in _WAYS.items():
        missing = [name.partition("/")[2] for name in names if way not in results.get(name, {})]
        if missing:
            parts.append(f"* {title}: {', '.join(missing)}")
    return "\n## Not recorded yet\n" + "\n".join(parts) + "\n" if parts else ""


def _table(titles: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = list(titles)
    lines = [f"| {' | '.join(titles)} |", f"| {' | '.join('---' for _ in titles)} |"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
