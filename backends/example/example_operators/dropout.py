"""Dropout, which does nothing at inference but stands in the graph."""

from __future__ import annotations

from typing import Any

import torch

from executorch.backends.example.example_operators.op_base import OpBase
from executorch.backends.example.example_operators.utils import _nodes_are_annotated, annotate_unary


def _annotate_dropout(partitions: Any, quant_config: Any) -> None:
    operation = partitions[0].output_nodes[0]
    if _nodes_are_annotated([operation]):
        return
    annotate_unary(operation, quant_config)


class DropOutNode(OpBase):
    """Dropout, which does nothing at inference but stands in the graph."""

    def __init__(self) -> None:
        super().__init__(pattern=(torch.nn.Dropout,), annotate_handle=_annotate_dropout)


__all__ = ["DropOutNode"]
