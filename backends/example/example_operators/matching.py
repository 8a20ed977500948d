"""Where a graph has a pattern of modules and functions."""

from __future__ import annotations

import itertools
from typing import Any

from torch.fx import Graph
from torch.fx.passes.utils.source_matcher_utils import (
    SourcePartition,
    check_subgraphs_connected,
    get_source_partitions,
)


def find_patterns(graph: Graph, pattern: tuple[Any, ...]) -> list[tuple[SourcePartition, ...]]:
    """The places where parts made from ``pattern`` follow each other, one ``SourcePartition`` a part."""
    parts = [
        list(itertools.chain.from_iterable(get_source_partitions(graph, [source]).values()))
        for source in pattern
    ]
    return [
        chosen
        for chosen in itertools.product(*parts)
        if all(check_subgraphs_connected(*pair) for pair in itertools.pairwise(chosen))
    ]


__all__ = ["find_patterns"]
