"""Bilinear resizing, by factors and to a size."""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch
from torch.fx import GraphModule

from executorch.backends.xnnpack.partition.graphs.captured import edge_graph

_IMAGE = (1, 3, 16, 16)


def _resize(align_corners: bool, **to: object) -> Callable[[torch.Tensor], torch.Tensor]:
    def function(image: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.interpolate(
            image,
            mode="bilinear",
            align_corners=align_corners,
            antialias=False,
            **to,  # type: ignore[arg-type]
        )

    return function


@functools.lru_cache(maxsize=1)
def _get_bilinear_2d_graphs() -> dict[GraphModule, bool]:
    whole = [torch.ops.aten.upsample_bilinear2d.vec]
    return {
        edge_graph(_resize(align_corners, **to), (torch.randn(_IMAGE),), whole): align_corners
        for align_corners in (True, False)
        for to in ({"scale_factor": 2}, {"size": (32, 32)})
    }


def get_graphs() -> list[GraphModule]:
    """The graphs of ``get_graphs_dict``."""
    return list(_get_bilinear_2d_graphs())


def get_graphs_dict() -> dict[GraphModule, bool]:
    """Each graph, and whether it aligns corners."""
    return dict(_get_bilinear_2d_graphs())
