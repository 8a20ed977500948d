"""From a subgraph to bytes: a directory with a model package of Core ML and a page about it."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, final

from torch.export import ExportedProgram

from executorch.backends.apple.coreml.compiler import compile_specs as specs
from executorch.backends.apple.coreml.compiler import enumerated_shapes, multifunction
from executorch.backends.apple.coreml.compiler.asset import MODEL_PATHS, asset_of, ports_of, settled
from executorch.backends.apple.coreml.compiler.compile_specs import (
    COMPILE_SPEC_KEYS,
    MULTIMETHOD_WEIGHT_SHARING_STRATEGY,
    ModelType,
)
from executorch.backends.apple.coreml.compiler.convert import model_of
from executorch.backends.apple.coreml.compiler.toolbox import coremltools
from executorch.partitioner import BackendDetails, CompileSpec, PreprocessResult

__all__ = [
    "COMPILE_SPEC_KEYS",
    "MODEL_PATHS",
    "MULTIMETHOD_WEIGHT_SHARING_STRATEGY",
    "CoreMLBackend",
    "ModelMetadata",
    "ModelType",
]


@dataclass
class ModelMetadata:
    """What the run-time half reads before it loads the model.

    Attributes:
        inputNames: in the order of the delegate's arguments.
        outputNames: in the order of its results.
        identifier: names the contents; the device keeps what it compiled under it.
    """

    inputNames: list[str]
    outputNames: list[str]
    identifier: str


@final
class CoreMLBackend(BackendDetails):
    """Core ML on Apple's processors, graphics and neural engines. The name is the backend id in the program."""

    MODEL_TYPE = ModelType

    @staticmethod
    def generate_model_type_compile_spec(model_type: ModelType) -> CompileSpec:
        """What the delegate holds."""
        return specs.of_model_type(model_type)

    @staticmethod
    def generate_compute_unit_compile_spec(compute_unit: Any) -> CompileSpec:
        """Where it may run, a ``coremltools.ComputeUnit``."""
        return specs.of_compute_unit(compute_unit)

    @staticmethod
    def generate_minimum_deployment_target_compile_spec(min_deployment_target: Any | None) -> CompileSpec:
        """The oldest system that it runs on, a ``coremltools.target``; None: the oldest that will do."""
        return specs.of_target(min_deployment_target)

    @staticmethod
    def generate_compute_precision_compile_spec(compute_precision: Any) -> CompileSpec:
        """In which precision it calculates, whatever the program's is: a ``coremltools.precision``."""
        return specs.of_precision(compute_precision)

    @staticmethod
    def generate_op_linear_quantizer_config_compile_spec(
        op_linear_quantizer_config: dict[str, Any],
    ) -> CompileSpec:
        """How weights are quantized by coremltools: fields of its ``OpLinearQuantizerConfig``."""
        return specs.of_linear_quantizer(op_linear_quantizer_config)

    @staticmethod
    def generate_multimethod_weight_sharing_strategy_compile_spec(
        strategy: MULTIMETHOD_WEIGHT_SHARING_STRATEGY,
    ) -> CompileSpec:
        """Whether methods have their weights in common, as functions of one model (iOS 18)."""
        return specs.of_weight_sharing(strategy)

    @staticmethod
    def generate_pass_pipeline_compile_spec(pass_names: Sequence[str]) -> CompileSpec:
        """The passes of coremltools, in place of its usual ones."""
        return specs.of_passes(pass_names)

    @staticmethod
    def generate_enumerated_shapes_compile_spec(
        ep: ExportedProgram, enumerated_shapes: Mapping[str, Sequence[Sequence[int]]]
    ) -> CompileSpec:
        """The shapes that inputs may have, by name; needs a partitioner with ``lower_full_graph=True``.

        Raises:
            ExportError: an input of changing shape has none, or one of them is none that the program allows.
        """
        return CompileSpec(COMPILE_SPEC_KEYS.ENUMERATED_SHAPES.value, _write_shapes(ep, enumerated_shapes))

    @staticmethod
    def generate_compile_specs(
        compute_unit: Any = None,
        minimum_deployment_target: Any | None = None,
        compute_precision: Any = None,
        model_type: ModelType = ModelType.MODEL,
        op_linear_quantizer_config: dict[str, Any] | None = None,
        pass_names: Sequence[str] | None = None,
    ) -> list[CompileSpec]:
        """All of them.

        Args:
            compute_unit: a ``coremltools.ComputeUnit``; all of them by default.
            minimum_deployment_target: a ``coremltools.target``; by default the oldest that the program can run on.
            compute_precision: a ``coremltools.precision``, half by default.
            model_type: what the delegate holds.
            op_linear_quantizer_config: fields of coremltools's ``OpLinearQuantizerConfig``.
            pass_names: passes of coremltools in place of its usual ones.

        Raises:
            ExportError: coremltools is not installed.
        """
        ct = coremltools()
        made = [
            specs.of_compute_unit(ct.ComputeUnit.ALL if compute_unit is None else compute_unit),
            specs.of_target(minimum_deployment_target),
            specs.of_precision(ct.precision.FLOAT16 if compute_precision is None else compute_precision),
            specs.of_model_type(model_type),
        ]
        if op_linear_quantizer_config is not None:
            made.append(specs.of_linear_quantizer(op_linear_quantizer_config))
        if pass_names is not None:
            made.append(specs.of_passes(pass_names))
        return made

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        """Converts the subgraph.

        Args:
            edge_program: the subgraph.
            compile_specs: those of :meth:`generate_compile_specs`.

        Raises:
            ExportError: coremltools is not installed or cannot convert a node, or a spec is none that there is.
        """
        settings = specs.read(compile_specs)
        return CoreMLBackend.preprocess_model(model_of(edge_program, settings), settings.model_type)

    @classmethod
    def preprocess_multimethod(
        cls,
        edge_programs: dict[str, list[ExportedProgram]],
        compile_specs: dict[str, list[list[CompileSpec]]],
    ) -> dict[str, list[PreprocessResult]]:
        """Converts the subgraphs of all methods, which may share models.

        Args:
            edge_programs: method name -> its subgraphs, in the order of execution.
            compile_specs: method name -> those of :meth:`generate_compile_specs` for each subgraph.

        Raises:
            ExportError: as for :meth:`preprocess`; or methods that share have other options or numbers of subgraphs, or a
                target that has no models with several functions.
        """
        given = [specs.read(one) for method in compile_specs.values() for one in method]
        positional = MULTIMETHOD_WEIGHT_SHARING_STRATEGY.POSITIONAL
        if len(edge_programs) < 2 or not any(one.weight_sharing is positional for one in given):
            return super().preprocess_multimethod(edge_programs, compile_specs)
        return multifunction.preprocess(edge_programs, compile_specs)

    @staticmethod
    def preprocess_model(mlmodel: Any, model_type: ModelType = ModelType.MODEL) -> PreprocessResult:
        """The bytes of a model that coremltools made.

        Raises:
            ExportError: it is to be compiled, and this machine has no compiler of Core ML's.
        """
        with tempfile.TemporaryDirectory() as temporary:
            package = Path(temporary) / "saved.mlpackage"
            mlmodel.save(str(package))
            metadata = ModelMetadata(**ports_of(mlmodel), identifier=settled(package))
            return PreprocessResult(processed_bytes=asset_of(package, asdict(metadata), model_type))


def _write_shapes(program: ExportedProgram, shapes: Mapping[str, Sequence[Sequence[int]]]) -> bytes:
    return enumerated_shapes.write(program, shapes)
