"""Recipes for kinds of devices."""

import platform

import pytest

from executorch.export import BackendRecipeProvider, ExportRecipe, RecipeType, recipe_registry
from executorch.export.recipe import LoweringRecipe
from executorch.export.target_recipes import ANDROID, IOS, get_android_recipe, get_ios_recipe
from executorch.export.utils import (
    is_supported_platform_for_coreml_lowering,
    is_supported_platform_for_qnn_lowering,
)


def _provider(backend, *names):
    kinds = RecipeType(f"{backend.title()}Recipes", {name: f"{backend}_{name.lower()}" for name in names})

    class Provider(BackendRecipeProvider):
        backend_name = backend

        def get_supported_recipes(self):
            return list(kinds)

        def create_recipe(self, recipe_type, **kwargs):
            lowering = LoweringRecipe(partitioners=[(recipe_type.value, sorted(kwargs))])
            return ExportRecipe(name=recipe_type.value, lowering_recipe=lowering)

    for kind in kinds:
        kind.__class__.get_backend_name = classmethod(lambda cls: backend)
    return Provider()


@pytest.fixture
def registry(monkeypatch):
    monkeypatch.setattr(recipe_registry, "_providers", {})
    return recipe_registry


def test_backends_of_a_target_are_combined_in_order(registry):
    registry.register_backend_recipe_provider(_provider("xnnpack", "FP32"))
    registry.register_backend_recipe_provider(_provider("coreml", "FP32", "FP16", "PT2E_INT8_STATIC"))
    recipe = get_ios_recipe("ios-arm64-coreml-fp32", minimum_deployment_target=15)
    assert recipe.name == "ios-arm64-coreml-fp32"
    options = ["minimum_deployment_target"]
    assert recipe.lowering_recipe.partitioners == [("coreml_fp32", options), ("xnnpack_fp32", options)]
    assert get_ios_recipe().lowering_recipe.partitioners == [("coreml_fp16", []), ("xnnpack_fp32", [])]
    for target in IOS:
        assert get_ios_recipe(target).name == target


def test_targets_without_their_backends_say_so(registry):
    registry.register_backend_recipe_provider(_provider("coreml", "FP16"))
    with pytest.raises(ValueError, match=r"needs recipe FP32 of backend 'coreml'.*\['coreml'\]"):
        get_ios_recipe("ios-arm64-coreml-fp32")
    for target in ANDROID:
        with pytest.raises(ValueError, match="needs recipe FP16 of backend 'qnn'"):
            get_android_recipe(target)


def test_unknown_targets():
    with pytest.raises(ValueError, match="Unsupported iOS configuration: 'ios-x86'"):
        get_ios_recipe("ios-x86")
    with pytest.raises(ValueError, match="Unsupported Android configuration: 'android-x86'"):
        get_android_recipe("android-x86")


@pytest.mark.parametrize(
    ("system", "machine", "coreml", "qnn"),
    [
        ("Linux", "x86_64", True, True),
        ("Linux", "aarch64", True, False),
        ("Darwin", "arm64", True, False),
        ("Windows", "AMD64", False, False),
    ],
)
def test_where_vendors_tools_run(monkeypatch, system, machine, coreml, qnn):
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert is_supported_platform_for_coreml_lowering() is coreml
    assert is_supported_platform_for_qnn_lowering() is qnn
