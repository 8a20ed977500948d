"""Recipes by name: what they ask for, and a model that goes all the way."""

import logging

import pytest
import torch

from executorch.backends.arm.recipes import ArmRecipeType
from executorch.export import ExportRecipe, export, recipe_registry
from executorch.partitioner import get_lowered_submodules


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3)

    def forward(self, x):
        return torch.relu(self.conv(x))


def _options(recipe):
    (partitioner,) = recipe.lowering_recipe.partitioners
    spec = partitioner.delegation_spec
    return spec.backend_id, {one.key: bytes(one.value).decode() for one in spec.compile_specs}


def test_each_is_offered():
    assert set(recipe_registry.get_supported_recipes("arm")) == set(ArmRecipeType)
    for one in ArmRecipeType:
        recipe = ExportRecipe.get_recipe(one)
        assert recipe.name == one.value
        assert (recipe.quantization_recipe is None) == one.name.endswith("_FP")


def test_a_processor_with_its_options():
    backend, options = _options(
        ExportRecipe.get_recipe(
            ArmRecipeType.ETHOS_U55_INT8,
            macs=32,
            memory_mode="Sram_Only",
            extra_flags=["--optimise=Size", "--system-config=Mine"],
        )
    )
    assert backend == "EthosUBackend" and options["target"] == "ethos-u55-32"
    flags = options["compile_flags"].split()
    assert {"--memory-mode=Sram_Only", "--optimise=Size", "--verbose-operators"} <= set(flags)
    assert [one for one in flags if one.startswith("--system-config")] == ["--system-config=Mine"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"macs": 512}, "unknown target 'ethos-u55-512'"),
        ({"macs": "128"}, "macs must be an int"),
        ({"extra_flags": "--optimise=Size"}, "extra_flags must be a list"),
        ({"extra_flags": 7}, "extra_flags must be a list"),
    ],
)
def test_what_is_not_understood_is_refused(options, why):
    with pytest.raises(ValueError, match=why):
        ExportRecipe.get_recipe(ArmRecipeType.ETHOS_U55_INT8, **options)


def test_options_of_other_targets_are_told(caplog):
    with caplog.at_level(logging.WARNING):
        ExportRecipe.get_recipe(ArmRecipeType.TOSA_INT8, macs=128)
    assert "ignores parameters macs" in caplog.text


@pytest.mark.parametrize(
    ("recipe", "around"),
    [
        (ArmRecipeType.TOSA_FP, set()),
        (
            ArmRecipeType.ETHOS_U55_INT8,
            {"cortex_m::quantize_per_tensor", "cortex_m::dequantize_per_tensor"},
        ),
    ],
)
def test_a_model_goes_all_the_way(recipe, around):
    session = export(Net().eval(), [(torch.randn(1, 3, 8, 8),)], ExportRecipe.get_recipe(recipe))
    plan = session.get_executorch_program().execution_plan[0]
    assert len(plan.delegates) == 1 and {one.name for one in plan.operators} == around
    module = session.get_edge_program_manager().exported_program().graph_module
    assert len(get_lowered_submodules(module)) == 1
