"""Planned memory of the zoo: lower bound, ours by algorithm, and what the published package plans for the same models.

./bazelw run //tests/benchmarks:planning -- --models=resnet18,gpt2 --size=full
"""

from __future__ import annotations

import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from absl import app, flags, logging
from tqdm import tqdm

from executorch.exir import to_edge_transform_and_lower
from executorch.memory_planning import (
    MemoryPlanningPass,
    best_of_packings,
    exact,
    greedy,
    memory_report,
    naive,
)
from executorch.tests import published
from executorch.tests.zoo.registry import make, names

_MODELS = flags.DEFINE_list("models", None, "names of zoo models; all by default")
_SIZE = flags.DEFINE_enum("size", "small", ["small", "full"], "of the models")
_EXACT = flags.DEFINE_bool("exact", False, "also the exact algorithm, which can take minutes")
_PUBLISHED = flags.DEFINE_string(
    "published_path",
    None,
    f"directories of the published package and what it imports, separated by {os.pathsep!r}; "
    "by default those of //tests:published or PUBLISHED_PATH",
)
_GROUP = 10
"""Models that are saved and given to the published package at a time."""
_PEER_SECONDS = 300
_TIMES = 3
"""How often the default plan is made; the median is reported."""

# Runs in a process of its own, where `executorch` is the published package.
_PEER = """
import json, sys, traceback, warnings
warnings.filterwarnings("ignore")
import torch
from executorch.exir import to_edge_transform_and_lower
for path in sys.argv[1:]:
    try:
        with torch.no_grad():  # buffers of some models claim gradients once loaded
            program = to_edge_transform_and_lower(torch.export.load(path)).to_executorch()
        (plan,) = program.executorch_program.execution_plan
        result = {"bytes": sum(plan.non_const_buffer_sizes)}
    except Exception as error:
        result = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
    print("PLAN " + json.dumps({"path": path, **result}), flush=True)
"""


@dataclass
class Figures:
    """One model's plan; sizes in bytes.

    Attributes:
        values: that were planned.
        lower_bound: the least that any plan of our graph needs.
        ours: planned by default.
        by_algorithm: planned by each algorithm.
        published: planned by the published package for the same exported program, None if it made none.
        published_error: why it made none.
        plan_s: median seconds for lifetimes, default plan and proof.
    """

    values: int
    lower_bound: int
    ours: int
    plan_s: float
    by_algorithm: dict[str, int] = field(default_factory=dict)
    published: int | None = None
    published_error: str | None = None


def plan(program: torch.export.ExportedProgram, with_exact: bool = False) -> Figures:
    """Lowers a captured model (it is not changed) and plans it by each algorithm."""
    executable = to_edge_transform_and_lower(program).to_executorch()
    method = executable.exported_program()
    module, signature = method.graph_module, method.graph_signature

    def planned(algorithm: Any = None) -> int:
        MemoryPlanningPass(algorithm).run(module, signature)
        return memory_report(module, signature).planned_bytes

    algorithms = [naive, greedy, best_of_packings, *([exact] if with_exact else [])]
    by_algorithm = {algorithm.__name__: planned(algorithm) for algorithm in algorithms}
    seconds = []
    for _ in range(_TIMES):
        start = time.perf_counter()
        MemoryPlanningPass().run(module, signature)
        seconds.append(time.perf_counter() - start)
    report = memory_report(module, signature)
    return Figures(
        values=report.values,
        lower_bound=report.lower_bound_bytes,
        ours=report.planned_bytes,
        plan_s=statistics.median(seconds),
        by_algorithm=by_algorithm,
    )


def peer(paths: Sequence[pathlib.Path], search_path: str | None) -> dict[str, dict[str, Any]]:
    """Path -> bytes, or error, of the published package for saved `torch.export` programs."""
    try:
        done = published.run(_PEER, *map(str, paths), path=search_path, timeout=_PEER_SECONDS * len(paths))
        output, reason = done.stdout, (done.stderr.strip().splitlines() or ["no output"])[-1]
    except FileNotFoundError as error:
        output, reason = "", str(error)
    except subprocess.TimeoutExpired as error:
        output, reason = str(error.stdout or ""), f"took longer than {error.timeout} s"
    lines = [line.removeprefix("PLAN ") for line in output.splitlines() if line.startswith("PLAN ")]
    found = {result["path"]: result for result in map(json.loads, lines)}
    return {str(path): found.get(str(path), {"error": reason}) for path in paths}


def figures(
    group: Sequence[str], size: Any, search_path: str | None, with_exact: bool = False
) -> dict[str, Figures]:
    """Everything about some zoo models; the published package is started once for all of them."""
    models: dict[str, Figures] = {}
    with tempfile.TemporaryDirectory() as directory:
        paths = {}
        for name in group:
            specimen = make(name, size)
            program = torch.export.export(
                specimen.module, specimen.inputs, dynamic_shapes=specimen.dynamic_shapes
            )
            models[name] = plan(program, with_exact)
            path = pathlib.Path(directory) / f"{name}.pt2"
            try:
                torch.export.save(program, path)
            except Exception as error:  # torch cannot save every program; the peer then gets none
                models[name].published_error = f"torch.export.save: {error}".splitlines()[0]
            else:
                paths[name] = path
        results = peer(list(paths.values()), search_path) if paths else {}
        for name, path in paths.items():
            result = results[str(path)]
            models[name].published = result.get("bytes")
            models[name].published_error = result.get("error")
    return models


def table(models: dict[str, Figures]) -> str:
    """The figures as text, bytes of each plan."""
    head = ("model", "values", "lower bound", "ours", "over", "greedy", "naive", "published", "plan ms")
    rows = [head]
    for name, found in models.items():
        over = found.ours / found.lower_bound - 1 if found.lower_bound else 0.0
        rows.append(
            (
                name,
                f"{found.values:,}",
                f"{found.lower_bound:,}",
                f"{found.ours:,}",
                f"{over:.2%}",
                f"{found.by_algorithm['greedy']:,}",
                f"{found.by_algorithm['naive']:,}",
                "-" if found.published is None else f"{found.published:,}",
                f"{found.plan_s * 1e3:,.0f}",
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def summary(models: dict[str, Figures]) -> dict[str, Any]:
    """How the figures stand to the targets."""
    compared = [found for found in models.values() if found.published is not None]
    return {
        "models": {name: asdict(found) for name, found in models.items()},
        "within_1_percent": sum(found.ours <= found.lower_bound * 1.01 for found in models.values()),
        "above_published": [
            name
            for name, found in models.items()
            if found.published is not None and found.ours > found.published
        ],
        "compared": len(compared),
        "count": len(models),
    }


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    del arguments
    logging.set_verbosity(logging.WARNING)
    chosen = _MODELS.value or names()
    models: dict[str, Figures] = {}
    with tqdm(total=len(chosen), desc="planning", unit="model") as bar:
        for begin in range(0, len(chosen), _GROUP):
            group = chosen[begin : begin + _GROUP]
            models.update(figures(group, _SIZE.value, _PUBLISHED.value, _EXACT.value))
            bar.update(len(group))
    print(table(models))
    for name, found in models.items():
        if found.published_error:
            print(f"published package, {name}: {found.published_error}")
    result = summary(models)
    print(
        f"within 1 % of the lower bound: {result['within_1_percent']} of {result['count']}; above the published "
        f"package: {result['above_published'] or 'none'} of {result['compared']}"
    )
    print("RESULT " + json.dumps(result))
    return 0


if __name__ == "__main__":
    app.run(main)
