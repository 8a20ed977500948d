"""How each recipe is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torchao.quantization import Int8DynamicActivationIntxWeightConfig
from torchao.quantization.granularity import PerAxis, PerGroup

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.backends.xnnpack.recipes.xnnpack_recipe_types import XNNPackRecipeType
from executorch.backends.xnnpack.utils.configs import (
    get_xnnpack_edge_compile_config,
    get_xnnpack_executorch_backend_config,
)
from executorch.export import (
    AOQuantizationConfig,
    BackendRecipeProvider,
    ExportRecipe,
    LoweringRecipe,
    QuantizationRecipe,
    RecipeType,
)
from executorch.export.recipe_provider import ignore_unknown_parameters

_GROUP_SIZE = "group_size"
_DEFAULT_GROUP_SIZE = 32
#: XNNPACK's kernels for four bits in groups step by so many inputs.
_GROUP_STEP = 32

#: Recipe -> arguments of ``get_symmetric_quantization_config``.
_PT2E = {
    XNNPackRecipeType.PT2E_INT8_DYNAMIC_PER_CHANNEL: {"is_per_channel": True, "is_dynamic": True},
    XNNPackRecipeType.PT2E_INT8_STATIC_PER_CHANNEL: {"is_per_channel": True},
    XNNPackRecipeType.PT2E_INT8_STATIC_PER_TENSOR: {"is_per_channel": False},
}
_GROUPED = XNNPackRecipeType.TORCHAO_INT8_DYNAMIC_ACT_INT4_WEIGHT_PER_TENSOR


class XNNPACKRecipeProvider(BackendRecipeProvider):
    """Makes the recipes of ``XNNPackRecipeType``."""

    @property
    def backend_name(self) -> str:
        return XNNPackRecipeType.get_backend_name()

    def get_supported_recipes(self) -> Sequence[RecipeType]:
        return list(XNNPackRecipeType)

    def create_recipe(self, recipe_type: RecipeType, **kwargs: Any) -> ExportRecipe | None:
        """The recipe, None when it is not one of ``XNNPackRecipeType``.

        Args:
            recipe_type: which one.
            **kwargs: ``group_size`` of ``TORCHAO_INT8_DYNAMIC_ACT_INT4_WEIGHT_PER_TENSOR``, 32 by default. Others are
                logged and ignored: a target's recipe hands all that it is given to each of its backends.

        Raises:
            ValueError: the group size is no multiple of 32.
        """
        if not isinstance(recipe_type, XNNPackRecipeType):
            return None
        _check(recipe_type, kwargs)
        return ExportRecipe(
            name=recipe_type.value,
            quantization_recipe=_quantization(recipe_type, kwargs.get(_GROUP_SIZE, _DEFAULT_GROUP_SIZE)),
            lowering_recipe=LoweringRecipe(
                partitioners=[XnnpackPartitioner()], edge_compile_config=get_xnnpack_edge_compile_config()
            ),
            executorch_backend_config=get_xnnpack_executorch_backend_config(),
        )


def _check(recipe: XNNPackRecipeType, given: dict[str, Any]) -> None:
    ignore_unknown_parameters("XNNPACK", recipe, given, [_GROUP_SIZE] if recipe is _GROUPED else [])
    size = given.get(_GROUP_SIZE, _DEFAULT_GROUP_SIZE)
    if not isinstance(size, int) or isinstance(size, bool):
        raise ValueError(f"Parameter '{_GROUP_SIZE}' must be an integer, got {type(size).__name__}: {size}")
    if size <= 0 or size % _GROUP_STEP:
        raise ValueError(
            f"Parameter '{_GROUP_SIZE}' must be a positive multiple of {_GROUP_STEP}, got {size}"
        )


def _quantization(recipe: XNNPackRecipeType, group_size: int) -> QuantizationRecipe | None:
    if recipe is XNNPackRecipeType.FP32:
        return None
    if recipe in _PT2E:
        config = get_symmetric_quantization_config(**_PT2E[recipe])
        return QuantizationRecipe(quantizers=[XNNPACKQuantizer().set_global(config)])
    granularity = PerGroup(group_size) if recipe is _GROUPED else PerAxis(0)
    source = Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=granularity)
    return QuantizationRecipe(ao_quantization_configs=[AOQuantizationConfig(ao_base_config=source)])
