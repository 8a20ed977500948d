"""Measures alternatives side by side: interleaved rounds, medians, a table for people and JSON for programs.

A machine's speed drifts with what else runs on it. Measuring A a hundred times and then B a hundred times compares
two moments; one batch of each per round, in an order that rotates, compares A and B. What is reported is the median
over rounds, with the spread between the quartiles, so that a reader sees which differences mean something.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import pathlib
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

from tqdm import tqdm

Clock = Callable[[], float]

_LARGEST_BATCH = 1 << 20


@dataclass(frozen=True)
class Case:
    """One alternative.

    Attributes:
        group: cases of one group do the same job and are compared with the first of them.
        name: what does the job.
        run: does it once.
    """

    group: str
    name: str
    run: Callable[[], object]


@dataclass(frozen=True)
class Measurement:
    """What one case took.

    Attributes:
        group, name: of the case.
        median_us: median over the rounds of the time of one run, in microseconds.
        low_us, high_us: the quartiles.
        best_us: the fastest round.
        runs: how often the case ran in all rounds.
        ratio: median divided by that of the first case of the group.
    """

    group: str
    name: str
    median_us: float
    low_us: float
    high_us: float
    best_us: float
    runs: int
    ratio: float


def batch_size(case: Case, batch_seconds: float, clock: Clock = time.perf_counter) -> int:
    """How many runs make a batch of about ``batch_seconds``; runs the case, which warms it up as well."""
    count = 1
    while True:
        start = clock()
        for _ in range(count):
            case.run()
        seconds = clock() - start
        if seconds >= batch_seconds / 2 or count >= _LARGEST_BATCH:
            return max(1, min(_LARGEST_BATCH, round(count * batch_seconds / max(seconds, 1e-9))))
        count *= 4


def measure(
    cases: Sequence[Case],
    rounds: int = 15,
    batch_seconds: float = 0.02,
    clock: Clock = time.perf_counter,
    progress: bool = False,
) -> list[Measurement]:
    """Measures ``cases``, one batch of each per round.

    Args:
        cases: group and name must be unique together.
        rounds: at least 3.
        batch_seconds: how long a batch should take; a run that takes longer is a batch of its own.
        clock: gives seconds.
        progress: shows a bar.
    """
    if rounds < 3:
        raise ValueError(f"{rounds} rounds have no meaningful median; use at least 3")
    if len({(case.group, case.name) for case in cases}) != len(cases):
        raise ValueError("two cases have the same group and name")
    sizes = [batch_size(case, batch_seconds, clock) for case in cases]
    seconds: list[list[float]] = [[] for _ in cases]
    with _collector_at_rest():
        for turn in tqdm(range(rounds), desc="measuring", unit="round", disable=not progress):
            for step in range(len(cases)):
                index = (turn + step) % len(cases)
                gc.collect()
                start = clock()
                for _ in range(sizes[index]):
                    cases[index].run()
                seconds[index].append((clock() - start) / sizes[index])
    return _summarise(cases, sizes, seconds)


@contextlib.contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Inside, garbage is collected only when asked for, so that no case pays for another's.

    What is alive at entry (all of torch, as a rule) is left out, which makes each collection short.
    """
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


def _summarise(
    cases: Sequence[Case], sizes: Sequence[int], seconds: Sequence[Sequence[float]]
) -> list[Measurement]:
    first: dict[str, float] = {}
    measurements = []
    for case, size, times in zip(cases, sizes, seconds, strict=True):
        low, middle, high = statistics.quantiles(times, n=4, method="inclusive")
        base = first.setdefault(case.group, middle)
        measurements.append(
            Measurement(
                group=case.group,
                name=case.name,
                median_us=middle * 1e6,
                low_us=low * 1e6,
                high_us=high * 1e6,
                best_us=min(times) * 1e6,
                runs=size * len(times),
                ratio=middle / base if base else 0.0,
            )
        )
    return measurements


def table(measurements: Sequence[Measurement]) -> str:
    """The measurements as text, one line each, a blank line between groups."""
    head = ("job", "by", "median us", "quartiles", "best", "ratio")
    rows = [
        (
            m.group,
            m.name,
            f"{m.median_us:,.1f}",
            f"{m.low_us:,.1f} .. {m.high_us:,.1f}",
            f"{m.best_us:,.1f}",
            f"{m.ratio:.2f}",
        )
        for m in measurements
    ]
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]

    def line(row: Sequence[str]) -> str:
        cells = [row[i].ljust(widths[i]) if i < 2 else row[i].rjust(widths[i]) for i in range(len(row))]
        return "  ".join(cells).rstrip()

    lines = [line(head)]
    for index, row in enumerate(rows):
        if index and row[0] != rows[index - 1][0]:
            lines.append("")
        lines.append(line(row))
    return "\n".join(lines)


def to_json(measurements: Sequence[Measurement]) -> str:
    """``{group: {name: {median_us, ...}}}``."""
    groups: dict[str, dict[str, object]] = {}
    for m in measurements:
        fields = asdict(m)
        groups.setdefault(fields.pop("group"), {})[fields.pop("name")] = fields
    return json.dumps(groups)


def benchmark_main(
    name: str, make_cases: Callable[[], Sequence[Case]], arguments: Sequence[str] | None = None
) -> int:
    """The command line of a benchmark: measures, prints the table, ends with ``RESULT {json}``."""
    parser = argparse.ArgumentParser(prog=name)
    parser.add_argument("--rounds", type=int, default=15, help="batches of each case (default: 15)")
    parser.add_argument("--batch-ms", type=float, default=20.0, help="length of a batch (default: 20)")
    parser.add_argument("--json", type=pathlib.Path, help="also write the figures to this file")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    options = parser.parse_args(arguments)
    measurements = measure(make_cases(), options.rounds, options.batch_ms / 1e3, progress=not options.quiet)
    text = to_json(measurements)
    if options.json:
        options.json.write_text(text + "\n")
    print(table(measurements))
    print("RESULT " + text)
    return 0
