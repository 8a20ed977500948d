"""Chooses what XNNPACK runs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node
from torch.fx.passes.infra.partitioner import Partition

from executorch.backends.xnnpack.partition.config import ALL_PARTITIONER_CONFIGS
from executorch.backends.xnnpack.partition.config.xnnpack_config import (
    ConfigPrecisionType,
    XNNPartitionerConfig,
    logger,
)
from executorch.backends.xnnpack.xnnpack_preprocess import XnnpackBackend
from executorch.partitioner import DelegationSpec, PartitionResult
from executorch.partitioner.config_partitioner import ConfigerationBasedPartitioner


class XnnpackPartitioner(ConfigerationBasedPartitioner):
    """Delegates as much of a program as XNNPACK can run.

    Args:
        configs: the operators to take, one class each; all by default.
        config_precisions: one precision or several in which they may be taken; all by default.
        per_op_mode: one delegate for each operator (less memory at once, a little more time).
        verbose: log every operator that is not taken, with the reason.
    """

    def __init__(
        self,
        configs: list[type[XNNPartitionerConfig]] | None = None,
        config_precisions: ConfigPrecisionType | list[ConfigPrecisionType] | None = None,
        per_op_mode: bool = False,
        verbose: bool = False,
        **kwargs: Any,
    ) -> None:
        if verbose:
            logger.setLevel(logging.DEBUG)
            logger.debug("XNNPACK: every refusal is logged")
        precisions = (
            [config_precisions] if isinstance(config_precisions, ConfigPrecisionType) else config_precisions
        )
        made = []
        for config in configs or ALL_PARTITIONER_CONFIGS:
            made.append(config(**kwargs))
            made[-1].set_enabled_precision_types(precisions)
        self.per_op_mode = per_op_mode
        self._was_asked = False
        super().__init__(DelegationSpec(XnnpackBackend.__name__, []), made)

    def ops_to_not_decompose(
        self, ep: ExportedProgram
    ) -> tuple[list[torch._ops.OpOverload], Callable[[Node], bool] | None]:
        self._was_asked = True
        return super().ops_to_not_decompose(ep)

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tags what is taken.

        ``to_edge`` and ``to_backend`` one after the other decompose operators that XNNPACK has whole (linear layers,
        pooling, attention); that is noticed and warned of.
        """
        if not self._was_asked:
            logging.getLogger(__name__).warning(
                "DEPRECATION WARNING: to_edge() followed by to_backend() takes operators apart that XNNPACK has whole. "
                "Way out: to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])"
            )
        return super().partition(exported_program)

    def generate_partitions(self, ep: ExportedProgram) -> list[Partition]:
        """What is taken, as large convex partitions, or one for each operator."""
        if not self.per_op_mode:
            return super().generate_partitions(ep)
        # Operators first, then the conversions that none of them does.
        taken: set[Node] = set()
        partitions: list[Partition] = []
        for nodes in sorted(self.get_matched_nodes_from_configs(ep), key=lambda found: len(found) == 1):
            left = [node for node in nodes if node not in taken]
            taken.update(left)
            if left:
                partitions.append(Partition(id=len(partitions), nodes=left))
        return partitions


class XnnpackFloatingPointPartitioner(XnnpackPartitioner):
    """Only what is calculated in floating point."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(config_precisions=ConfigPrecisionType.FP32, **kwargs)


class XnnpackQuantizedPartitioner(XnnpackPartitioner):
    """Only what is quantized, with scales from calibration or found at run time."""

    def __init__(self, **kwargs: Any) -> None:
        both = [ConfigPrecisionType.STATIC_QUANT, ConfigPrecisionType.DYNAMIC_QUANT]
        super().__init__(config_precisions=both, **kwargs)


class XnnpackDynamicallyQuantizedPartitioner(XnnpackPartitioner):
    """Only linear layers whose inputs are quantized at run time."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(config_precisions=ConfigPrecisionType.DYNAMIC_QUANT, **kwargs)
