"""What running costs besides the work itself: overhead per instruction, per call, to load, to import, and memory.

    ./bazelw run //tests/benchmarks:runtime

Ours and the published package take turns, each round in fresh processes; the figures are medians over the rounds.
`ours` takes NumPy arrays, which is all that a machine that only runs programs needs; `ours_torch` takes the tensors of
PyTorch that the published package insists on.
"""

from __future__ import annotations

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from absl import app, flags
from tqdm import tqdm

from executorch.tests import published
from executorch.tests.benchmarks import runtime_programs

_ROUNDS = flags.DEFINE_integer("rounds", 5, "Processes of each side.", lower_bound=1)
_SECONDS = flags.DEFINE_float("seconds", 0.5, "Time for each timing in a process.", lower_bound=0.01)
_PUBLISHED = flags.DEFINE_string(
    "published_path", None, "PYTHONPATH of the published package; found by itself if not given."
)

_WORKER = pathlib.Path(__file__).with_name("runtime_worker.py")
FIGURES = ("ns_per_instruction", "call_us", "load_ms", "import_s", "rss_mb")


def write_programs(directory: pathlib.Path) -> None:
    """The files that `runtime_worker` reads."""
    (directory / "add.pte").write_bytes(runtime_programs.additions(1))
    (directory / "additions_500.pte").write_bytes(runtime_programs.additions(500))
    for count in (1, 2001):
        (directory / f"scalars_{count}.pte").write_bytes(runtime_programs.scalars(count))


def measure(directory: pathlib.Path, tensors: str, seconds: float, path: str | None) -> dict[str, float]:
    """One process of one side; ``path`` is the PYTHONPATH of the published package, None for ours.

    Raises:
        RuntimeError: the process failed; with its last words.
    """
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment["PYTHONPATH"] = path or os.pathsep.join(sys.path)
    command = [sys.executable, "-S", str(_WORKER), str(directory), tensors, str(seconds)]
    done = subprocess.run(
        command, env=environment, cwd=directory, capture_output=True, text=True, timeout=600, check=False
    )
    if done.returncode:
        raise RuntimeError(
            f"{'the published package' if path else 'our runtime'} failed:\n{done.stderr[-2000:]}"
        )
    return json.loads(done.stdout.strip().splitlines()[-1])


def compare(rounds: int, seconds: float, path: str | None) -> dict[str, dict[str, float]]:
    """Figures of each side, medians over ``rounds``; the published package is left out where it is not at hand."""
    sides: dict[str, tuple[str, str | None]] = {"ours": ("numpy", None), "ours_torch": ("torch", None)}
    if path is not None:
        sides["published"] = ("torch", path)
    seen: dict[str, list[dict[str, float]]] = {side: [] for side in sides}
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch)
        write_programs(directory)
        for turn in tqdm(range(rounds), desc="measuring", unit="round"):
            order = list(sides)
            for side in order[turn % len(order) :] + order[: turn % len(order)]:
                tensors, where = sides[side]
                seen[side].append(measure(directory, tensors, seconds, where))
    return {
        side: {name: round(statistics.median(figures[name] for figures in runs), 4) for name in FIGURES}
        for side, runs in seen.items()
    }


def table(sides: dict[str, dict[str, float]]) -> str:
    lines = ["".ljust(20) + "".join(side.rjust(14) for side in sides)]
    for name in FIGURES:
        lines.append(name.ljust(20) + "".join(f"{figures[name]:14.3f}" for figures in sides.values()))
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    if len(arguments) > 1:
        raise app.UsageError(f"unexpected arguments: {arguments[1:]}")
    path = _PUBLISHED.value or published.search_path()
    if path is None:
        print(
            "the published package is not here; set PUBLISHED_PATH to its site-packages to compare",
            file=sys.stderr,
        )
    sides = compare(_ROUNDS.value, _SECONDS.value, path)
    print(table(sides))
    print("RESULT " + json.dumps(sides))


if __name__ == "__main__":
    app.run(main)
