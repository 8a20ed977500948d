"""What a backend implements to offer recipes."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from executorch.export.recipe_parts import Recipe, RecipeType


class BackendRecipeProvider(ABC):
    """Makes the recipes of one backend; register an object with ``recipe_registry``."""

    @property
    @abstractmethod
    def backend_name(self) -> str:
        """The name that the backend's ``RecipeType`` gives."""

    @abstractmethod
    def get_supported_recipes(self) -> Sequence[RecipeType]:
        """The recipes it can make."""

    @abstractmethod
    def create_recipe(self, recipe_type: RecipeType, **kwargs: Any) -> "Recipe | None":
        """The recipe, an ``ExportRecipe``; None when it does not know it."""

    def supports_recipe(self, recipe_type: RecipeType) -> bool:
        """True when :meth:`create_recipe` knows it."""
        return recipe_type in self.get_supported_recipes()


__all__ = ["BackendRecipeProvider"]
