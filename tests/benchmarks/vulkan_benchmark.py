"""Whole models on Vulkan's delegate and on ncnn with Vulkan: batches in turn, in one process, on one driver.

    ./bazelw run //tests/benchmarks:vulkan -- --models mnv2,resnet18

The driver is Mesa's for the processor, so times compare shaders that it compiles for a CPU, and processor time says more than duration on a
machine that has other work; what holds for every device is counted. ncnn's model is made by pnnx from the same module, and calculates in 32
bits. The last line is `RESULT {json}` with `rows`: model, `ours_us`, `ncnn_us` (medians), `ours_cpu_us`, `ncnn_cpu_us` (least processor time
of a call, all threads), `dispatches`, `barriers` (between dispatches), `layout_conversions`, `validation_messages` (a run of its own, under Khronos' layer with
synchronization), `megabytes` that shaders read and write at least, `megabytes_least` (constants, inputs, outputs), `flop_per_byte` (operations
of products, convolutions and attention for each of those bytes, the arithmetic intensity), and the largest differences from eager PyTorch.
"""

from __future__ import annotations

import contextlib
import json
import math
import multiprocessing
import os
import pathlib
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from absl import app, flags
from torch.utils.flop_counter import FlopCounterMode

from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner
from executorch.backends.vulkan.serialization import schema
from executorch.backends.vulkan.serialization.blob import unpack
from executorch.devtools.inspector import Inspector
from executorch.exir import to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
from executorch.partitioner import get_lowered_submodules
from executorch.runtime import Runtime
from executorch.tests.benchmarks.harness import Case, measure
from executorch.tests.benchmarks.peer_models import MODELS

_MODELS = flags.DEFINE_list("models", ["mnv2", "resnet18", "bert"], "models to run")
_ROUNDS = flags.DEFINE_integer("rounds", 7, "batches of each", lower_bound=3)
_SECONDS = flags.DEFINE_float("batch_seconds", 0.2, "how long a batch takes")

Inputs = Sequence[torch.Tensor]
_VALIDATION = "EXECUTORCH_VULKAN_VALIDATION"
#: Calls that only bring a tensor into another order for the delegate's own sake.
_CONVERSIONS = {"aten.clone.default", "et_vk.prepack.default"}
_BYTES = {"BOOL": 1, "UINT8": 1, "INT8": 1, "INT32": 4, "FLOAT16": 2, "FLOAT32": 4, "FLOAT64": 8, "INT64": 8}


def lowered(module: torch.nn.Module, inputs: Inputs) -> tuple[bytes, schema.VkGraph]:
    """A program that is one delegate, and the delegate's graph."""
    with torch.no_grad():
        captured = torch.export.export(module, tuple(inputs))
    edge = to_edge_transform_and_lower(captured, partitioner=[VulkanPartitioner()])
    found = get_lowered_submodules(edge.exported_program().graph_module)
    if len(found) != 1:
        raise ValueError(f"the model became {len(found)} delegates")
    return edge.to_executorch().buffer, unpack(found[0][1].processed_bytes)


def ncnn_call(module: torch.nn.Module, inputs: Inputs, directory: pathlib.Path) -> Callable[[], Any]:
    """The same module as ncnn has it."""
    import ncnn
    import pnnx

    script = directory / "model.pt"
    torch.jit.trace(module, tuple(inputs)).save(str(script))
    kinds = {torch.float32: "f32", torch.int64: "i64"}
    shapes = ",".join(f"{list(one.shape)}{kinds[one.dtype]}".replace(" ", "") for one in inputs)
    program = pathlib.Path(pnnx.__file__).with_name("pnnx")
    command = [str(program), str(script), f"inputshape={shapes}", "fp16=0"]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    made = directory / "model.ncnn.param"
    if done.returncode != 0 or not made.exists():
        raise RuntimeError(f"pnnx ended with status {done.returncode}: {done.stderr[-2000:]}")
    net = ncnn.Net()
    net.opt.use_vulkan_compute = True
    net.opt.num_threads = 1
    for name in dir(net.opt):
        if name.startswith(("use_fp16", "use_bf16")):
            setattr(net.opt, name, False)
    net.load_param(str(made))
    net.load_model(str(made.with_suffix(".bin")))

    def mat(one: torch.Tensor) -> Any:
        bare = one.squeeze(0)
        return ncnn.Mat((bare.to(torch.int32) if bare.dtype == torch.int64 else bare).numpy()).clone()

    given = [mat(one) for one in inputs]

    def call() -> torch.Tensor:
        extractor = net.create_extractor()
        for index, one in enumerate(given):
            extractor.input(f"in{index}", one)
        _, out = extractor.extract("out0")
        return torch.from_numpy(np.array(out))

    call.kept = net  # type: ignore[attr-defined]
    return call


def dispatches_of(buffer: bytes, inputs: Inputs) -> list[tuple[str, bool]]:
    """Of one run, in order: the name of the shader, and whether a barrier stands before it."""
    module = _load_for_executorch_from_buffer(buffer, enable_etdump=True)
    module.forward(list(inputs))
    with tempfile.TemporaryDirectory() as directory:
        path = str(pathlib.Path(directory) / "run.etdump")
        module.write_etdump_result_to_file(path)
        blocks = Inspector(etdump_path=path).event_blocks
    events = [event for block in blocks for event in block.events if event.is_delegated_op]
    attached = [struct.unpack("<II", event.raw_delegate_debug_metadatas[0]) for event in events]
    return [(event.name, bool(barrier)) for event, (_, barrier) in zip(events, attached, strict=True)]


