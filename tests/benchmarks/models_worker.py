"""One engine and one model in one process: makes the engine's file, or measures it. See models.py.

    models_worker.py make ENGINE MODEL FILE
    models_worker.py run ENGINE MODEL FILE THREADS SECONDS

`make` writes FILE (whose ending says for `ours` and `published` whether programs are delegated) and, for the engine
`torch`, the inputs and what PyTorch makes of them. `run` prints `{"us": {threads: microseconds}, "difference": ...}`
for thread counts like `1,2`; the difference is relative to PyTorch's greatest element.

The engines `ours`, `published` and `published_xnnpack` run the same code; which package is imported as `executorch`, and
which program, makes the difference. So nothing here imports anything of that package but documented names. `ours_portable`
is a program of C++ with the portable kernels alone, while the bindings have the optimized ones.
"""

from __future__ import annotations

import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

OURS, PUBLISHED, EAGER = "ours", "published", "torch"
PORTABLE, PUBLISHED_XNNPACK = "ours_portable", "published_xnnpack"
"""Taking part where nothing is delegated: our portable library without the optimized one, and whose goal that is."""
PROGRAMS = (OURS, PUBLISHED, PUBLISHED_XNNPACK)
PEERS = ("onnxruntime", "openvino", "litert")
ABSENT = 77
"""The exit code that says that the engine is not installed."""
UNSUPPORTED = 78
"""The exit code that says that the engine is not asked for such models here."""

Call = Callable[[], Sequence[Any]]

RUNNER = pathlib.Path(__file__).parents[2] / "extension/executor_runner/portable_runner"


def _beside(name: str) -> Any:
    """A module of this directory, by its file: processes of peers cannot import our package."""
    full = f"executorch_{name}"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, pathlib.Path(__file__).with_name(f"{name}.py"))
        assert spec is not None and spec.loader is not None
        sys.modules[full] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[full])
    return sys.modules[full]


def models() -> dict[str, Any]:
    """The models of `peer_models`."""
    found: dict[str, Any] = _beside("peer_models").MODELS
    return found


def reference_file(file: pathlib.Path) -> pathlib.Path:
    """Where inputs and expected outputs of the model lie, for the file of any engine."""
    return file.with_name(file.name.partition(".")[0] + ".npz")


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
    from torch.export import export
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
        XNNPACKQuantizer,
        get_symmetric_quantization_config,
    )

    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(export(module, inputs).module(), quantizer)
    prepared(*inputs)
    return convert_pt2e(prepared)


def write_reference(model: str, file: pathlib.Path) -> None:
    """The model's inputs, and what PyTorch makes of them in single precision."""
    import numpy
    import torch

    module, inputs = models()[model].build()
    with torch.no_grad():
        expected = module(*inputs)
    arrays = {f"input{index}": value.numpy() for index, value in enumerate(inputs)}
    numpy.savez(reference_file(file), expected=expected.numpy(), **arrays)


def load_program(file: pathlib.Path, threads: int, inputs: Sequence[Any]) -> Call:
    """A call of the runtime that is imported as `executorch`."""
    import torch

    from executorch.extension.pybindings.portable_lib import _unsafe_reset_threadpool
    from executorch.runtime import Runtime

    _unsafe_reset_threadpool(threads)
    content = file.read_bytes()
    loaded = Runtime.get().load_program(content)
    method = loaded.load_method("forward")
    tensors = tuple(torch.from_numpy(array) for array in inputs)

    def call() -> Any:
        return method.execute(tensors)

    # The published package's methods do not keep what they were loaded from.
    call.program = loaded, content  # type: ignore[attr-defined]
    return call


def load_eager(model: str, threads: int) -> Call:
    """A call of PyTorch itself."""
    import torch

    torch.set_num_threads(threads)
    module, inputs = models()[model].build()

    def call() -> Any:
        with torch.inference_mode():
            return [module(*inputs)]

    return call


def least_us(call: Call, seconds: float) -> float:
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


def make(engine: str, model: str, file: pathlib.Path) -> None:
    """Writes what the engine runs."""
    if engine == EAGER:
        write_reference(model, file)
    elif engine in (*PROGRAMS, PORTABLE):
        file.write_bytes(program_of(model, file.name.endswith(".xnnpack.pte")))
    else:
        module, inputs = models()[model].build()
        _beside("peer_engines").ENGINES[engine].make(module, inputs, models()[model].int8, file)


def run(
    engine: str, model: str, file: pathlib.Path, threads: Sequence[int], seconds: float
) -> dict[str, Any]:
    """Measures one thread count after the other."""
    import numpy

    with numpy.load(reference_file(file)) as stored:
        inputs = [stored[f"input{index}"] for index in range(len(stored.files) - 1)]
        expected = stored["expected"]
    times = {}
    difference = 0.0
    for count in threads:
        if engine == EAGER:
            call = load_eager(model, count)
        elif engine in PROGRAMS:
            call = load_program(file, count, inputs)
        else:
            call = _beside("peer_engines").ENGINES[engine].load(file, count, inputs)
        result = numpy.asarray(call()[0])
        if result.dtype == expected.dtype:
            found = float(numpy.abs(result - expected).max() / numpy.abs(expected).max())
            difference = max(difference, found)
        times[str(count)] = least_us(call, seconds)
    return {"us": times, "difference": difference}


def run_portable(file: pathlib.Path, threads: Sequence[int], seconds: float) -> dict[str, Any]:
    """Measures the portable library; one thread, whatever the count, since it has no other."""
    import numpy

    with numpy.load(reference_file(file)) as stored, tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        inputs = [directory / f"input{index}" for index in range(len(stored.files) - 1)]
        for path in inputs:
            path.write_bytes(stored[path.name].tobytes())
        command = [str(RUNNER), f"--model_path={file}", "--inputs=" + ",".join(map(str, inputs))]
        command += [f"--output_dir={directory / 'out'}", "--print_output=none", "--json", "--warmup=1"]

        def times(executions: int) -> dict[str, Any]:
            done = subprocess.run(
                [*command, f"--num_executions={executions}"], capture_output=True, text=True, check=True
            )
            found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
            return found

        us = times(5)["min_us"]
        us = min(us, times(max(5, int(seconds * 1e6 / us)))["min_us"])
        expected = stored["expected"]
        result = numpy.fromfile(directory / "out/output_0.bin", expected.dtype).reshape(expected.shape)
        difference = float(numpy.abs(result - expected).max() / numpy.abs(expected).max())
    return {"us": {str(count): us for count in threads}, "difference": difference}


def missing(engine: str, model: str) -> int:
    """An exit code if the engine cannot be asked, otherwise 0."""
    if engine == EAGER:
        return UNSUPPORTED if model.endswith("_int8") else 0
    if engine == PORTABLE:
        return 0 if RUNNER.exists() else ABSENT
    if engine in PEERS:
        packages = _beside("peer_engines").ENGINES[engine].packages
        return 0 if all(importlib.util.find_spec(name) for name in packages) else ABSENT
    return 0


def main(argv: list[str]) -> int:
    action, engine, model, file, *rest = argv
    if action == "make":
        if engine != EAGER and missing(engine, model):
            return missing(engine, model)
        make(engine, model, pathlib.Path(file))
        return 0
    if missing(engine, model):
        return missing(engine, model)
    threads = [int(count) for count in rest[0].split(",")]
    if engine == PORTABLE:
        print(json.dumps(run_portable(pathlib.Path(file), threads, float(rest[1]))))
    else:
        print(json.dumps(run(engine, model, pathlib.Path(file), threads, float(rest[1]))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
