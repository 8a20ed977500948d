"""What can be asked for by name, and how it is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from executorch.backends.vulkan import VulkanPartitioner
from executorch.backends.vulkan.quantizer.vulkan_quantizer import (
    VulkanQuantizer,
    get_symmetric_quantization_config,
)
from executorch.export import (
    BackendRecipeProvider,
    ExportRecipe,
    LoweringRecipe,
    QuantizationRecipe,
    RecipeType,
)
from executorch.export.recipe_provider import refuse_unknown_parameters

_OPTIONS = "compile_options"


class VulkanRecipeType(RecipeType):
    """Recipes for Vulkan.

    FP32 and FP16 calculate in that type; INT8_WEIGHT_ONLY keeps the weights of linear layers as int8.
    """

    FP32 = "vulkan_fp32"
    FP16 = "vulkan_fp16"
    INT8_WEIGHT_ONLY = "vulkan_int8_weight_only"

    @classmethod
    def get_backend_name(cls) -> str:
        return "vulkan"


class VulkanRecipeProvider(BackendRecipeProvider):
    """Makes the recipes of ``VulkanRecipeType``."""

    @property
    def backend_name(self) -> str:
        return VulkanRecipeType.get_backend_name()

    def get_supported_recipes(self) -> Sequence[RecipeType]:
        return list(VulkanRecipeType)

    def create_recipe(self, recipe_type: RecipeType, **kwargs: Any) -> ExportRecipe | None:
        """The recipe, None when it is not one of ``VulkanRecipeType``.

        Args:
            recipe_type: which one.
            **kwargs: ``compile_options`` of the partitioner.

        Raises:
            ValueError: there is something else in ``kwargs``, or no such option.
        """
        if not isinstance(recipe_type, VulkanRecipeType):
            return None
        refuse_unknown_parameters("Vulkan", recipe_type, kwargs, [_OPTIONS])
        options = dict(kwargs.get(_OPTIONS) or {})
        if recipe_type is VulkanRecipeType.FP16:
            options["force_fp16"] = True
        quantizer = VulkanQuantizer().set_global(get_symmetric_quantization_config())
        is_quantized = recipe_type is VulkanRecipeType.INT8_WEIGHT_ONLY
        return ExportRecipe(
            name=recipe_type.value,
            quantization_recipe=QuantizationRecipe(quantizers=[quantizer]) if is_quantized else None,
            lowering_recipe=LoweringRecipe(partitioners=[VulkanPartitioner(options)]),
        )
