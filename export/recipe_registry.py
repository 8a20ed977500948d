"""Where backends register what they cook."""

from collections.abc import Sequence
from typing import Any, ClassVar

from executorch.export.recipe_parts import Recipe, RecipeType
from executorch.export.recipe_provider import BackendRecipeProvider


class RecipeRegistry:
    """Backend name to provider; there is one registry for the process."""

    _instance: "ClassVar[RecipeRegistry | None]" = None
    _initialized = (
        False  # whether there is the table of providers; tests set it back for a registry without any
    )

    def __new__(cls) -> "RecipeRegistry":
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __init__(self) -> None:
        if not type(self)._initialized:
            self._providers: dict[str, BackendRecipeProvider] = {}
            type(self)._initialized = True

    def register_backend_recipe_provider(self, provider: BackendRecipeProvider) -> None:
        """Registers a provider, in place of an earlier one of the same name."""
        self._providers[provider.backend_name] = provider

    def create_recipe(self, recipe_type: RecipeType, backend: str, **kwargs: Any) -> "Recipe | None":
        """The recipe of a backend, None when it does not know it.

        Raises:
            ValueError: no backend of this name is registered.
        """
        return self._provider(backend).create_recipe(recipe_type, **kwargs)

    def get_supported_recipes(self, backend: str) -> Sequence[RecipeType]:
        """The recipes of a backend.

        Raises:
            ValueError: no backend of this name is registered.
        """
        return self._provider(backend).get_supported_recipes()

    def list_backends(self) -> Sequence[str]:
        """Names of the registered backends."""
        return list(self._providers)

    def _provider(self, backend: str) -> BackendRecipeProvider:
        if backend not in self._providers:
            raise ValueError(f"Backend '{backend}' not available. Available: {self.list_backends()}")
        return self._providers[backend]


recipe_registry = RecipeRegistry()

__all__ = ["RecipeRegistry", "recipe_registry"]
