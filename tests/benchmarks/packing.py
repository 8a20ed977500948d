"""Loading what XNNPACK runs, beside copying its weights.

    ./bazelw run //tests/benchmarks:packing

XNNPACK packs weights into the order in which its microkernels read them when a method is loaded; a copy of the same
number of bytes into new memory is the least that this can cost. Of each model, all in milliseconds:

    memcpy_ms        a copy of the weights, into memory that is new as the packed weights' is
    memcpy_again_ms  the same into memory that was written before, which spares the faults
    memcpy_large_ms  the same into new memory with large pages, which the packed weights' has
    load_ms          loading the method in a process that has none of its weights packed
    shared_load_ms   the same while another method holds the packed weights, so that nothing is packed
    pack_ms          the difference of the two
    first_load_ms    loading with a file for packed weights that does not exist: packing and writing it
    second_load_ms   loading with that file
    load_and_run_ms, second_load_and_run_ms   with one run behind it, which touches every page

`pack_per_memcpy`, `pack_per_memcpy_large` and `load_per_second_load` are the ratios. The weights are in memory already, nothing is read from disk
for the first time. glibc is told to give every large piece of memory back at once, so that each round has new memory, as a
process has that loads its first method. The first copy's memory has pages of the usual size, so that it takes more faults.
Where the system has no large pages, the last copy is the first. Each figure is the median of interleaved rounds, of a ratio the median of each round's; the last line is
`RESULT {json}`. `--clock=cpu` counts what the process uses of the processor, for machines that have more to do.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import pathlib
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from absl import app, flags

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.exir import EdgeProgramManager, to_edge_transform_and_lower
from executorch.exir.lowered_backend_module import get_lowered_submodules
from executorch.extension.pybindings.portable_lib import _unsafe_reset_threadpool
from executorch.runtime import Program, Runtime
from executorch.tests.benchmarks.peer_models import MODELS

_MODELS = flags.DEFINE_list("models", ["mlp", "mnv2", "resnet18", "bert"], "Which models of the comparison.")
_ROUNDS = flags.DEFINE_integer("rounds", 15, "How often each way is measured.", lower_bound=3)

_CLOCK = flags.DEFINE_enum("clock", "wall", ["wall", "cpu"], "What is counted.")

BACKEND = "XnnpackBackend"


# Of glibc's <malloc.h>: pieces of this size on are mappings of their own.
M_MMAP_THRESHOLD = -3
LARGE = 1 << 20

LARGE_PAGE = 2 << 20


def milliseconds(run: Callable[[], object]) -> float:
    """The time of one run; what it returns is gone before the next."""
    clock = time.process_time if flags.FLAGS.is_parsed() and _CLOCK.value == "cpu" else time.perf_counter
    start = clock()
    result = run()
    taken = clock() - start
    del result
    return 1e3 * taken


class Loads:
    """The ways to load one program's method.

    Args:
        program: The program.
        inputs: Of its method `forward`.
        file: Where packed weights go.
    """

    def __init__(self, program: Program, inputs: Sequence[torch.Tensor], file: pathlib.Path) -> None:
        self._program = program
        self._inputs = inputs
        self._file = file

    def load(self, *, with_file: bool = False, run: bool = False) -> object:
        """A loaded method."""
        path = {"packed_cache_path": str(self._file)} if with_file else {}
        method = self._program.load_method("forward", backend_options={BACKEND: path})
        if run:
            method.execute(self._inputs)
        return method

    def first_load(self) -> float:
        """Without the file there yet."""
        self._file.unlink(missing_ok=True)
        return milliseconds(lambda: self.load(with_file=True))

    def shared_load(self) -> float:
        """While another method has the weights."""
        held = self.load()
        taken = milliseconds(self.load)
        del held
        return taken


def measure(name: str, rounds: int, directory: pathlib.Path) -> dict[str, Any]:
    """The figures of one model."""
    module, inputs = MODELS[name].build()
    captured = torch.export.export(module, inputs)
    edge = to_edge_transform_and_lower(captured, partitioner=[XnnpackPartitioner()])
    program = Runtime.get().load_program(bytes(edge.to_executorch().buffer))
    loads = Loads(program, inputs, directory / f"{name}.packed")
    size = delegated_bytes(edge)
    weights = torch.ones(size, dtype=torch.uint8)
    again = torch.zeros_like(weights)
    # `first_load_ms` leaves the file that the two after it use.
    ways: dict[str, Callable[[], float]] = {
        "memcpy_ms": lambda: milliseconds(weights.clone),
        "memcpy_again_ms": lambda: milliseconds(lambda: again.copy_(weights)),
        "memcpy_large_ms": lambda: milliseconds(lambda: large_copy(weights)),
        "load_ms": lambda: milliseconds(loads.load),
        "shared_load_ms": loads.shared_load,
        "first_load_ms": loads.first_load,
        "second_load_ms": lambda: milliseconds(lambda: loads.load(with_file=True)),
        "load_and_run_ms": lambda: milliseconds(lambda: loads.load(run=True)),
        "second_load_and_run_ms": lambda: milliseconds(lambda: loads.load(with_file=True, run=True)),
    }
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds + 1):
        for way, run in ways.items():
            times[way].append(run())
    times = {way: each[1:] for way, each in times.items()}  # The first round warms up.
    packs = [load - shared for load, shared in zip(times["load_ms"], times["shared_load_ms"], strict=True)]
    figures = {
        **{way: round(statistics.median(each), 3) for way, each in times.items()},
        "pack_ms": round(statistics.median(packs), 3),
        "pack_per_memcpy": _median_ratio(packs, times["memcpy_ms"]),
        "pack_per_memcpy_large": _median_ratio(packs, times["memcpy_large_ms"]),
        "load_per_second_load": _median_ratio(times["load_ms"], times["second_load_ms"]),
    }
    return {"model": name, "weights_bytes": size, **figures}


def _median_ratio(times: Sequence[float], others: Sequence[float]) -> float:
    """Of what was measured in the same round."""
    return round(statistics.median(time / other for time, other in zip(times, others, strict=True)), 2)


def large_copy(weights: torch.Tensor) -> object:
    """A copy into new memory that wishes for large pages, aligned to them as the packed weights are."""
    size = weights.nbytes + LARGE_PAGE
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_HUGEPAGE)
    copy = torch.frombuffer(memory, dtype=torch.uint8)
    return copy[-copy.data_ptr() % LARGE_PAGE :][: weights.nbytes].copy_(weights)


def delegated_bytes(edge: EdgeProgramManager) -> int:
    """Bytes of the weights in the program's delegates, each once."""
    stores = [
        lowered.named_data_store_output
        for _, lowered, _ in get_lowered_submodules(edge.exported_program().graph_module)
    ]
    return sum(len(data) for data in {data for store in stores if store for data in store.buffers})


def run(models: Sequence[str], rounds: int) -> list[dict[str, Any]]:
    """Measures and prints one line for each model."""
    _unsafe_reset_threadpool(1)
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        for name in models:
            row = measure(name, rounds, pathlib.Path(directory))
            rows.append(row)
            print(
                f"{name:10} {row['weights_bytes'] / 1e6:6.1f} MB  copy {row['memcpy_ms']:7.2f} ms  pack "
                f"{row['pack_ms']:7.2f} ({row['pack_per_memcpy']:.2f} copies, {row['pack_per_memcpy_large']:.2f} with large pages)"
                f"  load {row['load_ms']:7.2f}  with the file "
                f"{row['second_load_ms']:7.2f} ({row['load_per_second_load']:.1f} times faster)",
                flush=True,
            )
    return rows


def main(argv: list[str]) -> None:
    del argv
    torch.set_num_threads(1)
    # Otherwise a piece that was freed serves the next round, of some models and not of others.
    if not ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE):
        raise RuntimeError("mallopt refused the size from which memory is mapped")
    print("RESULT " + json.dumps({"rows": run(_MODELS.value, _ROUNDS.value)}))


if __name__ == "__main__":
    app.run(main)
