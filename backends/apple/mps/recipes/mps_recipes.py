"""What can be asked for by name, and how it is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from executorch.backends.apple.mps.mps_preprocess import USE_FP16
from executorch.backends.apple.mps.partition import MPSPartitioner
from executorch.export import BackendRecipeProvider, ExportRecipe, LoweringRecipe, RecipeType
from executorch.export.recipe_provider import refuse_unknown_parameters
from executorch.partitioner import CompileSpec


class MPSRecipeType(RecipeType):
    """Recipes for MPS: FP32 and FP16 calculate in that type."""

    FP32 = "mps_fp32"
    FP16 = "mps_fp16"

    @classmethod
    def get_backend_name(cls) -> str:
        return "mps"


class MPSRecipeProvider(BackendRecipeProvider):
    """Makes the recipes of ``MPSRecipeType``."""

    @property
    def backend_name(self) -> str:
        return MPSRecipeType.get_backend_name()

    def get_supported_recipes(self) -> Sequence[RecipeType]:
        return list(MPSRecipeType)

    def create_recipe(self, recipe_type: RecipeType, **kwargs: Any) -> ExportRecipe | None:
        """The recipe, None when it is not one of ``MPSRecipeType``.

        Raises:
            ValueError: there is something in ``kwargs``.
        """
        if not isinstance(recipe_type, MPSRecipeType):
            return None
        refuse_unknown_parameters("MPS", recipe_type, kwargs)
        spec = CompileSpec(USE_FP16, bytes([recipe_type is MPSRecipeType.FP16]))
        return ExportRecipe(
            name=recipe_type.value,
            lowering_recipe=LoweringRecipe(partitioners=[MPSPartitioner([spec])]),
        )
