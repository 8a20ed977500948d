"""Sessions, stages and recipes."""

import pytest
import torch

import executorch.export
from executorch.exir import EdgeCompileConfig, EdgeProgramManager, ExecutorchBackendConfig
from executorch.exir.backend.backend_details import BackendDetails, PreprocessResult
from executorch.exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from executorch.exir.dialects._ops import ops
from executorch.exir.error import ExportError
from executorch.exir.pass_base import ExportPass
from executorch.export import (
    AOQuantizationConfig,
    BackendRecipeProvider,
    ExportRecipe,
    ExportSession,
    LoweringRecipe,
    QuantizationRecipe,
    RecipeType,
    StageType,
    export,
    recipe_registry,
)
from executorch.export.stages import Stage, TorchExportStage

INPUTS = [(torch.rand(2, 3),)]
pytestmark = pytest.mark.filterwarnings("ignore:executorch.export is new")


class _Add(torch.nn.Module):
    def forward(self, x):
        return x + x


class _AddToMul(ExportPass):
    def call_operator(self, op, args, kwargs, meta):
        op = ops.edge.aten.mul.Tensor if op is ops.edge.aten.add.Tensor else op
        return super().call_operator(op, args, kwargs, meta)


class RecipeTestBackend(BackendDetails):
    @staticmethod
    def preprocess(edge_program, compile_specs):
        return PreprocessResult(processed_bytes=b"compiled")


class _Everything(Partitioner):
    def partition(self, exported_program):
        for node in exported_program.graph.nodes:
            if node.op == "call_function":
                node.meta["delegation_tag"] = "all"
        return PartitionResult(exported_program, {"all": DelegationSpec("RecipeTestBackend", [])})


def _targets(manager):
    graph = manager.exported_program().graph
    return [str(node.target) for node in graph.nodes if node.op == "call_function"]


def test_the_package_is_the_function():
    session = executorch.export(_Add(), INPUTS, ExportRecipe())
    assert isinstance(session, ExportSession) and session.get_pte_buffer()[4:8] == b"ET12"


def test_usual_stages_and_their_results():
    session = export(_Add(), INPUTS, constant_methods={"answer": lambda: 42, "one": 1})
    assert [kind.value for kind in session.get_stage_artifacts()] == [
        "source_transform",
        "quantize",
        "torch_export",
        "to_edge_transform_and_lower",
        "to_executorch",
    ]
    assert isinstance(session.get_edge_program_manager(), EdgeProgramManager)
    assert session.get_executorch_program_manager().config_methods == {"answer", "one"}
    assert session.get_executorch_program().execution_plan[0].name == "forward"
    assert session.get_example_input() is INPUTS[0]
    with pytest.raises(KeyError, match="Available methods"):
        session.get_exported_program("nope")
    with pytest.raises(KeyError, match="not found in example inputs"):
        session.get_example_input("nope")
    with pytest.raises(RuntimeError, match="ETRecord was not generated"):
        session.get_etrecord()


def test_files(tmp_path):
    session = export(_Add(), INPUTS, artifact_dir=str(tmp_path))
    session.save_to_pte("named")
    session.save_to_pte(str(tmp_path / "full.pte"))
    assert (
        (tmp_path / "named.pte").read_bytes()
        == (tmp_path / "full.pte").read_bytes()
        == session.get_pte_buffer()
    )
    with pytest.raises(AssertionError, match="valid output name"):
        session.save_to_pte("")


def test_a_program_runs():
    (output,) = export(_Add(), INPUTS).run_method()
    torch.testing.assert_close(output, 2 * INPUTS[0][0])


def test_several_methods_and_dynamic_shapes():
    shapes = {"a": {"x": {0: torch.export.Dim("n", max=8)}}}
    inputs = {"a": INPUTS, "b": INPUTS}
    session = export({"a": _Add(), "b": _Add()}, inputs, dynamic_shapes=shapes)
    assert session.get_executorch_program_manager().methods == {"a", "b"}
    (x,) = session.get_exported_program("a").graph.find_nodes(op="placeholder")
    assert isinstance(x.meta["val"].shape[0], torch.SymInt)


