"""Whole models: ours beside other engines, the same weights and inputs, in one run.

    ./bazelw run //tests/benchmarks:models -- --undelegated

Each engine has its own processes, one for each model and thread count; the engines take turns, and a figure is the
median over the rounds of the least time of a process. Engines that are not installed are left out and named. The
last line is `RESULT {json}` with `rows`: model, threads, ours_us, peers.<engine>.
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

from executorch.tests.benchmarks import models_worker
from executorch.tests.benchmarks.peer_models import MODELS

_UNDELEGATED = flags.DEFINE_bool("undelegated", True, "Our programs run on the processor's kernels alone.")
_MODELS = flags.DEFINE_list("models", list(MODELS), "Which models.")
_THREADS = flags.DEFINE_list("threads", ["1"], "Thread counts.")
_ROUNDS = flags.DEFINE_integer("rounds", 3, "Processes of each engine.", lower_bound=1)
_SECONDS = flags.DEFINE_float("seconds", 1.0, "Time for each process to measure.", lower_bound=0.01)

OURS = "ours"
_WORKER = pathlib.Path(models_worker.__file__)


def measure(engine: str, model: str, threads: str, program: pathlib.Path) -> float | None:
    """Microseconds of one process, or None if the engine is not there.

    Raises:
        RuntimeError: if the engine failed; with its last words.
    """
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    environment["OMP_NUM_THREADS"] = threads
    command = [sys.executable, "-S", str(_WORKER), engine, model, threads, str(_SECONDS.value), str(program)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode == models_worker.ABSENT:
        return None
    if done.returncode:
        raise RuntimeError(f"{engine} failed on {model}:\n{done.stderr[-2000:]}")
    return float(json.loads(done.stdout.strip().splitlines()[-1])["us"])


def run(directory: pathlib.Path) -> dict[str, object]:
    """Measures everything; gives the figures."""
    engines = [OURS, *models_worker.PEERS]
    rows = []
    absent: set[str] = set()
    for model in tqdm(_MODELS.value, desc="models"):
        program = directory / f"{model}.pte"
        program.write_bytes(models_worker.our_program(model))
        for threads in _THREADS.value:
            times: dict[str, list[float]] = {engine: [] for engine in engines}
            for turn in range(_ROUNDS.value):
                for step in range(len(engines)):
                    engine = engines[(turn + step) % len(engines)]
                    us = None if engine in absent else measure(engine, model, threads, program)
                    if us is None:
                        absent.add(engine)
                    else:
                        times[engine].append(us)
            medians = {engine: round(statistics.median(t), 1) for engine, t in times.items() if t}
            ours = medians.pop(OURS)
            rows.append({"model": model, "threads": int(threads), "ours_us": ours, "peers": medians})
            others = "  ".join(f"{engine} {us:,.1f}" for engine, us in medians.items())
            print(f"{model:10} {threads} thread(s)  ours {ours:,.1f} us  {others}", flush=True)
    return {"rows": rows, "absent": sorted(absent)}


def main(argv: list[str]) -> None:
    del argv
    if not _UNDELEGATED.value:
        raise app.UsageError("only --undelegated is measured here; backends have benchmarks of their own")
    with tempfile.TemporaryDirectory() as directory:
        print("RESULT " + json.dumps(run(pathlib.Path(directory))))


if __name__ == "__main__":
    app.run(main)
