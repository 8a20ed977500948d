"""Language models of real shapes, random weights: ours beside llama.cpp, in processes that take turns.

    ./bazelw run //tests/benchmarks:llm
    ./bazelw run //tests/benchmarks:llm -- --models=smollm2-135m,qwen3-0.6b,llama3.2-1b --context=2048 --threads=1,2

Weights have 4 bits in groups of 32, or 8 (ours a scale for each row, llama.cpp's Q8_0 one for 32). A prompt of `--context` tokens is
run at once, then `--steps` single tokens behind it. Each process of each round measures a copy too, with as many threads: the
scale of `share_of_bandwidth`, which is the bytes of the weights that a token reads, times tokens a second, over the bytes that the
copy reads and writes a second. One thread is timed by the processor's time, several by the
clock. Figures are medians over the rounds of the least time of a prompt, and of a process's median of a token.

llama.cpp takes part if `llama_cpp` can be imported, which is built from `llama-cpp-python`'s source distribution: in the wheels' index there
is nothing but that, so it is not fetched. `PYTHONPATH=DIR ./bazelw run ...` shows where it is. The last line is `RESULT {json}`: `rows[]` with `model`,
`bits`, `threads`, `phase` (`prefill`, `decode`), `ours_tokens_s`, `peers`, `share_of_bandwidth` (of a decode), `absent` and `memory[]`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
from typing import Any

from absl import app, flags
from tqdm import tqdm

from executorch.tests.benchmarks import llm_models, llm_worker

_MODELS = flags.DEFINE_list("models", ["smollm2-135m"], f"Of {', '.join(llm_models.SHAPES)}.")
_BITS = flags.DEFINE_list("bits", ["4", "8"], "Of a weight: 4 or 8.")
_THREADS = flags.DEFINE_list("threads", ["1", "2"], "Thread counts.")
_CONTEXT = flags.DEFINE_integer("context", 128, "Tokens of the prompt.", lower_bound=2)
_STEPS = flags.DEFINE_integer("steps", 32, "Single tokens behind it.", lower_bound=1)
_ROUNDS = flags.DEFINE_integer("rounds", 3, "Processes of each engine.", lower_bound=1)
_KEEP = flags.DEFINE_string("keep", None, "A directory for the models' files, made if they are not there.")

_ENDINGS = {"ours": "pte", "llama.cpp": "gguf"}
_MAKERS = {"ours": llm_models.ours, "llama.cpp": llm_models.llama_cpp}


def engines() -> list[str]:
    """Ours, and the others that are there."""
    is_there = importlib.util.find_spec("llama_cpp") and importlib.util.find_spec("gguf")
    return ["ours", "llama.cpp"] if is_there else ["ours"]


def file_of(directory: pathlib.Path, engine: str, model: str, bits: int, context: int) -> pathlib.Path:
    """An engine's file of a model, made if it is not there."""
    file = directory / f"{model}-{bits}-{context}.{_ENDINGS[engine]}"
    if not file.exists():
        _MAKERS[engine](llm_models.SHAPES[model], bits, context, file)
    return file


def call_worker(engine: str, file: pathlib.Path, *numbers: int) -> dict[str, float]:
    """What one process measured.

    Raises:
        RuntimeError: it failed, with its last words.
    """
    command = [sys.executable, llm_worker.__file__, engine, str(file), *map(str, numbers)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{engine} failed with {file.name}: {done.stderr[-2000:]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def rows_of(
    model: str, bits: int, threads: int, taken: dict[str, list[dict[str, float]]], context: int
) -> list[dict[str, Any]]:
    """A row for each phase, out of what all processes measured."""

    def median(engine: str, key: str) -> float:
        return statistics.median(one[key] for one in taken[engine])

    copy = statistics.median(one["copy_gb_s"] for found in taken.values() for one in found)
    read = llm_models.SHAPES[model].linear_weights() * llm_models.MODES[bits][2]
    rows = []
    for phase, key, tokens in (("prefill", "prefill_s", context), ("decode", "decode_s", 1)):
        rates = {engine: tokens / median(engine, key) for engine in taken}
        mine = rates.pop("ours")
        row = {"model": model, "bits": bits, "threads": threads, "phase": phase, "context": context}
        row |= {"ours_tokens_s": mine, "peers": rates}
        if phase == "decode":
            row |= {"share_of_bandwidth": read * mine / 1e9 / copy, "copy_gb_s": copy}
        rows.append(row)
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    lines = [f"{'model':14}{'bits':>5}{'threads':>8}  {'phase':8}{'ours t/s':>10}{'share':>8}  peers"]
    for row in rows:
        share = f"{row['share_of_bandwidth']:.0%}" if "share_of_bandwidth" in row else ""
        peers = ", ".join(f"{name} {rate:.1f}" for name, rate in row["peers"].items())
        lines.append(
            f"{row['model']:14}{row['bits']:5}{row['threads']:8}  {row['phase']:8}{row['ours_tokens_s']:10.1f}{share:>8}  {peers}"
        )
    return "\n".join(lines)


def run(directory: pathlib.Path) -> dict[str, Any]:
    """All that the flags ask for."""
    rows: list[dict[str, Any]] = []
    memory: list[dict[str, Any]] = []
    taking_part, context = engines(), _CONTEXT.value
    work = [(m, int(b)) for m in _MODELS.value for b in _BITS.value]
    for model, bits in tqdm(work, disable=None, unit="model"):
        files = {engine: file_of(directory, engine, model, bits, context) for engine in taking_part}
        for threads in map(int, _THREADS.value):
            taken: dict[str, list[dict[str, float]]] = {engine: [] for engine in taking_part}
            for number in range(_ROUNDS.value):
                for engine in taking_part if number % 2 == 0 else reversed(taking_part):
                    numbers = (threads, context, _STEPS.value, llm_models.SHAPES[model].vocab_size)
                    taken[engine].append(call_worker(engine, files[engine], *numbers))
            rows += rows_of(model, bits, threads, taken, context)
            memory += [
                {
                    "model": model,
                    "bits": bits,
                    "threads": threads,
                    "engine": engine,
                    "file_mib": files[engine].stat().st_size / 2**20,
                    "rss_mib": statistics.median(one["rss_mib"] for one in found),
                    "load_s": statistics.median(one["load_s"] for one in found),
                }
                for engine, found in taken.items()
            ]
    absent = [name for name in _MAKERS if name not in taking_part]
    return {"rows": rows, "absent": absent, "memory": memory}


def main(argv: list[str]) -> None:
    del argv
    unknown = [name for name in _MODELS.value if name not in llm_models.SHAPES]
    if unknown:
        raise app.UsageError(f"no model {', '.join(unknown)}: there are {', '.join(llm_models.SHAPES)}")
    with tempfile.TemporaryDirectory() as passing:
        directory = pathlib.Path(_KEEP.value or passing)
        directory = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), directory).absolute()
        directory.mkdir(parents=True, exist_ok=True)
        result = run(directory)
    print(table(result["rows"]))
    for name in result["absent"]:
        print(f"{name} is not installed: it takes no part")
    print("RESULT " + json.dumps(result))


if __name__ == "__main__":
    app.run(main)
