"""Language models of real shapes, random weights: ours beside other engines, in processes that take turns.

    ./bazelw run //tests/benchmarks:llm
    ./bazelw run //tests/benchmarks:llm -- --models=smollm2-135m,qwen3-0.6b,llama3.2-1b --keep=DIR

Weights have 4 bits in groups of 32, or 8 (ours a scale for each row, llama.cpp's Q8_0 one for 32). For each of
`--contexts`, a prompt of so many tokens is run at once, then `--steps` single tokens behind it. A model is exported once for all of
them; with `--keep` the next run finds it. Each process of each round measures a copy too, with as many threads: the
scale of `share_of_bandwidth`, which is the bytes of the weights that a token reads, times tokens a second, over the bytes that the
copy reads and writes a second; `share_with_cache` counts the keys and values that it reads too, which at long contexts are as many bytes. One thread is timed by the processor's time, several by the
clock. Figures are medians over the rounds of the least time of a prompt, and of a process's median of a token.

Ours keeps packed weights in a file beside the model's. A process of each engine that is not measured otherwise comes before all of
a model's: it writes that file, and its load is the first.

Who else takes part, beside what Bazel has at hand, is looked for on PYTHONPATH: `PYTHONPATH=DIR ./bazelw run ...`;
`llm_requirements.txt` fills such a directory (README.md)

* `ours-int8-cache`: our program whose cache has bytes, as OpenVINO's has (llama.cpp's has halves, all others floats);
* `published`: the runner of released ExecuTorch with our program (`//third-party:published`, or PUBLISHED_PATH);
* `llama.cpp`: `llama_cpp`, which is built from `llama-cpp-python`'s source distribution: in the wheels' index there
  is nothing but that, so it is not fetched. Where the kernel gives no AMX tiles (llama.cpp
  dies of SIGILL), it is built with `CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_AVX512=ON -DGGML_AVX512_VNNI=ON"` and what else the processor has;
* `onnxruntime-genai`: the package, 4 bits alone; its model builder wants `onnx_ir` and a release of `transformers` that it knows (0.9.2 goes with 4.57);
* `openvino-genai`: the package, with `openvino`, `openvino_tokenizers`, `optimum-intel` and `nncf`.

Files that are there (`--keep`) need no converter any more, the engines alone. The last line is `RESULT {json}`: `rows[]` with `model`,
`bits`, `threads`, `phase` (`prefill`, `decode`), `ours_tokens_s`, `peers`, `share_of_bandwidth` and `share_with_cache` (of a decode), `absent`,
`memory[]`: `file_mib`, `cache_mib`, `rss_mib`, `of_file`, what is resident beside the cache over the size of the file, `load_s` and
`first_load_s`, and `failed[]`: what
an engine could not make or run, and `why`; all else goes on.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from absl import app, flags
from tqdm import tqdm

from executorch.tests import published
from executorch.tests.benchmarks import llm_models, llm_peers, llm_worker

_MODELS = flags.DEFINE_list("models", ["smollm2-135m"], f"Of {', '.join(llm_models.SHAPES)}.")
_BITS = flags.DEFINE_list("bits", ["4", "8"], "Of a weight: 4 or 8.")
_THREADS = flags.DEFINE_list("threads", ["1", "2"], "Thread counts.")
_CONTEXTS = flags.DEFINE_list("contexts", ["128", "2048"], "Tokens of the prompts, 2 or more.")
_STEPS = flags.DEFINE_integer("steps", 32, "Single tokens behind it.", lower_bound=1)
_ROUNDS = flags.DEFINE_integer("rounds", 2, "Processes of each engine.", lower_bound=1)
_KEEP = flags.DEFINE_string("keep", None, "A directory for the models' files, made if they are not there.")


@dataclass(frozen=True)
class Engine:
    """One that takes part where it is at hand.

    Attributes:
        ending: of its files, or directories.
        make: writes that of a shape, of so many bits, for prompts of up to so many tokens.
        packages: what has to be importable.
        bits: that it has.
        has_longest_cache: its cache is of the longest prompt that was asked for, not of its row's.
    """

    ending: str
    make: Callable[[llm_models.Shape, int, int, pathlib.Path], None]
    packages: tuple[str, ...] = ()
    bits: tuple[int, ...] = (4, 8)
    has_longest_cache: bool = False


_ENGINES = {
    "ours": Engine("pte", llm_models.ours, has_longest_cache=True),
    "ours-int8-cache": Engine("int8-cache.pte", llm_models.ours_with_int8_cache, has_longest_cache=True),
    "published": Engine("pte", llm_models.ours, has_longest_cache=True),
    "llama.cpp": Engine("gguf", llm_models.llama_cpp, ("llama_cpp", "gguf")),
    "onnxruntime-genai": Engine("onnx", llm_peers.onnxruntime_genai, ("onnxruntime_genai",), bits=(4,)),
    "openvino-genai": Engine("openvino", llm_peers.openvino_genai, ("openvino_genai",)),
}


def engines() -> list[str]:
    """Ours, and the others that are there."""
    return [
        name
        for name, engine in _ENGINES.items()
        if all(map(importlib.util.find_spec, engine.packages))
        and (name != "published" or published.search_path() is not None)
    ]


def file_of(directory: pathlib.Path, engine: str, model: str, bits: int, context: int) -> pathlib.Path:
    """An engine's file of a model for up to so long prompts, made if it is not there."""
    file = directory / f"{model}-{bits}-{context}.{_ENGINES[engine].ending}"
    shape = llm_models.SHAPES[model]
    tokenizer = file.with_suffix(".tokenizer.json")
    if not tokenizer.exists():
        llm_models.write_tokenizer(shape.vocab_size, tokenizer)
    if not file.exists():
        # Under another name until it is whole.
        made = file.with_name(f"making-{file.name}")
        _ENGINES[engine].make(shape, bits, context, made)
        made.rename(file)
    return file


