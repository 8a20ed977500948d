"""A linear layer."""

from __future__ import annotations

from typing import Any

import torch

from executorch.backends.example.example_operators.op_base import OpBase
from executorch.backends.example.example_operators.utils import _nodes_are_annotated, annotate_weighted


def _annotate_linear(partitions: Any, quant_config: Any) -> None:
    operation = partitions[0].output_nodes[0]
    if _nodes_are_annotated([operation]):
        return
    annotate_weighted(operation, operation, quant_config)


class LinearNode(OpBase):
    """A linear layer."""

    def __init__(self) -> None:
        super().__init__(pattern=(torch.nn.Linear,), annotate_handle=_annotate_linear)


__all__ = ["LinearNode"]
