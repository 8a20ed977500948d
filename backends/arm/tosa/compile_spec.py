"""Compile spec of the backend whose result is a TOSA file."""

from __future__ import annotations

from executorch.backends.arm.common.arm_compile_spec import ArmCompileSpec
from executorch.backends.arm.tosa.specification import TosaSpecification


class TosaCompileSpec(ArmCompileSpec):
    """Asks for TOSA itself.

    Args:
        tosa_spec: a specification, or its text, ``TOSA-1.0+FP``.
    """

    def __init__(self, tosa_spec: TosaSpecification | str) -> None:
        self.tosa_spec = (
            TosaSpecification.create_from_string(tosa_spec) if isinstance(tosa_spec, str) else tosa_spec
        )
        self.compiler_flags: list[str] = []

    @staticmethod
    def get_output_format() -> str:
        return "tosa"
