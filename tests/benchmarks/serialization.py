"""Writing a large program to a file: peak memory beside the weights, and speed beside a plain copy of the file.

./bazelw run //tests/benchmarks:serialization -- --megabytes=1024

Each side runs in a process of its own, whose peak of resident memory is taken from the operating system. How long the
disk takes for the same bytes varies by factors on shared machines, so each side's fastest round counts.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any

import torch
from absl import app, flags

from executorch.exir import to_edge
from executorch.exir._serialize import deserialize_pte_binary, serialize_pte_binary

_MEGABYTES = flags.DEFINE_integer("megabytes", 1024, "Size of the weights.", lower_bound=1)
_ROUNDS = flags.DEFINE_integer("rounds", 5, "How often each side runs.", lower_bound=1)
_DIRECTORY = flags.DEFINE_string("directory", None, "Where to write; default: a temporary directory.")
_CHILD = flags.DEFINE_string("child", None, "What this process measures; set by the benchmark itself.")

_MIB = 1 << 20


def peak_bytes() -> int:
    """The largest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def model(megabytes: int) -> torch.nn.Module:
    """Linear layers with 16 MiB of weights each (less in the last one)."""
    sizes = [16] * (megabytes // 16) + [megabytes % 16] * bool(megabytes % 16)
    layers = [torch.nn.Linear(2048, 128 * size, bias=False) for size in sizes]

    class Sum(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.ModuleList(layers)

        def forward(self, x: torch.Tensor) -> Any:
            return [layer(x).sum() for layer in self.layers]

    return Sum().eval()


def _timed_write(write: Any, path: pathlib.Path) -> float:
    start = time.perf_counter()
    with path.open("wb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    return time.perf_counter() - start


def measure_serialization(megabytes: int, path: pathlib.Path) -> dict[str, Any]:
    """Lowers a model of this size and writes it; memory counts from before the weights were made."""
    small = to_edge(torch.export.export(model(1), (torch.ones(1, 2048),))).to_executorch()
    small.write_to_file(open(os.devnull, "wb"))  # noqa: SIM115 (loads whatever is loaded lazily)
    before = peak_bytes()
    edge = to_edge(torch.export.export(model(megabytes), (torch.ones(1, 2048),)))
    with_weights = peak_bytes()
    start = time.perf_counter()
    manager = edge.to_executorch()
    lowered = time.perf_counter() - start
    seconds = _timed_write(manager.write_to_file, path)
    weights = megabytes * _MIB
    return {
        "lower_s": lowered,
        "write_s": seconds,
        "peak_ratio": (peak_bytes() - before) / weights,
        "peak_before_lowering_ratio": (with_weights - before) / weights,
    }


def measure_copy(source: pathlib.Path, path: pathlib.Path) -> dict[str, Any]:
    """Copies the file that serialization wrote, in pieces of a mebibyte."""
    with source.open("rb") as file:
        return {"write_s": _timed_write(lambda target: shutil.copyfileobj(file, target, _MIB), path)}


def measure_rewrite(source: pathlib.Path, path: pathlib.Path) -> dict[str, Any]:
    """Reads a file into typed objects over a map of it, and writes it back."""
    start = time.perf_counter()
    data = torch.from_file(str(source), size=source.stat().st_size, dtype=torch.uint8).numpy()
    found = deserialize_pte_binary(memoryview(data))  # type: ignore[arg-type]
    cord = serialize_pte_binary(found, extract_delegate_segments=True)
    read = time.perf_counter() - start
    seconds = _timed_write(cord.write_to_file, path)
    return {"read_s": read, "write_s": seconds, "is_same": _digest(source) == _digest(path)}


def _digest(path: pathlib.Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_MIB):
            digest.update(piece)
    return digest.hexdigest()


def _child(name: str, directory: pathlib.Path) -> None:
    pte, copy, again = (directory / name for name in ("model.pte", "copy.pte", "again.pte"))
    result = {
        "serialize": lambda: measure_serialization(_MEGABYTES.value, pte),
        "copy": lambda: measure_copy(pte, copy),
        "rewrite": lambda: measure_rewrite(pte, again),
    }[name]()
    print(json.dumps(result))


def _run(name: str, directory: pathlib.Path) -> dict[str, Any]:
    command = [sys.executable, __file__, f"--megabytes={_MEGABYTES.value}", f"--directory={directory}"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        [*command, f"--child={name}"], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def _least(found: list[dict[str, Any]], key: str) -> float:
    return min(item[key] for item in found)


def run(directory: pathlib.Path, rounds: int) -> dict[str, Any]:
    """Runs all sides in turn, and compares them."""
    results: dict[str, list[dict[str, Any]]] = {"serialize": [], "copy": [], "rewrite": []}
    for _ in range(rounds):
        for name, found in results.items():
            found.append(_run(name, directory))
    size = (directory / "model.pte").stat().st_size
    speed = {name: size / 1e6 / _least(found, "write_s") for name, found in results.items()}
    serialized = results["serialize"]
    return {
        "weights_mb": _MEGABYTES.value * _MIB / 1e6,
        "file_mb": size / 1e6,
        "peak_ratio": max(item["peak_ratio"] for item in serialized),
        "peak_before_lowering_ratio": max(item["peak_before_lowering_ratio"] for item in serialized),
        "lower_s": _least(serialized, "lower_s"),
        "write_mb_s": speed["serialize"],
        "copy_mb_s": speed["copy"],
        "rewrite_mb_s": speed["rewrite"],
        "speed_ratio": speed["serialize"] / speed["copy"],
        "rewritten_is_same": all(item["is_same"] for item in results["rewrite"]),
    }


def main(argv: list[str]) -> None:
    if len(argv) > 1:
        raise app.UsageError(f"unexpected arguments: {argv[1:]}")
    if _CHILD.value:
        _child(_CHILD.value, pathlib.Path(_DIRECTORY.value or "."))
        return
    with tempfile.TemporaryDirectory(dir=_DIRECTORY.value) as directory:
        result = run(pathlib.Path(directory), _ROUNDS.value)
    print(f"weights {result['weights_mb']:.0f} MB, file {result['file_mb']:.0f} MB")
    print(
        f"peak memory / weights    {result['peak_ratio']:.3f}  (before lowering {result['peak_before_lowering_ratio']:.3f})"
    )
    print(
        f"write {result['write_mb_s']:.0f} MB/s, plain copy {result['copy_mb_s']:.0f} MB/s, ratio {result['speed_ratio']:.2f}"
    )
    print(
        f"read and written back {result['rewrite_mb_s']:.0f} MB/s, same bytes: {result['rewritten_is_same']}"
    )
    print("RESULT " + json.dumps(result))


if __name__ == "__main__":
    app.run(main)
