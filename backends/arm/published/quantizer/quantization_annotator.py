"""Annotation without a quantizer, under its published name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.fx import GraphModule, Node

from executorch.backends.arm.quantizer.annotations import annotate


def annotate_graph(
    gm: GraphModule, quantization_config: Any, filter_fn: Callable[[Node], bool] | None = None
) -> None:
    """Annotates in place what the config is for.

    Args:
        gm: a captured graph.
        quantization_config: anything that answers as ``QuantizationConfig`` does.
        filter_fn: which nodes; all if None.
    """
    annotate(gm, lambda node: quantization_config if filter_fn is None or filter_fn(node) else None)
