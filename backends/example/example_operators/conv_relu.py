"""A convolution over images with the ReLU after it: one operator to the backend, so nothing is quantized between."""

from __future__ import annotations

from typing import Any

import torch

from executorch.backends.example.example_operators.op_base import OpBase
from executorch.backends.example.example_operators.utils import _nodes_are_annotated, annotate_weighted


def _annotate_conv_relu(partitions: Any, quant_config: Any) -> None:
    convolution = partitions[0].output_nodes[0]
    activation = partitions[1].output_nodes[0]
    if not _nodes_are_annotated([convolution, activation]):
        annotate_weighted(convolution, activation, quant_config)


class ConvReluNode(OpBase):
    """A convolution over images, then ReLU."""

    def __init__(self) -> None:
        super().__init__(pattern=(torch.nn.Conv2d, torch.nn.ReLU), annotate_handle=_annotate_conv_relu)


__all__ = ["ConvReluNode"]
