"""The stages of an export: each takes what the one before it made, and the context they all share."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram

from executorch.exir import EdgeProgramManager, to_edge, to_edge_transform_and_lower
from executorch.export.quantization import (
    ComposableQuantizer,
    allow_exported_model_train_eval,
    convert_pt2e,
    dynamic_batch,
    is_torchao_quantizer,
    move_exported_model_to_eval,
    move_exported_model_to_train,
    prepare_pt2e,
    prepare_qat_pt2e,
    quantize_,
    unwrap_tensor_subclass,
)
from executorch.export.recipe import LoweringRecipe, QuantizationRecipe
from executorch.export.types import StageType
from executorch.partitioner import get_delegation_info


class PipelineArtifact:
    """What a stage made.

    Attributes:
        data: modules, graphs or programs by method name; or a manager.
        context: what stages tell later ones: ``example_inputs``, ``dynamic_shapes``, ``constant_methods`` ... Each
            artifact has its own mapping.
    """

    def __init__(self, data: Any, context: dict[str, Any]) -> None:
        self.data = data
        self.context = context

    def add_context(self, key: str, value: Any) -> None:
        """Notes something for later stages."""
        self.context[key] = value

    def get_context(self, key: str, default: Any = None) -> Any:
        """What an earlier stage, or the session, noted."""
        return self.context.get(key, default)

    def copy_with_new_data(self, new_data: Any) -> "PipelineArtifact":
        """A copy of the context with other data."""
        return PipelineArtifact(new_data, dict(self.context))


class Stage(ABC):
    """One stage. Subclass it and register an object with ``ExportSession.register_stage`` to replace one."""

    def __init__(self) -> None:
        self._artifact: PipelineArtifact | None = None

    @property
    @abstractmethod
    def stage_type(self) -> str:
        """Which stage it is."""

    @property
    @abstractmethod
    def valid_predecessor_stages(self) -> list[StageType]:
        """The stages that may come right before it."""

    @property
    @abstractmethod
    def can_start_pipeline(self) -> bool:
        """True when it may be the first."""

    @abstractmethod
    def run(self, artifact: PipelineArtifact) -> None:
        """Works on ``artifact`` and sets ``self._artifact``."""

    def get_artifacts(self) -> PipelineArtifact:
        """What it made.

        Raises:
            RuntimeError: it has not run.
        """
        if self._artifact is None:
            raise RuntimeError(f"Stage: {type(self).__name__} not executed")
        return self._artifact


class SourceTransformStage(Stage):
    """Quantizes the source of modules with torchao's config; without one, hands them on."""

    def __init__(self, quantization_recipe: "QuantizationRecipe | None", in_place: bool = False) -> None:
        super().__init__()
        self._quantization_recipe = quantization_recipe
        self._in_place = in_place

    stage_type = StageType.SOURCE_TRANSFORM
    valid_predecessor_stages: list[StageType] = []
    can_start_pipeline = True

    def run(self, artifact: PipelineArtifact) -> None:
        configs = (
            self._quantization_recipe.ao_quantization_configs
            if self._quantization_recipe is not None
            else None
        )
        if not configs:
            self._artifact = artifact
            return
        if len(configs) > 1:
            raise ValueError(
                f"{len(configs)} quantization configs: what one of torchao's configs does to a module's source, the next "
                "one cannot take, so multiple quantization configs are disallowed\nWay out: one config, whose "
                "filter_fn says which layers it quantizes"
            )
        models = artifact.data if self._in_place else copy.deepcopy(artifact.data)
        for model in models.values():
            quantize_(model, configs[0].ao_base_config, configs[0].filter_fn)
            unwrap_tensor_subclass(model)
        self._artifact = artifact.copy_with_new_data(models)


