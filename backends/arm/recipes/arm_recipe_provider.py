"""How each recipe is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from executorch.backends.arm.common.arm_compile_spec import ArmCompileSpec
from executorch.backends.arm.ethosu import EthosUCompileSpec
from executorch.backends.arm.quantizer import (
    get_symmetric_a16w8_quantization_config,
    get_symmetric_quantization_config,
)
from executorch.backends.arm.recipes.arm_recipe_types import ARM_BACKEND, ArmRecipeType
from executorch.backends.arm.targets import TARGETS
from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.backends.arm.vgf import VgfCompileSpec
from executorch.backends.cortex_m.passes.replace_quant_nodes_pass import ReplaceQuantNodesPass
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig
from executorch.export import (
    BackendRecipeProvider,
    ExportRecipe,
    LoweringRecipe,
    QuantizationRecipe,
    RecipeType,
)
from executorch.export.recipe_provider import ignore_unknown_parameters

_FILES = {
    ArmRecipeType.TOSA_FP: (TosaCompileSpec, "TOSA-1.0+FP"),
    ArmRecipeType.TOSA_INT8: (TosaCompileSpec, "TOSA-1.0+INT"),
    ArmRecipeType.TOSA_A16W8: (TosaCompileSpec, "TOSA-1.0+INT+int16"),
    ArmRecipeType.VGF_FP: (VgfCompileSpec, "TOSA-1.0+FP"),
    ArmRecipeType.VGF_INT8: (VgfCompileSpec, "TOSA-1.0+INT"),
}
#: Processor, and its multiply-accumulate units if none are named.
_PROCESSORS = {
    ArmRecipeType.ETHOS_U55_INT8: ("ethos-u55", 128),
    ArmRecipeType.ETHOS_U65_INT8: ("ethos-u65", 256),
    ArmRecipeType.ETHOS_U85_INT8: ("ethos-u85", 256),
}
_FLOATS = (ArmRecipeType.TOSA_FP, ArmRecipeType.VGF_FP)
_PROCESSOR_OPTIONS = ("macs", "system_config", "memory_mode", "extra_flags", "config_ini")
#: What Vela tells in any case.
_TOLD = ("--verbose-operators", "--verbose-cycle-estimate")


class ArmRecipeProvider(BackendRecipeProvider):
    """Makes the recipes of ``ArmRecipeType``."""

    @property
    def backend_name(self) -> str:
        return ARM_BACKEND

    def get_supported_recipes(self) -> Sequence[RecipeType]:
        return list(ArmRecipeType)

    def create_recipe(self, recipe_type: RecipeType, **kwargs: Any) -> ExportRecipe | None:
        """The recipe, None when it is not one of ``ArmRecipeType``.

        Args:
            recipe_type: which one.
            **kwargs: for Ethos-U ``macs``, the multiply-accumulate units (128 on U55, else 256), and ``system_config``, ``memory_mode``,
                ``extra_flags``, ``config_ini`` of ``EthosUCompileSpec``. Others are logged and ignored: a target's recipe hands all that
                it is given to each of its backends.

        Raises:
            ValueError: the processor has no such number of units, or an option is of another type.
        """
        if not isinstance(recipe_type, ArmRecipeType):
            return None
        known = _PROCESSOR_OPTIONS if recipe_type in _PROCESSORS else ()
        ignore_unknown_parameters("Arm", recipe_type, kwargs, known)
        spec = _compile_spec(recipe_type, {key: one for key, one in kwargs.items() if key in known})
        target = TARGETS[spec.get_output_format()]
        quantized = recipe_type not in _FLOATS
        # The converter of VGF takes what stands around a delegate as it is.
        replaces = quantized and not isinstance(spec, VgfCompileSpec)
        return ExportRecipe(
            name=recipe_type.value,
            quantization_recipe=_quantization(recipe_type, target.quantizer(spec)) if quantized else None,
            lowering_recipe=LoweringRecipe(
                partitioners=[target.partitioner(spec)],
                edge_manager_transform_passes=[lambda _: [ReplaceQuantNodesPass()]] if replaces else None,
                # What stays outside of a delegate is quantized_decomposed's or cortex_m's, no core ATen operator.
                edge_compile_config=EdgeCompileConfig(_check_ir_validity=False),
            ),
            executorch_backend_config=ExecutorchBackendConfig(extract_delegate_segments=False),
        )


def _compile_spec(recipe: ArmRecipeType, options: dict[str, Any]) -> ArmCompileSpec:
    if recipe in _FILES:
        kind, tosa = _FILES[recipe]
        return kind(tosa)
    processor, macs = _PROCESSORS[recipe]
    macs = options.pop("macs", macs)
    if not isinstance(macs, int) or isinstance(macs, bool):
        raise ValueError(f"macs must be an int, got {type(macs).__name__}: {macs}")
    flags = options.pop("extra_flags", None)
    flags = [] if flags is None else flags
    if not isinstance(flags, list | tuple) or not all(isinstance(one, str) for one in flags):
        raise ValueError(f"extra_flags must be a list of texts, got {flags!r}")
    return EthosUCompileSpec(f"{processor}-{macs}", extra_flags=[*_TOLD, *flags], **options)


def _quantization(recipe: ArmRecipeType, quantizer: Any) -> QuantizationRecipe:
    of = (
        get_symmetric_a16w8_quantization_config
        if recipe is ArmRecipeType.TOSA_A16W8
        else get_symmetric_quantization_config
    )
    return QuantizationRecipe(quantizers=[quantizer.set_global(of())])
