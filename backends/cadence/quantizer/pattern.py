"""What a pattern is: operators one after the other, which of their edges are quantized, and what takes their place then."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch.fx import GraphModule, Node
from torch.fx.passes.utils.source_matcher_utils import SourcePartition

from executorch.dialects.torch_types import OpOverload
from executorch.ir.rewriter import is_call


@dataclass
class PartitionAnchors:
    """The edges of a pattern, each ``(node, argument)``; an argument within a list is ``(argument, position)``.

    Attributes:
        inputs: activations, as the configuration says, or as a third item says.
        weights: the same of weights.
        biases: the same of biases.
        others: edges that stay as they are.
        literals: arguments that are no tensors.
        output: ``(node,)``, or with how it is quantized as second item.
        empty: whether the pattern leaves this match alone.
    """

    inputs: list[tuple[Any, ...]] = field(default_factory=list)
    weights: list[tuple[Any, ...]] = field(default_factory=list)
    biases: list[tuple[Any, ...]] = field(default_factory=list)
    others: list[tuple[Any, ...]] = field(default_factory=list)
    literals: list[tuple[Any, ...]] = field(default_factory=list)
    output: list[tuple[Any, ...]] = field(default_factory=list)
    empty: bool = False


class QuantizationPattern(ABC):
    """Subclass it for operators of one's own, and give it to ``CadenceAtenQuantizer``."""

    @abstractmethod
    def partition_types(self) -> list[OpOverload]:
        """The operators, in the order of the data; all but the last are read by the next one alone."""

    @abstractmethod
    def get_anchors(
        self, gm: GraphModule, fused_partition: list[SourcePartition]
    ) -> tuple[PartitionAnchors, Node]:
        """The edges of a match, of which each operator is a partition, and the node that stands for it."""

    @abstractmethod
    def replacement_op(self) -> OpOverload:
        """The operator on integers."""

    def anchor_ops(self) -> tuple[OpOverload, ...]:
        """The operators at which :meth:`fuse` is asked."""
        return (self.partition_types()[0],)

    def fuse(self, gm: GraphModule, anchor_node: Node) -> Node | None:
        """Puts the operator on integers in the place of a match between dequantization and quantization.

        Returns:
            The new node, or None where the match cannot be replaced.
        """
        return None


def chains(gm: GraphModule, types: Sequence[OpOverload]) -> Iterator[list[Node]]:
    """The matches of a pattern's operators, first to last in the graph."""
    for node in list(gm.graph.nodes):
        found = chain_from(node, types)
        if found:
            yield found


def chain_from(node: Node, types: Sequence[OpOverload]) -> list[Node]:
    """The match that begins with ``node``; empty if there is none."""
    found: list[Node] = []
    current: Node | None = node
    for position, op in enumerate(types):
        if current is None or not is_call(current, op):
            return []
        found.append(current)
        if position + 1 < len(types):
            current = next(iter(current.users)) if len(current.users) == 1 else None
    return found


def partitions(chain: Sequence[Node]) -> list[SourcePartition]:
    """A match as :meth:`QuantizationPattern.get_anchors` takes it."""
    return [SourcePartition([node], node.target, list(node.all_input_nodes), [node], []) for node in chain]
