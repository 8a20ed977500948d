"""What can be asked for by name."""

from executorch.export import RecipeType


class XNNPackRecipeType(RecipeType):
    """Recipes for XNNPACK.

    FP32 calculates in floating point. PT2E recipes quantize the captured graph to int8 with the example inputs as
    calibration: static ones with scales from calibration (weights scaled by output or as a whole), the dynamic one
    with scales found at run time. TORCHAO recipes give linear layers weights of four bits before capture, scaled by
    output or by groups of inputs, and quantize their inputs at run time (8da4w).
    """

    FP32 = "xnnpack_fp32"
    PT2E_INT8_DYNAMIC_PER_CHANNEL = "xnnpack_pt2e_int8_dynamic_per_channel"
    PT2E_INT8_STATIC_PER_CHANNEL = "xnnpack_pt2e_int8_static_per_channel"
    PT2E_INT8_STATIC_PER_TENSOR = "xnnpack_pt2e_int8_static_per_tensor"
    TORCHAO_INT8_DYNAMIC_ACT_INT4_WEIGHT_PER_CHANNEL = "xnnpack_torchao_int8da_int4w_per_channel"
    TORCHAO_INT8_DYNAMIC_ACT_INT4_WEIGHT_PER_TENSOR = "xnnpack_torchao_int8da_int4w_per_tensor"

    @classmethod
    def get_backend_name(cls) -> str:
        return "xnnpack"
