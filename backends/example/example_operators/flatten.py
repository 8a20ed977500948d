"""Flattening, which leaves every element as it is."""

from __future__ import annotations

from typing import Any

import torch

from executorch.backends.example.example_operators.op_base import OpBase
from executorch.backends.example.example_operators.utils import _nodes_are_annotated, annotate_unary


def _annotate_flatten(partitions: Any, quant_config: Any) -> None:
    operation = partitions[0].output_nodes[0]
    if _nodes_are_annotated([operation]):
        return
    annotate_unary(operation, quant_config)


class FlattenNode(OpBase):
    """Flattening, which leaves every element as it is."""

    def __init__(self) -> None:
        super().__init__(pattern=(torch.flatten,), annotate_handle=_annotate_flatten)


__all__ = ["FlattenNode"]
