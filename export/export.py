"""``export``: a model to an executable program in one call, as a recipe says."""

import itertools
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram

from executorch.exir import EdgeProgramManager, ExecutorchProgramManager
from executorch.exir._warnings import experimental
from executorch.exir.lowered_backend_module import get_lowered_submodules
from executorch.exir.schema import Program
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
)
from executorch.export.types import StageType

_DEFAULT_METHOD = "forward"
_MANAGER_STAGES = (
    StageType.TO_EDGE,
    StageType.TO_EDGE_TRANSFORM_AND_LOWER,
    StageType.EDGE_PROGRAM_MANAGER_TRANSFORM,
    StageType.TO_BACKEND,
)


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
        self._models = _as_models(model)
        self._recipe = export_recipe or ExportRecipe()
        self._name = name
        self._artifact_dir = artifact_dir
        self._example_inputs = _by_method(example_inputs, self._models, list)
        self._check_inputs()
        constants = constant_methods or {}
        self._context: dict[str, Any] = {
            "example_inputs": self._example_inputs,
            "dynamic_shapes": _by_method(dynamic_shapes, self._models, lambda shapes: shapes),
            "constant_methods": {
                key: value() if callable(value) else value for key, value in constants.items()
            },
            "generate_etrecord": generate_etrecord,
            "session_name": name,
            "artifact_dir": artifact_dir,
        }
        self._pipeline = list(self._recipe.pipeline_stages or self._get_default_pipeline())
        self._stages = {kind: make() for kind, make in self._makers().items() if kind in self._pipeline}
        self._artifacts: dict[StageType, PipelineArtifact] = {}

    # ---- stages ---------------------------------------------------------------------------------------------------

    def register_stage(self, stage_type: StageType, stage: Stage) -> None:
        """Uses ``stage`` in place of the usual one of its type."""
        self._stages[stage_type] = stage

    def get_registered_stage(self, stage_type: StageType) -> "Stage | None":
        """The stage of a type, None when the pipeline has none."""
        return self._stages.get(stage_type)

    def get_all_registered_stages(self) -> dict[StageType, Stage]:
        """Type to stage."""
        return dict(self._stages)

    def export(self) -> None:
        """Runs all stages."""
        self._validate_pipeline_sequence(self._pipeline)
        artifact = PipelineArtifact(self._models, self._context)
        for kind in self._pipeline:
            stage = self._stages.get(kind)
            if stage is None:
                raise ValueError(
                    f"no stage of type {kind} is registered\nWay out: register_stage({kind}, stage)"
                )
            stage.run(artifact)
            artifact = stage.get_artifacts()
            self._artifacts[kind] = artifact

    def get_stage_artifacts(self) -> dict[StageType, PipelineArtifact]:
        """Type of each stage that ran, to what it made."""
        return dict(self._artifacts)

    def _get_default_pipeline(self) -> list[StageType]:
        stages = [StageType.TORCH_EXPORT, StageType.TO_EDGE_TRANSFORM_AND_LOWER]
        if not all(isinstance(model, ExportedProgram) for model in self._models.values()):
            stages = [StageType.SOURCE_TRANSFORM, StageType.QUANTIZE, *stages]
        lowering = self._recipe.lowering_recipe
        if lowering is not None and lowering.edge_manager_transform_passes:
            stages.append(StageType.EDGE_PROGRAM_MANAGER_TRANSFORM)
        return [*stages, StageType.TO_EXECUTORCH]

    def _makers(self) -> dict[StageType, Callable[[], Stage]]:
        recipe = self._recipe
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
        lowering = self._recipe.lowering_recipe
        if StageType.TO_EDGE_TRANSFORM_AND_LOWER in self._pipeline and lowering is not None:
            # That stage runs the passes by method already.
            return EdgeProgramManagerTransformStage(None, lowering.edge_manager_transform_passes)
        return EdgeProgramManagerTransformStage.from_recipe(lowering)

    def _validate_pipeline_sequence(self, stages: list[StageType]) -> None:
        if not stages:
            raise ValueError("Pipeline stages cannot be empty")
        first = self._stages.get(stages[0])
        if first is not None and not first.can_start_pipeline:
            raise ValueError(
                f"Stage {stages[0]} cannot start a pipeline; it may follow {first.valid_predecessor_stages}"
            )
        for before, kind in itertools.pairwise(stages):
            stage = self._stages.get(kind)
            if stage is not None and before not in stage.valid_predecessor_stages:
                raise ValueError(
                    f"Invalid transition from {before} to {kind}. Valid predecessors for {kind}: "
                    f"{stage.valid_predecessor_stages}"
                )

    def _check_inputs(self) -> None:
        for method, model in self._models.items():
            if not isinstance(model, ExportedProgram) and not self._example_inputs.get(method):
                raise ValueError(
                    f"example_inputs are required when model is nn.Module (method {method!r}). "
                    "Only ExportedProgram inputs can omit example_inputs."
                )

    # ---- results --------------------------------------------------------------------------------------------------

    def get_exported_program(self, method_name: str = _DEFAULT_METHOD) -> ExportedProgram:
        """The captured program of a method.

        Raises:
            RuntimeError: nothing was captured yet.
            KeyError: there is no such method.
        """
        programs = self._artifact_of((StageType.TORCH_EXPORT,), "Exported program", "Torch Export Stage").data
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
        manager: EdgeProgramManager = self._artifact_of(
            _MANAGER_STAGES, "Edge program manager", "Edge Stages"
        ).data
        return manager

    def get_executorch_program_manager(self) -> ExecutorchProgramManager:
        """The manager of the executable program.

        Raises:
            RuntimeError: the last stage did not run.
        """
        kind = (StageType.TO_EXECUTORCH,)
        manager: ExecutorchProgramManager = self._artifact_of(
            kind, "Executorch program manager", "Executorch Stage"
        ).data
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
            raise ValueError(f"Method name '{method_name}' has no example inputs")
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
        """Prints for each method how many nodes its delegates took, and which operators they left."""
        manager = self.get_edge_program_manager()
        for name in sorted(manager.methods):
            module = manager.exported_program(name).graph_module
            delegates = get_lowered_submodules(module)
            inside = sum(_count(delegate.original_module.graph_module.graph) for _, delegate, _ in delegates)
            print(f"Delegation info for method '{name}':")
            print(f"Total delegated subgraphs: {len(delegates)}")
            print(f"Number of delegated nodes: {inside}")
            print(f"Number of non-delegated nodes: {_count(module.graph)}")

    def _artifact_of(self, kinds: Sequence[StageType], what: str, stage: str) -> PipelineArtifact:
        ran = [kind for kind in self._pipeline if kind in kinds and kind in self._artifacts]
        if not ran:
            raise RuntimeError(f"{what} is not available: run {stage} first.")
        return self._artifacts[ran[-1]]


def _count(graph: torch.fx.Graph) -> int:
    """Operators in a graph; calls of delegates are none."""
    calls = (node for node in graph.nodes if node.op == "call_function")
    return sum(node.target is not torch.ops.higher_order.executorch_call_delegate for node in calls)


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
