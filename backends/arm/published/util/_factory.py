"""Partitioner, quantizer and compile spec of a target, under their published names."""

from __future__ import annotations

from torch.fx.passes.operator_support import OperatorSupportBase

from executorch.backends.arm.common.arm_compile_spec import ArmCompileSpec
from executorch.backends.arm.quantizer import TOSAQuantizer
from executorch.backends.arm.targets import TARGETS, Target
from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
from executorch.partitioner import CompileSpec


def _target(compile_spec: ArmCompileSpec) -> Target:
    return TARGETS[compile_spec.get_output_format()]


def parse_compile_spec(compile_specs: list[CompileSpec]) -> ArmCompileSpec:
    """The compile spec of the target that a delegate's compile specs are for.

    Raises:
        ValueError: they are for none of them.
    """
    for target in TARGETS.values():
        if target.compile_spec.accepts(compile_specs):
            return target.compile_spec.from_list(compile_specs)
    raise ValueError(f"no compile specs of {', '.join(TARGETS)}: {[one.key for one in compile_specs]}")


def create_partitioner(
    compile_spec: ArmCompileSpec, additional_checks: list[OperatorSupportBase] | None = None
) -> TOSAPartitioner:
    """The target's partitioner; what ``additional_checks`` refuse is left."""
    return _target(compile_spec).partitioner(compile_spec, additional_checks)


def create_quantizer(compile_spec: ArmCompileSpec) -> TOSAQuantizer:
    """The target's quantizer."""
    return _target(compile_spec).quantizer(compile_spec)
