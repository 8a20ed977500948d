"""Stages with XNNPACK's partitioner, quantizer and settings, and the tester that uses them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torchao.quantization.pt2e.quantizer import Quantizer

from executorch.backends.test.harness import Tester as TesterBase
from executorch.backends.test.harness import stages
from executorch.backends.test.harness.stages import StageType
from executorch.backends.xnnpack._passes import XNNPACKPassManager
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer_utils import QuantizationConfig
from executorch.backends.xnnpack.utils.configs import get_xnnpack_edge_compile_config
from executorch.exir import EdgeCompileConfig
from executorch.exir.backend.partitioner import Partitioner


class Export(stages.Export):
    """Capture."""


class Serialize(stages.Serialize):
    """The program's bytes."""


class ToExecutorch(stages.ToExecutorch):
    """Lowering to the program."""


class Quantize(stages.Quantize):
    """PT2E quantization, by default with ``XNNPACKQuantizer`` and one scale for each weight."""

    def __init__(
        self,
        quantizer: Quantizer | None = None,
        quantization_config: QuantizationConfig | None = None,
        calibrate: bool = True,
        calibration_samples: Sequence[Any] | None = None,
        is_qat: bool | None = False,
    ) -> None:
        super().__init__(
            quantizer=quantizer or XNNPACKQuantizer(),
            quantization_config=quantization_config or get_symmetric_quantization_config(),
            calibrate=calibrate,
            calibration_samples=calibration_samples,
            is_qat=is_qat,
        )


class RunPasses(stages.RunPasses):
    """Passes over what the backend is given."""

    def __init__(
        self,
        pass_list: Sequence[Any] | None = None,
        pass_functions: Sequence[Callable[..., Any]] | None = None,
    ) -> None:
        super().__init__(XNNPACKPassManager, pass_list, pass_functions)


class ToEdge(stages.ToEdge):
    """Lowering to the Edge dialect, with quantized operators as they are."""

    def __init__(self, edge_compile_config: EdgeCompileConfig | None = None) -> None:
        super().__init__(edge_compile_config or get_xnnpack_edge_compile_config())


class ToEdgeTransformAndLower(stages.ToEdgeTransformAndLower):
    """Lowering to the Edge dialect and to XNNPACK."""

    def __init__(
        self,
        partitioners: list[Partitioner] | None = None,
        edge_compile_config: EdgeCompileConfig | None = None,
    ) -> None:
        super().__init__(
            default_partitioner_cls=XnnpackPartitioner,
            partitioners=partitioners,
            edge_compile_config=edge_compile_config or get_xnnpack_edge_compile_config(),
        )


class Partition(stages.Partition):
    """Delegation to XNNPACK."""

    def __init__(self, partitioner: Partitioner | None = None) -> None:
        super().__init__(partitioner or XnnpackPartitioner())


class Tester(TesterBase):
    """Takes a module to XNNPACK step by step.

    Args:
        module: is put into eval mode unless ``training=True`` is among the further arguments.
        example_inputs: a tuple.
        dynamic_shapes: as for ``torch.export.export``.
        kwargs: as for :class:`executorch.backends.test.harness.Tester`.
    """

    def __init__(
        self,
        module: torch.nn.Module,
        example_inputs: tuple[Any, ...],
        dynamic_shapes: Any = None,
        **kwargs: Any,
    ) -> None:
        own = {
            StageType.QUANTIZE: Quantize,
            StageType.EXPORT: Export,
            StageType.RUN_PASSES: RunPasses,
            StageType.TO_EDGE: ToEdge,
            StageType.TO_EDGE_TRANSFORM_AND_LOWER: ToEdgeTransformAndLower,
            StageType.PARTITION: Partition,
            StageType.TO_EXECUTORCH: ToExecutorch,
            StageType.SERIALIZE: Serialize,
        }
        super().__init__(
            module=module,
            example_inputs=example_inputs,
            stage_classes={**TesterBase.default_stage_classes(), **own},
            dynamic_shapes=dynamic_shapes,
            **kwargs,
        )
