"""Whole models: ours beside other engines, the same weights and inputs, in one run.

    ./bazelw run //tests/benchmarks:models -- --undelegated
    ./bazelw run //tests/benchmarks:models -- --xnnpack --threads 1,2

With `--xnnpack` our programs and the published package's are delegated to XNNPACK, without it neither is; the published
package makes its programs itself. Without it two more take part: `published_xnnpack`, the published package with its
delegate, which undelegated programs are measured with too, and `ours_portable`, our portable library alone. Int8 models are measured with XNNPACK only: by both packages with PyTorch's static
quantization, by ONNX Runtime and OpenVINO with ONNX Runtime's, by LiteRT with its own.

Each engine makes its file first, in a process of its own, and keeps it with `--keep DIRECTORY` for the next run. Then each
has its own processes, one for each model and round; the engines take turns, and a figure is the median over the rounds of
the least time of a process. The other engines are fetched with this target, which is manual for that reason; outside
Bazel those that are not installed are left out and named. The last line is `RESULT {json}` with `rows`: model, threads,
ours_us, peers.<engine>; `failed`: what an engine could not do and why; and in how many rows the targets are met. Level
and not slower are within ten percent, less than which means nothing here.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from typing import Any

from absl import app, flags
from tqdm import tqdm

from executorch.tests import published
from executorch.tests.benchmarks import models_worker
from executorch.tests.benchmarks.peer_engines import ENGINES
from executorch.tests.benchmarks.peer_models import MODELS

_UNDELEGATED = flags.DEFINE_bool(
    "undelegated", False, "Programs run on the processor's kernels alone (default)."
)
_XNNPACK = flags.DEFINE_bool("xnnpack", False, "Programs are delegated to XNNPACK.")
_MODELS = flags.DEFINE_list("models", None, "Which models; all by default, int8 with --xnnpack only.")
_ENGINES = flags.DEFINE_list("engines", None, "Which other engines; all by default.")
_THREADS = flags.DEFINE_list("threads", ["1", "2"], "Thread counts.")
_ROUNDS = flags.DEFINE_integer("rounds", 3, "Processes of each engine.", lower_bound=1)
_SECONDS = flags.DEFINE_float("seconds", 0.5, "Time to measure each thread count.", lower_bound=0.01)
_KEEP = flags.DEFINE_string(
    "keep", None, "A directory for the engines' files, which are made if they are not there."
)

_WORKER = pathlib.Path(models_worker.__file__)
_ALL = (models_worker.OURS, models_worker.PUBLISHED, models_worker.EAGER, *models_worker.PEERS)
_UNDELEGATED_ONLY = (models_worker.PUBLISHED_XNNPACK, models_worker.PORTABLE)
_LEVEL = 1.1
_UNDELEGATED_LIMIT = 1.5
_PORTABLE_LIMIT = 0.1
_LARGEST_DIFFERENCE = 0.01
"""Between single-precision results, relative to the greatest; more of it is another model."""


class EngineFailed(RuntimeError):
    """A process of an engine failed; with its last words."""


@dataclass
class Found:
    """What is known of one model.

    Attributes:
        times: engine -> thread count -> microseconds of each process.
        failed: engine -> why.
        absent: engines that are not installed.
    """

    times: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)


def engine_file(directory: pathlib.Path, engine: str, model: str) -> pathlib.Path:
    """Where the file of an engine lies or will lie; the ending of a program says whether it is delegated."""
    if engine in ENGINES:
        return directory / f"{model}.{engine}{ENGINES[engine].ending}"
    if engine == models_worker.EAGER:
        return models_worker.reference_file(directory / model)
    if engine == models_worker.PORTABLE:
        return engine_file(directory, models_worker.OURS, model)
    if engine == models_worker.PUBLISHED_XNNPACK:
        return directory / f"{model}.{models_worker.PUBLISHED}.xnnpack.pte"
    return directory / f"{model}.{engine}.{'xnnpack' if _XNNPACK.value else 'undelegated'}.pte"


def call_worker(engine: str, *arguments: str) -> str | int:
    """What a process of the engine printed, or the exit code by which it says that it has no part in this.

    Raises:
        EngineFailed: if it failed.
    """
    is_published = engine in (models_worker.PUBLISHED, models_worker.PUBLISHED_XNNPACK)
    path = published.search_path() if is_published else os.pathsep.join(sys.path)
    if path is None:
        return models_worker.ABSENT
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment["PYTHONPATH"] = path
    environment["OMP_NUM_THREADS"] = max(_THREADS.value, key=int)
    command = [sys.executable, "-S", str(_WORKER), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1800, check=False)
    if done.returncode in (models_worker.ABSENT, models_worker.UNSUPPORTED):
        return done.returncode
    if done.returncode:
        raise EngineFailed(done.stderr[-2000:] or f"exit code {done.returncode}")
    return done.stdout


def measure(engine: str, model: str, directory: pathlib.Path, found: Found) -> bool:
    """Adds what one process measured to `found`; whether the engine goes on to take part."""
    file = engine_file(directory, engine, model)
    try:
        if not file.exists():
            answer = call_worker(engine, "make", engine, model, str(file))
            if not isinstance(answer, str):
                found.absent.update({engine} if answer == models_worker.ABSENT else ())
                return False
        arguments = ("run", engine, model, str(file), ",".join(_THREADS.value), str(_SECONDS.value))
        answer = call_worker(engine, *arguments)
        if not isinstance(answer, str):
            return False
        figures: dict[str, Any] = json.loads(answer.strip().splitlines()[-1])
        if not MODELS[model].int8 and figures["difference"] > _LARGEST_DIFFERENCE:
            raise EngineFailed(f"its result is off by {figures['difference']:.3f}")
    except (EngineFailed, subprocess.TimeoutExpired) as error:
        if engine == models_worker.OURS:
            raise
        found.failed[engine] = str(error).strip().splitlines()[-1]
        return False
    for count, us in figures["us"].items():
        found.times.setdefault(engine, {}).setdefault(count, []).append(us)
    return True


def measure_model(model: str, directory: pathlib.Path) -> Found:
    """All engines, in turns. PyTorch comes first once: what it writes says what all are fed."""
    found = Found()
    reference = engine_file(directory, models_worker.EAGER, model)
    if not reference.exists():
        call_worker(models_worker.EAGER, "make", models_worker.EAGER, model, str(reference))
    known = _ALL if _XNNPACK.value else _ALL + _UNDELEGATED_ONLY
    chosen = [name for name in known if name == models_worker.OURS or name in (_ENGINES.value or known)]
    taking_part = set(chosen)
    for turn in range(_ROUNDS.value):
        for step in range(len(chosen)):
            engine = chosen[(turn + step) % len(chosen)]
            if engine in taking_part and not measure(engine, model, directory, found):
                taking_part.discard(engine)
    return found


def rows_of(model: str, found: Found) -> list[dict[str, Any]]:
    """One row for each thread count."""
    rows = []
    for threads in _THREADS.value:
        medians = {
            engine: round(statistics.median(times[threads]), 1) for engine, times in found.times.items()
        }
        ours = medians.pop(models_worker.OURS)
        rows.append({"model": model, "threads": int(threads), "ours_us": ours, "peers": medians})
        others = "  ".join(f"{engine} {us:,.1f}" for engine, us in sorted(medians.items()))
        print(f"{model:14} {threads} thread(s)  ours {ours:,.1f} us  {others}", flush=True)
    return rows


def share(rows: list[dict[str, Any]], engines: tuple[str, ...], limit: float, ours: str | None = None) -> str:
    """In how many of the rows with such peers ours takes at most `limit` times the time of the best of them.

    Args:
        ours: The engine that is compared; the optimized library by default.
    """
    ratios = []
    for row in rows:
        peers = [row["peers"][engine] for engine in engines if engine in row["peers"]]
        us = row["peers"].get(ours) if ours else row["ours_us"]
        if peers and us:
            ratios.append(us / min(peers))
    return f"{sum(ratio <= limit for ratio in ratios)} of {len(ratios)}"


def verdict(rows: list[dict[str, Any]]) -> dict[str, str]:
    """The targets: in how many rows they are met."""
    worker = models_worker
    if _XNNPACK.value:
        return {
            "not_slower_than_published": share(rows, (worker.PUBLISHED,), _LEVEL),
            "level_with_best_peer": share(rows, worker.PEERS, _LEVEL),
        }
    best = (*worker.PEERS, worker.EAGER, worker.PUBLISHED_XNNPACK)
    return {
        "within_1.5_times_the_best": share(rows, best, _UNDELEGATED_LIMIT),
        "not_slower_than_torch": share(rows, (worker.EAGER,), _LEVEL),
        "portable_10_times_published": share(rows, (worker.PUBLISHED,), _PORTABLE_LIMIT, worker.PORTABLE),
    }


def run(directory: pathlib.Path) -> dict[str, object]:
    """Measures everything; gives the figures."""
    chosen = _MODELS.value or [name for name, model in MODELS.items() if _XNNPACK.value or not model.int8]
    rows: list[dict[str, Any]] = []
    failed: dict[str, dict[str, str]] = {}
    absent: set[str] = set()
    for model in tqdm(chosen, desc="models"):
        found = measure_model(model, directory)
        rows += rows_of(model, found)
        absent |= found.absent
        for engine, reason in found.failed.items():
            print(f"{model:14} {engine} failed: {reason}", flush=True)
            failed.setdefault(model, {})[engine] = reason
    return {
        "delegate": "xnnpack" if _XNNPACK.value else None,
        "rows": rows,
        **verdict(rows),
        "failed": failed,
        "absent": sorted(absent),
    }


def main(argv: list[str]) -> None:
    del argv
    if _UNDELEGATED.value and _XNNPACK.value:
        raise app.UsageError("--undelegated and --xnnpack exclude each other")
    with contextlib.ExitStack() as stack:
        if _KEEP.value:
            directory = pathlib.Path(_KEEP.value).expanduser()
            directory.mkdir(parents=True, exist_ok=True)
        else:
            directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        print("RESULT " + json.dumps(run(directory)))


if __name__ == "__main__":
    app.run(main)
