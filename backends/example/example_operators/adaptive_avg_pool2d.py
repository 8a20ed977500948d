"""An average over the whole image or over cells of it."""

from __future__ import annotations

from typing import Any

import torch

from executorch.backends.example.example_operators.op_base import OpBase
from executorch.backends.example.example_operators.utils import _nodes_are_annotated, annotate_unary


def _annotate_mean(partitions: Any, quant_config: Any) -> None:
    operation = partitions[0].output_nodes[0]
    if _nodes_are_annotated([operation]):
        return
    annotate_unary(operation, quant_config)


class AdaptiveAvgPool2dNode(OpBase):
    """An average over the whole image or over cells of it.

    Args:
        source: the module or the function that models write it with.
    """

    def __init__(self, source: Any = torch.nn.AdaptiveAvgPool2d) -> None:
        super().__init__(pattern=(source,), annotate_handle=_annotate_mean)


__all__ = ["AdaptiveAvgPool2dNode"]
