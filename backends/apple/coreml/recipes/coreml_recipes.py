"""What can be asked for by name, and how it is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from executorch.backends.apple.coreml.compiler import CoreMLBackend
from executorch.backends.apple.coreml.compiler.toolbox import coremltools
from executorch.backends.apple.coreml.partition import CoreMLPartitioner
from executorch.backends.apple.coreml.quantizer import CoreMLQuantizer
from executorch.export import (
    AOQuantizationConfig,
    BackendRecipeProvider,
    ExportRecipe,
    LoweringRecipe,
    QuantizationRecipe,
    RecipeType,
)
from executorch.export.recipe_provider import refuse_unknown_parameters


class CoreMLRecipeType(RecipeType):
    """Recipes for Core ML.

    FP32 and FP16 calculate in that precision. PT2E quantizes the captured graph, with the example inputs as calibration; TORCHAO and CODEBOOK
    compress the weights of linear layers before the capture.
    """

    FP32 = "coreml_fp32"
    FP16 = "coreml_fp16"
    PT2E_INT8_STATIC = "coreml_pt2e_int8_static"
    PT2E_INT8_WEIGHT_ONLY = "coreml_pt2e_int8_weight_only"
    TORCHAO_INT4_WEIGHT_ONLY_PER_CHANNEL = "coreml_torchao_int4_weight_only_per_channel"
    TORCHAO_INT4_WEIGHT_ONLY_PER_GROUP = "coreml_torchao_int4_weight_only_per_group"
    TORCHAO_INT8_WEIGHT_ONLY_PER_CHANNEL = "coreml_torchao_int8_weight_only_per_channel"
    TORCHAO_INT8_WEIGHT_ONLY_PER_GROUP = "coreml_torchao_int8_weight_only_per_group"
    CODEBOOK_WEIGHT_ONLY = "coreml_codebook_weight_only"

    @classmethod
    def get_backend_name(cls) -> str:
        return "coreml"


#: What the partitioner takes beside the target.
_OF_THE_PARTITIONER = ("skip_ops_for_coreml_delegation", "take_over_constant_data", "lower_full_graph")
_COMMON = ("minimum_deployment_target", "compute_unit", *_OF_THE_PARTITIONER)
#: The oldest system that has what a recipe needs, by name.
_TARGETS = {
    CoreMLRecipeType.PT2E_INT8_STATIC: "iOS17",
    CoreMLRecipeType.PT2E_INT8_WEIGHT_ONLY: "iOS17",
    CoreMLRecipeType.TORCHAO_INT4_WEIGHT_ONLY_PER_CHANNEL: "iOS18",
    CoreMLRecipeType.TORCHAO_INT4_WEIGHT_ONLY_PER_GROUP: "iOS18",
    CoreMLRecipeType.TORCHAO_INT8_WEIGHT_ONLY_PER_CHANNEL: "iOS16",
    CoreMLRecipeType.TORCHAO_INT8_WEIGHT_ONLY_PER_GROUP: "iOS18",
    CoreMLRecipeType.CODEBOOK_WEIGHT_ONLY: "iOS18",
}


class CoreMLRecipeProvider(BackendRecipeProvider):
    """Makes the recipes of ``CoreMLRecipeType``."""

    @property
    def backend_name(self) -> str:
        return CoreMLRecipeType.get_backend_name()

    def get_supported_recipes(self) -> Sequence[RecipeType]:
        return list(CoreMLRecipeType)

    def create_recipe(self, recipe_type: RecipeType, **kwargs: Any) -> ExportRecipe | None:
        """The recipe, None when it is not one of ``CoreMLRecipeType``.

        Args:
            recipe_type: which one.
            **kwargs: ``minimum_deployment_target`` and ``compute_unit``, members of ``coremltools.target`` and ``ComputeUnit``;
                ``skip_ops_for_coreml_delegation``, ``take_over_constant_data`` and ``lower_full_graph``, as `CoreMLPartitioner` has them;
                ``group_size`` (32) by groups, ``filter_fn(module, name)`` of layers where torchao compresses (linear layers; with tables embeddings too), ``bits`` and ``block_size``
                with tables, which have no default.

        Raises:
            ValueError: there is something else in ``kwargs``, something missing, or a system that is too old.
        """
        if not isinstance(recipe_type, CoreMLRecipeType):
            return None
        _check(recipe_type, kwargs)
        ct = coremltools()
        is_single = recipe_type is CoreMLRecipeType.FP32
        specs = CoreMLBackend.generate_compile_specs(
            compute_unit=kwargs.get("compute_unit"),
            minimum_deployment_target=_target(recipe_type, kwargs),
            compute_precision=ct.precision.FLOAT32 if is_single else ct.precision.FLOAT16,
        )
        chosen = {name: kwargs[name] for name in _OF_THE_PARTITIONER if name in kwargs}
        return ExportRecipe(
            name=recipe_type.value,
            quantization_recipe=_quantization(recipe_type, kwargs),
            lowering_recipe=LoweringRecipe(partitioners=[CoreMLPartitioner(compile_specs=specs, **chosen)]),
        )


def _taken(kind: CoreMLRecipeType) -> tuple[str, ...]:
    if kind is CoreMLRecipeType.CODEBOOK_WEIGHT_ONLY:
        return (*_COMMON, "bits", "block_size", "filter_fn")
    if kind.value.endswith("per_group"):
        return (*_COMMON, "group_size", "filter_fn")
    return (*_COMMON, "filter_fn") if "torchao" in kind.value else _COMMON


def _check(kind: CoreMLRecipeType, given: dict[str, Any]) -> None:
    refuse_unknown_parameters("Core ML", kind, given, _taken(kind))
    if kind is CoreMLRecipeType.CODEBOOK_WEIGHT_ONLY and not {"bits", "block_size"} <= set(given):
        raise ValueError("Parameters 'bits' and 'block_size' must be present for codebook recipes")
    for name in ("bits", "group_size"):
        if isinstance(given.get(name, 1), bool) or not isinstance(given.get(name, 1), int):
            raise ValueError(f"Parameter '{name}' must be an integer, got {type(given[name]).__name__}")
    if not 1 <= given.get("bits", 4) <= 8:
        raise ValueError(f"Parameter 'bits' must be between 1 and 8, got {given['bits']}")
    if given.get("group_size", 32) < 1:
        raise ValueError(f"Parameter 'group_size' must be positive, got {given['group_size']}")
    if not isinstance(given.get("block_size", []), list):
        raise ValueError(f"Parameter 'block_size' must be a list, got {type(given['block_size']).__name__}")


def _target(kind: CoreMLRecipeType, given: dict[str, Any]) -> Any:
    """What was asked for, or the oldest that will do."""
    ct = coremltools()
    least = ct.target[_TARGETS[kind]] if kind in _TARGETS else None
    if "minimum_deployment_target" not in given:
        return least
    asked = given["minimum_deployment_target"]
    if not isinstance(asked, type(ct.target.iOS15)):
        raise ValueError(
            f"Parameter 'minimum_deployment_target' must be an enum of type ct.target, got {type(asked)}"
        )
    if least is not None and asked < least:
        raise ValueError(
            f"Core ML recipe '{kind.value}': minimum_deployment_target must be {least} or higher ({least.name}), got {asked.name}"
        )
    return asked


def _quantization(kind: CoreMLRecipeType, given: dict[str, Any]) -> QuantizationRecipe | None:
    if kind in (CoreMLRecipeType.FP32, CoreMLRecipeType.FP16):
        return None
    if "pt2e" in kind.value:
        module = coremltools().optimize.torch.quantization
        activations = torch.quint8 if kind is CoreMLRecipeType.PT2E_INT8_STATIC else torch.float32
        config = module.LinearQuantizerConfig(
            global_config=module.ModuleLinearQuantizerConfig(
                quantization_scheme="symmetric",
                activation_dtype=activations,
                weight_dtype=torch.qint8,
                weight_per_channel=True,
            )
        )
        return QuantizationRecipe(quantizers=[CoreMLQuantizer(config)])
    config = _of_weights(kind, given)
    default = _has_table if kind is CoreMLRecipeType.CODEBOOK_WEIGHT_ONLY else None
    chosen = given.get("filter_fn", default)
    return QuantizationRecipe(ao_quantization_configs=[AOQuantizationConfig(config, chosen)])


def _has_table(module: torch.nn.Module, name: str) -> bool:
    """Layers whose weights become indices of a table."""
    del name
    return isinstance(module, torch.nn.Linear | torch.nn.Embedding)


def _of_weights(kind: CoreMLRecipeType, given: dict[str, Any]) -> Any:
    if kind is CoreMLRecipeType.CODEBOOK_WEIGHT_ONLY:
        from torchao.prototype.quantization.codebook_coreml import CodebookWeightOnlyConfig

        return CodebookWeightOnlyConfig(getattr(torch, f"uint{given['bits']}"), given["block_size"])
    from torchao.quantization import IntxWeightOnlyConfig
    from torchao.quantization.granularity import PerAxis, PerGroup

    dtype = getattr(torch, "int4" if "int4" in kind.value else "int8")
    by_group = kind.value.endswith("per_group")
    return IntxWeightOnlyConfig(dtype, PerGroup(given.get("group_size", 32)) if by_group else PerAxis(0))
