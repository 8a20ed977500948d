"""Exports a model for Arm's processors: TOSA files, Ethos-U, VGF, or the kernels of Cortex-M.

    python -m executorch.examples.arm.aot_arm_compiler --model_name=add --delegate --quantize --output=add.pte
    python -m executorch.examples.arm.aot_arm_compiler --model_name=add --delegate --quantize --target=vgf
    python -m executorch.examples.arm.aot_arm_compiler --model_name=my_model.py --quantize --target=cortex-m55 --bundleio

From a checkout, `python -m examples.arm.aot_arm_compiler` is the same.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
from collections.abc import Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import Quantizer

from executorch.backends.arm.common.arm_compile_spec import ArmCompileSpec
from executorch.backends.arm.quantizer import get_symmetric_quantization_config
from executorch.backends.arm.targets import TARGETS
from executorch.backends.cortex_m.passes.cortex_m_pass_manager import CortexMPassManager
from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.core import BundledProgram
from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer
from executorch.examples.arm.given_model import model_and_inputs
from executorch.examples.models import MODEL_NAME_TO_MODEL
from executorch.exir import (
    EdgeCompileConfig,
    EdgeProgramManager,
    ExecutorchBackendConfig,
    ExecutorchProgramManager,
    to_edge,
    to_edge_transform_and_lower,
)
from executorch.exir.backend.utils import print_reasons

#: Begin of a target's name -> its classes.
_FAMILY = {"ethos-u": TARGETS["vela"], "vgf": TARGETS["vgf"], "TOSA": TARGETS["tosa"]}
_CORTEX_M = "cortex-m"


def kind_of(target: str) -> str:
    """What a target is one of.

    Raises:
        ValueError: nobody knows it.
    """
    for kind in (*_FAMILY, _CORTEX_M):
        if target.lower().startswith(kind.lower()):
            return kind
    raise ValueError(
        f"no target '{target}'; there are ethos-u55-128 and its like, vgf, TOSA-1.0+INT and its like, and cortex-m"
    )


def compile_spec_of(options: argparse.Namespace) -> ArmCompileSpec:
    """The compile spec of a target with delegates."""
    kind = kind_of(options.target)
    make: Any = _FAMILY[kind].compile_spec
    if kind == "ethos-u":
        spec = make(options.target, options.system_config, options.memory_mode, None, options.config)
    elif kind == "vgf":
        spec = make()
    else:
        spec = make(options.target if "+" in options.target else "TOSA-1.0+INT")
    if options.intermediates:
        spec.dump_intermediate_artifacts_to(options.intermediates)
    return spec  # type: ignore[no-any-return]


def quantizer_of(options: argparse.Namespace) -> Quantizer:
    """Int8, by the target's rules."""
    kind = kind_of(options.target)
    if kind == _CORTEX_M:
        return CortexMQuantizer()
    return _FAMILY[kind].quantizer(compile_spec_of(options)).set_global(get_symmetric_quantization_config())  # type: ignore[no-any-return]


def quantized(model: torch.nn.Module, inputs: tuple[Any, ...], quantizer: Quantizer) -> torch.nn.Module:
    """The model in int8, calibrated with nothing but the example: mind its accuracy."""
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
    with torch.no_grad():
        prepared(*inputs)
    converted: torch.nn.Module = convert_pt2e(prepared)
    return converted


def lower(program: ExportedProgram, options: argparse.Namespace) -> EdgeProgramManager:
    """The edge program, with delegates or with operators of Cortex-M."""
    # What stays outside of a delegate may be quantized_decomposed's, which is no core ATen operator.
    config = EdgeCompileConfig(_check_ir_validity=not options.quantize)
    kind = kind_of(options.target)
    if kind == _CORTEX_M:
        return to_edge(program, compile_config=config).transform([CortexMPassManager()])
    if options.delegate:
        partitioner = _FAMILY[kind].partitioner(compile_spec_of(options))
        edge = to_edge_transform_and_lower(program, partitioner=[partitioner], compile_config=config)
    else:
        edge = to_edge(program, compile_config=config)
    return edge.transform([CortexMPassManager()]) if options.enable_qdq_fusion_pass else edge


def bundled(program: ExecutorchProgramManager, inputs: tuple[Any, ...], expected: Any) -> bytes:
    """A program with a run of it: what goes in, and what PyTorch makes of that."""
    suite = MethodTestSuite("forward", [MethodTestCase(inputs, expected)])
    return bytes(serialize_from_bundled_program_to_flatbuffer(BundledProgram(program, [suite])))


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m examples.arm.aot_arm_compiler", description=(__doc__ or "").partition("\n")[0]
    )
    names = ", ".join(MODEL_NAME_TO_MODEL)
    parser.add_argument(
        "-m",
        "--model_name",
        required=True,
        metavar="NAME",
        help=f"{names}; a Python file with ModelUnderTest and ModelInputs; or a .pt or .pth file of torch.save",
    )
    parser.add_argument(
        "--model_input", default="", metavar="FILE", help="inputs by torch.save, instead of the model's own"
    )
    parser.add_argument("-d", "--delegate", action="store_true", help="the target runs what it can")
    parser.add_argument("-q", "--quantize", action="store_true", help="int8 instead of floating point")
    parser.add_argument(
        "-t", "--target", default="ethos-u55-128", help="ethos-u55-128, vgf, TOSA-1.0+INT, cortex-m, ..."
    )
    parser.add_argument("-o", "--output", default="", metavar="FILE", help="where to write")
    parser.add_argument(
        "--bundleio",
        action="store_true",
        help="with inputs and expected outputs, as a bundled program (.bpte)",
    )
    parser.add_argument(
        "--enable_qdq_fusion_pass",
        action="store_true",
        help="what the target leaves runs on the kernels of Cortex-M",
    )
    parser.add_argument("-i", "--intermediates", default="", metavar="DIR", help="keep the TOSA files there")
    parser.add_argument("--system_config", default=None, help="of Vela, as Ethos_U55_High_End_Embedded")
    parser.add_argument("--memory_mode", default=None, help="of Vela, as Shared_Sram")
    parser.add_argument("--config", default="Arm/vela.ini", help="Vela's configuration file")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the process's exit status."""
    options = _arguments().parse_args(arguments)
    try:
        kind = kind_of(options.target)
        if kind in ("ethos-u", _CORTEX_M) and not options.quantize:
            raise ValueError(f"{options.target} calculates on integers only: add --quantize")
        model, inputs = model_and_inputs(options.model_name, options.model_input)
        if options.quantize:
            model = quantized(model, inputs, quantizer_of(options))
        edge = lower(torch.export.export(model, inputs), options)
    except (ImportError, ValueError) as error:
        print(f"cannot compile {options.model_name} for {options.target}: {error}", file=sys.stderr)
        return 1
    if options.delegate and kind != _CORTEX_M:
        print_reasons(edge.exported_program().graph_module)
    program = edge.to_executorch(ExecutorchBackendConfig(extract_delegate_segments=False))
    name = pathlib.Path(options.model_name).stem
    ending = "bpte" if options.bundleio else "pte"
    default = f"{name}_arm_{'delegate_' if options.delegate else ''}{options.target}.{ending}"
    path = pathlib.Path(options.output or default)
    path.write_bytes(bundled(program, inputs, model(*inputs)) if options.bundleio else bytes(program.buffer))
    print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
