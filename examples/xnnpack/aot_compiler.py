"""Exports an example model to a ``.pte`` file, in floating point or 8 bits, with XNNPACK or without.

    python -m executorch.examples.xnnpack.aot_compiler --model_name=mv2 --quantize --delegate

writes ``mv2_xnnpack_q8.pte``; without ``--quantize`` it is ``mv2_xnnpack_fp32.pte``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import torch

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.examples.models import MODEL_NAME_TO_MODEL
from executorch.examples.models.model_factory import EagerModelFactory
from executorch.examples.xnnpack.options import MODEL_NAME_TO_OPTIONS
from executorch.examples.xnnpack.quantization.utils import quantize
from executorch.exir import EdgeCompileConfig, ExecutorchProgramManager, to_edge_transform_and_lower
from executorch.extension.export_util.utils import save_pte_program
from executorch.runtime import Runtime


def compile_model(options: argparse.Namespace) -> tuple[ExecutorchProgramManager, tuple[Any, ...]]:
    """The program that the command line asks for, and inputs for it."""
    model, inputs, kwargs, shapes = EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL[options.model_name])
    model = model.eval()
    if options.quantize:
        model = quantize(model, inputs, MODEL_NAME_TO_OPTIONS[options.model_name].quantization)
    program = torch.export.export(model, inputs, kwargs=kwargs, dynamic_shapes=shapes)
    edge = to_edge_transform_and_lower(
        program,
        partitioner=[XnnpackPartitioner()] if options.delegate else [],
        # What stays outside of a delegate may be quantized_decomposed's, which is no core ATen operator.
        compile_config=EdgeCompileConfig(_check_ir_validity=not options.quantize),
        generate_etrecord=bool(options.etrecord),
    )
    return edge.to_executorch(), inputs


def _arguments() -> argparse.ArgumentParser:
    names = list(MODEL_NAME_TO_OPTIONS)
    parser = argparse.ArgumentParser(
        prog="python -m executorch.examples.xnnpack.aot_compiler",
        description=(__doc__ or "").partition("\n")[0],
    )
    parser.add_argument(
        "-m", "--model_name", required=True, choices=names, metavar="NAME", help=", ".join(names)
    )
    parser.add_argument("-q", "--quantize", action="store_true", help="8 bits instead of floating point")
    parser.add_argument("-d", "--delegate", action="store_true", help="XNNPACK runs what it can")
    parser.add_argument("-r", "--etrecord", default="", metavar="FILE", help="write an ETRecord as well")
    parser.add_argument("-t", "--test_after_export", action="store_true", help="run the program once")
    parser.add_argument("-o", "--output_dir", default=".", metavar="DIR", help="where to write")
    return parser


def _run_once(path: str, inputs: tuple[Any, ...]) -> None:
    outputs = Runtime.get().load_program(path).load_method("forward").execute(list(inputs))
    print(f"ran {path}: {[tuple(one.shape) for one in outputs]}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the process's exit status."""
    options = _arguments().parse_args(arguments)
    try:
        program, inputs = compile_model(options)
    except ImportError as error:
        print(f"cannot make model {options.model_name}: {error}", file=sys.stderr)
        return 1
    if options.etrecord:
        program.get_etrecord().save(options.etrecord)
    # As published: the same name with and without --delegate.
    name = f"{options.model_name}_xnnpack_{'q8' if options.quantize else 'fp32'}"
    path = save_pte_program(program, name, options.output_dir)
    print(f"wrote {path}")
    if options.test_after_export:
        _run_once(path, inputs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
