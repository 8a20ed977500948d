"""Single kernels: ours beside PyTorch's, on a million elements or on the shapes of models, in one run.

    ./bazelw run //tests/benchmarks:kernels [-- --threads=1,2] [--match=softmax]

Sides take turns, in short rounds. On one thread both report the least processor time of some repetitions, on several
the shortest duration; a row has the medians over the rounds. README.md says how rows are counted. The last line is
`RESULT {json}` with `rows` (kernel, shape, threads, ours_us, copy_us, peers.torch, torch_share, reached, not_slower and,
for what memory may bound, copy_share) and the counts `reached`, `not_slower` and `misses`.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from absl import app, flags
from tqdm import tqdm

from executorch.kernels.test.op_driver import OpDriver, Out, Result, driver_path
from executorch.kernels.test.oracle import as_list, bind, call_out, resolve
from executorch.tests.benchmarks.kernels_cases import KERNELS, LINE, Kernel

_ROUNDS = flags.DEFINE_integer("rounds", 5, "How often the sides take turns.", lower_bound=1)
_REPEAT = flags.DEFINE_integer("repeat", 20, "Least number of calls in a turn.", lower_bound=1)
_THREADS = flags.DEFINE_list("threads", ["1", "2"], "Thread counts.")
_MATCH = flags.DEFINE_string("match", "", "Only kernels whose name has this part.")

SCRATCH = 16 << 20
"""Bytes of temporary memory, which a program's method has as well."""
TARGET = 0.7
"""Of a copy's bandwidth, or of PyTorch's speed."""
REST = 0.05
"""Seconds."""
TURN_US = 20000
"""With several threads a turn takes so long at least: one that slept may begin on the processor of the one that woke it, and
the system takes some milliseconds to part them."""


def _torch_us(op: Any, args: list[Any], options: dict[str, Any], threads: int, calls: int) -> float:
    clock = time.thread_time_ns if threads == 1 else time.perf_counter_ns
    least = float("inf")
    torch.set_num_threads(threads)
    with torch.inference_mode():
        for _ in range(calls):
            start = clock()
            op(*args, **options)
            least = min(least, clock() - start)
    torch.set_num_threads(1)
    return least / 1e3


def _rest(threads: int) -> None:
    """Waits until the threads of the side that was at work sleep: both spin for a while, on the other's processor.

    For the same reason PyTorch has one thread while it hands the driver its tensors.
    """
    if threads > 1:
        time.sleep(REST)


def _ours_us(result: Result, threads: int) -> float:
    return (result.nanoseconds if threads == 1 else result.duration) / 1e3


def _call(driver: OpDriver, kernel: Kernel, bound: dict[str, Any], outs: list[Out], calls: int) -> Result:
    if "::" not in kernel.out:
        return call_out(driver, resolve(kernel.out), bound, outs, repeat=calls, temp_bytes=SCRATCH)
    # PyTorch has no such out variant: the same arguments, and the outputs behind them.
    schema = resolve(kernel.functional)._schema
    arguments = [(bound[a.name], str(a.type)) for a in schema.arguments]
    arguments += [(out, "Tensor") for out in outs]
    return driver.call(kernel.out, arguments, repeat=calls, temp_bytes=SCRATCH)


def _sides(
    driver: OpDriver, kernel: Kernel, args: list[Any], threads: int
) -> dict[str, Callable[[int], float]]:
    """The least time of so many calls, in microseconds, of each side."""
    functional = resolve(kernel.functional)
    outs = [Out(like=t) for t in as_list(functional(*args, **kernel.options))]
    bound = bind(functional, args, kernel.options)
    plain = torch.randn(LINE)
    copy = resolve("clone.out")

    def ours(calls: int) -> float:
        result = _call(driver, kernel, bound, outs, calls)
        if result.error:
            raise RuntimeError(f"the kernel of {kernel.out} failed with 0x{result.error:x}")
        return _ours_us(result, threads)

    def copied(calls: int) -> float:
        return _ours_us(call_out(driver, copy, {"self": plain}, [Out(like=plain)], repeat=calls), threads)

    return {
        "ours": ours,
        "torch": lambda calls: _torch_us(functional, args, kernel.options, threads, calls),
        "copy": copied,
    }


