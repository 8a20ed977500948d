"""A convolution over images; the backend runs it on channels-last data."""

from __future__ import annotations

from typing import Any

import torch

from executorch.backends.example.example_operators.op_base import OpBase
from executorch.backends.example.example_operators.utils import _nodes_are_annotated, annotate_weighted


def _annotate_conv2d(partitions: Any, quant_config: Any) -> None:
    operation = partitions[0].output_nodes[0]
    if _nodes_are_annotated([operation]):
        return
    annotate_weighted(operation, operation, quant_config)


class Conv2DNode(OpBase):
    """A convolution over images; the backend runs it on channels-last data."""

    def __init__(self) -> None:
        super().__init__(
            pattern=(torch.nn.Conv2d,), annotate_handle=_annotate_conv2d, permuate_memory_format=True
        )


__all__ = ["Conv2DNode"]
