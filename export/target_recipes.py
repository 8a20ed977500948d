"""Recipes for kinds of devices, put together from recipes of backends.

The backends' recipes are taken from the registry, so a backend takes part once the package that registers its
provider has been imported (``import executorch.backends.xnnpack.recipes``). There is none of
Qualcomm among this project's backends.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from executorch.export.recipe import ExportRecipe, RecipeType
from executorch.export.recipe_registry import recipe_registry

_Parts = tuple[tuple[str, str], ...]

#: Configuration to backends and the names of their recipes; partitioners of earlier ones are asked first.
IOS: Final[Mapping[str, _Parts]] = {
    "ios-arm64-coreml-fp32": (("coreml", "FP32"), ("xnnpack", "FP32")),
    "ios-arm64-coreml-fp16": (("coreml", "FP16"), ("xnnpack", "FP32")),
    "ios-arm64-coreml-int8": (("coreml", "PT2E_INT8_STATIC"),),
}
ANDROID: Final[Mapping[str, _Parts]] = {
    "android-arm64-snapdragon-fp16": (("qnn", "FP16"),),
}


def get_ios_recipe(target_config: str = "ios-arm64-coreml-fp16", **kwargs: Any) -> ExportRecipe:
    """The recipe for a configuration of iOS devices.

    Args:
        target_config: ``ios-arm64-coreml-fp32``, ``ios-arm64-coreml-fp16`` (of both, what Core ML leaves goes to XNNPACK) or
            ``ios-arm64-coreml-int8``.
        **kwargs: for the providers of all backends that take part; each uses what it needs.

    Raises:
        ValueError: there is no such configuration, or one of its backends has registered no such recipe.
    """
    return _recipe_of("iOS", IOS, target_config, kwargs)


def get_android_recipe(target_config: str = "android-arm64-snapdragon-fp16", **kwargs: Any) -> ExportRecipe:
    """The recipe for a configuration of Android devices.

    Args:
        target_config: ``android-arm64-snapdragon-fp16``.
        **kwargs: as for :func:`get_ios_recipe`.

    Raises:
        ValueError: there is no such configuration, or one of its backends has registered no such recipe.
    """
    return _recipe_of("Android", ANDROID, target_config, kwargs)


def _recipe_of(
    system: str, targets: Mapping[str, _Parts], target_config: str, kwargs: Mapping[str, Any]
) -> ExportRecipe:
    if target_config not in targets:
        raise ValueError(f"Unsupported {system} configuration: {target_config!r}. Supported: {list(targets)}")
    recipes = [_registered(target_config, backend, name) for backend, name in targets[target_config]]
    return _create_target_recipe(target_config, recipes, **kwargs)


def _create_target_recipe(target_config: str, recipes: Sequence[RecipeType], **kwargs: Any) -> ExportRecipe:
    made = [ExportRecipe.get_recipe(recipe, **kwargs) for recipe in recipes]
    return ExportRecipe.combine(made, recipe_name=target_config)


def _registered(target_config: str, backend: str, name: str) -> RecipeType:
    known = (
        recipe_registry.get_supported_recipes(backend) if backend in recipe_registry.list_backends() else ()
    )
    for recipe in known:
        if recipe.name == name:
            return recipe
    raise ValueError(
        f"{target_config!r} needs recipe {name} of backend {backend!r}, which nothing has registered; registered are "
        f"recipes of {list(recipe_registry.list_backends())}\nWay out: import the backend's package of recipes, or "
        "register its provider with executorch.export.recipe_registry"
    )


__all__ = ["ANDROID", "IOS", "get_android_recipe", "get_ios_recipe"]
