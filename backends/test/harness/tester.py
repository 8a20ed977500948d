"""From a module to a program that runs, step by step, with checks in between."""

from __future__ import annotations

import pathlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.testing import FileCheck
from torch.utils._pytree import tree_flatten

from executorch.backends.test.harness import comparison
from executorch.backends.test.harness.stages import (
    Export,
    Partition,
    Quantize,
    Quantize_,
    RunPasses,
    Serialize,
    Stage,
    StageType,
    ToEdge,
    ToEdgeTransformAndLower,
    ToExecutorch,
)
from executorch.devtools import visualization
from executorch.dialects.dim_order import dim_order_of

_S = StageType
#: Which steps may follow which.
_NEXT: dict[StageType, set[StageType]] = {
    _S.INITIAL_MODEL: {_S.QUANTIZE, _S.EXPORT},
    _S.QUANTIZE: {_S.QUANTIZE, _S.EXPORT},
    _S.EXPORT: {_S.RUN_PASSES, _S.TO_EDGE, _S.TO_EDGE_TRANSFORM_AND_LOWER},
    _S.TO_EDGE: {_S.PARTITION, _S.RUN_PASSES, _S.TO_EXECUTORCH},
    _S.TO_EDGE_TRANSFORM_AND_LOWER: {_S.PARTITION, _S.RUN_PASSES, _S.TO_EXECUTORCH},
    _S.RUN_PASSES: {
        _S.RUN_PASSES,
        _S.TO_EDGE,
        _S.TO_EDGE_TRANSFORM_AND_LOWER,
        _S.PARTITION,
        _S.TO_EXECUTORCH,
    },
    _S.PARTITION: {_S.PARTITION, _S.RUN_PASSES, _S.TO_EXECUTORCH},
    _S.TO_EXECUTORCH: {_S.SERIALIZE},
    _S.SERIALIZE: set(),
}


