"""Exports a model for Arm's processors: TOSA files, Ethos-U, VGF, or the kernels of Cortex-M.

    python -m executorch.examples.arm.aot_arm_compiler --model_name=add --delegate --quantize --output=add.pte
    python -m executorch.examples.arm.aot_arm_compiler --model_name=add --delegate --quantize --target=vgf
    python -m executorch.examples.arm.aot_arm_compiler --model_name=my_model.py --quantize --target=cortex-m55 --bundleio

From a checkout, `python -m examples.arm.aot_arm_compiler` is the same.
"""

from __future__ import annotations

import argparse
import logging
import pathlib
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import Quantizer

from executorch.backends.arm.common.arm_compile_spec import ArmCompileSpec
from executorch.backends.arm.ethosu.vela import VelaError
from executorch.backends.arm.quantizer import (
    get_symmetric_a16w8_quantization_config,
    get_symmetric_quantization_config,
)
from executorch.backends.arm.targets import TARGETS
from executorch.backends.cortex_m.passes.cortex_m_pass_manager import CortexMPassManager
from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.core import BundledProgram
from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer
from executorch.examples.arm.calibration import samples
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
#: Of Vela: inputs and outputs in regions of their own, and commands for a driver that is no part of the firmware.
_DIRECT_DRIVE = ["--separate-io-regions", "--cop-format=COP2"]


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
        flags = _DIRECT_DRIVE if options.direct_drive else []
        flags = [*flags, "--enable-debug-db"] if options.enable_debug_mode else flags
        spec = make(options.target, options.system_config, options.memory_mode, flags, options.config)
    elif kind == "vgf":
        spec = make()
    else:
        spec = make(options.target if "+" in options.target else "TOSA-1.0+INT")
    if options.intermediates:
        spec.dump_intermediate_artifacts_to(options.intermediates)
    if options.enable_debug_mode:
        spec.dump_debug_info(ArmCompileSpec.DebugMode[options.enable_debug_mode.upper()])
    return spec  # type: ignore[no-any-return]


def quantizer_of(options: argparse.Namespace) -> Quantizer:
    """Int8, by the target's rules; int16 for a TOSA that is named with it."""
    kind = kind_of(options.target)
    if kind == _CORTEX_M:
        return CortexMQuantizer()
    spec = compile_spec_of(options)
    wide = kind == "TOSA" and spec.tosa_spec.support_extension("int16")
    config = get_symmetric_a16w8_quantization_config() if wide else get_symmetric_quantization_config()
    return _FAMILY[kind].quantizer(spec).set_global(config)  # type: ignore[no-any-return]


def quantized(
    model: torch.nn.Module,
    inputs: tuple[Any, ...],
    quantizer: Quantizer,
    calibration: Iterable[tuple[Any, ...]],
) -> torch.nn.Module:
    """The model in int8, calibrated with the samples."""
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
    with torch.no_grad():
        for one in calibration:
            prepared(*one)
    converted: torch.nn.Module = convert_pt2e(prepared)
    return converted