class QuantizeStage(Stage):
    """Quantizes captured graphs with the recipe's quantizers; without any, hands the modules on."""

    def __init__(self, quantization_recipe: "QuantizationRecipe | None") -> None:
        super().__init__()
        self._quantization_recipe = quantization_recipe

    stage_type = StageType.QUANTIZE
    valid_predecessor_stages = [StageType.SOURCE_TRANSFORM]
    can_start_pipeline = True

    def run(self, artifact: PipelineArtifact) -> None:
        recipe = self._quantization_recipe
        if recipe is None or not recipe.quantizers:
            self._artifact = artifact
            return
        if recipe.is_qat and recipe.train_fn is None:
            raise ValueError(
                "train_fn must be provided when is_qat=True\nWay out: a function that trains the prepared graph"
            )
        inputs = artifact.get_context("example_inputs") or {}
        models = {
            name: self._quantize(name, model, inputs.get(name), recipe)
            for name, model in artifact.data.items()
        }
        self._artifact = artifact.copy_with_new_data(models)

    def _quantize(self, name: str, model: Any, inputs: Any, recipe: QuantizationRecipe) -> Any:
        """Captures, prepares, calibrates (or trains) and converts one model."""
        if not inputs:
            raise ValueError(f"Example inputs for method {name} not found or empty.")
        if recipe.is_qat:
            model.train()
        shapes = dynamic_batch(inputs[0]) if recipe.dynamic_batch_size else None
        captured: Any = torch.export.export(model, inputs[0], dynamic_shapes=shapes, strict=True).module()
        captured = self._apply_passes(captured, recipe.pre_prepare_passes)
        quantizer = self._get_quantizer_for_prepare_pt2e(recipe.quantizers or [])
        prepare = prepare_qat_pt2e if recipe.is_qat else prepare_pt2e
        prepared = self._apply_passes(prepare(captured, quantizer), recipe.post_prepare_passes)
        if recipe.is_qat and recipe.train_fn is not None:
            allow_exported_model_train_eval(prepared)
            move_exported_model_to_train(prepared)
            recipe.train_fn(prepared)
            move_exported_model_to_eval(prepared)
        else:
            for values in recipe.calibration_inputs_fn() if recipe.calibration_inputs_fn else inputs:
                prepared(*values)
        prepared = self._apply_passes(prepared, recipe.pre_convert_passes)
        return self._apply_passes(convert_pt2e(prepared), recipe.post_convert_passes)

    def _get_quantizer_for_prepare_pt2e(self, quantizers: list[Any]) -> Any:
        """One quantizer of all.

        Raises:
            ValueError: there are none, or several that are not torchao's, which alone can be composed.
        """
        if not quantizers:
            raise ValueError("No quantizers detected")
        if all(is_torchao_quantizer(quantizer) for quantizer in quantizers):
            return ComposableQuantizer(quantizers)
        if len(quantizers) > 1:
            raise ValueError(
                "Multiple quantizers of torch.ao.quantization.quantizer not supported\nWay out: quantizers derived "
                "from torchao's Quantizer, or one that does it all"
            )
        return quantizers[0]

    @staticmethod
    def _apply_passes(model: Any, passes: "Sequence[Any] | None") -> Any:
        for item in passes or ():
            model = item(model)
        return model


class TorchExportStage(Stage):
    """Captures modules with ``torch.export``."""

    def __init__(self, aten_transform_passes: "Sequence[Any] | None" = None, strict: bool = True) -> None:
        super().__init__()
        self._aten_transform_passes = list(aten_transform_passes or ())
        self.strict = strict

    stage_type = StageType.TORCH_EXPORT
    valid_predecessor_stages = [StageType.SOURCE_TRANSFORM, StageType.QUANTIZE]
    can_start_pipeline = True

    def run(self, artifact: PipelineArtifact) -> None:
        inputs = artifact.get_context("example_inputs") or {}
        shapes = artifact.get_context("dynamic_shapes") or {}
        programs = {
            name: transform_aten(
                name,
                self._capture(name, model, inputs.get(name), shapes.get(name)),
                self._aten_transform_passes,
            )
            for name, model in artifact.data.items()
        }
        self._artifact = artifact.copy_with_new_data(programs)

    def _capture(self, name: str, model: Any, inputs: Any, shapes: Any) -> Any:
        if isinstance(model, ExportedProgram):
            return model
        if not inputs:
            raise ValueError(f"Example inputs for method {name} not found or empty.")
        with torch.no_grad():
            return torch.export.export(model, inputs[0], dynamic_shapes=shapes, strict=self.strict)


def transform_aten(name: str, program: Any, passes: "Sequence[Any] | None") -> Any:
    """Runs a recipe's ``aten_transform_passes`` over one program.

    Raises:
        ValueError: one of them is no function.
        RuntimeError: one of them returned something else than a program.
    """
    for transform in passes or ():
        if not callable(transform):
            raise ValueError(
                "Aten transform passes must be a callable that can transform and return an exported program, not "
                f"{transform!r}"
            )
        program = transform(name, program)
        if not isinstance(program, ExportedProgram):
            raise RuntimeError(
                f"the ATen pass {transform!r} returned a {type(program).__name__} for method {name!r}, not an "
                "ExportedProgram"
            )
    return program


