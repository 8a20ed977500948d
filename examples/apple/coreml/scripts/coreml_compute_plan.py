"""Says where Core ML would run each operation of a model: processor, graphics or neural engine.

    python -m executorch.examples.apple.coreml.scripts.coreml_compute_plan --model_path model.pte --compute_units cpu_and_ne

Only macOS knows; elsewhere the operations are listed with an unknown device.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from executorch.backends.apple.coreml.compiler.toolbox import coremltools
from executorch.dialects.errors import ExportError
from executorch.examples.apple.coreml.scripts.extract_coreml_models import extract_coreml_models

_UNITS = ("all", "cpu_only", "cpu_and_gpu", "cpu_and_ne")
_UNKNOWN = "unknown"
#: Of no device: values that are there before a model runs.
_CONSTANTS = ("const", "constexpr")

#: Function, operator, device.
Row = tuple[str, str, str]


def __getattr__(name: str) -> Any:
    """``_COMPUTE_UNIT_CHOICES`` by text, which needs coremltools."""
    if name == "_COMPUTE_UNIT_CHOICES":
        return {one: coremltools().ComputeUnit[one.upper()] for one in _UNITS}
    raise AttributeError(name)


def _device_name(device: Any) -> str:
    """``ANE``, ``GPU`` or ``CPU``; ``unknown`` for None."""
    kinds = coremltools().models.compute_device
    named = {
        "ANE": kinds.MLNeuralEngineComputeDevice,
        "GPU": kinds.MLGPUComputeDevice,
        "CPU": kinds.MLCPUComputeDevice,
    }
    return next((name for name, kind in named.items() if isinstance(device, kind)), _UNKNOWN)


def analyze_one(path: str, compute_units: Any) -> list[Row]:
    """Where the operations of a model package run, for each of its functions.

    Args:
        path: of a ``.mlpackage``.
        compute_units: which devices there are to choose from, a ``coremltools.ComputeUnit``.

    Raises:
        ExportError: it holds no program.
    """
    program = coremltools().utils.load_spec(path).mlProgram
    if not program.functions:
        raise ExportError(f"{path} holds no program of Core ML. Way out: a model that is an mlprogram")
    if sys.platform == "darwin":
        return [
            row
            for name in program.functions
            for row in _planned(path, name, len(program.functions), compute_units)
        ]
    return [
        (name, kind, _UNKNOWN)
        for name, function in program.functions.items()
        for kind in _kinds(function.block_specializations[function.opset])
    ]


def _kinds(block: Any) -> Iterator[str]:
    for operation in block.operations:
        if not operation.type.startswith(_CONSTANTS):
            yield operation.type
        for inner in operation.blocks:
            yield from _kinds(inner)


def _planned(path: str, name: str, functions: int, compute_units: Any) -> list[Row]:
    """Of one function: a plan has that of the default function only, so a package with this one is made."""
    utils = coremltools().models.utils
    with tempfile.TemporaryDirectory() as temporary:
        package = path
        if functions > 1:
            descriptor = utils.MultiFunctionDescriptor()
            descriptor.add_function(path, src_function_name=name, target_function_name=name)
            descriptor.default_function_name = name
            package = str(Path(temporary) / "one.mlpackage")
            utils.save_multifunction(descriptor, package)
        compiled = utils.compile_model(package, str(Path(temporary) / "one.mlmodelc"))
        plan = coremltools().models.compute_plan.MLComputePlan.load_from_path(compiled, compute_units)
        block = plan.model_structure.program.functions[name].block
        return [(name, kind, device) for kind, device in _placed(plan, block)]


def _placed(plan: Any, block: Any) -> Iterator[tuple[str, str]]:
    for operation in block.operations:
        if not operation.operator_name.split(".")[-1].startswith(_CONSTANTS):
            usage = plan.get_compute_device_usage_for_mlprogram_operation(operation)
            device = None if usage is None else usage.preferred_compute_device
            yield operation.operator_name, _device_name(device)
        for inner in operation.blocks:
            yield from _placed(plan, inner)


def _packages(path: Path, room: Path) -> list[Path]:
    """The model packages of a program, or the one that the path is."""
    if path.suffix != ".pte":
        return [path]
    return sorted(one / "model.mlpackage" for one in extract_coreml_models(path.read_bytes(), room))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the process's exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("-m", "--model_path", required=True, help="a .pte or .mlpackage")
    parser.add_argument("-c", "--compute_units", choices=_UNITS, default="all")
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory() as temporary:
            units = coremltools().ComputeUnit[options.compute_units.upper()]
            for package in _packages(Path(options.model_path), Path(temporary) / "models"):
                counts = Counter(analyze_one(str(package), units))
                print(package.parent.parent.name if options.model_path.endswith(".pte") else package.name)
                for (function, kind, device), count in sorted(counts.items()):
                    print(f"  {function}  {kind}  {device}  {count}")
    except (OSError, ValueError, ExportError) as error:
        print(f"cannot look into {options.model_path}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
