"""Each recipe from model to result."""

import pytest
import torch

import executorch.export
from executorch.backends.openvino.recipes import OpenvinoRecipeType
from executorch.export import ExportRecipe
from executorch.partitioner import get_lowered_submodules

#: Differences that a recipe may make, in parts of the greatest result.
_DIFFERENCE = {
    OpenvinoRecipeType.FP32: 1e-5,
    OpenvinoRecipeType.INT8_SYM: 0.1,
    OpenvinoRecipeType.INT8_MIXED: 0.1,
    OpenvinoRecipeType.INT8_TRANSFORMER: 0.1,
    OpenvinoRecipeType.INT8WO_SYM: 0.02,
    OpenvinoRecipeType.INT8WO_ASYM: 0.02,
    OpenvinoRecipeType.INT4WO_SYM: 0.3,
    OpenvinoRecipeType.INT4WO_ASYM: 0.3,
}


def perceptron():
    torch.manual_seed(0)
    layers = [torch.nn.Linear(64, 96), torch.nn.ReLU(), torch.nn.Linear(96, 32)]
    return torch.nn.Sequential(*layers).eval()


def test_every_recipe_is_tried():
    assert set(_DIFFERENCE) == set(OpenvinoRecipeType)


@pytest.mark.parametrize("kind", _DIFFERENCE, ids=lambda kind: kind.name)
def test_from_model_to_result(kind):
    inputs = [(torch.randn(16, 64),) for _ in range(4)]
    session = executorch.export.export(perceptron(), inputs, ExportRecipe.get_recipe(kind))
    program = session.get_edge_program_manager().exported_program()
    assert len(get_lowered_submodules(program.graph_module)) == 1
    got, want = session.run_method(example_inputs=inputs[0])[0], perceptron()(*inputs[0]).detach()
    assert float((got - want).abs().max() / want.abs().max()) < _DIFFERENCE[kind]


def size(kind, **given):
    recipe = ExportRecipe.get_recipe(kind, **given)
    return len(executorch.export.export(perceptron(), [(torch.randn(16, 64),)], recipe).get_pte_buffer())


def test_four_bits_take_groups_and_layers():
    kind = OpenvinoRecipeType.INT4WO_ASYM
    assert size(kind, group_size=16) > size(kind, group_size=-1) > size(kind, group_size=-1, all_layers=True)


@pytest.mark.parametrize(("given", "message"), [({"speed": 9}, "takes device"), ({"device": 0}, "a text")])
def test_other_parameters_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        ExportRecipe.get_recipe(OpenvinoRecipeType.FP32, **given)
