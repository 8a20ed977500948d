"""One side of the runtime's benchmark: a process that imports ``executorch.runtime``, whosever it is, and measures it.

    runtime_worker.py DIRECTORY numpy|torch SECONDS

Reads the programs of `runtime_programs` from DIRECTORY, spends about SECONDS on each timing and prints one JSON object.
It imports nothing else of the package, so that the published one runs it as well.
"""

from __future__ import annotations

import json
import pathlib
import statistics
import sys
import time


def peak_rss_mb() -> float:
    """The most memory this process ever had resident."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("this system does not tell what memory a process has")


def seconds_of(run, budget: float) -> float:
    """Median over batches of the time of one run."""
    count, spent = 1, 0.0
    while spent < budget / 20:
        start = time.perf_counter()
        for _ in range(count):
            run()
        spent = time.perf_counter() - start
        count *= 2
    count = max(1, count // 2)
    batches = []
    for _ in range(max(5, round(budget / max(spent, 1e-6)))):
        start = time.perf_counter()
        for _ in range(count):
            run()
        batches.append((time.perf_counter() - start) / count)
    return statistics.median(batches)


def main() -> None:
    directory, tensors, budget = pathlib.Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])
    start = time.perf_counter()
    from executorch.runtime import Runtime

    figures = {"import_s": time.perf_counter() - start}
    runtime = Runtime.get()

    def load(name: str):
        program = runtime.load_program((directory / name).read_bytes())
        return program, program.load_method("forward")

    # What a process that only runs programs has to import and keep.
    if tensors == "torch":
        import torch

        inputs = [torch.ones(2, 3), torch.full((2, 3), 2.0)]
    else:
        import numpy

        inputs = [numpy.ones((2, 3), numpy.float32), numpy.full((2, 3), 2.0, numpy.float32)]
    _one, add = load("add.pte")
    result = add.execute(inputs)[0]
    assert float(result[0][0]) == 3.0, result
    figures["rss_mb"] = peak_rss_mb()

    figures["call_us"] = 1e6 * seconds_of(lambda: add.execute(inputs), budget)
    _many, long_method = load("scalars_2001.pte")
    _few, short_method = load("scalars_1.pte")
    difference = seconds_of(lambda: long_method.execute([]), budget) - seconds_of(
        lambda: short_method.execute([]), budget
    )
    figures["ns_per_instruction"] = 1e9 * difference / 2000
    wide = (directory / "additions_500.pte").read_bytes()
    figures["load_ms"] = 1e3 * seconds_of(lambda: runtime.load_program(wide).load_method("forward"), budget)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
