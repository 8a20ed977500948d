"""Whole models: ours beside other engines, the same weights and inputs, in one run.

    ./bazelw run //tests/benchmarks:models -- --undelegated
    ./bazelw run //tests/benchmarks:models -- --xnnpack --threads 1,2

With `--xnnpack` our programs and the published package's are delegated to XNNPACK, without it neither is; the published
package makes its programs itself. Int8 models are measured with XNNPACK only, by both packages.

Each engine has its own processes, one for each model and thread count; the engines take turns, and a figure is the
median over the rounds of the least time of a process. The other engines are fetched with this target, which is manual
for that reason; outside Bazel those that are not installed are left out and named. The last line is `RESULT {json}` with
`rows`: model, threads, ours_us, peers.<engine>.
"""

from __future__ import annotations

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from absl import app, flags
from tqdm import tqdm

from executorch.tests import published
from executorch.tests.benchmarks import models_worker
from executorch.tests.benchmarks.peer_models import MODELS

_UNDELEGATED = flags.DEFINE_bool(
    "undelegated", False, "Programs run on the processor's kernels alone (default)."
)
_XNNPACK = flags.DEFINE_bool("xnnpack", False, "Programs are delegated to XNNPACK.")
_MODELS = flags.DEFINE_list("models", None, "Which models; all by default, int8 with --xnnpack only.")
_THREADS = flags.DEFINE_list("threads", ["1"], "Thread counts.")
_ROUNDS = flags.DEFINE_integer("rounds", 3, "Processes of each engine.", lower_bound=1)
_SECONDS = flags.DEFINE_float("seconds", 1.0, "Time for each process to measure.", lower_bound=0.01)

_WORKER = pathlib.Path(models_worker.__file__)
_ENGINES = (models_worker.OURS, models_worker.PUBLISHED, *models_worker.PEERS)
_LEFT_OUT = (models_worker.ABSENT, models_worker.UNSUPPORTED)


def program_file(directory: pathlib.Path, engine: str, model: str) -> pathlib.Path:
    """Where the program of an engine lies or will lie; the ending says whether it is delegated."""
    return directory / f"{model}.{engine}.{'xnnpack' if _XNNPACK.value else 'undelegated'}.pte"


def measure(engine: str, model: str, threads: str, directory: pathlib.Path) -> float | None:
    """Microseconds of one process, or None if the engine is not there or has no such model.

    Raises:
        RuntimeError: if the engine failed; with its last words.
    """
    path = os.pathsep.join(sys.path) if engine != models_worker.PUBLISHED else published.search_path()
    if path is None:
        return None
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment["PYTHONPATH"] = path
    environment["OMP_NUM_THREADS"] = threads
    program = program_file(directory, engine, model)
    command = [sys.executable, "-S", str(_WORKER), engine, model, threads, str(_SECONDS.value), str(program)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1800, check=False)
    if done.returncode in _LEFT_OUT:
        return None
    if done.returncode:
        raise RuntimeError(f"{engine} failed on {model}:\n{done.stderr[-2000:]}")
    return float(json.loads(done.stdout.strip().splitlines()[-1])["us"])


def measure_model(model: str, threads: str, directory: pathlib.Path) -> dict[str, float]:
    """Engine -> microseconds, of the engines that are there."""
    times: dict[str, list[float]] = {}
    left_out: set[str] = set()
    for turn in range(_ROUNDS.value):
        for step in range(len(_ENGINES)):
            engine = _ENGINES[(turn + step) % len(_ENGINES)]
            us = None if engine in left_out else measure(engine, model, threads, directory)
            if us is None:
                left_out.add(engine)
            else:
                times.setdefault(engine, []).append(us)
    return {engine: round(statistics.median(found), 1) for engine, found in times.items()}


def run(directory: pathlib.Path) -> dict[str, object]:
    """Measures everything; gives the figures."""
    chosen = _MODELS.value or [name for name, model in MODELS.items() if _XNNPACK.value or not model.int8]
    rows = []
    seen: set[str] = set()
    for model in tqdm(chosen, desc="models"):
        for threads in _THREADS.value:
            medians = measure_model(model, threads, directory)
            seen.update(medians)
            ours = medians.pop(models_worker.OURS)
            rows.append({"model": model, "threads": int(threads), "ours_us": ours, "peers": medians})
            others = "  ".join(f"{engine} {us:,.1f}" for engine, us in sorted(medians.items()))
            print(f"{model:14} {threads} thread(s)  ours {ours:,.1f} us  {others}", flush=True)
    return {
        "delegate": "xnnpack" if _XNNPACK.value else None,
        "rows": rows,
        "absent": sorted(set(_ENGINES) - seen),
    }


def main(argv: list[str]) -> None:
    del argv
    if _UNDELEGATED.value and _XNNPACK.value:
        raise app.UsageError("--undelegated and --xnnpack exclude each other")
    with tempfile.TemporaryDirectory() as directory:
        print("RESULT " + json.dumps(run(pathlib.Path(directory))))


if __name__ == "__main__":
    app.run(main)
