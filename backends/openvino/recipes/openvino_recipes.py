"""What can be asked for by name, and how it is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from executorch.backends.openvino import OpenvinoPartitioner
from executorch.backends.openvino.quantizer import OpenVINOQuantizer, QuantizationMode
from executorch.export import (
    BackendRecipeProvider,
    ExportRecipe,
    LoweringRecipe,
    QuantizationRecipe,
    RecipeType,
)
from executorch.export.recipe_provider import refuse_unknown_parameters
from executorch.partitioner import CompileSpec

_DEVICE = "device"


class OpenvinoRecipeType(RecipeType):
    """Recipes for OpenVINO.

    FP32 calculates in floating point; the others quantize the captured graph to int8, with the example inputs as
    calibration, in the quantizer's mode of that name.
    """

    FP32 = "openvino_fp32"
    INT8_SYM = "openvino_int8_sym"
    INT8_MIXED = "openvino_int8_mixed"
    INT8_TRANSFORMER = "openvino_int8_transformer"

    @classmethod
    def get_backend_name(cls) -> str:
        return "openvino"


class OpenvinoRecipeProvider(BackendRecipeProvider):
    """Makes the recipes of ``OpenvinoRecipeType``."""

    @property
    def backend_name(self) -> str:
        return OpenvinoRecipeType.get_backend_name()

    def get_supported_recipes(self) -> Sequence[RecipeType]:
        return list(OpenvinoRecipeType)

    def create_recipe(self, recipe_type: RecipeType, **kwargs: Any) -> ExportRecipe | None:
        """The recipe, None when it is not one of ``OpenvinoRecipeType``.

        Args:
            recipe_type: which one.
            **kwargs: ``device``, ``CPU`` by default.

        Raises:
            ValueError: there is something else in ``kwargs``, or the device is no text.
        """
        if not isinstance(recipe_type, OpenvinoRecipeType):
            return None
        refuse_unknown_parameters("OpenVINO", recipe_type, kwargs, [_DEVICE])
        device = kwargs.get(_DEVICE, "CPU")
        if not isinstance(device, str):
            raise ValueError(f"Parameter '{_DEVICE}' must be a text, got {type(device).__name__}: {device}")
        return ExportRecipe(
            name=recipe_type.value,
            quantization_recipe=_quantization(recipe_type),
            lowering_recipe=LoweringRecipe(
                partitioners=[OpenvinoPartitioner([CompileSpec(_DEVICE, device.encode())])]
            ),
        )


def _quantization(recipe: OpenvinoRecipeType) -> QuantizationRecipe | None:
    if recipe is OpenvinoRecipeType.FP32:
        return None
    return QuantizationRecipe(quantizers=[OpenVINOQuantizer(mode=QuantizationMode[recipe.name])])
