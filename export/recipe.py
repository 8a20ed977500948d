"""Recipes: everything that an export needs to know besides the model and its inputs."""

from dataclasses import dataclass
from typing import Any, cast

from executorch.export.recipe_combination import combined_fields
from executorch.export.recipe_parts import (
    AOQuantizationConfig,
    LoweringRecipe,
    Mode,
    QuantizationRecipe,
    Recipe,
    RecipeType,
    RecipeTypeMeta,
)
from executorch.export.recipe_registry import recipe_registry


@dataclass
class ExportRecipe(Recipe):
    """A recipe; its fields are those of :class:`~executorch.export.recipe_parts.Recipe`."""

    @classmethod
    def get_recipe(cls, recipe: RecipeType, **kwargs: Any) -> "ExportRecipe":
        """The recipe of a registered backend.

        Args:
            recipe: which one.
            **kwargs: what the backend's provider takes for it.

        Raises:
            ValueError: no such backend is registered, or it does not know the recipe.
        """
        if not isinstance(recipe, RecipeType):
            raise ValueError(f"Invalid recipe type: {recipe}\nWay out: a member of a subclass of RecipeType")
        made = recipe_registry.create_recipe(recipe, recipe.get_backend_name(), **kwargs)
        if made is None:
            backend = recipe.get_backend_name()
            known = [item.value for item in recipe_registry.get_supported_recipes(backend)]
            raise ValueError(f"Recipe {recipe.value!r} not supported by {backend!r}. Supported: {known}")
        return cast("ExportRecipe", made)

    @classmethod
    def combine(cls, recipes: "list[ExportRecipe]", recipe_name: "str | None" = None) -> "ExportRecipe":
        """One recipe from several: lists one after the other, single values where all agree.

        Calibration inputs of all are drawn one after the other. The configuration of the last stage is a copy of the
        first one that a recipe has.

        Args:
            recipes: partitioners of earlier ones are asked first.
            recipe_name: default: the names of all, joined by ``_``.

        Raises:
            ValueError: there are none, or two of them want different things.
        """
        if not recipes:
            raise ValueError("Recipes cannot be empty")
        if len(recipes) == 1 and not recipe_name:
            return recipes[0]
        return cls(**combined_fields(recipes, recipe_name))


__all__ = [
    "AOQuantizationConfig",
    "ExportRecipe",
    "LoweringRecipe",
    "Mode",
    "QuantizationRecipe",
    "RecipeType",
    "RecipeTypeMeta",
]
