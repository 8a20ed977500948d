"""The stages of an export: each takes what the one before it made, and the context they all share."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram

from executorch.exir import EdgeProgramManager, ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower
from executorch.export.quantization import quantize_graph, quantize_source
from executorch.export.recipe import LoweringRecipe, QuantizationRecipe
from executorch.export.types import StageType


class PipelineArtifact:
    """What a stage made.

    Attributes:
        data: modules, graphs or programs by method name; or a manager.
        context: shared by all stages: ``example_inputs``, ``dynamic_shapes``, ``constant_methods`` ...
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
        """The same context with other data."""
        return PipelineArtifact(new_data, self.context)


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
    """Quantizes the source of modules with torchao's configs; without any, hands them on."""

    def __init__(self, quantization_recipe: "QuantizationRecipe | None", in_place: bool = False) -> None:
        super().__init__()
        self._recipe = quantization_recipe
        self._in_place = in_place

    stage_type = StageType.SOURCE_TRANSFORM
    valid_predecessor_stages: list[StageType] = []
    can_start_pipeline = True

    def run(self, artifact: PipelineArtifact) -> None:
        models = artifact.data
        configs = self._recipe.ao_quantization_configs if self._recipe is not None else None
        if configs:
            models = models if self._in_place else copy.deepcopy(models)
            for model in models.values():
                quantize_source(model, configs)
        self._artifact = artifact.copy_with_new_data(models)


class QuantizeStage(Stage):
    """Quantizes captured graphs with the recipe's quantizers; without any, hands the modules on."""

    def __init__(self, quantization_recipe: "QuantizationRecipe | None") -> None:
        super().__init__()
        self._recipe = quantization_recipe

    stage_type = StageType.QUANTIZE
    valid_predecessor_stages = [StageType.SOURCE_TRANSFORM]
    can_start_pipeline = True

    def run(self, artifact: PipelineArtifact) -> None:
        models = artifact.data
        if self._recipe is not None and self._recipe.quantizers:
            inputs = artifact.get_context("example_inputs")
            models = {
                name: quantize_graph(model, inputs[name], self._recipe) for name, model in models.items()
            }
        self._artifact = artifact.copy_with_new_data(models)


class TorchExportStage(Stage):
    """Captures modules with ``torch.export``."""

    def __init__(self, aten_transform_passes: "Sequence[Any] | None" = None, strict: bool = True) -> None:
        super().__init__()
        self._passes = list(aten_transform_passes or ())
        self._strict = strict

    stage_type = StageType.TORCH_EXPORT
    valid_predecessor_stages = [StageType.SOURCE_TRANSFORM, StageType.QUANTIZE]
    can_start_pipeline = True

    def run(self, artifact: PipelineArtifact) -> None:
        inputs = artifact.get_context("example_inputs", {})
        shapes = artifact.get_context("dynamic_shapes", {})
        programs = {
            name: self._capture(name, model, inputs.get(name), shapes.get(name))
            for name, model in artifact.data.items()
        }
        artifact.add_context("exported_program", programs)
        self._artifact = artifact.copy_with_new_data(programs)

    def _capture(self, name: str, model: Any, inputs: Any, shapes: Any) -> ExportedProgram:
        if isinstance(model, ExportedProgram):
            program = model
        else:
            if not inputs:
                raise ValueError(f"Example inputs for method {name} not found or empty.")
            with torch.no_grad():
                program = torch.export.export(model, inputs[0], dynamic_shapes=shapes, strict=self._strict)
        for transform in self._passes:
            program = transform(name, program)
            if not isinstance(program, ExportedProgram):
                raise RuntimeError(
                    f"the ATen pass {transform!r} returned a {type(program).__name__} for method {name!r}, not an "
                    "ExportedProgram"
                )
        return program


class EdgeTransformAndLowerStage(Stage):
    """Programs to the edge dialect, transformed and delegated."""

    def __init__(
        self,
        partitioners: Any = None,
        transform_passes: "Sequence[Any] | None" = None,
        compile_config: Any = None,
    ) -> None:
        super().__init__()
        self._partitioners = partitioners
        self._passes = list(transform_passes or ())
        self._config = compile_config

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
            transform_passes=passes_by_method(self._passes, artifact.data),
            partitioner=self._partitioners,
            constant_methods=artifact.get_context("constant_methods"),
            compile_config=self._config,
            generate_etrecord=bool(artifact.get_context("generate_etrecord")),
        )
        self._artifact = artifact.copy_with_new_data(manager)


class ToEdgeStage(Stage):
    """Programs to the edge dialect."""

    def __init__(self, edge_compile_config: Any = None) -> None:
        super().__init__()
        self._config = edge_compile_config

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
            compile_config=self._config,
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
        self._passes = list(edge_transform_passes or ())
        self._manager_passes = list(edge_manager_transform_passes or ())

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
        programs = {name: manager.exported_program(name) for name in sorted(manager.methods)}
        chosen = passes_by_method(self._passes, programs)
        if chosen:
            manager = manager.transform(chosen)
        for make in self._manager_passes:
            manager = manager.transform(_passes_of(make(manager)))
        self._artifact = artifact.copy_with_new_data(manager)


class ToBackendStage(Stage):
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
        manager: EdgeProgramManager = artifact.data
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
        self._artifact = artifact.copy_with_new_data(manager)


class ExecutorchStage(Stage):
    """Edge programs to an executable program."""

    def __init__(self, backend_config: Any) -> None:
        super().__init__()
        self._config = backend_config

    stage_type = StageType.TO_EXECUTORCH
    valid_predecessor_stages = [
        StageType.TO_EDGE_TRANSFORM_AND_LOWER,
        StageType.TO_BACKEND,
        StageType.EDGE_PROGRAM_MANAGER_TRANSFORM,
    ]
    can_start_pipeline = False

    def run(self, artifact: PipelineArtifact) -> None:
        config = self._config or ExecutorchBackendConfig()
        self._artifact = artifact.copy_with_new_data(artifact.data.to_executorch(config))


def passes_by_method(
    makers: Sequence[Any], programs: Mapping[str, ExportedProgram]
) -> "dict[str, list[Any]] | None":
    """The passes that ``makers`` give for each method, without methods that get none; None when no method gets any."""
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
]