def call_worker(engine: str, file: pathlib.Path, *numbers: int) -> dict[str, float]:
    """What one process measured.

    Raises:
        RuntimeError: it failed, with its last words.
    """
    # The published package has our import name: its process sees nothing of ours.
    is_published = engine == "published"
    path = published.search_path() if is_published else os.pathsep.join(sys.path)
    command = [sys.executable, *(["-S"] if is_published else []), llm_worker.__file__]
    command += [engine, str(file), *map(str, numbers)]
    environment = {**os.environ, "PYTHONPATH": path or "", "OMP_NUM_THREADS": str(numbers[0])}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode:
        # Killed by a signal, a process has no last words.
        code = done.returncode
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"status {code}"
        raise RuntimeError(f"{engine} failed with {file.name}, {how}: {done.stderr[-2000:]}")
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"prefill_s"')]
    found: dict[str, float] = json.loads(lines[-1])
    return found


def rows_of(
    model: str, bits: int, threads: int, taken: dict[str, list[dict[str, float]]], context: int
) -> list[dict[str, Any]]:
    """A row for each phase, out of what all processes measured."""

    def median(engine: str, key: str) -> float:
        return statistics.median(one[key] for one in taken[engine])

    copy = statistics.median(one["copy_gb_s"] for found in taken.values() for one in found)
    shape = llm_models.SHAPES[model]
    read = shape.linear_weights() * llm_models.MODES[bits][2]
    cached = shape.cache_values(context) * llm_models.CACHE_BYTES["ours"]
    rows = []
    for phase, key, tokens in (("prefill", "prefill_s", context), ("decode", "decode_s", 1)):
        rates = {engine: tokens / median(engine, key) for engine in taken}
        mine = rates.pop("ours")
        row = {"model": model, "bits": bits, "threads": threads, "phase": phase, "context": context}
        row |= {"ours_tokens_s": mine, "peers": rates}
        if phase == "decode":
            row |= {"share_of_bandwidth": read * mine / 1e9 / copy, "copy_gb_s": copy}
            row["share_with_cache"] = (read + cached) * mine / 1e9 / copy
        rows.append(row)
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    lines = [
        f"{'model':14}{'bits':>5}{'threads':>8}{'context':>8}  {'phase':8}{'ours t/s':>10}{'share':>8}{'+ cache':>8}  peers"
    ]
    for row in rows:
        shares = [
            f"{row[key]:.0%}" if key in row else "" for key in ("share_of_bandwidth", "share_with_cache")
        ]
        peers = ", ".join(f"{name} {rate:.1f}" for name, rate in row["peers"].items())
        lines.append(
            f"{row['model']:14}{row['bits']:5}{row['threads']:8}{row['context']:8}  {row['phase']:8}{row['ours_tokens_s']:10.1f}{shares[0]:>8}{shares[1]:>8}  {peers}"
        )
    return "\n".join(lines)


def memory_table(memory: list[dict[str, Any]]) -> str:
    """What is resident, and what of it beside the cache, as a share of the file."""
    lines = [
        f"{'model':14}{'bits':>5}{'threads':>8}{'context':>8}  {'engine':10}{'file MiB':>9}{'cache':>7}{'RSS':>7}{'of file':>9}{'load s':>8}{'first':>8}"
    ]
    lines += [
        f"{one['model']:14}{one['bits']:5}{one['threads']:8}{one['context']:8}  {one['engine']:10}{one['file_mib']:9.1f}"
        f"{one['cache_mib']:7.1f}{one['rss_mib']:7.1f}{one['of_file']:9.2f}{one['load_s']:8.3f}{one['first_load_s']:8.3f}"
        for one in memory
    ]
    return "\n".join(lines)


def measure(
    model: str, files: dict[str, pathlib.Path], threads: int, context: int
) -> dict[str, list[dict[str, float]]]:
    """What the processes of all rounds measured, for each engine; they take turns."""
    taken: dict[str, list[dict[str, float]]] = {engine: [] for engine in files}
    for number in range(_ROUNDS.value):
        for engine in files if number % 2 == 0 else reversed(files):
            numbers = (threads, context, _STEPS.value, llm_models.SHAPES[model].vocab_size)
            taken[engine].append(call_worker(engine, files[engine], *numbers))
    return taken


