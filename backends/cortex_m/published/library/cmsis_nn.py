"""What kernels need to work in, under the names of the published binding of CMSIS-NN. The figures are those of the kernels here."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from executorch.backends.cortex_m.passes.scratch_buffer_sizes import average_scratch, convolution_scratch
from executorch.backends.cortex_m.target_config import CortexM, CortexMTargetConfig, InstructionSet


class DataType(enum.Enum):
    """Of activations and weights."""

    A8W8 = "a8w8"


def resolve_backend(cpu: CortexM) -> InstructionSet:
    """The most that the kernels may use on a processor."""
    return CortexMTargetConfig(cpu).backend


def avgpool_buffer_size(
    backend: InstructionSet, data_type: DataType, *, dim_dst_width: int, ch_src: int
) -> int:
    """Bytes of an average pool."""
    return average_scratch()


def convolve_wrapper_buffer_size(
    backend: InstructionSet,
    data_type: DataType,
    *,
    input_nhwc: Sequence[int],
    filter_nhwc: Sequence[int],
    output_nhwc: Sequence[int],
    padding_hw: Sequence[int],
    stride_hw: Sequence[int],
    dilation_hw: Sequence[int],
) -> int:
    """Bytes of a convolution."""
    outputs, height, width, inputs = filter_nhwc
    return convolution_scratch(outputs, height * width * inputs)