def lower(program: ExportedProgram, options: argparse.Namespace) -> EdgeProgramManager:
    """The edge program, with delegates or with operators of Cortex-M."""
    # What stays outside of a delegate may be quantized_decomposed's, which is no core ATen operator.
    more: dict[str, Any] = {
        "compile_config": EdgeCompileConfig(_check_ir_validity=not options.quantize),
        "generate_etrecord": options.etrecord,
    }
    kind = kind_of(options.target)
    if kind == _CORTEX_M:
        layout = options.cortex_m_explicit_layout or None
        return to_edge(program, **more).transform([CortexMPassManager(use_explicit_layout=layout)])
    if options.delegate:
        partitioner = _FAMILY[kind].partitioner(compile_spec_of(options))
        edge = to_edge_transform_and_lower(program, partitioner=[partitioner], **more)
    else:
        edge = to_edge(program, **more)
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
    add = parser.add_argument
    add(
        "-m",
        "--model_name",
        required=True,
        metavar="NAME",
        help=f"{names}; a Python file with ModelUnderTest and ModelInputs; or a .pt or .pth file of torch.save",
    )
    add(
        "--model_input",
        default="",
        metavar="FILE",
        help="inputs by torch.save, or a variable of the model's Python file, instead of the model's own",
    )
    add("-d", "--delegate", action="store_true", help="the target runs what it can")
    add("-q", "--quantize", action="store_true", help="int8 instead of floating point")
    add(
        "--calibration_data",
        default="",
        metavar="PATH",
        help="samples: files by torch.save, or a folder of them",
    )
    add("-t", "--target", default="ethos-u55-128", help="ethos-u55-128, vgf, TOSA-1.0+INT, cortex-m55, ...")
    add("-o", "--output", default="", metavar="PATH", help="a .pte or .bpte file, or a folder")
    add(
        "--bundleio",
        action="store_true",
        help="with inputs and expected outputs, as a bundled program (.bpte)",
    )
    add("--etrecord", action="store_true", help="write NAME_etrecord.bin beside the program")
    add(
        "--enable_qdq_fusion_pass",
        action="store_true",
        help="what the target leaves runs on the kernels of Cortex-M",
    )
    add(
        "--cortex-m-explicit-layout",
        action="store_true",
        help="of Cortex-M: transpositions around operators on images, whatever format the inputs have",
    )
    add("-i", "--intermediates", default="", metavar="DIR", help="keep the TOSA files there")
    add(
        "--enable_debug_mode",
        choices=["json", "tosa"],
        default=None,
        help="which node an operator comes from, beside the TOSA files or in them; and Vela's debug database",
    )
    add("--system_config", default=None, help="of Vela, as Ethos_U55_High_End_Embedded")
    add("--memory_mode", default=None, help="of Vela, as Shared_Sram")
    add("--config", default="Arm/vela.ini", help="Vela's configuration file")
    add("--direct_drive", action="store_true", help="of Ethos-U: commands in the form for direct drive")
    add(
        "-s",
        "--so_library",
        default="",
        metavar="FILE",
        help="operators of one's own, loaded before anything else",
    )
    add(
        "--non_strict_export",
        action="store_true",
        help="taken as released versions take it: no model is captured strictly here",
    )
    add("--debug", action="store_true", help="log everything")
    return parser


def _place(options: argparse.Namespace) -> pathlib.Path:
    """Where the program goes."""
    ending = "bpte" if options.bundleio else "pte"
    name = pathlib.Path(options.model_name).stem
    default = f"{name}_arm_{'delegate_' if options.delegate else ''}{options.target}.{ending}"
    given = pathlib.Path(options.output)
    path = given if given.suffix in (".pte", ".bpte") else given / default
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _edge_of(options: argparse.Namespace) -> tuple[torch.nn.Module, tuple[Any, ...], EdgeProgramManager]:
    """The model, its inputs, and its lowered program."""
    kind = kind_of(options.target)
    if options.delegate and kind == "ethos-u" and not options.quantize:
        raise ValueError(f"{options.target} calculates on integers only: add --quantize")
    model, inputs = model_and_inputs(options.model_name, options.model_input)
    if options.quantize:
        given = options.calibration_data
        calibration = samples(given, inputs) if given else [inputs]
        model = quantized(model, inputs, quantizer_of(options), calibration)
    return model, inputs, lower(torch.export.export(model, inputs), options)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the process's exit status."""
    options = _arguments().parse_args(arguments)
    if options.debug:
        logging.basicConfig(level=logging.DEBUG)
    try:
        if options.so_library:
            torch.ops.load_library(options.so_library)
        model, inputs, edge = _edge_of(options)
    except (ImportError, OSError, ValueError, VelaError) as error:
        print(f"cannot compile {options.model_name} for {options.target}: {error}", file=sys.stderr)
        return 1
    if options.delegate and kind_of(options.target) != _CORTEX_M:
        print_reasons(edge.exported_program().graph_module)
    program = edge.to_executorch(ExecutorchBackendConfig(extract_delegate_segments=False))
    path = _place(options)
    path.write_bytes(bundled(program, inputs, model(*inputs)) if options.bundleio else bytes(program.buffer))
    print(f"wrote {path}")
    if options.etrecord:
        record = path.with_name(f"{path.stem}_etrecord.bin")
        program.get_etrecord().save(str(record))
        print(f"wrote {record}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
