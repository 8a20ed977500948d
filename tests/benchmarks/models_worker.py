"""One engine, one model, one process: measures, prints `{"us": ...}`. See models.py.

Usage: models_worker.py ENGINE MODEL THREADS SECONDS PROGRAM
"""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from collections.abc import Callable
from typing import Any

PEERS = ("torch", "onnxruntime", "openvino")
ABSENT = 77
"""The exit code that says that the engine is not installed."""


def our_program(model: str) -> bytes:
    """The model as a program without delegates."""
    import torch

    from executorch.exir import to_edge
    from executorch.tests.benchmarks.peer_models import MODELS

    module, inputs = MODELS[model].build()
    with torch.no_grad():
        return bytes(to_edge(torch.export.export(module, inputs)).to_executorch().buffer)


def ours(model: str, threads: int, program: str) -> Callable[[], Any]:
    """A call of our runtime."""
    from executorch.runtime import Runtime
    from executorch.tests.benchmarks.peer_models import MODELS

    del threads  # the undelegated kernels run on the calling thread
    method = Runtime.get().load_program(program).load_method("forward")
    _, inputs = MODELS[model].build()
    return lambda: method.execute(inputs)


def eager(model: str, threads: int, program: str) -> Callable[[], Any]:
    """A call of PyTorch itself."""
    import torch

    from executorch.tests.benchmarks.peer_models import MODELS

    del program
    torch.set_num_threads(threads)
    module, inputs = MODELS[model].build()

    def call() -> Any:
        with torch.inference_mode():
            return module(*inputs)

    return call


def onnxruntime(model: str, threads: int, program: str) -> Callable[[], Any]:
    """A call of ONNX Runtime, from PyTorch's own exporter."""
    import pathlib

    import onnxruntime as engine
    import torch

    from executorch.tests.benchmarks.peer_models import MODELS

    file = pathlib.Path(program).with_suffix(".onnx")
    module, inputs = MODELS[model].build()
    torch.onnx.export(module, inputs, file, dynamo=False)
    options = engine.SessionOptions()
    options.intra_op_num_threads = threads
    session = engine.InferenceSession(file.read_bytes(), options, providers=["CPUExecutionProvider"])
    feed = {i.name: t.numpy() for i, t in zip(session.get_inputs(), inputs, strict=True)}
    return lambda: session.run(None, feed)


def openvino(model: str, threads: int, program: str) -> Callable[[], Any]:
    """A call of OpenVINO, in single precision."""
    import openvino as engine
    import torch

    from executorch.tests.benchmarks.peer_models import MODELS

    del program
    module, inputs = MODELS[model].build()
    converted = engine.convert_model(torch.export.export(module, inputs))
    config = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"}
    compiled = engine.compile_model(converted, "CPU", config)
    arrays = [t.numpy() for t in inputs]
    return lambda: compiled(arrays)


ENGINES = {"ours": ours, "torch": eager, "onnxruntime": onnxruntime, "openvino": openvino}


def least_us(call: Callable[[], Any], seconds: float) -> float:
    """The least time of a call, over about `seconds` and at least five calls."""
    call()
    least = float("inf")
    end = time.perf_counter() + seconds
    count = 0
    while count < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - start)
        count += 1
    return least * 1e6


def main(argv: list[str]) -> int:
    engine, model, threads, seconds, program = argv
    if engine != "ours" and importlib.util.find_spec(engine) is None:
        return ABSENT
    call = ENGINES[engine](model, int(threads), program)
    print(json.dumps({"us": least_us(call, float(seconds))}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