def measure(driver: OpDriver, kernel: Kernel, threads: int) -> dict[str, Any]:
    """One row; the driver has as many threads already."""
    torch.manual_seed(0)
    args = kernel.args()
    sides = _sides(driver, kernel, args, threads)
    calls = dict.fromkeys(sides, _REPEAT.value)
    if threads > 1:
        calls = {name: max(_REPEAT.value, int(TURN_US / side(_REPEAT.value))) for name, side in sides.items()}
    times: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(_ROUNDS.value):
        for name, side in sides.items():
            _rest(threads)
            times[name].append(side(calls[name]))
    least = {name: round(statistics.median(each), 1) for name, each in times.items()}
    tensors = [a for a in torch.utils._pytree.tree_leaves(args) if isinstance(a, torch.Tensor)]
    row = {
        "kernel": kernel.out,
        "shape": [list(t.shape) for t in tensors],
        "threads": threads,
        "ours_us": least["ours"],
        "copy_us": least["copy"],
        "peers": {"torch": least["torch"]},
    }
    return judged(row, kernel.streams)


def judged(row: dict[str, Any], streams: float) -> dict[str, Any]:
    """The row with its shares of a copy's bandwidth and of PyTorch's speed, and what they mean.

    Args:
        streams: See `Kernel.streams`.
    """
    shares = [row["peers"]["torch"] / row["ours_us"]]
    row["torch_share"] = round(shares[0], 3)
    if streams:
        # A copy reads one stream and writes another.
        shares.append(row["copy_us"] * streams / 2 / row["ours_us"])
        row["copy_share"] = round(shares[1], 3)
    row["reached"] = max(shares) >= TARGET
    row["not_slower"] = shares[0] >= 1
    return row


def show(row: dict[str, Any]) -> None:
    """One line of the table."""
    copy = f"{row['copy_share']:>5.0%} of a copy" if "copy_share" in row else ""
    verdict = ("reached" if row["reached"] else "MISSED") + (
        "" if row["not_slower"] else ", slower than torch"
    )
    print(
        f"{row['kernel'].removeprefix('quantized_decomposed::'):28} {row['shape']!s:40} {row['threads']} thread(s)"
        f"  ours {row['ours_us']:>9,.1f} us  torch {row['peers']['torch']:>9,.1f} us"
        f"  {row['torch_share']:>5.2f} of torch's speed {copy:16} {verdict}",
        flush=True,
    )


def counts(rows: list[dict[str, Any]]) -> dict[str, int]:
    """How many rows reach the target, how many of these are not slower than PyTorch either, and how many miss it."""
    reached = [row for row in rows if row["reached"]]
    return {
        "reached": len(reached),
        "not_slower": sum(row["not_slower"] for row in reached),
        "misses": len(rows) - len(reached),
    }


def measure_all(threads: int) -> list[dict[str, Any]]:
    """The rows of one thread count, printed as they come."""
    torch.set_num_threads(1)
    os.environ["ET_KERNEL_TEST_THREADS"] = str(threads)
    driver = OpDriver(driver_path("op_driver_threads"))
    rows = []
    try:
        for kernel in tqdm([k for k in KERNELS if _MATCH.value in k.out], desc="kernels"):
            rows.append(measure(driver, kernel, threads))
            show(rows[-1])
    finally:
        driver.close()
    return rows


def main(argv: list[str]) -> None:
    del argv
    # The tests' oracle does without, for its sake of empty tensors.
    torch.backends.mkldnn.enabled = True  # type: ignore[assignment]
    rows = [row for threads in _THREADS.value for row in measure_all(int(threads))]
    total = counts(rows)
    print(
        f"{total['reached']} of {len(rows)} rows reach the target, {total['not_slower']} are not slower than torch"
    )
    print("RESULT " + json.dumps({"rows": rows, **total}))


if __name__ == "__main__":
    app.run(main)
