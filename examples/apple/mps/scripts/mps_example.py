"""Exports an example model to a ``.pte`` file for Metal Performance Shaders.

    python -m executorch.examples.apple.mps.scripts.mps_example --model_name=mv3 --bundled

writes ``mv3_mps_float16_bundled.pte``, a program with a test case: inputs, and what PyTorch makes of them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from executorch.backends.apple.mps.partition import MPSPartitioner
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.core import BundledProgram
from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer
from executorch.dialects.errors import ExportError, Problems
from executorch.examples.models import MODEL_NAME_TO_MODEL
from executorch.examples.models.model_factory import EagerModelFactory
from executorch.exir import ExecutorchProgramManager, to_edge_transform_and_lower
from executorch.extension.export_util.utils import save_pte_program
from executorch.partitioner import CompileSpec, get_non_lowered_nodes, get_reasons

_ELSEWHERE = "delegates of MPS run on Apple's systems"


def _arguments() -> argparse.ArgumentParser:
    names = list(MODEL_NAME_TO_MODEL)
    parser = argparse.ArgumentParser(
        prog="python -m executorch.examples.apple.mps.scripts.mps_example",
        description=(__doc__ or "").partition("\n")[0],
    )
    parser.add_argument(
        "-m", "--model_name", required=True, choices=names, metavar="NAME", help=", ".join(names)
    )
    switches: list[tuple[list[str], bool, str]] = [
        (["--use_fp16"], True, "float32 is calculated in half precision"),
        (["--use_partitioner"], True, "operators may be left; else each that is left is an error"),
        (["-b", "--bundled"], False, "with a test case: inputs and expected outputs"),
        (["--generate_etrecord"], False, "write etrecord.bin as well"),
        (["-c", "--check_correctness"], False, f"refused: {_ELSEWHERE}"),
        (["--bench_pytorch"], False, f"refused: {_ELSEWHERE}"),
    ]
    for flags, default, words in switches:
        parser.add_argument(*flags, default=default, action=argparse.BooleanOptionalAction, help=words)
    return parser


def _insist(graph_module: torch.fx.GraphModule) -> None:
    reasons = {one.node: one.reason for one in get_reasons(graph_module)}
    problems = Problems("The whole model was to be lowered to MPS, and these operators are left")
    for node in get_non_lowered_nodes(graph_module.graph):
        problems.add(node, reasons.get(node.name, "stands between operators that are left"))
    problems.raise_if_any(way_out="leave --no-use_partitioner out")


def _bundled(program: ExecutorchProgramManager, inputs: tuple[Any, ...], expected: Any) -> bytes:
    outputs = [expected] if isinstance(expected, torch.Tensor) else list(expected)
    suite = MethodTestSuite("forward", [MethodTestCase(inputs=inputs, expected_outputs=outputs)])
    return bytes(serialize_from_bundled_program_to_flatbuffer(BundledProgram(program, [suite])))


def _export(options: argparse.Namespace) -> str:
    model, inputs, kwargs, _ = EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL[options.model_name])
    exported = torch.export.export(model.eval(), inputs, kwargs=kwargs)
    edge: Any = to_edge_transform_and_lower(
        exported,
        partitioner=[MPSPartitioner([CompileSpec("use_fp16", bytes([options.use_fp16]))])],
        generate_etrecord=options.generate_etrecord,
    )
    if not options.use_partitioner:
        _insist(edge.exported_program().graph_module)
    program = edge.to_executorch()
    if options.generate_etrecord:
        program.get_etrecord().save("etrecord.bin")
    name = f"{options.model_name}_mps_{'float16' if options.use_fp16 else 'float32'}"
    if not options.bundled:
        return save_pte_program(program, name)
    with torch.no_grad():
        expected = model(*inputs, **(kwargs or {}))
    path = Path(f"{name}_bundled.pte")
    path.write_bytes(_bundled(program, inputs, expected))
    return str(path)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the process's exit status."""
    parser = _arguments()
    options = parser.parse_args(arguments)
    for flag in ("check_correctness", "bench_pytorch"):
        if getattr(options, flag):
            parser.error(f"--{flag}: {_ELSEWHERE}. Way out: run the program there, with --bundled to compare")
    try:
        path = _export(options)
    except (ImportError, ExportError) as error:
        print(f"cannot export model {options.model_name}: {error}", file=sys.stderr)
        return 1
    print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
