"""Methods whose weights are in common: subgraphs at the same place in each become functions of one model.

The model's directory is data by name, which all the methods' delegates refer to; coremltools stores equal weights of its functions once.
A delegate is then the magic ``CMJR`` and a page in JSON: the name of the data and the function.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from torch.export import ExportedProgram

from executorch.backends.apple.coreml.compiler import compile_specs as specs
from executorch.backends.apple.coreml.compiler.asset import asset_of, ports_of, settled
from executorch.backends.apple.coreml.compiler.convert import model_of
from executorch.backends.apple.coreml.compiler.targets import IOS18
from executorch.backends.apple.coreml.compiler.toolbox import coremltools
from executorch.dialects.errors import ExportError
from executorch.partitioner import CompileSpec, NamedDataStore, PreprocessResult

MAGIC = b"CMJR"
_VERSION = 1


def reference(key: str, function: str) -> bytes:
    """The bytes of a delegate whose model is data of that name."""
    return MAGIC + json.dumps({"version": _VERSION, "key": key, "functionName": function}).encode()


def read_reference(data: bytes) -> tuple[str, str] | None:
    """The name of the data and the function that a delegate's bytes refer to; None where they hold the model.

    Raises:
        ExportError: they begin as such a page and are none.
    """
    if data[: len(MAGIC)] != MAGIC:
        return None
    try:
        page = json.loads(data[len(MAGIC) :].rstrip(b"\0"))
        return str(page["key"]), str(page["functionName"])
    except (ValueError, KeyError, TypeError) as error:
        raise ExportError(f"These bytes refer to no model of Core ML: {error}") from error


def preprocess(
    programs: Mapping[str, Sequence[ExportedProgram]],
    compile_specs: Mapping[str, Sequence[list[CompileSpec]]],
) -> dict[str, list[PreprocessResult]]:
    """One model for the subgraphs at each place of the methods.

    Args:
        programs: method name -> its subgraphs.
        compile_specs: method name -> the options of each.

    Raises:
        ExportError: the methods do not fit together, or coremltools cannot convert a subgraph.
    """
    counts = {method: len(found) for method, found in programs.items()}
    if len(set(counts.values())) > 1:
        raise ExportError(
            "Core ML: methods that share models have one subgraph for each of the others', but these have "
            f"{', '.join(f'{count} ({method})' for method, count in counts.items())}. Way out: lower_full_graph=True shows "
            "what parts them; or MULTIMETHOD_WEIGHT_SHARING_STRATEGY.DISABLED"
        )
    made: dict[str, list[PreprocessResult]] = {method: [] for method in programs}
    for place in range(next(iter(counts.values()))):
        parts = {method: found[place] for method, found in programs.items()}
        options = {method: compile_specs[method][place] for method in programs}
        for method, result in _shared(parts, _common(options)).items():
            made[method].append(result)
    return made


def _common(options: Mapping[str, list[CompileSpec]]) -> specs.Settings:
    """The options that the functions of a model have in common."""
    first, *others = options.values()
    if any(one != first for one in others):
        raise ExportError(
            f"Core ML: the methods {', '.join(options)} share a model and have other compile specs each. Way out: one "
            "partitioner for all of them, or MULTIMETHOD_WEIGHT_SHARING_STRATEGY.DISABLED"
        )
    settings = specs.read(first)
    target = settings.minimum_deployment_target
    if target is not None and int(target.value) < IOS18:
        raise ExportError(
            f"Core ML has models of several functions from iOS 18 and macOS 15 on; the minimum_deployment_target is {target}. "
            "Way out: coremltools.target.iOS18, or MULTIMETHOD_WEIGHT_SHARING_STRATEGY.DISABLED"
        )
    settings.minimum_deployment_target = coremltools().target(IOS18) if target is None else target
    return settings


def _shared(parts: Mapping[str, ExportedProgram], settings: specs.Settings) -> dict[str, PreprocessResult]:
    """The delegates of one place, by method."""
    utils = coremltools().models.utils
    descriptor = utils.MultiFunctionDescriptor()
    ports: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as temporary:
        for number, (method, program) in enumerate(parts.items()):
            model = model_of(program, settings)
            path = str(Path(temporary) / f"{number}.mlpackage")
            model.save(path)
            descriptor.add_function(path, src_function_name="main", target_function_name=method)
            ports[method] = ports_of(model)
        descriptor.default_function_name = next(iter(parts))
        package = Path(temporary) / "shared.mlpackage"
        utils.save_multifunction(descriptor, str(package))
        identifier = settled(package)
        asset = asset_of(package, {"identifier": identifier, "methods": ports}, settings.model_type)
    key = f"coreml_{identifier}"
    results = {}
    for method in parts:
        store = NamedDataStore()
        store.add_named_data(key, asset)
        output = store.get_named_data_store_output()
        results[method] = PreprocessResult(reference(key, method), data_store_output=output)
    return results
