"""Chooses what Ethos-U runs."""

from __future__ import annotations

from collections.abc import Sequence

from torch.fx.passes.operator_support import OperatorSupportBase

from executorch.backends.arm.ethosu.backend import EthosUBackend
from executorch.backends.arm.ethosu.compile_spec import EthosUCompileSpec
from executorch.backends.arm.tosa.partitioner import TOSAPartitioner


class EthosUPartitioner(TOSAPartitioner):
    """Delegates what is quantized and what the processor has; the rest has a reason.

    Args:
        compile_spec: target, system and memory.
        additional_checks: what they refuse is left.
    """

    backend = EthosUBackend.__name__

    def __init__(
        self,
        compile_spec: EthosUCompileSpec,
        additional_checks: Sequence[OperatorSupportBase] | None = None,
    ) -> None:
        self._start(compile_spec, additional_checks)
