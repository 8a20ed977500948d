"""Chooses what goes into VGF files."""

from __future__ import annotations

from collections.abc import Sequence

from torch.fx.passes.operator_support import OperatorSupportBase

from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
from executorch.backends.arm.vgf.backend import VgfBackend
from executorch.backends.arm.vgf.compile_spec import VgfCompileSpec


class VgfPartitioner(TOSAPartitioner):
    """Delegates what the compile spec's TOSA has; the rest has a reason.

    Args:
        compile_spec: which TOSA, and flags of the converter.
        additional_checks: what they refuse is left.
    """

    backend = VgfBackend.__name__

    def __init__(
        self,
        compile_spec: VgfCompileSpec,
        additional_checks: Sequence[OperatorSupportBase] | None = None,
    ) -> None:
        self._start(compile_spec, additional_checks)
