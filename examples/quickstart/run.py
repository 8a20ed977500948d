"""Runs a program on many images: in eager PyTorch, through the Python bindings, and through the C++ runner."""

from __future__ import annotations

import json
import pathlib
import statistics
import subprocess
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy
import torch
from tqdm import tqdm

from executorch.examples.quickstart.train import one_thread
from executorch.runtime import Method, Runtime

#: Runs before the clock counts.
WARMUP = 20


@dataclass(frozen=True)
class Run:
    """What one way of running gave.

    Attributes:
        scores: float32 ``[n, 10]``.
        us_per_image: median time of one image in microseconds.
        load_ms: time until the method is ready, in milliseconds; 0 where nothing is loaded.
    """

    scores: torch.Tensor
    us_per_image: float
    load_ms: float = 0.0


def _with_progress(images: torch.Tensor, name: str, progress: bool) -> Iterable[torch.Tensor]:
    return tqdm(images.split(1), desc=name, unit="image", disable=not progress)


def run_eager(model: torch.nn.Module, images: torch.Tensor, progress: bool = True) -> Run:
    """One image at a time through PyTorch, with one thread like the runtime's portable kernels."""
    with one_thread(), torch.inference_mode():
        for _ in range(WARMUP):
            model(images[:1])
        scores, seconds = [], []
        for image in _with_progress(images, "eager", progress):
            start = time.perf_counter()
            scores.append(model(image))
            seconds.append(time.perf_counter() - start)
    return Run(torch.cat(scores).clone(), statistics.median(seconds) * 1e6)


def load(path: pathlib.Path, times: int = 5) -> tuple[Method, float]:
    """The method ``forward`` of the program, and the median milliseconds that loading file and method took."""
    milliseconds = []
    for _ in range(times):
        start = time.perf_counter()
        program = Runtime.get().load_program(path)
        method = program.load_method("forward")
        milliseconds.append((time.perf_counter() - start) * 1e3)
    assert method is not None
    return method, statistics.median(milliseconds)


def run_bindings(path: pathlib.Path, images: torch.Tensor, progress: bool = True) -> Run:
    """One image at a time through ``executorch.runtime``."""
    method, load_ms = load(path)
    for _ in range(WARMUP):
        method.execute([images[:1]])
    scores, seconds = [], []
    for image in _with_progress(images, "Python bindings", progress):
        start = time.perf_counter()
        outputs: Sequence[torch.Tensor] = method.execute([image])
        seconds.append(time.perf_counter() - start)
        scores.append(outputs[0].clone())
    return Run(torch.cat(scores), statistics.median(seconds) * 1e6, load_ms)


def run_runner(
    runner: pathlib.Path, path: pathlib.Path, images: torch.Tensor, directory: pathlib.Path
) -> Run:
    """All images through one process of the C++ ``executor_runner``, as files of raw float32.

    Raises:
        RuntimeError: the runner fails; with what it said.
    """
    inputs, outputs = directory / "images.bin", directory / "scores.bin"
    inputs.write_bytes(images.contiguous().numpy().tobytes())
    command = [
        str(runner),
        f"--model_path={path}",
        f"--inputs={inputs}",
        f"--outputs={outputs}",
        f"--warmup={WARMUP}",
        "--print_output=none",
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(
            f"executor_runner ended with status {done.returncode}:\n{done.stdout}{done.stderr}"
        )
    figures = json.loads(done.stdout.strip().splitlines()[-1])
    scores = numpy.frombuffer(outputs.read_bytes(), dtype=numpy.float32).reshape(len(images), -1)
    return Run(torch.from_numpy(scores.copy()), figures["median_us"], figures["load_ms"])


def find_runner(root: pathlib.Path) -> pathlib.Path:
    """The ``executor_runner`` program, in Bazel's runfiles or among what Bazel has built in the checkout.

    Raises:
        FileNotFoundError: it has not been built.
    """
    inside = pathlib.Path("extension/executor_runner/executor_runner")
    for candidate in (root / inside, root / "bazel-bin" / inside):
        if candidate.is_file():
            return candidate
    raise FileNotFoundError(
        "executor_runner is not built. Way out: ./bazelw build //extension/executor_runner, or --runner PATH."
    )
