"""Exports an example model to a ``.pte`` file for GPUs with Vulkan.

    python -m executorch.examples.vulkan.export --model_name=ic3 -o . -fp16

writes ``ic3_vulkan.pte``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import torch

from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner
from executorch.examples.models import MODEL_NAME_TO_MODEL
from executorch.examples.models.model_factory import EagerModelFactory
from executorch.exir import ExecutorchProgramManager, to_edge_transform_and_lower
from executorch.extension.export_util.utils import save_pte_program


def compile_model(options: argparse.Namespace) -> ExecutorchProgramManager:
    """The program that the command line asks for."""
    model, inputs, kwargs, shapes = EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL[options.model_name])
    if options.dynamic and shapes is None:
        raise ValueError(f"{options.model_name} has no dynamic shapes. Way out: leave -d out")
    program = torch.export.export(
        model.eval(), inputs, kwargs=kwargs, dynamic_shapes=shapes if options.dynamic else None
    )
    compile_options = {"force_fp16": options.force_fp16, "require_dynamic_shapes": options.dynamic}
    edge = to_edge_transform_and_lower(program, partitioner=[VulkanPartitioner(compile_options)])
    return edge.to_executorch()


def _arguments() -> argparse.ArgumentParser:
    names = list(MODEL_NAME_TO_MODEL)
    parser = argparse.ArgumentParser(
        prog="python -m executorch.examples.vulkan.export", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "-m", "--model_name", required=True, choices=names, metavar="NAME", help=", ".join(names)
    )
    parser.add_argument("-fp16", "--force_fp16", action="store_true", help="float32 is float16 on the GPU")
    parser.add_argument("-d", "--dynamic", action="store_true", help="the model's dynamic shapes")
    parser.add_argument("-o", "--output_dir", default=".", metavar="DIR", help="where to write")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the process's exit status."""
    options = _arguments().parse_args(arguments)
    try:
        program = compile_model(options)
    except (ImportError, ValueError) as error:
        print(f"cannot make model {options.model_name}: {error}", file=sys.stderr)
        return 1
    path = save_pte_program(program, f"{options.model_name}_vulkan", options.output_dir)
    print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
