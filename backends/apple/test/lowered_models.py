"""Lowers models whole with Core ML and MPS, runs what came of them with the interpreters, and prints a table.

Nothing of Apple's is needed: the interpreters calculate in PyTorch what the delegates' bytes say. ::

    ./bazelw run //backends/apple/test:lowered_models
    ./bazelw run //backends/apple/test:lowered_models -- --sizes full --models resnet18
    ./bazelw run //backends/apple/test:lowered_models -- --write DIRECTORY    # programs, for mac/check.sh on a Mac
"""

from __future__ import annotations

import argparse
import os
import pathlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.export import export
from torch.fx import Interpreter as GraphInterpreter

from executorch.backends.apple.coreml.test import lowered as core_ml
from executorch.backends.apple.mps.test import harness as mps
from executorch.backends.apple.mps.test.interpreter import Interpreter
from executorch.backends.test.models_for_tests import FULL, SMALL, trained
from executorch.exir import EdgeProgramManager
from executorch.ir.signature import state_inputs, state_value
from executorch.partitioner import get_lowered_submodules
from executorch.partitioner.interface.call_delegate import executorch_call_delegate

_SIZES = {"small": SMALL, "full": FULL}


@dataclass
class Row:
    """One model, one backend, one precision.

    Attributes:
        model: its name.
        backend: and precision.
        delegates: how many there are.
        outside: calls that are in none.
        operators: kinds of operators that delegates hold; the interpreter has run each.
        difference: from eager PyTorch, in parts of the largest result.
    """

    model: str
    backend: str
    delegates: int
    outside: int
    operators: int
    difference: float

    def __str__(self) -> str:
        cells = (
            self.model,
            self.backend,
            self.delegates,
            self.outside,
            self.operators,
            f"{self.difference:.1e}",
        )
        return f"| {' | '.join(map(str, cells))} |"


HEADER = """| model | backend | delegates | calls outside | kinds of operators, all run | largest difference |
| --- | --- | --- | --- | --- | --- |"""


class _MpsProgram(GraphInterpreter):
    """A program whose delegates are MPS's."""

    def __init__(self, edge: EdgeProgramManager) -> None:
        program = edge.exported_program()
        super().__init__(program.graph_module)
        self._state = [state_value(program, spec) for spec in state_inputs(program.graph_signature).values()]
        self.names: set[str] = set()

    def __call__(self, *inputs: torch.Tensor) -> list[Any]:
        with torch.no_grad():
            return list(self.run(*self._state, *inputs))

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        if target is not executorch_call_delegate:
            return super().call_function(target, args, kwargs)
        delegate = Interpreter(args[0].processed_bytes)
        self.names |= set(delegate.names())
        return delegate(*args[1:])


def _core_ml(
    model: torch.nn.Module, inputs: Any, half: bool
) -> tuple[EdgeProgramManager, Any, Callable[[], int]]:
    edge = core_ml.lowered(export(model, inputs), core_ml.specs(half=half))
    run = core_ml.LoweredProgram(edge.exported_program())
    return edge, run, lambda: len(run.ran - {"const"})


def _mps(
    model: torch.nn.Module, inputs: Any, half: bool
) -> tuple[EdgeProgramManager, Any, Callable[[], int]]:
    edge = mps.lower(model, inputs, None if half else mps.FULL)
    run = _MpsProgram(edge)
    return edge, run, lambda: len(run.names)


BACKENDS = {"Core ML": _core_ml, "MPS": _mps}


def _outside(edge: EdgeProgramManager) -> int:
    calls = [str(node.target) for node in edge.exported_program().graph.nodes if node.op == "call_function"]
    return sum("getitem" not in one and "executorch_call_delegate" not in one for one in calls)


def write(path: pathlib.Path, edge: EdgeProgramManager, model: torch.nn.Module, inputs: Any) -> None:
    """Writes a program, and beside it what PyTorch gives for inputs of ones, as ``mac/run.cc`` reads both."""
    path.write_bytes(edge.to_executorch().buffer)
    with torch.no_grad():
        expected = model(*(torch.ones_like(one) for one in inputs))
    path.with_name(path.name + ".expected").write_bytes(expected.contiguous().numpy().tobytes())


def row(name: str, sizes: str, backend: str, half: bool, directory: pathlib.Path | None = None) -> Row:
    """Lowers and runs one model.

    Args:
        name: a key of the models of that size.
        sizes: ``small`` or ``full``.
        backend: a key of ``BACKENDS``.
        half: the delegate calculates in half precision.
        directory: where its program goes, if anywhere.
    """
    model, inputs = trained(_SIZES[sizes][name])
    edge, run, kinds = BACKENDS[backend](model, inputs, half)
    (got,) = run(*inputs)
    want = model(*inputs).detach()
    difference = float((got - want).abs().max() / want.abs().max())
    count = len(get_lowered_submodules(edge.exported_program().graph_module))
    label = f"{backend}, {'half' if half else 'single'}"
    shown = name if sizes == "small" else f"{name}, published size"
    if directory is not None:
        kind = f"{backend.replace(' ', '').lower()}_{'half' if half else 'single'}"
        write(directory / f"{name}_{sizes}_{kind}.pte", edge, model, inputs)
    return Row(shown, label, count, _outside(edge), kinds(), difference)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", choices=[*_SIZES, "both"], default="small")
    parser.add_argument("--models", default="", help="names with commas between them; all by default")
    parser.add_argument("--backends", default=",".join(BACKENDS), help="with commas between them")
    parser.add_argument("--write", type=pathlib.Path, metavar="DIRECTORY", help="keep the programs there")
    options = parser.parse_args()
    directory: pathlib.Path | None = options.write
    if directory is not None:
        # `bazel run` starts programs elsewhere; what the user names is relative to where he stands.
        directory = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", ".")) / directory
        directory.mkdir(parents=True, exist_ok=True)
    print(HEADER, flush=True)
    for sizes in _SIZES if options.sizes == "both" else [options.sizes]:
        for name in options.models.split(",") if options.models else _SIZES[sizes]:
            for backend in options.backends.split(","):
                for half in (False, True):
                    print(row(name, sizes, backend, half, directory), flush=True)


if __name__ == "__main__":
    main()
