"""Recipes of this backend for ``executorch.export``; importing the package registers them."""

from executorch.backends.openvino.recipes.openvino_recipes import OpenvinoRecipeProvider, OpenvinoRecipeType
from executorch.export import recipe_registry

recipe_registry.register_backend_recipe_provider(OpenvinoRecipeProvider())

__all__ = ["OpenvinoRecipeProvider", "OpenvinoRecipeType"]
