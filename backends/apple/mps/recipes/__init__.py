"""Recipes of this backend for ``executorch.export``; importing the package registers them."""

from executorch.backends.apple.mps.recipes.mps_recipes import MPSRecipeProvider, MPSRecipeType
from executorch.export import recipe_registry

recipe_registry.register_backend_recipe_provider(MPSRecipeProvider())

__all__ = ["MPSRecipeProvider", "MPSRecipeType"]
