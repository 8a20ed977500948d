"""The directory of a model, as a delegate or several hold it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from executorch.backends.apple.coreml.compiler.compile_specs import ModelType
from executorch.backends.apple.coreml.compiler.package import flatten, identifier_of, settle_manifest
from executorch.backends.apple.coreml.compiler.toolbox import coremltools
from executorch.dialects.errors import ExportError


class MODEL_PATHS(Enum):
    """Names in the directory."""

    MODEL = "model.mlpackage"
    COMPILED_MODEL = "model.mlmodelc"
    METADATA = "metadata.json"


def ports_of(mlmodel: Any) -> dict[str, list[str]]:
    """Names of the inputs and outputs of a model, as its page has them."""
    description = mlmodel.get_spec().description
    return {
        "inputNames": [one.name for one in description.input],
        "outputNames": [one.name for one in description.output],
    }


def settled(package: Path) -> str:
    """The identifier of a saved package, whose manifest from then on follows from its contents."""
    settle_manifest(package)
    return identifier_of(package)


def asset_of(package: Path, metadata: Mapping[str, Any], model_type: ModelType) -> bytes:
    """The bytes of a directory with the package, compiled if so asked, and its page.

    Raises:
        ExportError: it is to be compiled, and this machine has no compiler of Core ML's.
    """
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        if model_type is ModelType.COMPILED_MODEL:
            _compile(package, directory / MODEL_PATHS.COMPILED_MODEL.value)
        else:
            package.rename(directory / MODEL_PATHS.MODEL.value)
        (directory / MODEL_PATHS.METADATA.value).write_text(json.dumps(dict(metadata)))
        return flatten(directory)


def _compile(package: Path, destination: Path) -> None:
    try:
        coremltools().models.utils.compile_model(str(package), str(destination))
    except Exception as error:
        raise ExportError(
            f"Core ML's compiler, which comes with macOS, cannot compile the model ahead of time here: {error}. Way out: "
            "CoreMLBackend.MODEL_TYPE.MODEL, which the device compiles when it first loads it"
        ) from error
