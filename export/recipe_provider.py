"""What a backend implements to offer recipes."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import Any

from executorch.export.recipe_parts import Recipe, RecipeType

_log = logging.getLogger(__name__)


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


def _unknown(given: Collection[str], known: Collection[str]) -> str:
    return ", ".join(sorted(set(given) - set(known)))


def refuse_unknown_parameters(
    backend: str, recipe_type: RecipeType, given: Collection[str], known: Collection[str] = ()
) -> None:
    """For a recipe that takes ``known`` parameters and nothing else.

    Raises:
        ValueError: others are ``given``.
    """
    if unknown := _unknown(given, known):
        raise ValueError(
            f"{backend} recipe '{recipe_type.value}' received unexpected parameters: {unknown}\n"
            f"Way out: it takes {', '.join(known) or 'none'}"
        )


def ignore_unknown_parameters(
    backend: str, recipe_type: RecipeType, given: Collection[str], known: Collection[str] = ()
) -> None:
    """For a recipe that is a part of a target's, which hands all that it is given to each of its backends: others are logged."""
    if unknown := _unknown(given, known):
        _log.warning(
            "%s recipe '%s' ignores parameters %s: it takes %s",
            backend,
            recipe_type.value,
            unknown,
            ", ".join(known) or "none",
        )


__all__ = ["BackendRecipeProvider", "ignore_unknown_parameters", "refuse_unknown_parameters"]