def traffic(graph: schema.VkGraph) -> tuple[int, int]:
    """Bytes that calls read and write, each tensor once a call; and those of constants, inputs and outputs alone."""
    sizes: dict[int, int] = {}
    for number, value in enumerate(graph.values):
        held = value.value
        if isinstance(held, schema.VkTensor):
            sizes[number] = math.prod(held.dims) * _BYTES[held.datatype.name]
    moved = sum(sizes.get(one, 0) for call in graph.chain for one in set(call.args))
    constant = [n for n in sizes if getattr(graph.values[n].value, "constant_id", -1) >= 0]
    return moved, sum(sizes.get(one, 0) for one in {*graph.input_ids, *graph.output_ids, *constant})


def operations(module: torch.nn.Module, inputs: Inputs) -> int:
    """Multiplications and additions of products, convolutions and attention, as torch counts them."""
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        module(*inputs)
    return int(counter.get_total_flops())


def _validate(buffer: bytes, inputs: Inputs, answer: Any) -> None:
    """In a process of its own: 0, or 1 where the validation layer made a call fail; the log has its words."""
    try:
        method = Runtime.get().load_program(buffer).load_method("forward")
        method.execute(list(inputs))
        answer.send(0)
    except RuntimeError:
        answer.send(1)


def validation_messages(buffer: bytes, inputs: Inputs) -> int:
    spawn = multiprocessing.get_context("spawn")
    receive, send = spawn.Pipe(duplex=False)
    os.environ[_VALIDATION] = "1"
    try:
        process = spawn.Process(target=_validate, args=(buffer, [one.clone() for one in inputs], send))
        process.start()
    finally:
        del os.environ[_VALIDATION]
    send.close()
    with contextlib.suppress(EOFError):
        return int(receive.recv())
    process.join()
    raise RuntimeError(f"the process with the validation layer ended with status {process.exitcode}")


def _least(cases: Sequence[Case], rounds: int) -> list[float]:
    return [one.best_us for one in measure(cases, rounds=rounds, batch_seconds=0.0, clock=time.process_time)]


def row_of(name: str, rounds: int, seconds: float) -> dict[str, Any]:
    """One row."""
    module, inputs = MODELS[name].build()
    with torch.no_grad():
        expected = module(*inputs)
    buffer, graph = lowered(module, inputs)
    method = Runtime.get().load_program(buffer).load_method("forward")
    given = list(inputs)
    with tempfile.TemporaryDirectory() as directory:
        theirs = ncnn_call(module, inputs, pathlib.Path(directory))
        cases = [Case(name, "ours", lambda: method.execute(given)), Case(name, "ncnn", theirs)]
        difference = float((method.execute(given)[0] - expected).abs().max())
        ncnn_difference = float((theirs().reshape(expected.shape) - expected).abs().max())
        ours, other = measure(cases, rounds=rounds, batch_seconds=seconds)
        cpu = _least(cases, rounds)
    moved, least = traffic(graph)
    dispatches = dispatches_of(buffer, inputs)
    return {
        "model": name,
        "ours_us": round(ours.median_us, 1),
        "ncnn_us": round(other.median_us, 1),
        "ours_cpu_us": round(cpu[0], 1),
        "ncnn_cpu_us": round(cpu[1], 1),
        "dispatches": len(dispatches),
        "barriers": sum(is_behind_barrier for _, is_behind_barrier in dispatches),
        "layout_conversions": sum(call.name in _CONVERSIONS for call in graph.chain),
        "validation_messages": validation_messages(buffer, inputs),
        "megabytes": round(moved / 1e6, 2),
        "megabytes_least": round(least / 1e6, 2),
        "flop_per_byte": round(operations(module, inputs) / moved, 2),
        "difference": difference,
        "ncnn_difference": ncnn_difference,
    }


def main(argv: list[str]) -> None:
    del argv
    torch.set_num_threads(1)
    os.environ.pop(_VALIDATION, None)
    rows = []
    for name in _MODELS.value:
        row = row_of(name, _ROUNDS.value, _SECONDS.value)
        rows.append(row)
        print(
            f"{name:10} ours {row['ours_us']:11,.0f} us (processor {row['ours_cpu_us']:11,.0f})"
            f"  ncnn {row['ncnn_us']:11,.0f} us (processor {row['ncnn_cpu_us']:11,.0f})"
            f"  {row['dispatches']} dispatches, {row['barriers']} barriers, {row['layout_conversions']} conversions,"
            f" {row['validation_messages']} messages, {row['megabytes']} MB of at least {row['megabytes_least']},"
            f" {row['flop_per_byte']} operations a byte,"
            f" difference {row['difference']:.1e} (ncnn {row['ncnn_difference']:.1e})",
            flush=True,
        )
    print("RESULT " + json.dumps({"rows": rows}))


if __name__ == "__main__":
    app.run(main)
