"""What can be asked for by name."""

from __future__ import annotations

from executorch.export import RecipeType

#: Under which the recipes are registered.
ARM_BACKEND = "arm"


class ArmRecipeType(RecipeType):
    """Target, and what it calculates with: floating point, int8, or activations of int16 with weights of int8.

    Those that quantize take the example inputs for calibration.
    """

    TOSA_FP = "arm_tosa_fp"
    TOSA_INT8 = "arm_tosa_int8"
    TOSA_A16W8 = "arm_tosa_a16w8"
    ETHOS_U55_INT8 = "arm_ethos_u55_int8"
    ETHOS_U65_INT8 = "arm_ethos_u65_int8"
    ETHOS_U85_INT8 = "arm_ethos_u85_int8"
    VGF_FP = "arm_vgf_fp"
    VGF_INT8 = "arm_vgf_int8"

    @classmethod
    def get_backend_name(cls) -> str:
        return ARM_BACKEND