class Tester:
    """Takes a module through the steps and checks on the way; every method but getters returns the tester.

    Args:
        module: is put into eval mode unless ``training``.
        example_inputs: a tuple.
        stage_classes: step -> what makes its stage without arguments; :meth:`default_stage_classes` by default.
        dynamic_shapes: as for ``torch.export.export``.
        training: leave the module's mode alone.
    """

    #: For pytest, which looks at names: this is no test.
    __test__ = False

    def __init__(
        self,
        module: torch.nn.Module,
        example_inputs: tuple[Any, ...],
        stage_classes: dict[StageType, Callable[..., Any]] | None = None,
        dynamic_shapes: Any = None,
        training: bool = False,
    ) -> None:
        if not training:
            module.eval()
        self.stage_classes = self.default_stage_classes() if stage_classes is None else stage_classes
        self.original_module = module
        self.example_inputs = example_inputs
        self.dynamic_shapes = dynamic_shapes
        self.stages: dict[StageType, Stage | None] = dict.fromkeys(StageType)
        self.pipeline = {
            kind: sorted(following, key=lambda one: one.value) for kind, following in _NEXT.items()
        }
        self.cur: StageType = StageType.INITIAL_MODEL
        self.reference_output: Any = None
        self.quantization_scale: float | None = None
        self.artifact: Any = None
        self.stage_output: Any = None

    @staticmethod
    def default_stage_classes() -> dict[StageType, Callable[..., Any]]:
        """The stages of no backend in particular."""
        return {
            StageType.QUANTIZE: Quantize,
            StageType.EXPORT: Export,
            StageType.RUN_PASSES: RunPasses,
            StageType.TO_EDGE: ToEdge,
            StageType.TO_EDGE_TRANSFORM_AND_LOWER: ToEdgeTransformAndLower,
            StageType.PARTITION: Partition,
            StageType.TO_EXECUTORCH: ToExecutorch,
            StageType.SERIALIZE: Serialize,
        }

    def _get_default_stage(self, stage_type: StageType, *args: Any, **kwargs: Any) -> Stage:
        maker = self.stage_classes.get(stage_type)
        if maker is None:
            raise RuntimeError(f"this tester has no stage for {stage_type.name}; hand one over")
        made: Stage = maker(*args, **kwargs)
        return made

    def generate_random_inputs(self) -> Iterator[tuple[Any, ...]]:
        """Inputs like the examples, without end; see ``comparison.random_inputs``."""
        return comparison.random_inputs(self.example_inputs, self.dynamic_shapes)

    # The steps.

    def _run_stage(self, stage_instance: Stage, inputs: Any = None, *args: Any, **kwargs: Any) -> Tester:
        kind = stage_instance.stage_type()
        possible = self.pipeline[self.cur]
        if self.cur is StageType.INITIAL_MODEL and self.stages[self.cur] is None:
            # A tester may say in a stage of its own what the module is.
            possible = [StageType.INITIAL_MODEL, *possible]
        assert kind in possible, (
            f"{kind.name} cannot follow {self.cur.name}; possible now: {[one.name for one in possible]}"
        )
        before = self.stages[self.cur]
        stage_instance.run(
            self.original_module if before is None else before.artifact, inputs, *args, **kwargs
        )
        self.stages[kind] = stage_instance
        self.cur = kind
        return self

    def quantize(self, quantize_stage: Quantize | Quantize_ | None = None) -> Tester:
        """Quantizes the module."""
        return self._run_stage(
            quantize_stage or self._get_default_stage(StageType.QUANTIZE), self.example_inputs
        )

    def export(self, export_stage: Export | None = None) -> Tester:
        """Captures the module."""
        made = export_stage or self._get_default_stage(StageType.EXPORT, dynamic_shapes=self.dynamic_shapes)
        return self._run_stage(made, self.example_inputs)

    def to_edge(self, to_edge_stage: ToEdge | None = None) -> Tester:
        """Lowers to the Edge dialect."""
        return self._run_stage(to_edge_stage or self._get_default_stage(StageType.TO_EDGE))

    def to_edge_transform_and_lower(
        self,
        to_edge_and_transform_stage: ToEdgeTransformAndLower | None = None,
        generate_etrecord: bool = False,
    ) -> Tester:
        """Lowers to the Edge dialect and to backends."""
        made = to_edge_and_transform_stage or self._get_default_stage(StageType.TO_EDGE_TRANSFORM_AND_LOWER)
        return self._run_stage(made, generate_etrecord=generate_etrecord)

    def run_passes(self, run_passes_stage: RunPasses | None = None) -> Tester:
        """Runs graph passes."""
        return self._run_stage(run_passes_stage or self._get_default_stage(StageType.RUN_PASSES))

    def partition(self, partition_stage: Partition | None = None) -> Tester:
        """Delegates."""
        return self._run_stage(partition_stage or self._get_default_stage(StageType.PARTITION))

    def to_executorch(self, to_executorch_stage: ToExecutorch | None = None) -> Tester:
        """Lowers to the program."""
        return self._run_stage(to_executorch_stage or self._get_default_stage(StageType.TO_EXECUTORCH))

    def serialize(self, serialize_stage: Serialize | None = None) -> Tester:
        """Makes the program's bytes."""
        return self._run_stage(serialize_stage or self._get_default_stage(StageType.SERIALIZE))

    # What the steps made.

    def _stage(self, stage: StageType | None = None) -> Stage:
        kind = self.cur if stage is None else stage
        found = self.stages[kind]
        if found is None:
            raise RuntimeError(f"{kind.name} has not run; it is {self.cur.name}'s turn")
        return found

    def dump_artifact(self, path: str | None = None, stage: StageType | None = None) -> Tester:
        """Prints what a step made, or writes it to ``path``; the last step by default."""
        self._stage(stage).dump_artifact(path)
        return self

    def get_artifact(self, stage: StageType | None = None) -> Any:
        """What a step made, the last by default."""
        kind = self.cur if stage is None else stage
        return self.original_module if kind is StageType.INITIAL_MODEL else self._stage(stage).artifact

    def visualize(self, reuse_server: bool = True, stage: StageType | None = None) -> Tester:
        """Shows what a step made, the last by default, in the browser; see `devtools.visualization.visualize`."""
        visualization.visualize(self.get_artifact(stage), reuse_server)
        return self

    # Checks of the graph.

    def check(self, input: list[str]) -> Tester:
        """Asserts that each text is found in the graph's code.

        Raises:
            RuntimeError: one is not; as ``torch.testing.FileCheck`` says it.
        """
        for key in input:
            FileCheck().check(key).run(self._stage().artifact_str())
        return self

    def check_not(self, input: list[str]) -> Tester:
        """Asserts that no text is found in the graph's code.

        Raises:
            RuntimeError: one is.
        """
        for key in input:
            FileCheck().check_not(key).run(self._stage().artifact_str())
        return self

    def check_count(self, input: dict[Any, int]) -> Tester:
        """Asserts how often each text is found in the graph's code.

        Raises:
            RuntimeError: another number of times.
        """
        for key, count in input.items():
            FileCheck().check_count(key, count, exactly=True).run(self._stage().artifact_str())
        return self

    def check_node_count(self, input: dict[Any, int]) -> Tester:
        """Asserts how many calls the graph has of each operator.

        Raises:
            AssertionError: another number.
        """
        graph_module = self._stage().graph_module
        assert graph_module is not None, f"{self.cur.name} makes bytes; check an earlier stage"
        found = Counter(node.target for node in graph_module.graph.nodes if node.op == "call_function")
        for target, count in input.items():
            assert found[target] == count, f"expected {count} {target} nodes, but found {found[target]}"
        return self

    # Checks of results.

    def run_method_and_compare_outputs(
        self,
        stage: StageType | None = None,
        inputs: tuple[Any, ...] | None = None,
        num_runs: int = 1,
        atol: float = 1e-3,
        rtol: float = 1e-3,
        qtol: int = 0,
        statistics_callback: comparison.Callback | None = None,
        artifact_dir: str | None = None,
        artifact_name: str | None = None,
    ) -> Tester:
        """Runs what a step made, and what was captured, and compares.

        Args:
            stage: the last by default.
            inputs: random ones like the examples by default.
            num_runs: with inputs of their own each, where none are given.
            atol, rtol: how far results may be apart.
            qtol: how many steps of a quantized result in addition.
            statistics_callback: gets the figures of each output.
            artifact_dir, artifact_name: keep inputs, expected outputs and program there.

        Raises:
            AssertionError: results differ.
        """
        generated = self.generate_random_inputs()
        captured = self._stage(StageType.EXPORT)
        for _ in range(1 if inputs is not None else num_runs):
            chosen = inputs if inputs is not None else next(generated)
            reference, scale = self._calculate_reference_output(captured.artifact, chosen)
            self.reference_output, self.quantization_scale = reference, scale
            self.stage_output = self._stage(stage).run_artifact(chosen)
            if artifact_dir and artifact_name:
                self._dump_golden_artifacts(artifact_dir, artifact_name, chosen, reference)
                program = self.stages[StageType.SERIALIZE]
                if program is not None:
                    program.dump_artifact(str(pathlib.Path(artifact_dir) / f"{artifact_name}.pte"))
            self._compare_outputs(reference, self.stage_output, scale, atol, rtol, qtol, statistics_callback)
        return self

    @staticmethod
    def _dump_golden_artifacts(
        artifact_dir: str, artifact_name: str, inputs: tuple[Any, ...], reference_output: Any
    ) -> None:
        """Writes the elements of each tensor: ``NAME_input.bin``, ``NAME_expected_output.bin``, numbered if several.

        Of an input as they lie in memory, which is what a program is handed; of an output in the order of its dimensions.
        """
        directory = pathlib.Path(artifact_dir)
        directory.mkdir(parents=True, exist_ok=True)
        for kind, values in (("input", inputs), ("expected_output", reference_output)):
            tensors = [one.detach() for one in tree_flatten(values)[0] if isinstance(one, torch.Tensor)]
            for number, tensor in enumerate(tensors):
                order = (
                    dim_order_of(tensor.shape, tensor.stride()) if kind == "input" else range(tensor.dim())
                )
                laid = tensor.permute(tuple(order)).contiguous()
                name = f"{artifact_name}_{kind}" + (f"_{number}" if len(tensors) > 1 else "")
                (directory / f"{name}.bin").write_bytes(laid.reshape(-1).view(torch.uint8).numpy().tobytes())

    @staticmethod
    def _assert_outputs_equal(
        model_output: Any,
        ref_output: Any,
        atol: float = 1e-3,
        rtol: float = 1e-3,
        statistics_callback: comparison.Callback | None = None,
    ) -> None:
        comparison.assert_outputs_equal(model_output, ref_output, atol, rtol, statistics_callback)

    @staticmethod
    def _compare_outputs(
        reference_output: Any,
        stage_output: Any,
        quantization_scale: float | None = None,
        atol: float = 1e-3,
        rtol: float = 1e-3,
        qtol: int = 0,
        statistics_callback: comparison.Callback | None = None,
    ) -> None:
        if quantization_scale is not None:
            atol += quantization_scale * qtol
        Tester._assert_outputs_equal(stage_output, reference_output, atol, rtol, statistics_callback)

    @staticmethod
    def _calculate_reference_output(program: ExportedProgram, inputs: Any) -> tuple[Any, float | None]:
        return comparison.reference_output(program, inputs)