def memory_of(engine: str, file: pathlib.Path, taken: list[dict[str, float]], cached: int) -> dict[str, Any]:
    """Where the memory of an engine is, of whose cache so many numbers are."""
    parts = [one for one in file.rglob("*") if one.is_file()] if file.is_dir() else [file]
    size = sum(one.stat().st_size for one in parts) / 2**20
    cache = cached * llm_models.CACHE_BYTES[engine] / 2**20
    resident = statistics.median(one["rss_mib"] for one in taken)
    return {
        "engine": engine,
        "file_mib": size,
        "cache_mib": cache,
        "rss_mib": resident,
        "of_file": (resident - cache) / size,
        "load_s": statistics.median(one["load_s"] for one in taken),
    }


def files_of(
    directory: pathlib.Path, model: str, bits: int, context: int, failed: list[dict[str, Any]]
) -> dict[str, pathlib.Path]:
    """The files of all engines that are there; why one could not be made is noted, and the engine takes no part."""
    files = {}
    for engine in engines():
        if bits not in _ENGINES[engine].bits:
            continue
        try:
            files[engine] = file_of(directory, engine, model, bits, context)
        except Exception as error:  # whatever a maker stumbles over, the others go on
            failed.append({"model": model, "bits": bits, "engine": engine, "why": str(error)})
    return files


def first_loads(model: str, files: dict[str, pathlib.Path]) -> dict[str, float]:
    """Seconds that each engine takes to load its file for the first time; what fails does so again where it is measured."""
    found = {}
    for engine, file in files.items():
        try:
            found[engine] = call_worker(engine, file, 1, 2, 1, llm_models.SHAPES[model].vocab_size)["load_s"]
        except RuntimeError:
            found[engine] = float("nan")
    return found


def measure_each(
    model: str,
    files: dict[str, pathlib.Path],
    way: tuple[int, int],
    names: dict[str, Any],
    failed: list[dict[str, Any]],
) -> dict[str, list[dict[str, float]]]:
    """As :func:`measure` for a context and threads; an engine that fails is noted, and left out."""
    context, threads = way
    try:
        return measure(model, files, threads, context)
    except RuntimeError:
        pass
    taken = {}
    for engine, file in files.items():
        try:
            taken |= measure(model, {engine: file}, threads, context)
        except RuntimeError as error:
            failed.append(names | {"engine": engine, "why": str(error)})
    return taken


def run(directory: pathlib.Path) -> dict[str, Any]:
    """All that the flags ask for."""
    rows: list[dict[str, Any]] = []
    memory: list[dict[str, Any]] = []
    failed: list[dict[str, Any]] = []
    contexts = [int(context) for context in _CONTEXTS.value]
    models = [(model, int(bits)) for model in _MODELS.value for bits in _BITS.value]
    ways = list(itertools.product(contexts, map(int, _THREADS.value)))
    with tqdm(total=len(models) * len(ways), disable=None, unit="rows") as progress:
        for model, bits in models:
            files = files_of(directory, model, bits, max(contexts), failed)
            shape = llm_models.SHAPES[model]
            first = first_loads(model, files)
            for context, threads in ways:
                names = {"model": model, "bits": bits, "threads": threads, "context": context}
                taken = measure_each(model, files, (context, threads), names, failed)
                if "ours" in taken:
                    found = rows_of(model, bits, threads, taken, context)
                    progress.write(table(found), file=sys.stderr)
                    rows += found
                for engine, one in taken.items():
                    cached = max(contexts) if _ENGINES[engine].has_longest_cache else context
                    figures = memory_of(engine, files[engine], one, shape.cache_values(2 * cached))
                    memory.append(names | figures | {"first_load_s": first[engine]})
                progress.update()
    absent = [name for name in _ENGINES if name not in engines()]
    return {"rows": rows, "absent": absent, "memory": memory, "failed": failed}


def main(argv: list[str]) -> None:
    del argv
    # Modules beside this one have names of packages that converters look for, as `kernels`.
    here = pathlib.Path(__file__).resolve().parent
    sys.path[:] = [one for one in sys.path if pathlib.Path(one).resolve() != here]
    unknown = [name for name in _MODELS.value if name not in llm_models.SHAPES]
    if unknown:
        raise app.UsageError(f"no model {', '.join(unknown)}: there are {', '.join(llm_models.SHAPES)}")
    with tempfile.TemporaryDirectory() as passing:
        directory = pathlib.Path(_KEEP.value or passing)
        directory = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), directory).absolute()
        directory.mkdir(parents=True, exist_ok=True)
        result = run(directory)
    print(table(result["rows"]))
    print(memory_table(result["memory"]))
    for name in result["absent"]:
        print(f"{name} is not installed: it takes no part")
    for one in result["failed"]:
        print("failed: " + ", ".join(f"{key} {value}" for key, value in one.items()))
    print("RESULT " + json.dumps(result))
    if result["failed"]:
        sys.exit(1)


if __name__ == "__main__":
    app.run(main)
