"""Each recipe from model to result."""

import pytest
import torch

import executorch.export
from executorch.backends.apple.coreml.compiler.toolbox import coremltools
from executorch.backends.apple.coreml.recipes import CoreMLRecipeType
from executorch.backends.apple.coreml.test.lowered import LoweredProgram
from executorch.export import ExportRecipe

#: Differences that a recipe may make, in parts of the greatest result.
_DIFFERENCE = {
    CoreMLRecipeType.FP32: 1e-5,
    CoreMLRecipeType.FP16: 5e-3,
    CoreMLRecipeType.PT2E_INT8_STATIC: 0.1,
    CoreMLRecipeType.PT2E_INT8_WEIGHT_ONLY: 0.05,
    CoreMLRecipeType.TORCHAO_INT4_WEIGHT_ONLY_PER_CHANNEL: 0.4,
    CoreMLRecipeType.TORCHAO_INT4_WEIGHT_ONLY_PER_GROUP: 0.4,
    CoreMLRecipeType.TORCHAO_INT8_WEIGHT_ONLY_PER_CHANNEL: 0.05,
    CoreMLRecipeType.TORCHAO_INT8_WEIGHT_ONLY_PER_GROUP: 0.05,
    CoreMLRecipeType.CODEBOOK_WEIGHT_ONLY: 0.4,
}


def perceptron():
    torch.manual_seed(0)
    layers = [torch.nn.Linear(64, 96), torch.nn.ReLU(), torch.nn.Linear(96, 32)]
    return torch.nn.Sequential(*layers).eval()


def test_every_recipe_is_tried():
    assert set(_DIFFERENCE) == set(CoreMLRecipeType)


@pytest.mark.parametrize("kind", _DIFFERENCE, ids=lambda kind: kind.name)
def test_from_model_to_result(kind):
    inputs = [(torch.randn(16, 64),) for _ in range(4)]
    options = {"bits": 4, "block_size": [16, -1]} if kind is CoreMLRecipeType.CODEBOOK_WEIGHT_ONLY else {}
    session = executorch.export.export(perceptron(), inputs, ExportRecipe.get_recipe(kind, **options))
    run = LoweredProgram(session.get_edge_program_manager().exported_program())
    got, want = run(*inputs[0])[0], perceptron()(*inputs[0]).detach()
    assert float((got - want).abs().max() / want.abs().max()) < _DIFFERENCE[kind] and "linear" in run.ran


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("FP32", {"speed": 9}, "takes minimum_deployment_target"),
        ("FP16", {"minimum_deployment_target": None}, "must be an enum"),
        ("CODEBOOK_WEIGHT_ONLY", {}, "must be present"),
        ("CODEBOOK_WEIGHT_ONLY", {"bits": 9, "block_size": [1, -1]}, "between 1 and 8"),
        ("CODEBOOK_WEIGHT_ONLY", {"bits": "3", "block_size": [1, -1]}, "an integer"),
        ("CODEBOOK_WEIGHT_ONLY", {"bits": 3, "block_size": "[1, -1]"}, "a list"),
        ("TORCHAO_INT4_WEIGHT_ONLY_PER_GROUP", {"group_size": 0}, "must be positive"),
    ],
)
def test_other_parameters_are_refused(kind, given, message):
    with pytest.raises(ValueError, match=message):
        ExportRecipe.get_recipe(CoreMLRecipeType[kind], **given)


def test_tables_are_for_linear_layers_and_embeddings():
    kind, given = CoreMLRecipeType.CODEBOOK_WEIGHT_ONLY, {"bits": 3, "block_size": [1, -1]}
    (made,) = ExportRecipe.get_recipe(kind, **given).quantization_recipe.ao_quantization_configs
    layers = [torch.nn.Linear(2, 2), torch.nn.Embedding(2, 2), torch.nn.Conv2d(1, 1, 1)]
    assert [made.filter_fn(one, "") for one in layers] == [True, True, False]


def test_the_partitioner_has_what_was_given_for_it():
    given = {
        "skip_ops_for_coreml_delegation": ["aten.linear.default"],
        "take_over_constant_data": False,
        "lower_full_graph": True,
    }
    (made,) = ExportRecipe.get_recipe(CoreMLRecipeType.FP16, **given).lowering_recipe.partitioners
    assert {name: getattr(made, name) for name in given} == given


def test_a_system_that_is_too_old_is_refused():
    with pytest.raises(ValueError, match=r"must be 8 or higher .iOS17., got iOS16"):
        ExportRecipe.get_recipe(
            CoreMLRecipeType.PT2E_INT8_STATIC, minimum_deployment_target=coremltools().target.iOS16
        )
