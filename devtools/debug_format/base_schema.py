"""Graphs for viewers and tables: nodes with their inputs, grouped into graphs that may contain graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class Node:
    """A node of a graph.

    Attributes:
        name: Its name, unique in the graph.
        inputs: The nodes whose results it takes.
        output_shapes: The sizes of each tensor that it gives; None if they are not known.
        metadata: What else is known, in plain values.
        named_args: Names of the arguments, in the order of ``inputs``.
    """

    name: str
    inputs: list[Node] | None = None
    output_shapes: list[list[int]] | None = None
    metadata: dict[str, Any] | None = None
    named_args: list[str] | None = None


@dataclass
class OperatorNode(Node):
    """A call; ``op`` is the operator's name."""

    op: str | None = None


@dataclass
class ValueNode(Node):
    """An input, a weight, a constant or an output; ``val`` is its value if it is a constant."""

    dtype: str = ""
    val: Any | None = None


@dataclass
class OperatorGraph:
    """Nodes and graphs under a name."""

    graph_name: str
    elements: list[Node | OperatorGraph]
    metadata: dict[str, Any] | None = None


__all__ = ["Node", "OperatorGraph", "OperatorNode", "ValueNode"]
