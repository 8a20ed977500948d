"""Recipes of this family for ``executorch.export``; importing the package registers them."""

from executorch.backends.arm.recipes.arm_recipe_provider import ArmRecipeProvider
from executorch.backends.arm.recipes.arm_recipe_types import ARM_BACKEND, ArmRecipeType
from executorch.export import recipe_registry

recipe_registry.register_backend_recipe_provider(ArmRecipeProvider())

__all__ = ["ARM_BACKEND", "ArmRecipeProvider", "ArmRecipeType"]