class _DelegatingStage(Stage):
    """A stage that delegates, and says how much."""

    @property
    def delegation_info(self) -> Any:
        """Delegation of ``forward``, or of the first method by name; None when there is no method."""
        return self.get_artifacts().get_context("delegation_info")

    @property
    def delegation_info_by_method(self) -> dict[str, Any]:
        """Delegation by method name."""
        found: dict[str, Any] = self.get_artifacts().get_context("delegation_info_by_method")
        return found


def _with_delegation_info(artifact: PipelineArtifact) -> PipelineArtifact:
    """Notes how much each method of a manager delegates."""
    manager: EdgeProgramManager = artifact.data
    by_method = {
        name: get_delegation_info(manager.exported_program(name).graph_module)
        for name in sorted(manager.methods)
    }
    artifact.add_context("delegation_info_by_method", by_method)
    artifact.add_context("delegation_info", by_method.get("forward", next(iter(by_method.values()), None)))
    return artifact


class EdgeTransformAndLowerStage(_DelegatingStage):
    """Programs to the edge dialect, transformed and delegated."""

    def __init__(
        self,
        partitioners: Any = None,
        transform_passes: "Sequence[Any] | None" = None,
        compile_config: Any = None,
    ) -> None:
        super().__init__()
        self._partitioners = partitioners
        self._transform_passes = list(transform_passes or ())
        self._compile_config = compile_config

    @classmethod
    def from_recipe(cls, lowering_recipe: "LoweringRecipe | None") -> "EdgeTransformAndLowerStage":
        """The stage that a recipe asks for."""
        recipe = lowering_recipe or LoweringRecipe()
        return cls(recipe.partitioners, recipe.edge_transform_passes, recipe.edge_compile_config)

    stage_type = StageType.TO_EDGE_TRANSFORM_AND_LOWER
    valid_predecessor_stages = [StageType.TORCH_EXPORT]
    can_start_pipeline = True

    def run(self, artifact: PipelineArtifact) -> None:
        manager = to_edge_transform_and_lower(
            artifact.data,
            partitioner=self._partitioners,
            transform_passes=passes_by_method(self._transform_passes, artifact.data),
            constant_methods=artifact.get_context("constant_methods"),
            compile_config=self._compile_config,
            generate_etrecord=bool(artifact.get_context("generate_etrecord")),
        )
        self._artifact = _with_delegation_info(artifact.copy_with_new_data(manager))


class ToEdgeStage(Stage):
    """Programs to the edge dialect."""

    def __init__(self, edge_compile_config: Any = None) -> None:
        super().__init__()
        self._edge_compile_config = edge_compile_config

    @classmethod
    def from_recipe(cls, lowering_recipe: "LoweringRecipe | None") -> "ToEdgeStage":
        """The stage that a recipe asks for."""
        return cls((lowering_recipe or LoweringRecipe()).edge_compile_config)

    stage_type = StageType.TO_EDGE
    valid_predecessor_stages = [StageType.TORCH_EXPORT]
    can_start_pipeline = True

    def run(self, artifact: PipelineArtifact) -> None:
        manager = to_edge(
            artifact.data,
            constant_methods=artifact.get_context("constant_methods"),
            compile_config=self._edge_compile_config,
            generate_etrecord=bool(artifact.get_context("generate_etrecord")),
        )
        self._artifact = artifact.copy_with_new_data(manager)


