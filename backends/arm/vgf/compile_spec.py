"""Compile spec for GPUs with the ML extensions of Vulkan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from executorch.backends.arm.common.arm_compile_spec import ArmCompileSpec
from executorch.backends.arm.tosa.specification import TosaSpecification

if TYPE_CHECKING:
    from executorch.backends.arm.vgf.check_env import VgfEnvironmentReport

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

    def validate_environment(
        self, build_dir: str | Path | None = None, require_runtime_build: bool = False
    ) -> VgfEnvironmentReport:
        """Looks at what lowering takes, or at a build of the runtime by CMake.

        Raises:
            RuntimeError: something is missing.
        """
        # Not above: it is a command as well, which `python -m` imports by itself.
        from executorch.backends.arm.vgf import check_env

        if require_runtime_build:
            report = check_env.check_vgf_source_build_environment(build_dir)
        else:
            report = check_env.check_vgf_aot_environment()
        report.raise_for_errors()
        return report

    @staticmethod
    def get_output_format() -> str:
        return "vgf"
