"""Each recipe from model to result."""

import pytest
import torch
from torchao.quantization.utils import compute_error

import executorch.export
from executorch.backends.xnnpack.recipes import XNNPackRecipeType
from executorch.exir.lowered_backend_module import get_lowered_submodules
from executorch.export import ExportRecipe

#: Decibels that a recipe keeps at least, on normal noise.
_SIGNAL = {
    XNNPackRecipeType.FP32: 100,
    XNNPackRecipeType.PT2E_INT8_DYNAMIC_PER_CHANNEL: 30,
    XNNPackRecipeType.PT2E_INT8_STATIC_PER_CHANNEL: 25,
    XNNPackRecipeType.PT2E_INT8_STATIC_PER_TENSOR: 25,
    XNNPackRecipeType.TORCHAO_INT8_DYNAMIC_ACT_INT4_WEIGHT_PER_CHANNEL: 10,
    XNNPackRecipeType.TORCHAO_INT8_DYNAMIC_ACT_INT4_WEIGHT_PER_TENSOR: 12,
}


def perceptron():
    torch.manual_seed(0)
    layers = [torch.nn.Linear(64, 96), torch.nn.ReLU(), torch.nn.Linear(96, 32)]
    return torch.nn.Sequential(*layers).eval()


def operators_left(session):
    graph = session.get_edge_program_manager().exported_program().graph
    names = [str(node.target) for node in graph.nodes if node.op == "call_function"]
    return [name for name in names if "call_delegate" not in name and "getitem" not in name]


def test_every_recipe_is_tried():
    assert set(_SIGNAL) == set(XNNPackRecipeType)


@pytest.mark.parametrize("kind", _SIGNAL, ids=lambda kind: kind.name)
def test_from_model_to_result(kind):
    model = perceptron()
    inputs = [(torch.randn(16, 64),) for _ in range(4)]
    session = executorch.export.export(model, inputs, ExportRecipe.get_recipe(kind))
    assert operators_left(session) == []
    program = session.get_edge_program_manager().exported_program()
    assert len(get_lowered_submodules(program.graph_module)) == 1
    got, want = session.run_method(example_inputs=inputs[0])[0], perceptron()(*inputs[0])
    assert compute_error(want, got) > _SIGNAL[kind]


def test_four_bits_take_an_eighth():
    inputs = [(torch.randn(1, 1024),)]
    sizes = []
    for kind in (
        XNNPackRecipeType.FP32,
        XNNPackRecipeType.TORCHAO_INT8_DYNAMIC_ACT_INT4_WEIGHT_PER_CHANNEL,
    ):
        model = torch.nn.Sequential(torch.nn.Linear(1024, 512, bias=False)).eval()
        sizes.append(
            len(executorch.export.export(model, inputs, ExportRecipe.get_recipe(kind)).get_pte_buffer())
        )
    assert sizes[1] < sizes[0] / 7


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        (XNNPackRecipeType.TORCHAO_INT8_DYNAMIC_ACT_INT4_WEIGHT_PER_TENSOR, {"group_size": 5}, "multiple"),
        (XNNPackRecipeType.TORCHAO_INT8_DYNAMIC_ACT_INT4_WEIGHT_PER_TENSOR, {"group_size": "x"}, "integer"),
    ],
)
def test_wrong_arguments(kind, arguments, message):
    with pytest.raises(ValueError, match=message):
        ExportRecipe.get_recipe(kind, **arguments)


def test_what_is_meant_for_another_backend_is_ignored(caplog):
    recipe = ExportRecipe.get_recipe(XNNPackRecipeType.FP32, group_size=32)
    assert recipe.name == "xnnpack_fp32" and "ignores parameters group_size: it takes none" in caplog.text


def test_combined_with_another():
    fp32 = ExportRecipe.get_recipe(XNNPackRecipeType.FP32)
    both = ExportRecipe.combine([ExportRecipe(name="plain"), fp32])
    assert both.lowering_recipe.partitioners == fp32.lowering_recipe.partitioners
