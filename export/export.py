"""``export``: a model to an executable program in one call, as a recipe says."""

import itertools
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram

from executorch.exir import EdgeProgramManager, ExecutorchProgramManager
from executorch.exir._warnings import experimental
from executorch.export.recipe import ExportRecipe
from executorch.export.stages import (
    EdgeProgramManagerTransformStage,
    EdgeTransformAndLowerStage,
    ExecutorchStage,
    PipelineArtifact,
    QuantizeStage,
    SourceTransformStage,
    Stage,
    ToBackendStage,
    ToEdgeStage,
    TorchExportStage,
    transform_aten,
)
from executorch.export.types import StageType
from executorch.partitioner.inspection.text_table import text_table as tabulate
from executorch.schema.program import Program

_DEFAULT_METHOD = "forward"
_MANAGER_STAGES = (
    StageType.TO_EDGE,
    StageType.TO_EDGE_TRANSFORM_AND_LOWER,
    StageType.EDGE_PROGRAM_MANAGER_TRANSFORM,
    StageType.TO_BACKEND,
)
_MODULE, _GRAPH, _PROGRAM = "nn.Module", "GraphModule", "ExportedProgram"
# Stages that a kind of model is past already, and what to give instead.
_PAST = {
    _GRAPH: (
        "already quantized",
        (StageType.QUANTIZE, StageType.SOURCE_TRANSFORM),
        "nn.Module",
    ),
    _PROGRAM: (
        "already exported",
        (StageType.TORCH_EXPORT, StageType.QUANTIZE, StageType.SOURCE_TRANSFORM),
        "nn.Module/GraphModule",
    ),
}


@experimental("executorch.export is new and may still change")
def export(
    model: Any,
    example_inputs: "Sequence[tuple[Any, ...]] | Mapping[str, Sequence[tuple[Any, ...]]] | None" = None,
    export_recipe: "ExportRecipe | None" = None,
    name: "str | None" = None,
    dynamic_shapes: Any = None,
    constant_methods: "dict[str, Any] | None" = None,
    artifact_dir: "str | None" = None,
    generate_etrecord: bool = False,
) -> "ExportSession":
    """Makes and runs an :class:`ExportSession`; arguments are those of the class."""
    session = ExportSession(
        model,
        example_inputs,
        export_recipe,
        name,
        dynamic_shapes,
        constant_methods,
        artifact_dir,
        generate_etrecord,
    )
    session.export()
    return session


