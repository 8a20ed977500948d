"""Exports an example model to a ``.pte`` file for Core ML.

    python -m executorch.examples.apple.coreml.scripts.export --model_name=mv2

writes ``mv2_coreml.pte``, or ``mv2_compiled_coreml.pte`` with ``--compile``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from executorch.backends.apple.coreml.compiler import CoreMLBackend
from executorch.backends.apple.coreml.compiler.toolbox import coremltools
from executorch.backends.apple.coreml.partition import CoreMLPartitioner
from executorch.dialects.errors import ExportError
from executorch.examples.models import MODEL_NAME_TO_MODEL
from executorch.examples.models.model_factory import EagerModelFactory
from executorch.exir import to_edge_transform_and_lower
from executorch.extension.export_util.utils import save_pte_program
from executorch.partitioner import get_lowered_submodules

_UNITS = ("all", "cpu_and_gpu", "cpu_only", "cpu_and_ne")
_PRECISIONS = ("float16", "float32")


def _arguments() -> argparse.ArgumentParser:
    names = list(MODEL_NAME_TO_MODEL)
    parser = argparse.ArgumentParser(
        prog="python -m executorch.examples.apple.coreml.scripts.export",
        description=(__doc__ or "").partition("\n")[0],
    )
    parser.add_argument(
        "-m", "--model_name", required=True, choices=names, metavar="NAME", help=", ".join(names)
    )
    parser.add_argument("-c", "--compute_unit", default="all", choices=_UNITS)
    parser.add_argument("-precision", "--compute_precision", default="float16", choices=_PRECISIONS)
    switches: list[tuple[str, bool, str]] = [
        ("compile", False, "Core ML's compiler runs here, on macOS"),
        ("use_partitioner", True, "operators may be left; else each that is left is an error"),
        ("generate_etrecord", False, "write an ETRecord as well"),
        ("save_processed_bytes", False, "write the delegates' bytes as well"),
        ("dynamic_shapes", False, "with the model's dynamic shapes"),
        ("run_with_pybindings", False, "refused: delegates of Core ML run on Apple's systems"),
    ]
    for name, default, words in switches:
        parser.add_argument(f"--{name}", default=default, action=argparse.BooleanOptionalAction, help=words)
    return parser


def _partitioner(options: argparse.Namespace) -> CoreMLPartitioner:
    ct = coremltools()
    kind = CoreMLBackend.MODEL_TYPE
    specs = CoreMLBackend.generate_compile_specs(
        compute_unit=ct.ComputeUnit[options.compute_unit.upper()],
        compute_precision=ct.precision(options.compute_precision),
        model_type=kind.COMPILED_MODEL if options.compile else kind.MODEL,
    )
    return CoreMLPartitioner(compile_specs=specs, lower_full_graph=not options.use_partitioner)


def _export(options: argparse.Namespace) -> str:
    model, inputs, kwargs, shapes = EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL[options.model_name])
    program = torch.export.export(
        model.eval(), inputs, kwargs=kwargs, dynamic_shapes=shapes if options.dynamic_shapes else None
    )
    edge: Any = to_edge_transform_and_lower(
        program, partitioner=[_partitioner(options)], generate_etrecord=options.generate_etrecord
    )
    name = f"{options.model_name}{'_compiled' if options.compile else ''}_coreml"
    if options.save_processed_bytes:
        for number, (_, module, _) in enumerate(
            get_lowered_submodules(edge.exported_program().graph_module), 1
        ):
            Path(f"{name}_{number}.bin").write_bytes(module.processed_bytes)
    made = edge.to_executorch()
    if options.generate_etrecord:
        made.get_etrecord().save(f"{name}_etrecord.bin")
    return save_pte_program(made, name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the process's exit status."""
    parser = _arguments()
    options = parser.parse_args(arguments)
    if options.run_with_pybindings:
        parser.error("--run_with_pybindings: delegates of Core ML run on Apple's systems")
    try:
        path = _export(options)
    except (ImportError, ExportError) as error:
        print(f"cannot export model {options.model_name}: {error}", file=sys.stderr)
        return 1
    print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
