"""Recipes of Core ML for ``executorch.export``; importing the package registers them."""

from executorch.backends.apple.coreml.recipes.coreml_recipes import CoreMLRecipeProvider, CoreMLRecipeType
from executorch.export import recipe_registry

recipe_registry.register_backend_recipe_provider(CoreMLRecipeProvider())

__all__ = ["CoreMLRecipeProvider", "CoreMLRecipeType"]
