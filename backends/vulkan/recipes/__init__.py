"""Recipes of this backend for ``executorch.export``; importing the package registers them."""

from executorch.backends.vulkan.recipes.vulkan_recipes import VulkanRecipeProvider, VulkanRecipeType
from executorch.export import recipe_registry

recipe_registry.register_backend_recipe_provider(VulkanRecipeProvider())

__all__ = ["VulkanRecipeProvider", "VulkanRecipeType"]
