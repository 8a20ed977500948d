"""How long lowering takes, from the exported program to bytes, beside the published package.

./bazelw run //tests/benchmarks:lowering -- --rounds=5

Both sides get the same exported programs, in processes of their own that live as long as the benchmark and take turns.
What is compared are CPU seconds of one thread: they hardly depend on what else the machine does.
"""

from __future__ import annotations

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from absl import app, flags
from tqdm import tqdm

from executorch.tests import published
from executorch.tests.zoo import registry

MODELS: Mapping[str, str] = {
    "mobilenet_v2": "mobilenet_v2",
    "resnet18": "resnet18",
    "bert": "bert",
    "llama": "llama_step",
}
"""Name in the report to name in the zoo."""

STAGES = ("to_edge", "to_executorch", "to_bytes")
TARGET = 3.0
"""How many times faster than the published package every model has to lower."""

_MODELS = flags.DEFINE_list("models", list(MODELS), "which of the models")
_ROUNDS = flags.DEFINE_integer(
    "rounds", 5, "lowerings of each model by each side, after one that warms up", 1
)
_SIZE = flags.DEFINE_enum("size", "full", ["small", "full"], "of the models")
_PYTHON = flags.DEFINE_string("published_python", sys.executable, "interpreter of the published package")
_PATH = flags.DEFINE_string(
    "published_path",
    None,
    f"directories of the published package and what it imports, torch included, separated by {os.pathsep!r}; by "
    "default those of //third-party:published, or of the environment's PUBLISHED_PATH",
)

_IMPORT = """
import json, time
import torch
cpu, wall = time.process_time(), time.perf_counter()
import executorch.exir
print("IMPORTED " + json.dumps([time.process_time() - cpu, time.perf_counter() - wall]))
"""


