"""Where values are kept channels last: the assignment with the fewest bytes to transpose, as a minimum cut.

Spatial operators fix their side, the borders of the delegate and matrix products fix theirs; everything between is
free as long as an operator's inputs and its result agree. A value that is wanted in both orders is transposed once,
however many operators ask, which two helper vertices for each value express: one that is channels last as soon as one
reader is, one that is plain as soon as one reader is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import networkx
import torch
from torch.fx import Node

from executorch.backends.xnnpack.graph.layout import Layout

_CHANNELS_LAST = "channels last"
_PLAIN = "plain"
_SIDES = {Layout.CHANNELS_LAST: _CHANNELS_LAST, Layout.PLAIN: _PLAIN}


@dataclass
class Demands:
    """What a subgraph asks of the order of its values.

    Attributes:
        fixed: values that come in one order.
        free: values whose order is to be chosen.
        readers: value -> what reads it: a free value, which wants it in its own order, or an order.
    """

    fixed: dict[Node, Layout] = field(default_factory=dict)
    free: set[Node] = field(default_factory=set)
    readers: dict[Node, list[Node | Layout]] = field(default_factory=dict)

    def read(self, value: Node, reader: Node | Layout) -> None:
        """Says that ``reader`` reads ``value``."""
        self.readers.setdefault(value, []).append(reader)


def transposed_bytes(value: torch.Tensor) -> int:
    """What it costs to bring a value into the other order: its bytes, 1 where only dimensions of size 1 move."""
    sizes = [size if isinstance(size, int) else 2 for size in value.shape]
    if len(sizes) < 3:
        return 0
    channels, image = sizes[1], math.prod(sizes[2:])
    return 1 if channels == 1 or image == 1 else math.prod(sizes) * value.element_size()


def choose_layouts(demands: Demands, costs: dict[Node, int]) -> dict[Node, Layout]:
    """The order of each free value, such that the sum of the costs of all transposes is the least possible.

    Args:
        demands: which values there are, and what reads them.
        costs: of transposing a value; those without are free of cost.
    """
    asked = [one for readers in demands.readers.values() for one in readers if isinstance(one, Layout)]
    if Layout.CHANNELS_LAST not in {*asked, *demands.fixed.values()}:
        return dict.fromkeys(demands.free, Layout.PLAIN)
    graph = networkx.DiGraph()
    graph.add_nodes_from([_CHANNELS_LAST, _PLAIN])
    # An edge without capacity cannot be cut.
    for value, layout in demands.fixed.items():
        ends = (_CHANNELS_LAST, value) if layout is Layout.CHANNELS_LAST else (value, _PLAIN)
        graph.add_edge(*ends)
    for value, readers in demands.readers.items():
        cost = costs.get(value, 0)
        if cost == 0 or (value not in demands.fixed and value not in demands.free):
            continue
        some_last, all_last = ("some reader channels last", value), ("all readers channels last", value)
        graph.add_edge(some_last, value, capacity=cost)
        graph.add_edge(value, all_last, capacity=cost)
        for reader in readers:
            vertex = _SIDES[reader] if isinstance(reader, Layout) else reader
            graph.add_edge(vertex, some_last)
            graph.add_edge(all_last, vertex)
    _, (last, _) = networkx.minimum_cut(graph, _CHANNELS_LAST, _PLAIN)
    return {value: Layout.CHANNELS_LAST if value in last else Layout.PLAIN for value in demands.free}
