"""Options of a delegate, as compile specs write them: names and texts are those of released versions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from torch.export import ExportedProgram

from executorch.backends.apple.coreml.compiler import enumerated_shapes
from executorch.backends.apple.coreml.compiler.targets import LEAST
from executorch.backends.apple.coreml.compiler.toolbox import coremltools
from executorch.dialects.errors import ExportError
from executorch.partitioner import CompileSpec


class ModelType(Enum):
    """What a delegate holds."""

    #: A model that the device compiles when it is first loaded.
    MODEL = "model"
    #: What Core ML's compiler made of it, which is there on macOS only.
    COMPILED_MODEL = "compiled_model"


class MULTIMETHOD_WEIGHT_SHARING_STRATEGY(Enum):
    """Whether models of several methods have their weights in common."""

    #: The first partitions of all methods are functions of one model, the second ones of another, and so on.
    POSITIONAL = "positional"
    #: Each has its own.
    DISABLED = "disabled"


class COMPILE_SPEC_KEYS(Enum):
    """Keys of compile specs."""

    COMPUTE_UNITS = "compute_units"
    MODEL_TYPE = "model_type"
    MIN_DEPLOYMENT_TARGET = "min_deployment_target"
    MODEL_COMPUTE_PRECISION = "model_compute_precision"
    OP_LINEAR_QUANTIZER_CONFIG = "op_linear_quantizer_config"
    ENUMERATED_SHAPES = "enumerated_shapes"
    PASS_PIPELINE = "pass_pipeline"
    MULTIMETHOD_WEIGHT_SHARING_STRATEGY = "multimethod_weight_sharing_strategy"


@dataclass
class Settings:
    """Compile specs, read.

    Attributes:
        compute_unit: where the model may run; a ``coremltools.ComputeUnit``.
        minimum_deployment_target: the oldest system; a ``coremltools.target``, None for the oldest that will do.
        compute_precision: a ``coremltools.precision``.
        model_type: what the delegate holds.
        linear_quantizer: a ``coremltools.optimize.coreml.OptimizationConfig`` for the weights, None for none.
        pass_pipeline: a ``coremltools.PassPipeline``, None for the usual one.
        shapes: sets of shapes by the symbolic shape of an input.
        weight_sharing: between methods.
    """

    compute_unit: Any
    minimum_deployment_target: Any
    compute_precision: Any
    model_type: ModelType
    linear_quantizer: Any = None
    pass_pipeline: Any = None
    shapes: Any = None
    weight_sharing: MULTIMETHOD_WEIGHT_SHARING_STRATEGY = MULTIMETHOD_WEIGHT_SHARING_STRATEGY.DISABLED

    def inputs_of(self, program: ExportedProgram) -> Any:
        """What the converter is told about inputs; None where the program says it all."""
        return None if self.shapes is None else enumerated_shapes.inputs_of(program, self.shapes)


_UNITS = ("ALL", "CPU_ONLY", "CPU_AND_GPU", "CPU_AND_NE")
_PRECISIONS = ("FLOAT16", "FLOAT32")


def of_compute_unit(unit: Any) -> CompileSpec:
    """``coremltools.ComputeUnit.ALL`` and its like."""
    return CompileSpec(COMPILE_SPEC_KEYS.COMPUTE_UNITS.value, unit.name.lower().encode())


def of_target(target: Any) -> CompileSpec:
    """``coremltools.target.iOS18`` and its like; None leaves the choice to the converter."""
    text = "" if target is None else str(target.value)
    return CompileSpec(COMPILE_SPEC_KEYS.MIN_DEPLOYMENT_TARGET.value, text.encode())


def of_precision(precision: Any) -> CompileSpec:
    """``coremltools.precision.FLOAT16`` or ``FLOAT32``."""
    return CompileSpec(COMPILE_SPEC_KEYS.MODEL_COMPUTE_PRECISION.value, precision.value.encode())


def of_model_type(model_type: ModelType) -> CompileSpec:
    return CompileSpec(COMPILE_SPEC_KEYS.MODEL_TYPE.value, model_type.value.encode())


def of_linear_quantizer(config: dict[str, Any]) -> CompileSpec:
    """Fields of ``coremltools.optimize.coreml.OpLinearQuantizerConfig``."""
    return CompileSpec(COMPILE_SPEC_KEYS.OP_LINEAR_QUANTIZER_CONFIG.value, json.dumps(config).encode())


def of_passes(names: Sequence[str]) -> CompileSpec:
    """Passes of coremltools, by name, in place of its usual ones."""
    return CompileSpec(COMPILE_SPEC_KEYS.PASS_PIPELINE.value, json.dumps(list(names)).encode())


def of_weight_sharing(strategy: MULTIMETHOD_WEIGHT_SHARING_STRATEGY) -> CompileSpec:
    return CompileSpec(COMPILE_SPEC_KEYS.MULTIMETHOD_WEIGHT_SHARING_STRATEGY.value, strategy.value.encode())


def read(specs: Sequence[CompileSpec]) -> Settings:
    """What a list of compile specs asks for.

    Raises:
        ExportError: a key or a value is none that there is, or coremltools is not installed.
    """
    keys = {one.value for one in COMPILE_SPEC_KEYS}
    texts: dict[str, str] = {}
    for spec in specs:
        if spec.key not in keys:
            raise ExportError(
                f"Core ML has no compile spec {spec.key!r}. Way out: one of {', '.join(sorted(keys))}; "
                "CoreMLBackend.generate_compile_specs makes them"
            )
        texts[spec.key] = _text(spec)
    ct = coremltools()
    unit = texts.get("compute_units") or "all"
    precision = texts.get("model_compute_precision") or "float16"
    model_type = texts.get("model_type") or ModelType.MODEL.value
    _check("compute_units", unit, [one.lower() for one in _UNITS])
    _check("model_compute_precision", precision, [one.lower() for one in _PRECISIONS])
    _check("model_type", model_type, [one.value for one in ModelType])
    sharing = COMPILE_SPEC_KEYS.MULTIMETHOD_WEIGHT_SHARING_STRATEGY.value
    strategy = texts.get(sharing) or MULTIMETHOD_WEIGHT_SHARING_STRATEGY.DISABLED.value
    _check(sharing, strategy, [one.value for one in MULTIMETHOD_WEIGHT_SHARING_STRATEGY])
    return Settings(
        compute_unit=ct.ComputeUnit[unit.upper()],
        minimum_deployment_target=_target(texts.get("min_deployment_target", "")),
        compute_precision=ct.precision(precision),
        model_type=ModelType(model_type),
        linear_quantizer=_quantizer(texts.get("op_linear_quantizer_config")),
        pass_pipeline=_passes(texts.get("pass_pipeline")),
        shapes=enumerated_shapes.read(texts.get("enumerated_shapes")),
        weight_sharing=MULTIMETHOD_WEIGHT_SHARING_STRATEGY(strategy),
    )


def _text(spec: CompileSpec) -> str:
    try:
        return bytes(spec.value).rstrip(b"\0").decode()
    except UnicodeDecodeError as error:
        raise ExportError(f"Core ML: the value of the compile spec {spec.key!r} is no text") from error


def _check(key: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise ExportError(
            f"Core ML: the compile spec {key!r} is {value!r}. Way out: one of {', '.join(known)}"
        )


def _target(text: str) -> Any:
    if not text:
        return None
    targets = {str(int(one.value)): one for one in coremltools().target if one.value >= LEAST}
    _check("min_deployment_target", text, list(targets))
    return targets[text]


def _json(key: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ExportError(f"Core ML: the value of the compile spec {key!r} is no JSON: {error}") from error


def _quantizer(text: str | None) -> Any:
    if text is None:
        return None
    optimize = coremltools().optimize.coreml
    fields = _json(COMPILE_SPEC_KEYS.OP_LINEAR_QUANTIZER_CONFIG.value, text)
    try:
        config = optimize.OpLinearQuantizerConfig._from_dict(fields)
    except Exception as error:
        raise ExportError(
            f"Core ML: no configuration of its quantizer of weights: {fields}: {error}"
        ) from error
    return optimize.OptimizationConfig(global_config=config)


def _passes(text: str | None) -> Any:
    if text is None:
        return None
    names = _json(COMPILE_SPEC_KEYS.PASS_PIPELINE.value, text)
    return coremltools().PassPipeline(names, pipeline_name="executorch")
