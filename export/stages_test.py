"""Stages on their own, and pipelines that a kind of model cannot run."""

import pytest
import torch

from executorch.exir import to_edge
from executorch.export import (
    AOQuantizationConfig,
    ExportRecipe,
    ExportSession,
    LoweringRecipe,
    QuantizationRecipe,
    StageType,
)
from executorch.export.stages import (
    EdgeProgramManagerTransformStage,
    EdgeTransformAndLowerStage,
    ExecutorchStage,
    PipelineArtifact,
    QuantizeStage,
    SourceTransformStage,
    ToBackendStage,
    TorchExportStage,
)

INPUTS = (torch.rand(2, 3),)


class _Add(torch.nn.Module):
    def forward(self, x):
        return x + x


def _program():
    return torch.export.export(_Add(), INPUTS)


def _run(stage, data, **context):
    stage.run(PipelineArtifact(data, context))
    return stage.get_artifacts()


def _edge():
    return to_edge({"one": _program(), "other": _program()})


def test_what_a_stage_notes_is_for_later_ones_only():
    artifact = PipelineArtifact({"forward": _program()}, {})
    stage = EdgeTransformAndLowerStage()
    stage.run(artifact)
    assert artifact.context == {}
    assert set(stage.get_artifacts().context) == {"delegation_info", "delegation_info_by_method"}


def test_delegation_is_told_of_every_method():
    for stage, data in (
        (EdgeTransformAndLowerStage(), {"one": _program(), "other": _program()}),
        (ToBackendStage(), _edge()),
    ):
        _run(stage, data)
        assert list(stage.delegation_info_by_method) == ["one", "other"]
        assert stage.delegation_info is stage.delegation_info_by_method["one"]
        assert stage.delegation_info.num_non_delegated_nodes == 1


def test_stages_without_work_hand_on_what_they_got():
    artifact = PipelineArtifact({"forward": _Add()}, {})
    for stage in (SourceTransformStage(None), QuantizeStage(None), QuantizeStage(QuantizationRecipe())):
        stage.run(artifact)
        assert stage.get_artifacts() is artifact


def test_passes_that_come_to_nothing_transform_nothing():
    manager = _edge()
    stage = EdgeProgramManagerTransformStage([lambda name, program: []], [lambda manager: []])
    assert _run(stage, manager).data is manager


@pytest.mark.parametrize(
    ("stage", "data", "error", "message"),
    [
        (ToBackendStage(), None, RuntimeError, "manager is not set"),
        (ExecutorchStage(None), None, RuntimeError, "manager is not set"),
        (EdgeProgramManagerTransformStage(), {}, TypeError, "Expected EdgeProgramManager"),
        (
            EdgeTransformAndLowerStage(transform_passes=["no function"]),
            {},
            ValueError,
            "Transform passes must be a callable",
        ),
        (TorchExportStage(), {"forward": _Add()}, ValueError, "not found or empty"),
        (
            QuantizeStage(QuantizationRecipe(["mine"])),
            {"forward": _Add()},
            ValueError,
            "not found or empty",
        ),
        (
            SourceTransformStage(
                QuantizationRecipe(ao_quantization_configs=[AOQuantizationConfig(None)] * 2)
            ),
            {"forward": _Add()},
            ValueError,
            "multiple quantization configs are disallowed",
        ),
    ],
)
def test_what_a_stage_cannot_take(stage, data, error, message):
    with pytest.raises(error, match=message):
        _run(stage, data, example_inputs={"forward": []})


def test_an_aten_pass_is_a_function():
    stage = TorchExportStage(["no function"])
    with pytest.raises(ValueError, match="Aten transform passes must be a callable"):
        _run(stage, {"forward": _Add()}, example_inputs={"forward": [INPUTS]})


def test_one_quantizer_of_several():
    choose = QuantizeStage(None)._get_quantizer_for_prepare_pt2e
    assert choose(["mine"]) == "mine"
    with pytest.raises(ValueError, match="No quantizers"):
        choose([])
    with pytest.raises(ValueError, match="Multiple quantizers"):
        choose(["mine", "other"])


@pytest.mark.parametrize(
    ("model", "stage", "message"),
    [
        (_program(), StageType.TORCH_EXPORT, "Cannot run TORCH_EXPORT stage.* already exported"),
        (_program(), StageType.QUANTIZE, "Cannot run QUANTIZE stage.* already exported"),
        (torch.fx.symbolic_trace(_Add()), StageType.QUANTIZE, "Cannot run QUANTIZE .* already quantized"),
        (torch.fx.symbolic_trace(_Add()), StageType.SOURCE_TRANSFORM, "Cannot run SOURCE_TRANSFORM"),
    ],
)
def test_stages_that_a_model_is_past(model, stage, message):
    session = ExportSession(model, [INPUTS], ExportRecipe(pipeline_stages=[stage]))
    with pytest.raises(ValueError, match=message):
        session.export()


def test_programs_start_at_lowering_and_go_through_the_aten_passes():
    seen = []

    def note(name, program):
        seen.append(name)
        return program

    recipe = ExportRecipe(aten_transform_passes=[note])
    session = ExportSession(_program(), None, recipe)
    session.export()
    assert list(session.get_stage_artifacts()) == [
        StageType.TO_EDGE_TRANSFORM_AND_LOWER,
        StageType.TO_EXECUTORCH,
    ]
    assert seen == ["forward"]
    assert isinstance(session.get_exported_program(), torch.export.ExportedProgram)


def test_graphs_start_at_capture():
    session = ExportSession(torch.fx.symbolic_trace(_Add()), [INPUTS], ExportRecipe())
    assert next(iter(session.get_all_registered_stages())) is StageType.TORCH_EXPORT


def test_a_refused_pipeline_leaves_the_earlier_run(capsys):
    lowering = LoweringRecipe(edge_manager_transform_passes=[lambda manager: []])
    session = ExportSession(_program(), None, ExportRecipe(lowering_recipe=lowering))
    session.print_delegation_info()
    assert capsys.readouterr().out == "No delegation info available\n"
    session.export()
    session.print_delegation_info()
    assert "aten_add_tensor" in capsys.readouterr().out
    usual = session._pipeline_stages
    session._pipeline_stages = [StageType.TO_EXECUTORCH]
    with pytest.raises(ValueError, match="cannot start"):
        session.export()
    assert session.get_pte_buffer()
    session._pipeline_stages = usual[:-1]
    session.export()
    with pytest.raises(RuntimeError, match="not initialized"):
        session.get_pte_buffer()
