"""The targets: what each is asked with, delegated by and quantized by."""

from __future__ import annotations

import dataclasses
from typing import Any

from executorch.backends.arm.common.arm_compile_spec import ArmCompileSpec
from executorch.backends.arm.ethosu import EthosUCompileSpec, EthosUPartitioner
from executorch.backends.arm.quantizer import EthosUQuantizer, TOSAQuantizer, VgfQuantizer
from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
from executorch.backends.arm.vgf import VgfCompileSpec, VgfPartitioner


@dataclasses.dataclass(frozen=True)
class Target:
    """The three classes of one target; partitioner and quantizer are made from the compile spec."""

    compile_spec: type[ArmCompileSpec]
    partitioner: Any
    quantizer: Any


#: By what their compilation makes.
TARGETS = {
    one.compile_spec.get_output_format(): one
    for one in (
        Target(TosaCompileSpec, TOSAPartitioner, TOSAQuantizer),
        Target(EthosUCompileSpec, EthosUPartitioner, EthosUQuantizer),
        Target(VgfCompileSpec, VgfPartitioner, VgfQuantizer),
    )
}