class EdgeProgramManagerTransformStage(Stage):
    """Runs passes over edge programs."""

    def __init__(
        self,
        edge_transform_passes: "Sequence[Any] | None" = None,
        edge_manager_transform_passes: "Sequence[Any] | None" = None,
    ) -> None:
        super().__init__()
        self._edge_transform_passes = list(edge_transform_passes or ())
        self._edge_manager_transform_passes = list(edge_manager_transform_passes or ())

    @classmethod
    def from_recipe(cls, lowering_recipe: "LoweringRecipe | None") -> "EdgeProgramManagerTransformStage":
        """The stage that a recipe asks for."""
        recipe = lowering_recipe or LoweringRecipe()
        return cls(recipe.edge_transform_passes, recipe.edge_manager_transform_passes)

    stage_type = StageType.EDGE_PROGRAM_MANAGER_TRANSFORM
    valid_predecessor_stages = [StageType.TO_EDGE, StageType.TO_EDGE_TRANSFORM_AND_LOWER]
    can_start_pipeline = False

    def run(self, artifact: PipelineArtifact) -> None:
        manager: EdgeProgramManager = artifact.data
        if not isinstance(manager, EdgeProgramManager):
            raise TypeError(f"Expected EdgeProgramManager but got {type(manager)}")
        if self._edge_transform_passes:
            programs = {name: manager.exported_program(name) for name in sorted(manager.methods)}
            chosen = passes_by_method(self._edge_transform_passes, programs)
            manager = manager.transform(chosen) if chosen else manager
        for make in self._edge_manager_transform_passes:
            passes = _passes_of(make(manager))
            manager = manager.transform(passes) if passes else manager
        self._artifact = artifact.copy_with_new_data(manager)


class ToBackendStage(_DelegatingStage):
    """Delegates parts of edge programs."""

    def __init__(self, partitioners: Any = None) -> None:
        super().__init__()
        self._partitioners = partitioners

    @classmethod
    def from_recipe(cls, lowering_recipe: "LoweringRecipe | None") -> "ToBackendStage":
        """The stage that a recipe asks for."""
        return cls((lowering_recipe or LoweringRecipe()).partitioners)

    stage_type = StageType.TO_BACKEND
    valid_predecessor_stages = [StageType.TO_EDGE, StageType.EDGE_PROGRAM_MANAGER_TRANSFORM]
    can_start_pipeline = False

    def run(self, artifact: PipelineArtifact) -> None:
        manager: EdgeProgramManager = _required(artifact.data)
        if isinstance(self._partitioners, Mapping):
            ranks = max((len(chosen) for chosen in self._partitioners.values()), default=0)
            for rank in range(ranks):
                wanted = {
                    name: chosen[rank] for name, chosen in self._partitioners.items() if rank < len(chosen)
                }
                manager = manager.to_backend(wanted)
        else:
            for partitioner in self._partitioners or ():
                manager = manager.to_backend(partitioner)
        self._artifact = _with_delegation_info(artifact.copy_with_new_data(manager))


class ExecutorchStage(Stage):
    """Edge programs to an executable program."""

    def __init__(self, backend_config: Any) -> None:
        super().__init__()
        self._backend_config = backend_config

    stage_type = StageType.TO_EXECUTORCH
    valid_predecessor_stages = [
        StageType.TO_EDGE_TRANSFORM_AND_LOWER,
        StageType.TO_BACKEND,
        StageType.EDGE_PROGRAM_MANAGER_TRANSFORM,
    ]
    can_start_pipeline = False

    def run(self, artifact: PipelineArtifact) -> None:
        manager: EdgeProgramManager = _required(artifact.data)
        self._artifact = artifact.copy_with_new_data(manager.to_executorch(self._backend_config))


def _required(manager: Any) -> Any:
    if manager is None:
        raise RuntimeError("Edge program manager is not set.\nWay out: run a stage that makes one before")
    return manager


def passes_by_method(
    makers: Sequence[Any], programs: Mapping[str, ExportedProgram]
) -> "dict[str, list[Any]] | None":
    """The passes that ``makers`` give for each method, without methods that get none; None when no method gets any.

    Raises:
        ValueError: one of them is no function.
    """
    if not all(callable(make) for make in makers):
        raise ValueError("Transform passes must be a callable that resolves to passes")
    chosen = {
        name: [item for make in makers for item in _passes_of(make(name, program))]
        for name, program in programs.items()
    }
    return {name: passes for name, passes in chosen.items() if passes} or None


def _passes_of(made: Any) -> list[Any]:
    return list(made) if isinstance(made, (list, tuple)) else [made]


__all__ = [
    "EdgeProgramManagerTransformStage",
    "EdgeTransformAndLowerStage",
    "ExecutorchStage",
    "PipelineArtifact",
    "QuantizeStage",
    "SourceTransformStage",
    "Stage",
    "ToBackendStage",
    "ToEdgeStage",
    "TorchExportStage",
    "passes_by_method",
    "transform_aten",
]