def test_exported_programs_and_files_need_no_inputs(tmp_path):
    program = torch.export.export(_Add(), INPUTS[0])
    assert StageType.QUANTIZE not in export(program).get_stage_artifacts()
    torch.export.save(program, tmp_path / "model.pt2")
    assert export(str(tmp_path / "model.pt2")).get_pte_buffer()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((_Add(),), ValueError, "example_inputs are required"),
        ((_Add(), []), ValueError, "not found or empty"),
        ((torch.fx.symbolic_trace(_Add()),), ValueError, "required when model is GraphModule"),
        ((3, INPUTS), TypeError, "Unsupported model type"),
    ],
)
def test_what_cannot_be_exported(arguments, error, message):
    with pytest.raises(error, match=message):
        export(*arguments)


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        ([StageType.TO_EXECUTORCH], "cannot start"),
        ([StageType.TORCH_EXPORT, StageType.TO_EXECUTORCH], "Invalid transition"),
        ([StageType.TORCH_EXPORT, StageType.TORCH_EXPORT], "Invalid transition"),
    ],
)
def test_orders_that_make_no_sense(stages, message):
    with pytest.raises(ValueError, match=message):
        export(_Add(), INPUTS, ExportRecipe(pipeline_stages=stages))


def test_results_before_their_stage():
    session = ExportSession(_Add(), INPUTS)
    for ask in (session.get_exported_program, session.get_edge_program_manager):
        with pytest.raises(RuntimeError, match="is not available"):
            ask()
    with pytest.raises(RuntimeError, match="is not initialized"):
        session.get_pte_buffer()


def test_a_recipe_transforms_and_delegates(capsys):
    recipe = ExportRecipe(
        aten_transform_passes=[lambda name, program: program],
        lowering_recipe=LoweringRecipe(
            partitioners=[_Everything()], edge_transform_passes=[lambda name, program: [_AddToMul()]]
        ),
        executorch_backend_config=ExecutorchBackendConfig(segment_alignment=64),
    )
    session = export(_Add(), INPUTS, recipe)
    session.print_delegation_info()
    printed = capsys.readouterr().out
    assert "Total delegated subgraphs: 1" in printed and "Number of delegated nodes: 1" in printed
    (call, _) = _targets(session.get_edge_program_manager())
    assert call == "executorch_call_delegate"


def test_the_stages_one_by_one():
    lowering = LoweringRecipe(
        partitioners={"forward": [_Everything()]},
        edge_transform_passes=[lambda name, program: _AddToMul()],
        edge_manager_transform_passes=[lambda manager: [_AddToMul()]],
        edge_compile_config=EdgeCompileConfig(),
    )
    stages = [
        StageType.TORCH_EXPORT,
        StageType.TO_EDGE,
        StageType.EDGE_PROGRAM_MANAGER_TRANSFORM,
        StageType.TO_BACKEND,
        StageType.TO_EXECUTORCH,
    ]
    session = export(_Add(), INPUTS, ExportRecipe(lowering_recipe=lowering, pipeline_stages=stages))
    artifacts = session.get_stage_artifacts()
    session.export()
    assert artifacts is session.get_stage_artifacts()
    assert _targets(artifacts[StageType.TO_EDGE].data) == ["aten.add.Tensor"]
    assert _targets(artifacts[StageType.EDGE_PROGRAM_MANAGER_TRANSFORM].data) == ["aten.mul.Tensor"]
    assert "executorch_call_delegate" in _targets(session.get_edge_program_manager())


def test_passes_over_the_manager_add_their_stage():
    lowering = LoweringRecipe(edge_manager_transform_passes=[lambda manager: [_AddToMul()]])
    session = export(_Add(), INPUTS, ExportRecipe(lowering_recipe=lowering))
    assert _targets(session.get_edge_program_manager()) == ["aten.mul.Tensor"]


def test_a_stage_of_ones_own():
    class Counting(TorchExportStage):
        runs = 0

        def run(self, artifact):
            Counting.runs += 1
            super().run(artifact)

    session = ExportSession(_Add(), INPUTS)
    session.register_stage(StageType.TORCH_EXPORT, Counting())
    assert isinstance(session.get_registered_stage(StageType.TORCH_EXPORT), Stage)
    assert len(session.get_all_registered_stages()) == 5
    session.export()
    assert Counting.runs == 1
    with pytest.raises(RuntimeError, match="not executed"):
        Counting().get_artifacts()


def test_an_aten_pass_must_return_a_program():
    with pytest.raises(RuntimeError, match="returned a NoneType"):
        export(_Add(), INPUTS, ExportRecipe(aten_transform_passes=[lambda name, program: None]))


