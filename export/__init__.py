"""Export by recipe: ``executorch.export(model, example_inputs, recipe)``. See README.md.

The documented spelling calls the package itself, so the package can be called; ``executorch.export.export`` is the same
function.
"""

import sys
from types import ModuleType
from typing import Any

from executorch.export.export import ExportSession, export
from executorch.export.recipe import (
    AOQuantizationConfig,
    ExportRecipe,
    LoweringRecipe,
    QuantizationRecipe,
    RecipeType,
)
from executorch.export.recipe_provider import BackendRecipeProvider
from executorch.export.recipe_registry import recipe_registry
from executorch.export.types import StageType


class _CallablePackage(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> ExportSession:
        return export(*args, **kwargs)


sys.modules[__name__].__class__ = _CallablePackage

__all__ = [
    "AOQuantizationConfig",
    "BackendRecipeProvider",
    "ExportRecipe",
    "ExportSession",
    "LoweringRecipe",
    "QuantizationRecipe",
    "RecipeType",
    "StageType",
    "export",
    "recipe_registry",
]