class ExportSession:
    """An export, stage by stage, with what each stage made.

    Args:
        model: a module, an ``ExportedProgram``, a ``.pt2`` file, or a mapping of method name to one of these.
        example_inputs: tuples of inputs, the first of which captures the model and all of which calibrate; or such a
            list by method name. May be left out for exported programs.
        export_recipe: default: no quantization and no backend.
        name: for messages.
        dynamic_shapes: as ``torch.export.export`` takes them; by method name for a mapping of models.
        constant_methods: method name to the constant that it returns at run time, or a function that gives it.
        artifact_dir: where :meth:`save_to_pte` writes names without a directory.
        generate_etrecord: keep a record for the inspector.

    Raises:
        ValueError: inputs are missing, or stages in an order that makes no sense.
        TypeError: the model is none of these.
    """

    def __init__(
        self,
        model: Any,
        example_inputs: "Sequence[tuple[Any, ...]] | Mapping[str, Sequence[tuple[Any, ...]]] | None" = None,
        export_recipe: "ExportRecipe | None" = None,
        name: "str | None" = None,
        dynamic_shapes: Any = None,
        constant_methods: "dict[str, Any] | None" = None,
        artifact_dir: "str | None" = None,
        generate_etrecord: "bool | None" = False,
    ) -> None:
        self._model = _as_models(model)
        self._input_model_type = self._detect_model_type(self._model)
        if example_inputs is None and self._input_model_type != _PROGRAM:
            raise ValueError(
                f"example_inputs are required when model is {self._input_model_type}. "
                "Only ExportedProgram inputs can omit example_inputs."
            )
        self._export_recipe = export_recipe or ExportRecipe()
        self._artifact_dir = artifact_dir
        self._example_inputs = _by_method(example_inputs, self._model, list)
        self._dynamic_shapes = _by_method(dynamic_shapes, self._model, lambda shapes: shapes)
        constants = constant_methods or {}
        self._run_context: dict[str, Any] = {
            "example_inputs": self._example_inputs,
            "dynamic_shapes": self._dynamic_shapes,
            "constant_methods": {
                key: value() if callable(value) else value for key, value in constants.items()
            }
            or None,
            "export_recipe": self._export_recipe,
            "session_name": name,
            "artifact_dir": artifact_dir,
            "generate_etrecord": generate_etrecord,
        }
        chosen = self._export_recipe.pipeline_stages
        self._pipeline_stages = list(chosen or self._get_default_pipeline())
        self._stage_registry = self._build_stages(self._pipeline_stages)
        self._stage_to_artifacts: dict[StageType, PipelineArtifact] = {}

    # ---- stages ---------------------------------------------------------------------------------------------------

    def register_stage(self, stage_type: StageType, stage: Stage) -> None:
        """Uses ``stage`` in place of the usual one of its type."""
        self._stage_registry[stage_type] = stage

    def get_registered_stage(self, stage_type: StageType) -> "Stage | None":
        """The stage of a type, None when the pipeline has none."""
        return self._stage_registry.get(stage_type)

    def get_all_registered_stages(self) -> dict[StageType, Stage]:
        """Type to stage."""
        return dict(self._stage_registry)

    def export(self) -> None:
        """Runs all stages. What an earlier run made is kept when the pipeline is refused, and dropped otherwise."""
        self._run_pipeline()

    def _run_pipeline(self) -> None:
        self._validate_pipeline_sequence(self._pipeline_stages)
        self._stage_to_artifacts.clear()
        artifact = PipelineArtifact(self._starting_data(), dict(self._run_context))
        for kind in self._pipeline_stages:
            stage = self._stage_registry.get(kind)
            if stage is None:
                raise ValueError(
                    f"Stage {kind} not found in registry, register it using session.register_stage()"
                )
            stage.run(artifact)
            artifact = stage.get_artifacts()
            self._stage_to_artifacts[kind] = artifact

    def _starting_data(self) -> dict[str, Any]:
        """The models; programs, which skip capture, after the recipe's passes over captured programs."""
        passes = self._export_recipe.aten_transform_passes
        if self._input_model_type != _PROGRAM or not passes:
            return dict(self._model)
        return {name: transform_aten(name, program, passes) for name, program in self._model.items()}

    def get_stage_artifacts(self) -> dict[StageType, PipelineArtifact]:
        """Type of each stage that ran, to what it made; the dictionary follows later runs."""
        return self._stage_to_artifacts

    def _detect_model_type(self, model: Any) -> str:
        """What the pipeline starts from: modules, captured graphs, or programs; of a mapping, what all are."""
        models = list(model.values()) if isinstance(model, Mapping) else [model]
        if all(isinstance(item, ExportedProgram) for item in models):
            return _PROGRAM
        if all(isinstance(item, torch.fx.GraphModule) for item in models):
            return _GRAPH
        return _MODULE

    def _get_default_pipeline(self) -> list[StageType]:
        stages = [
            StageType.SOURCE_TRANSFORM,
            StageType.QUANTIZE,
            StageType.TORCH_EXPORT,
            StageType.TO_EDGE_TRANSFORM_AND_LOWER,
        ]
        _, past, _ = _PAST.get(self._input_model_type, ("", (), ""))
        stages = [stage for stage in stages if stage not in past]
        lowering = self._export_recipe.lowering_recipe
        if lowering is not None and lowering.edge_manager_transform_passes:
            stages.append(StageType.EDGE_PROGRAM_MANAGER_TRANSFORM)
        return [*stages, StageType.TO_EXECUTORCH]

    def _build_stages(self, stages: Sequence[StageType]) -> dict[StageType, Stage]:
        """The usual stages of these types; other types get none and wait for :meth:`register_stage`."""
        makers = self._makers()
        return {kind: makers[kind]() for kind in stages or self._get_default_pipeline() if kind in makers}

    def _makers(self) -> dict[StageType, Callable[[], Stage]]:
        recipe = self._export_recipe
        lowering = recipe.lowering_recipe
        return {
            StageType.SOURCE_TRANSFORM: lambda: SourceTransformStage(
                recipe.quantization_recipe, recipe.source_transform_in_place
            ),
            StageType.QUANTIZE: lambda: QuantizeStage(recipe.quantization_recipe),
            StageType.TORCH_EXPORT: lambda: TorchExportStage(recipe.aten_transform_passes, recipe.strict),
            StageType.TO_EDGE_TRANSFORM_AND_LOWER: lambda: EdgeTransformAndLowerStage.from_recipe(lowering),
            StageType.TO_EDGE: lambda: ToEdgeStage.from_recipe(lowering),
            StageType.EDGE_PROGRAM_MANAGER_TRANSFORM: self._transform_stage,
            StageType.TO_BACKEND: lambda: ToBackendStage.from_recipe(lowering),
            StageType.TO_EXECUTORCH: lambda: ExecutorchStage(recipe.executorch_backend_config),
        }

    def _transform_stage(self) -> EdgeProgramManagerTransformStage:
        lowering = self._export_recipe.lowering_recipe
        if StageType.TO_EDGE_TRANSFORM_AND_LOWER in self._pipeline_stages and lowering is not None:
            # That stage runs the passes by method already.
            return EdgeProgramManagerTransformStage(None, lowering.edge_manager_transform_passes)
        return EdgeProgramManagerTransformStage.from_recipe(lowering)

    def _validate_pipeline_sequence(self, stages: Sequence[StageType]) -> None:
        if not stages:
            raise ValueError("Pipeline stages cannot be empty")
        why, past, instead = _PAST.get(self._input_model_type, ("", (), ""))
        wrong = ", ".join(stage.name for stage in past if stage in stages)
        if wrong:
            raise ValueError(
                f"Cannot run {wrong} stage(s) with {self._input_model_type} input: it is {why}.\n"
                f"Way out: remove {wrong} from pipeline_stages or use {instead} input."
            )
        first = self._stage_registry.get(stages[0])
        if first is not None and not first.can_start_pipeline:
            raise ValueError(
                f"Stage {stages[0]} cannot start a pipeline; it may follow {first.valid_predecessor_stages}"
            )
        for before, kind in itertools.pairwise(stages):
            stage = self._stage_registry.get(kind)
            if stage is not None and before not in stage.valid_predecessor_stages:
                raise ValueError(
                    f"Invalid transition from {before} to {kind}. Valid predecessors for {kind}: "
                    f"{stage.valid_predecessor_stages}"
                )

    # ---- results --------------------------------------------------------------------------------------------------

    def get_exported_program(self, method_name: str = _DEFAULT_METHOD) -> ExportedProgram:
        """The captured program of a method.

        Raises:
            RuntimeError: nothing was captured yet.
            KeyError: there is no such method.
        """
        if self._input_model_type == _PROGRAM:
            programs = self._starting_data()
        else:
            programs = self._artifact_of((StageType.TORCH_EXPORT,), "Exported program is not available").data
        if method_name not in programs:
            raise KeyError(
                f"Method name '{method_name}' not found in exported programs. Available methods: {list(programs)}"
            )
        program: ExportedProgram = programs[method_name]
        return program

    def get_edge_program_manager(self) -> EdgeProgramManager:
        """The manager of the edge programs, after the last stage that changed them.

        Raises:
            RuntimeError: no such stage ran.
        """
        what = "Edge program manager is not available"
        manager: EdgeProgramManager = self._artifact_of(_MANAGER_STAGES, what).data
        return manager

    def get_executorch_program_manager(self) -> ExecutorchProgramManager:
        """The manager of the executable program.

        Raises:
            RuntimeError: the last stage did not run.
        """
        what = "Executorch program manager is not initialized"
        manager: ExecutorchProgramManager = self._artifact_of((StageType.TO_EXECUTORCH,), what).data
        return manager

    def get_executorch_program(self) -> Program:
        """The executable program as the schema's objects."""
        return self.get_executorch_program_manager().executorch_program

    def get_pte_buffer(self) -> bytes:
        """The ``.pte`` file."""
        return self.get_executorch_program_manager().buffer

    def save_to_pte(self, output_name: str) -> None:
        """Writes the ``.pte`` file; the suffix is added when ``output_name`` has none.

        Raises:
            AssertionError: the name is empty.
        """
        assert output_name, "Need a valid output name"
        path = output_name if output_name.endswith(".pte") else f"{output_name}.pte"
        if self._artifact_dir is not None and not os.path.dirname(path):
            path = os.path.join(self._artifact_dir, path)
        self.get_executorch_program_manager().save(path)

    def get_example_input(self, method_name: str = _DEFAULT_METHOD) -> tuple[Any, ...]:
        """The first example inputs of a method.

        Raises:
            KeyError: there is no such method.
            ValueError: it has none.
        """
        if method_name not in self._example_inputs:
            raise KeyError(f"Method name '{method_name}' not found in example inputs")
        inputs = self._example_inputs[method_name]
        if not inputs:
            raise ValueError(f"Example inputs list for method {method_name} is empty.")
        first: tuple[Any, ...] = inputs[0]
        return first

    def run_method(
        self, method_name: str = _DEFAULT_METHOD, example_inputs: "tuple[Any, ...] | None" = None
    ) -> Sequence[Any]:
        """Runs a method of the executable program in the runtime's Python bindings.

        Args:
            method_name: which.
            example_inputs: default: the first example inputs.

        Returns:
            The outputs.
        """
        from executorch.runtime import Runtime  # native code; exporting does without

        inputs = self.get_example_input(method_name) if example_inputs is None else example_inputs
        program = Runtime.get().load_program(self.get_pte_buffer())
        outputs: Sequence[Any] = program.load_method(method_name).execute(list(inputs))
        return outputs

    def get_etrecord(self) -> Any:
        """The record for the inspector.

        Raises:
            RuntimeError: the session was made without ``generate_etrecord``.
        """
        return self.get_executorch_program_manager().get_etrecord()

    def print_delegation_info(self) -> None:
        """Prints for each method how many nodes its delegates took, and a table of operators inside and outside them."""
        contexts = [artifact.context for artifact in self._stage_to_artifacts.values()]
        found = [item for context in contexts if (item := _delegation_info_of(context))]
        if not found:
            print("No delegation info available")
            return
        for name, info in sorted(found[-1].items()):
            if name:
                print(f"Delegation info for method '{name}':")
            print(info.get_summary())
            print(tabulate(info.columns, info.rows()))

    def _artifact_of(self, kinds: Sequence[StageType], what: str) -> PipelineArtifact:
        ran = [kind for kind in self._pipeline_stages if kind in kinds and kind in self._stage_to_artifacts]
        if not ran:
            names = " or ".join(kind.name for kind in kinds)
            raise RuntimeError(f"{what}.\nWay out: export() first, with {names} among the stages")
        return self._stage_to_artifacts[ran[-1]]


def _delegation_info_of(context: Mapping[str, Any]) -> dict[str, Any]:
    """Method name to how much of it is delegated; stages of one's own may tell of one method without its name."""
    by_method = context.get("delegation_info_by_method")
    alone = context.get("delegation_info")
    return dict(by_method) if by_method else {"": alone} if alone else {}


def _as_models(model: Any) -> dict[str, Any]:
    models = dict(model) if isinstance(model, Mapping) else {_DEFAULT_METHOD: model}
    for name, item in models.items():
        if isinstance(item, (str, os.PathLike)):
            models[name] = torch.export.load(item)
        elif not isinstance(item, (torch.nn.Module, ExportedProgram)):
            raise TypeError(f"Unsupported model type: {type(item)}")
    return models


def _by_method(value: Any, models: Mapping[str, Any], convert: Callable[[Any], Any]) -> dict[str, Any]:
    """``value`` for each method: it is for the only one, or a mapping by method name."""
    if value is None:
        return {}
    if isinstance(value, Mapping) and set(value) <= set(models):
        return {name: convert(item) for name, item in value.items()}
    return {name: convert(value) for name in models}


__all__ = ["ExportSession", "export"]
