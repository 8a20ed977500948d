"""What the quantizer and the partitioner know of one pattern."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class OpBase:
    """A pattern of operators.

    Attributes:
        pattern: modules or functions of the model that make the pattern, in order.
        annotate_handle: ``annotate_handle(partitions, quant_config)`` marks what is quantized in the nodes found: one
            ``SourcePartition`` for each element of the pattern.
        permuate_memory_format: whether the backend runs it on channels-last data.
    """

    pattern: tuple[Any, ...]
    annotate_handle: Callable[[Any, Any], None]
    permuate_memory_format: bool = False


__all__ = ["OpBase"]
