"""Single kernels: ours beside PyTorch's, on a million elements or on the shapes of models, in one run.

    ./bazelw run //tests/benchmarks:kernels [-- --threads=1,2]

Sides take turns. On one thread both report the least processor time of some repetitions, on several the shortest
duration. For what memory bounds, `copy_share` is the part of a plain copy's bandwidth that ours reaches, with as many
threads. The target is 0.7 of it or, where arithmetic bounds, PyTorch's time; `misses` counts the rows of elementwise
operators, reductions, softmax and norms that reach neither. The last line is `RESULT {json}` with `rows`: kernel,
shape, threads, ours_us, copy_us, peers.torch, copy_share.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed
from absl import app, flags
from tqdm import tqdm

from executorch.kernels.test.op_driver import OpDriver, Out, Result, driver_path
from executorch.kernels.test.oracle import as_list, bind, call_out, resolve

_ROUNDS = flags.DEFINE_integer("rounds", 5, "How often the sides take turns.", lower_bound=1)
_REPEAT = flags.DEFINE_integer("repeat", 20, "Calls in a turn.", lower_bound=1)
_THREADS = flags.DEFINE_list("threads", ["1", "2"], "Thread counts.")
_MATCH = flags.DEFINE_string("match", "", "Only kernels whose name has this part.")

LINE = (1024, 1024)
SCRATCH = 16 << 20
"""Bytes of temporary memory, which a program's method has as well."""
TARGET = 0.7
"""Of a copy's bandwidth."""


@dataclass(frozen=True)
class Kernel:
    """A kernel to measure.

    Attributes:
        functional, out: The eager operator and the one whose kernel is called.
        args: Arguments; shapes become random tensors.
        streams: Tensors of the first one's size that pass through memory; 0 where arithmetic counts.
    """

    functional: str
    out: str
    args: Callable[[], list[Any]]
    streams: int = 0


def _random(*shapes: tuple[int, ...]) -> Callable[[], list[Any]]:
    return lambda: [torch.randn(shape) for shape in shapes]


def _quantized() -> list[Any]:
    return [torch.randint(-128, 128, LINE, dtype=torch.int8), 0.1, 3, -128, 127, torch.int8]


KERNELS = [
    Kernel("add.Tensor", "add.out", _random(LINE, LINE), 3),
    Kernel("mul.Tensor", "mul.out", _random(LINE, LINE), 3),
    Kernel("div.Tensor", "div.out", _random(LINE, LINE), 3),
    Kernel("relu", "relu.out", _random(LINE), 2),
    Kernel("hardtanh", "hardtanh.out", lambda: [torch.randn(LINE), 0.0, 6.0], 2),
    Kernel("exp", "exp.out", _random(LINE), 2),
    Kernel("sigmoid", "sigmoid.out", _random(LINE), 2),
    Kernel("tanh", "tanh.out", _random(LINE), 2),
    Kernel("gelu", "gelu.out", _random(LINE), 2),
    Kernel("sum.dim_IntList", "sum.IntList_out", lambda: [torch.randn(LINE), [1]], 1),
    Kernel("sum.dim_IntList", "sum.IntList_out", lambda: [torch.randn(LINE), [0]], 1),
    Kernel("mean.dim", "mean.out", lambda: [torch.randn(LINE), [1]], 1),
    Kernel("amax", "amax.out", lambda: [torch.randn(LINE), [1]], 1),
    Kernel("_softmax", "_softmax.out", lambda: [torch.randn(LINE), 1, False], 2),
    Kernel("_log_softmax", "_log_softmax.out", lambda: [torch.randn(LINE), 1, False], 2),
    Kernel(
        "native_layer_norm",
        "native_layer_norm.out",
        lambda: [torch.randn(LINE), [1024], torch.randn(1024), torch.randn(1024), 1e-5],
        2,
    ),
    Kernel(
        "quantized_decomposed::quantize_per_tensor",
        "quantized_decomposed::quantize_per_tensor.out",
        lambda: [torch.randn(LINE), 0.1, 3, -128, 127, torch.int8],
        1,
    ),
    Kernel(
        "quantized_decomposed::dequantize_per_tensor",
        "quantized_decomposed::dequantize_per_tensor.out",
        _quantized,
        1,
    ),
    Kernel("permute_copy", "permute_copy.out", lambda: [torch.randn(LINE), [1, 0]]),
    Kernel("cat", "cat.out", lambda: [[torch.randn(512, 1024), torch.randn(512, 1024)], 1]),
    Kernel("mm", "mm.out", _random((256, 256), (256, 256))),
    Kernel("bmm", "bmm.out", _random((4, 128, 64), (4, 64, 128))),
    Kernel(
        "linear", "linear.out", lambda: [torch.randn(128, 256), torch.randn(1024, 256), torch.randn(1024)]
    ),
    Kernel(
        "linear", "linear.out", lambda: [torch.randn(1, 1024), torch.randn(1024, 1024), torch.randn(1024)]
    ),
    Kernel(
        "convolution",
        "convolution.out",
        lambda: [
            *(torch.randn(s) for s in ((1, 64, 56, 56), (64, 64, 3, 3), (64,))),
            *([1, 1], [1, 1], [1, 1], False, [0, 0], 1),
        ],
    ),
    Kernel(
        "convolution",
        "convolution.out",
        lambda: [
            *(torch.randn(s) for s in ((1, 24, 56, 56), (144, 24, 1, 1), (144,))),
            *([1, 1], [0, 0], [1, 1], False, [0, 0], 1),
        ],
    ),
    Kernel(
        "max_pool2d_with_indices",
        "max_pool2d_with_indices.out",
        lambda: [torch.randn(1, 64, 112, 112), [3, 3], [2, 2], [1, 1]],
    ),
    Kernel(
        "convolution",
        "convolution.out",
        lambda: [
            *(torch.randn(s) for s in ((1, 144, 56, 56), (144, 1, 3, 3), (144,))),
            *([1, 1], [1, 1], [1, 1], False, [0, 0], 144),
        ],
    ),
]