def test_a_record_for_the_inspector(monkeypatch):
    told = []

    class Record:
        def add_exported_program(self, program):
            told.append(type(program).__name__)

        def add_edge_dialect_program(self, manager):
            told.append(type(manager).__name__)

        def add_executorch_program(self, manager):
            told.append(type(manager).__name__)

        def copy(self):
            return self

    monkeypatch.setattr("executorch.exir.etrecord_hook._record_type", Record)
    session = export(_Add(), INPUTS, generate_etrecord=True)
    assert isinstance(session.get_etrecord(), Record)
    assert told == ["dict", "EdgeProgramManager", "ExecutorchProgramManager"]


# ---- recipes ----------------------------------------------------------------------------------------------------


class _Recipes(RecipeType):
    PLAIN = "plain"
    OTHER = "other"

    @classmethod
    def get_backend_name(cls):
        return "recipe_test"


class _Provider(BackendRecipeProvider):
    @property
    def backend_name(self):
        return "recipe_test"

    def get_supported_recipes(self):
        return [_Recipes.PLAIN]

    def create_recipe(self, recipe_type, **kwargs):
        if not self.supports_recipe(recipe_type):
            return None
        return ExportRecipe(name="plain", lowering_recipe=LoweringRecipe([_Everything()]), **kwargs)


def test_recipes_by_name(monkeypatch):
    monkeypatch.setattr(recipe_registry, "_providers", {})
    with pytest.raises(ValueError, match="not available"):
        ExportRecipe.get_recipe(_Recipes.PLAIN)
    recipe_registry.register_backend_recipe_provider(_Provider())
    assert recipe_registry.list_backends() == ["recipe_test"]
    assert recipe_registry.get_supported_recipes("recipe_test") == [_Recipes.PLAIN]
    recipe = ExportRecipe.get_recipe(_Recipes.PLAIN, strict=False)
    assert recipe.name == "plain" and recipe.strict is False
    with pytest.raises(ValueError, match="not supported by"):
        ExportRecipe.get_recipe(_Recipes.OTHER)
    with pytest.raises(ValueError, match="Invalid recipe type"):
        ExportRecipe.get_recipe("plain")


def test_recipes_are_combined():
    first = ExportRecipe("a", lowering_recipe=LoweringRecipe([_Everything()]))
    second = ExportRecipe("b", lowering_recipe=LoweringRecipe([_Everything()]), aten_transform_passes=[print])
    both = ExportRecipe.combine([first, second])
    assert both.name == "a_b" and len(both.lowering_recipe.partitioners) == 2
    assert both.aten_transform_passes == [print]
    assert ExportRecipe.combine([first], "mine").name == "mine"
    with pytest.raises(ValueError, match="cannot be empty"):
        ExportRecipe.combine([])
    with pytest.raises(ValueError, match="conflicting 'strict'"):
        ExportRecipe.combine([first, ExportRecipe(strict=False)])


@pytest.mark.parametrize(
    "quantization",
    [
        QuantizationRecipe(quantizers=[object()]),
        QuantizationRecipe(ao_quantization_configs=[AOQuantizationConfig(None)]),
    ],
)
def test_quantization_without_torchao_says_what_is_missing(quantization, monkeypatch):
    for name in ("torchao", "torchao.quantization", "torchao.quantization.pt2e.quantize_pt2e"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(ExportError, match="pip install torchao"):
        export(_Add(), INPUTS, ExportRecipe(quantization_recipe=quantization))


def test_training_needs_a_trainer():
    quantization = QuantizationRecipe(quantizers=[object()], is_qat=True)
    with pytest.raises(ValueError, match="train_fn must be provided"):
        export(_Add(), INPUTS, ExportRecipe(quantization_recipe=quantization))


def test_a_graph_is_prepared_calibrated_and_converted(monkeypatch):
    """The order of the steps, with a stand-in for torchao."""
    steps = []

    class Api:
        @staticmethod
        def prepare_pt2e(graph, quantizer):
            steps.append(("prepare", quantizer))
            forward = graph.forward
            graph.forward = lambda *args: steps.append("calibrate") or forward(*args)
            return graph

        @staticmethod
        def convert_pt2e(graph):
            steps.append("convert")
            return _Add()

    monkeypatch.setattr("executorch.export.quantization._torchao", lambda module: Api)

    def noting(name):
        return lambda graph: steps.append(name) or graph

    recipe = QuantizationRecipe(
        quantizers=["mine"],
        dynamic_batch_size=True,
        calibration_inputs_fn=lambda: [INPUTS[0], INPUTS[0]],
        pre_prepare_passes=[noting("before")],
        post_convert_passes=[noting("after")],
    )
    export(_Add(), INPUTS, ExportRecipe(quantization_recipe=recipe))
    assert steps == ["before", ("prepare", "mine"), "calibrate", "calibrate", "convert", "after"]
