"""Single kernels: ours beside PyTorch's, on a million elements or on the shapes of models, in one run.

    ./bazelw run //tests/benchmarks:kernels

Both sides run on one thread and report the least processor time of some repetitions; sides take turns. For what
memory bounds, `copy_share` is the part of a plain copy's bandwidth that ours reaches. The last line is
`RESULT {json}` with `rows`: kernel, shape, ours_us, peers.torch, copy_share.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from absl import app, flags
from tqdm import tqdm

from executorch.kernels.test.op_driver import OpDriver, Out, driver_path
from executorch.kernels.test.oracle import as_list, bind, call_out, resolve

_ROUNDS = flags.DEFINE_integer("rounds", 5, "How often the sides take turns.", lower_bound=1)
_REPEAT = flags.DEFINE_integer("repeat", 20, "Calls in a turn.", lower_bound=1)
_MATCH = flags.DEFINE_string("match", "", "Only kernels whose name has this part.")

LINE = (1024, 1024)
SCRATCH = 16 << 20
"""Bytes of temporary memory, which a program's method has as well."""


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


KERNELS = [
    Kernel("add.Tensor", "add.out", _random(LINE, LINE), 3),
    Kernel("mul.Tensor", "mul.out", _random(LINE, LINE), 3),
    Kernel("relu", "relu.out", _random(LINE), 2),
    Kernel("exp", "exp.out", _random(LINE), 2),
    Kernel("sigmoid", "sigmoid.out", _random(LINE), 2),
    Kernel("tanh", "tanh.out", _random(LINE), 2),
    Kernel("gelu", "gelu.out", _random(LINE), 2),
    Kernel("sum.dim_IntList", "sum.IntList_out", lambda: [torch.randn(LINE), [1]], 1),
    Kernel("amax", "amax.out", lambda: [torch.randn(LINE), [1]], 1),
    Kernel("_softmax", "_softmax.out", lambda: [torch.randn(LINE), 1, False], 2),
    Kernel(
        "native_layer_norm",
        "native_layer_norm.out",
        lambda: [torch.randn(LINE), [1024], torch.randn(1024), torch.randn(1024), 1e-5],
        2,
    ),
    Kernel("permute_copy", "permute_copy.out", lambda: [torch.randn(LINE), [1, 0]], 2),
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


def _torch_us(op: Any, args: list[Any]) -> float:
    least = float("inf")
    with torch.inference_mode():
        for _ in range(_REPEAT.value):
            start = time.thread_time_ns()
            op(*args)
            least = min(least, time.thread_time_ns() - start)
    return least / 1e3


def measure(driver: OpDriver, kernel: Kernel) -> dict[str, Any]:
    """One row."""
    torch.manual_seed(0)
    args = kernel.args()
    functional, out = resolve(kernel.functional), resolve(kernel.out)
    expected = as_list(functional(*args))
    bound = bind(functional, args, {})
    first = next(a for a in args if isinstance(a, torch.Tensor))
    copy = resolve("clone.out")
    ours, theirs, copies = [], [], []
    for _ in range(_ROUNDS.value):
        outs = [Out(like=t) for t in expected]
        result = call_out(driver, out, bound, outs, repeat=_REPEAT.value, temp_bytes=SCRATCH)
        if result.error:
            raise RuntimeError(f"the kernel of {kernel.out} failed with 0x{result.error:x}")
        ours.append(result.nanoseconds / 1e3)
        theirs.append(_torch_us(functional, args))
        plain = call_out(driver, copy, {"self": first}, [Out(like=first)], repeat=_REPEAT.value)
        copies.append(plain.nanoseconds / 1e3)
    row = {
        "kernel": kernel.out,
        "shape": [list(a.shape) for a in args if isinstance(a, torch.Tensor)],
        "ours_us": round(statistics.median(ours), 1),
        "peers": {"torch": round(statistics.median(theirs), 1)},
    }
    if kernel.streams:
        # A copy reads one stream and writes another.
        bound_us = statistics.median(copies) * kernel.streams / 2
        row["copy_share"] = round(bound_us / statistics.median(ours), 3)
    return row


def main(argv: list[str]) -> None:
    del argv
    torch.set_num_threads(1)
    driver = OpDriver(driver_path("op_driver_optimized"))
    rows = []
    try:
        for kernel in tqdm([k for k in KERNELS if _MATCH.value in k.out], desc="kernels"):
            rows.append(measure(driver, kernel))
            row = rows[-1]
            share = f"  {row['copy_share']:.0%} of a copy" if "copy_share" in row else ""
            print(
                f"{row['kernel']:22} {row['shape']!s:40} ours {row['ours_us']:>9,.1f} us"
                f"  torch {row['peers']['torch']:>9,.1f} us{share}",
                flush=True,
            )
    finally:
        driver.close()
    print("RESULT " + json.dumps({"rows": rows}))


if __name__ == "__main__":
    app.run(main)
