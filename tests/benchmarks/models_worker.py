"""One engine, one model, one process: measures, prints `{"us": ...}`. See models.py.

Usage: models_worker.py ENGINE MODEL THREADS SECONDS PROGRAM

The engines `ours` and `published` run the same code; which package is imported as `executorch` makes the difference. So
nothing here imports anything of that package but documented names.
"""

from __future__ import annotations

import importlib.util
import json
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any

OURS, PUBLISHED = "ours", "published"
#: The package that an engine needs. The published one is looked for by its directory.
PEERS = {"torch": "torch", "onnxruntime": "onnxruntime", "openvino": "openvino"}
ABSENT = 77
"""The exit code that says that the engine is not installed."""
UNSUPPORTED = 78
"""The exit code that says that the engine is not asked for such models here."""


def models() -> dict[str, Any]:
    """The models, read from the file beside this one, since processes of peers cannot import our package."""
    name = "executorch_peer_models"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            name, pathlib.Path(__file__).with_name("peer_models.py")
        )
        assert spec is not None and spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    found: dict[str, Any] = sys.modules[name].MODELS
    return found


def program_of(model: str, xnnpack: bool) -> bytes:
    """The model as a program, by whichever package is `executorch`; without delegates unless `xnnpack`."""
    import torch

    from executorch.exir import to_edge, to_edge_transform_and_lower

    module, inputs = models()[model].build()
    if models()[model].int8:
        module = _quantized(module, inputs)
    with torch.no_grad():
        captured = torch.export.export(module, inputs)
        if not xnnpack:
            return bytes(to_edge(captured).to_executorch().buffer)
        from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

        edge = to_edge_transform_and_lower(captured, partitioner=[XnnpackPartitioner()])
        return bytes(edge.to_executorch().buffer)


def _quantized(module: Any, inputs: tuple[Any, ...]) -> Any:
    import torch
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
        XNNPACKQuantizer,
        get_symmetric_quantization_config,
    )

    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(torch.export.export(module, inputs).module(), quantizer)
    prepared(*inputs)
    return convert_pt2e(prepared)


def executorch(model: str, threads: int, program: str) -> Callable[[], Any]:
    """A call of the runtime that is imported as `executorch`; its program is made if it is not there yet.

    A file name that ends with `.xnnpack.pte` asks for delegates.
    """
    from executorch.extension.pybindings.portable_lib import _unsafe_reset_threadpool
    from executorch.runtime import Runtime

    file = pathlib.Path(program)
    if not file.exists():
        file.write_bytes(program_of(model, file.name.endswith(".xnnpack.pte")))
    _unsafe_reset_threadpool(threads)
    content = file.read_bytes()
    loaded = Runtime.get().load_program(content)
    method = loaded.load_method("forward")
    _, inputs = models()[model].build()

    def call() -> Any:
        return method.execute(inputs)

    # The published package's methods do not keep what they were loaded from.
    call.program = loaded, content  # type: ignore[attr-defined]
    return call


def eager(model: str, threads: int, program: str) -> Callable[[], Any]:
    """A call of PyTorch itself."""
    import torch

    del program
    torch.set_num_threads(threads)
    module, inputs = models()[model].build()

    def call() -> Any:
        with torch.inference_mode():
            return module(*inputs)

    return call


def onnxruntime(model: str, threads: int, program: str) -> Callable[[], Any]:
    """A call of ONNX Runtime, from PyTorch's own exporter."""
    import onnxruntime as engine
    import torch

    file = pathlib.Path(program).with_suffix(".onnx")
    module, inputs = models()[model].build()
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

    del program
    module, inputs = models()[model].build()
    converted = engine.convert_model(torch.export.export(module, inputs))
    config = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"}
    compiled = engine.compile_model(converted, "CPU", config)
    arrays = [t.numpy() for t in inputs]
    return lambda: compiled(arrays)


ENGINES = {
    OURS: executorch,
    PUBLISHED: executorch,
    "torch": eager,
    "onnxruntime": onnxruntime,
    "openvino": openvino,
}


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
    if engine in PEERS and importlib.util.find_spec(PEERS[engine]) is None:
        return ABSENT
    if engine in PEERS and models()[model].int8:
        return UNSUPPORTED
    call = ENGINES[engine](model, int(threads), program)
    print(json.dumps({"us": least_us(call, float(seconds))}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