def _torch_us(op: Any, args: list[Any], threads: int) -> float:
    clock = time.thread_time_ns if threads == 1 else time.perf_counter_ns
    least = float("inf")
    with torch.inference_mode():
        for _ in range(_REPEAT.value):
            start = clock()
            op(*args)
            least = min(least, clock() - start)
    return least / 1e3


def _ours_us(result: Result, threads: int) -> float:
    return (result.nanoseconds if threads == 1 else result.duration) / 1e3


def measure(driver: OpDriver, kernel: Kernel, threads: int) -> dict[str, Any]:
    """One row; the driver and PyTorch have as many threads already."""
    torch.manual_seed(0)
    args = kernel.args()
    functional = resolve(kernel.functional)
    expected = as_list(functional(*args))
    bound = bind(functional, args, {})
    plain = torch.randn(LINE)
    copy = resolve("clone.out")
    ours, theirs, copies = [], [], []
    for _ in range(_ROUNDS.value):
        outs = [Out(like=t) for t in expected]
        # Out variants take the same arguments and the outputs behind them.
        arguments = [(bound[a.name], str(a.type)) for a in functional._schema.arguments]
        arguments += [(out, "Tensor") for out in outs]
        name = kernel.out if "::" in kernel.out else f"aten::{kernel.out}"
        result = driver.call(name, arguments, repeat=_REPEAT.value, temp_bytes=SCRATCH)
        if result.error:
            raise RuntimeError(f"the kernel of {kernel.out} failed with 0x{result.error:x}")
        ours.append(_ours_us(result, threads))
        theirs.append(_torch_us(functional, args, threads))
        copied = call_out(driver, copy, {"self": plain}, [Out(like=plain)], repeat=_REPEAT.value)
        copies.append(_ours_us(copied, threads))
    tensors = [a for a in torch.utils._pytree.tree_leaves(args) if isinstance(a, torch.Tensor)]
    row = {
        "kernel": kernel.out,
        "shape": [list(t.shape) for t in tensors],
        "threads": threads,
        "ours_us": round(statistics.median(ours), 1),
        "copy_us": round(statistics.median(copies), 1),
        "peers": {"torch": round(statistics.median(theirs), 1)},
    }
    if kernel.streams:
        # A copy reads one stream and writes another.
        bound_us = statistics.median(copies) * kernel.streams / 2
        row["copy_share"] = round(bound_us / statistics.median(ours), 3)
    return row


def misses(row: dict[str, Any]) -> bool:
    """Whether a kernel that memory or arithmetic bounds reaches neither target."""
    return "copy_share" in row and row["copy_share"] < TARGET and row["ours_us"] > row["peers"]["torch"]


def show(row: dict[str, Any]) -> None:
    """One line of the table."""
    share = f"  {row['copy_share']:.0%} of a copy" if "copy_share" in row else ""
    print(
        f"{row['kernel'].removeprefix('quantized_decomposed::'):30} {row['shape']!s:40} {row['threads']} thread(s)"
        f"  ours {row['ours_us']:>9,.1f} us  torch {row['peers']['torch']:>9,.1f} us{share}",
        flush=True,
    )


def measure_all(threads: int) -> list[dict[str, Any]]:
    """The rows of one thread count, printed as they come."""
    torch.set_num_threads(threads)
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
    print("RESULT " + json.dumps({"rows": rows, "misses": sum(map(misses, rows))}))


if __name__ == "__main__":
    app.run(main)
