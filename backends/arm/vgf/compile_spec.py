"""Compile spec for GPUs with the ML extensions of Vulkan."""

from __future__ import annotations

from executorch.backends.arm.common.arm_compile_spec import ArmCompileSpec
from executorch.backends.arm.tosa.specification import TosaSpecification

_DEFAULT = "TOSA-1.0+INT+FP+int16"


class VgfCompileSpec(ArmCompileSpec):
    """Asks for VGF files.

    Args:
        tosa_spec: a specification or its text; int8 and floating point beside each other if None.
        compiler_flags: of the model converter's command line.
    """

    def __init__(
        self, tosa_spec: TosaSpecification | str | None = None, compiler_flags: list[str] | None = None
    ) -> None:
        given = _DEFAULT if tosa_spec is None else tosa_spec
        self.tosa_spec = TosaSpecification.create_from_string(given) if isinstance(given, str) else given
        self.compiler_flags = [one for one in compiler_flags or [] if one]

    @staticmethod
    def get_output_format() -> str:
        return "vgf"
