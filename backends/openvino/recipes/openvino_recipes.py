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

_DEVICE, _GROUP_SIZE, _ALL_LAYERS = "device", "group_size", "all_layers"


class OpenvinoRecipeType(RecipeType):
    """Recipes for OpenVINO.

    FP32 calculates in floating point; the others quantize the captured graph in the quantizer's mode of that name, with the
    example inputs as calibration where activations are integers. INT8WO and INT4WO are of weights alone.
    """

    FP32 = "openvino_fp32"
    INT8_SYM = "openvino_int8_sym"
    INT8_MIXED = "openvino_int8_mixed"
    INT8_TRANSFORMER = "openvino_int8_transformer"
    INT8WO_SYM = "openvino_int8wo_sym"
    INT8WO_ASYM = "openvino_int8wo_asym"
    INT4WO_SYM = "openvino_int4wo_sym"
    INT4WO_ASYM = "openvino_int4wo_asym"

    @classmethod
    def get_backend_name(cls) -> str:
        return "openvino"


_FOUR_BITS = (OpenvinoRecipeType.INT4WO_SYM, OpenvinoRecipeType.INT4WO_ASYM)


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
            **kwargs: ``device``, ``CPU`` by default; of four bits ``group_size`` and ``all_layers`` as of ``OpenVINOQuantizer``.

        Raises:
            ValueError: there is something else in ``kwargs``, or the device is no text.
        """
        if not isinstance(recipe_type, OpenvinoRecipeType):
            return None
        of_four_bits = [_GROUP_SIZE, _ALL_LAYERS] if recipe_type in _FOUR_BITS else []
        refuse_unknown_parameters("OpenVINO", recipe_type, kwargs, [_DEVICE, *of_four_bits])
        device = kwargs.get(_DEVICE, "CPU")
        if not isinstance(device, str):
            raise ValueError(f"Parameter '{_DEVICE}' must be a text, got {type(device).__name__}: {device}")
        return ExportRecipe(
            name=recipe_type.value,
            quantization_recipe=_quantization(
                recipe_type, {name: kwargs[name] for name in of_four_bits if name in kwargs}
            ),
            lowering_recipe=LoweringRecipe(
                partitioners=[OpenvinoPartitioner([CompileSpec(_DEVICE, device.encode())])]
            ),
        )


def _quantization(recipe: OpenvinoRecipeType, options: dict[str, Any]) -> QuantizationRecipe | None:
    if recipe is OpenvinoRecipeType.FP32:
        return None
    return QuantizationRecipe(quantizers=[OpenVINOQuantizer(mode=QuantizationMode[recipe.name], **options)])