class Side:
    """One of the two packages, in processes of its own.

    Args:
        path: PYTHONPATH of its processes.
        python: interpreter.
    """

    def __init__(self, path: str, python: str = sys.executable) -> None:
        self._python = python
        self._environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        self._environment["PYTHONPATH"] = path
        self._worker: subprocess.Popen[str] | None = None

    def __enter__(self) -> Side:
        script = pathlib.Path(__file__).absolute().with_name("lowering_worker.py")
        self._worker = subprocess.Popen(
            # Without the directory of the script in the path, without site-packages: what PYTHONPATH says, only.
            [self._python, "-P", "-S", str(script)],
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker.communicate()

    def lower(self, program: pathlib.Path) -> dict[str, Any]:
        """Figures of one lowering, as ``lowering_worker.py`` gives them.

        Raises:
            RuntimeError: the process ended instead.
        """
        worker = self._worker
        assert worker is not None and worker.stdin is not None and worker.stdout is not None
        worker.stdin.write(f"{program}\n")
        worker.stdin.flush()
        for line in worker.stdout:
            if line.startswith("LOWERED "):
                return json.loads(line.removeprefix("LOWERED "))
        raise RuntimeError(
            f"lowering {program.name} ended the process with {worker.wait()}; {self._reason(program)}"
        )

    def _reason(self, program: pathlib.Path) -> str:
        script = pathlib.Path(__file__).absolute().with_name("lowering_worker.py")
        again = subprocess.run(
            [self._python, "-P", "-S", str(script)],
            env=self._environment,
            input=f"{program}\n",
            capture_output=True,
            text=True,
            check=False,
        )
        return "\n".join(again.stderr.splitlines()[-5:])

    def import_seconds(self) -> tuple[float, float]:
        """CPU and wall seconds of ``import executorch.exir`` after ``import torch``, in a new process.

        Raises:
            RuntimeError: the import fails.
        """
        done = subprocess.run(
            [self._python, "-P", "-S", "-c", _IMPORT],
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        for line in done.stdout.splitlines():
            if line.startswith("IMPORTED "):
                cpu, wall = json.loads(line.removeprefix("IMPORTED "))
                return cpu, wall
        raise RuntimeError("import executorch.exir failed: " + "\n".join(done.stderr.splitlines()[-5:]))


def compare(
    models: Sequence[str],
    ours: Side,
    peer: Side,
    rounds: int,
    size: registry.Size = "full",
    progress: bool = False,
) -> dict[str, Any]:
    """The figures of the report: ``models.<name>.{ours_s, published_s, ratio, ...}`` and ``import_s``.

    Args:
        models: names in :data:`MODELS`.
        ours, peer: both sides.
        rounds: lowerings of each model by each side.
        size: of the zoo's models.
        progress: shows a bar.
    """
    bar = tqdm(total=len(models) * (rounds + 1) * 2 + 6, desc="lowering", disable=not progress)
    report: dict[str, Any] = {"models": {}}
    with tempfile.TemporaryDirectory() as directory, ours, peer:
        for name in models:
            path = pathlib.Path(directory, f"{name}.pt2")
            specimen = registry.make(MODELS[name], size)
            torch.export.save(torch.export.export(specimen.module, specimen.inputs), path)
            found: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
            for turn in range(rounds + 1):
                for index in (0, 1) if turn % 2 else (1, 0):
                    found[index].append((ours, peer)[index].lower(path))
                    bar.update()
            report["models"][name] = _summary(*found)
    imports: list[tuple[tuple[float, float], tuple[float, float]]] = []
    for _ in range(3):
        imports.append((ours.import_seconds(), peer.import_seconds()))
        bar.update(2)
    bar.close()
    report["import_s"] = {
        side: {
            clock: statistics.median(figures[index][which] for figures in imports)
            for which, clock in enumerate(("cpu", "wall"))
        }
        for index, side in enumerate(("ours", "published"))
    }
    return report


def _summary(ours: Sequence[Mapping[str, Any]], peer: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Medians of the rounds after the first, which is told apart as ``first``."""

    def total(figures: Mapping[str, Any], clock: str) -> float:
        return sum(figures[clock].values())

    def median(rounds: Sequence[Mapping[str, Any]], clock: str) -> float:
        return statistics.median(total(figures, clock) for figures in rounds[1:])

    sides = {"ours": ours, "published": peer}
    summary: dict[str, Any] = {f"{side}_s": median(rounds, "cpu_s") for side, rounds in sides.items()}
    summary["ratio"] = summary["published_s"] / summary["ours_s"]
    for side, rounds in sides.items():
        summary[side] = {
            "stages_s": {
                stage: statistics.median(figures["cpu_s"][stage] for figures in rounds[1:])
                for stage in STAGES
            },
            "wall_s": median(rounds, "wall_s"),
            "first_s": total(rounds[0], "cpu_s"),
            "bytes": rounds[0]["bytes"],
        }
    return summary


def table(report: Mapping[str, Any]) -> str:
    """The report for people: a line for each model and stage, then the imports."""
    lines = [f"{'model':14}{'stage':16}{'ours s':>10}{'published s':>13}{'ratio':>8}"]

    def line(model: str, stage: str, left: float, right: float) -> None:
        lines.append(f"{model:14}{stage:16}{left:10.3f}{right:13.3f}{right / left:8.1f}")

    for name, figures in report["models"].items():
        ours, peer = figures["ours"], figures["published"]
        for stage in STAGES:
            line(name, stage, ours["stages_s"][stage], peer["stages_s"][stage])
        line(name, "all", figures["ours_s"], figures["published_s"])
        line(name, "all, wall", ours["wall_s"], peer["wall_s"])
        line(name, "all, first time", ours["first_s"], peer["first_s"])
    imports = report["import_s"]
    line("import", "beyond torch", imports["ours"]["cpu"], imports["published"]["cpu"])
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> None:
    if len(arguments) > 1:
        raise app.UsageError(f"unknown arguments {arguments[1:]}")
    unknown = sorted(set(_MODELS.value) - set(MODELS))
    if unknown:
        raise app.UsageError(f"no models {unknown}; there are {sorted(MODELS)}")
    path = _PATH.value or published.search_path()
    if path is None:
        raise app.UsageError("the published package is not at hand: say --published_path=<its site-packages>")
    ours = Side(os.pathsep.join(entry for entry in sys.path if entry))
    report = compare(
        _MODELS.value, ours, Side(path, _PYTHON.value), _ROUNDS.value, _SIZE.value, progress=True
    )
    print(table(report))
    slow = [name for name, figures in report["models"].items() if figures["ratio"] < TARGET]
    print(f"Slower than the target of {TARGET:g} times faster: {', '.join(slow) or 'none'}")
    print("RESULT " + json.dumps(report))


if __name__ == "__main__":
    app.run(main)
