"""Whole models on OpenVINO's delegate, on OpenVINO alone, and on XNNPACK: batches in turn, in one process.

    ./bazelw run //tests/benchmarks:openvino -- --models mnv2,resnet18 --threads 1,2

OpenVINO alone is the same exported program through its own converter, with the same precision, hint and number of threads, and
its own tensors set once. The last line is `RESULT {json}` with `rows`: model, threads, microseconds of each, `ratio` (the median
over the rounds of ours by OpenVINO alone), `xnnpack_ratio`, and the largest difference from eager PyTorch. What OpenVINO's own converter
cannot read has no numbers of its own.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from absl import app, flags

from executorch.backends.openvino import OpenvinoPartitioner
from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _unsafe_reset_threadpool
from executorch.runtime import Runtime
from executorch.tests.benchmarks.peer_models import MODELS

_MODELS = flags.DEFINE_list("models", [name for name in MODELS if not MODELS[name].int8], "models to run")
_THREADS = flags.DEFINE_list("threads", ["1", "2"], "numbers of threads")
_ROUNDS = flags.DEFINE_integer("rounds", 15, "batches of each", lower_bound=3)
_SECONDS = flags.DEFINE_float("batch_seconds", 0.2, "how long a batch takes")

Call = Callable[[], Any]
OURS, ALONE, XNNPACK = "ours", "openvino", "xnnpack"


def _program(captured: Any, inputs: Sequence[Any], partitioner: Any, options: dict[str, Any]) -> Call:
    edge = to_edge_transform_and_lower(captured, partitioner=[partitioner])
    loaded = Runtime.get().load_program(edge.to_executorch().buffer)
    method = loaded.load_method("forward", backend_options=options)
    given = list(inputs)
    return lambda: method.execute(given)


def _alone(captured: Any, inputs: Sequence[Any], threads: int) -> Call:
    import openvino

    config = {
        "INFERENCE_NUM_THREADS": threads,
        "INFERENCE_PRECISION_HINT": "f32",
        "PERFORMANCE_HINT": "LATENCY",
    }
    model = openvino.convert_model(captured)
    # The converter lets every size change; the program's are fixed.
    model.reshape({index: list(one.shape) for index, one in enumerate(inputs)})
    request = openvino.compile_model(model, "CPU", config).create_infer_request()
    tensors = [openvino.Tensor(one.numpy()) for one in inputs]
    for index, tensor in enumerate(tensors):
        request.set_input_tensor(index, tensor)

    def call() -> list[Any]:
        request.infer()
        return [torch.from_numpy(request.get_output_tensor(0).data)]

    call.kept = tensors  # type: ignore[attr-defined]
    return call


def calls_of(name: str, threads: int) -> tuple[dict[str, Call], torch.Tensor]:
    """The ways to run a model, and what eager PyTorch makes of the same inputs."""
    from openvino.frontend import OpConversionFailure

    module, inputs = MODELS[name].build()
    with torch.no_grad():
        captured = torch.export.export(module, inputs)
        expected = module(*inputs)
    _unsafe_reset_threadpool(threads)
    given = {"OpenvinoBackend": {"INFERENCE_NUM_THREADS": threads}}
    calls = {
        OURS: _program(captured, inputs, OpenvinoPartitioner(), given),
        XNNPACK: _program(captured, inputs, XnnpackPartitioner(), {}),
    }
    try:
        calls[ALONE] = _alone(captured, inputs, threads)
    except OpConversionFailure as error:
        print(f"{name}: OpenVINO alone: {str(error).splitlines()[0]}")
    return calls, expected


def _times(calls: dict[str, Call], rounds: int, seconds: float) -> dict[str, list[float]]:
    counts = {}
    for name, call in calls.items():
        call()
        start = time.perf_counter()
        call()
        counts[name] = max(1, round(seconds / (time.perf_counter() - start)))
    times: dict[str, list[float]] = {name: [] for name in calls}
    order = list(calls)
    for turn in range(rounds):
        for name in order[turn % len(order) :] + order[: turn % len(order)]:
            # Threads of one library keep spinning for a while after its last call.
            calls[name]()
            start = time.perf_counter()
            for _ in range(counts[name]):
                calls[name]()
            times[name].append((time.perf_counter() - start) / counts[name] * 1e6)
    return times


def measure(name: str, threads: int, rounds: int, seconds: float) -> dict[str, Any]:
    """One row."""
    calls, expected = calls_of(name, threads)
    difference = max(float((call()[0] - expected).abs().max()) for call in calls.values())
    times = _times(calls, rounds, seconds)

    def ratio(over: str) -> float:
        return statistics.median(ours / other for ours, other in zip(times[OURS], times[over], strict=True))

    row = {"model": name, "threads": threads, "difference": difference}
    row |= {f"{way}_us": round(statistics.median(some), 2) for way, some in times.items()}
    row |= {f"{way}_least_us": round(min(some), 2) for way, some in times.items()}
    row["xnnpack_ratio"] = round(ratio(XNNPACK), 3)
    if ALONE in times:
        row |= {
            "ratio": round(ratio(ALONE), 3),
            "least_ratio": round(min(times[OURS]) / min(times[ALONE]), 3),
        }
    return row


def line(row: dict[str, Any]) -> str:
    """A row, for people."""
    alone = "cannot read it"
    if "ratio" in row:
        alone = f"{row['openvino_us']:10.1f}  ({row['ratio']:.3f}, of the least {row['least_ratio']:.3f})"
    return (
        f"{row['model']:14} {row['threads']} thread(s)  ours {row['ours_us']:10.1f} us  OpenVINO alone {alone}"
        f"  XNNPACK {row['xnnpack_us']:10.1f}  difference {row['difference']:.1e}"
    )


def main(argv: list[str]) -> None:
    del argv
    torch.set_num_threads(1)
    rows = []
    for name in _MODELS.value:
        for threads in map(int, _THREADS.value):
            row = measure(name, threads, _ROUNDS.value, _SECONDS.value)
            rows.append(row)
            print(line(row), flush=True)
    print("RESULT " + json.dumps({"rows": rows}))


if __name__ == "__main__":
    app.run(main)
