"""Partitioners over torch's ``OperatorSupport``: by capability, by pattern, by source, by lists of nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import torch
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner, Partition
from torch.fx.passes.operator_support import OperatorSupportBase
from torch.fx.passes.utils.matcher_utils import SubgraphMatcher
from torch.fx.passes.utils.source_matcher_utils import SourcePartition, get_source_partitions

from executorch.partitioner.selection.grouping import group_nodes


class NoSupport(OperatorSupportBase):
    """Supports nothing on its own; for partitioners that take groups only."""

    def is_node_supported(self, submodules: Any, node: torch.fx.Node) -> bool:
        return False


class GroupBasedPartitioner(CapabilityBasedPartitioner):
    """torch's capability-based partitioner with groups of nodes that stay together, in near-linear time.

    Runs that have nothing to do with each other share a partition where they can, so that there are as few as
    possible; where there is a choice, nodes go with what uses them.

    Args:
        graph_module: what is partitioned.
        operator_support: which nodes can be taken on their own.
        allows_single_node_partition: whether a partition of one computing node is worth a delegate.
        non_compute_ops: targets as text that do not count as computing.
        allowed_single_node_partition_ops: targets as text that are worth a delegate even alone.
        node_groups: nodes that are taken together or not at all, supported on their own or not.
    """

    def __init__(
        self,
        graph_module: torch.fx.GraphModule,
        operator_support: OperatorSupportBase,
        allows_single_node_partition: bool = False,
        non_compute_ops: Sequence[str] | None = None,
        allowed_single_node_partition_ops: Sequence[str] | None = None,
        node_groups: list[list[torch.fx.Node]] | None = None,
    ) -> None:
        super().__init__(
            graph_module,
            operator_support,
            allows_single_node_partition,
            non_compute_ops,
            allowed_single_node_partition_ops,
        )
        self.node_groups = [list(group) for group in node_groups or []]
        #: Groups of the last proposal that could not be one step.
        self.dissolved_groups: list[list[torch.fx.Node]] = []

    def propose_partitions(self) -> list[Partition]:
        """The fewest convex partitions without a cycle between them; the last one of the graph comes first."""
        submodules = dict(self.graph_module.named_modules())

        def supported(node: torch.fx.Node) -> bool:
            return bool(self.operator_support.is_node_supported(submodules, node))

        found = group_nodes(self.graph_module.graph, supported, self.node_groups, join_unrelated=True)
        self.dissolved_groups = found.dissolved
        worth = [nodes for nodes in found.partitions if self._is_worth_it(nodes)]
        return [Partition(id=number, nodes=nodes) for number, nodes in enumerate(reversed(worth))]

    def _is_worth_it(self, nodes: list[torch.fx.Node]) -> bool:
        if self.allows_single_node_partition:
            return True
        idle = {"_operator.getitem", *(self.non_compute_ops or ())}
        alone = set(self.allowed_single_node_partition_ops or ())
        names = [_target_name(node) for node in nodes if node.op == "call_function"]
        return sum(name not in idle for name in names) > 1 or bool(alone.intersection(names))


def _target_name(node: torch.fx.Node) -> str:
    """The target as torch's partitioner spells it: ``torch.ops.aten.add.Tensor``, ``_operator.getitem``."""
    target: Any = node.target
    text = torch.fx.node._get_qualified_name(target) if callable(target) else str(target)
    return str(text)


def generate_partitions_from_list_of_nodes(
    graph_module: torch.fx.GraphModule,
    pattern_list: list[list[torch.fx.Node]] | None = None,
    op_support: OperatorSupportBase | None = None,
) -> list[Partition]:
    """Largest partitions of the nodes in ``pattern_list`` and of those that ``op_support`` takes.

    The lists say what is supported, not what must stay together: a partition may cut through one, if it has
    to. See ``generate_grouped_partitions_from_list_of_nodes`` for the other reading.
    """
    listed = {node for nodes in pattern_list or [] for node in nodes}

    class Listed(OperatorSupportBase):
        def is_node_supported(self, submodules: Any, node: torch.fx.Node) -> bool:
            return node in listed or (
                op_support is not None and op_support.is_node_supported(submodules, node)
            )

    partitioner = GroupBasedPartitioner(graph_module, Listed(), allows_single_node_partition=True)
    return partitioner.propose_partitions()


def generate_grouped_partitions_from_list_of_nodes(
    graph_module: torch.fx.GraphModule,
    pattern_list: list[list[torch.fx.Node]] | None = None,
    op_support: OperatorSupportBase | None = None,
) -> list[Partition]:
    """Largest partitions in which each list of ``pattern_list`` is whole; with what ``op_support`` takes."""
    partitioner = GroupBasedPartitioner(
        graph_module,
        op_support or NoSupport(),
        allows_single_node_partition=True,
        node_groups=pattern_list,
    )
    return partitioner.propose_partitions()


def generate_pattern_op_partitions(
    graph_module: torch.fx.GraphModule,
    patterns: list[torch.fx.Graph] | None = None,
    partitions_list: list[list[torch.fx.Node]] | None = None,
    op_support: OperatorSupportBase | None = None,
    ignore_literals: bool = False,
) -> list[Partition]:
    """Largest partitions of the union of pattern matches, given lists and supported operators.

    Args:
        graph_module: what is partitioned.
        patterns: graphs whose placeholders match anything.
        partitions_list: lists of nodes, as found by ``get_source_partitions`` for example.
        op_support: which nodes are taken beside those.
        ignore_literals: whether a pattern's numbers match any number.
    """
    found = [nodes for pattern in patterns or [] for nodes in match(graph_module, pattern, ignore_literals)]
    return generate_partitions_from_list_of_nodes(
        graph_module, [*found, *(partitions_list or [])], op_support
    )


def match(
    graph_module: torch.fx.GraphModule, pattern: torch.fx.Graph, ignore_literals: bool = False
) -> list[list[torch.fx.Node]]:
    """Nodes of each match of ``pattern``, without what its placeholders matched."""
    matcher = SubgraphMatcher(pattern, ignore_literals=ignore_literals)
    wildcards = {node for node in pattern.nodes if node.op in ("placeholder", "output")}
    return [
        [found for wanted, found in one.nodes_map.items() if wanted not in wildcards]
        for one in matcher.match(graph_module.graph)
    ]


def source_groups(graph: torch.fx.Graph, sources: Iterable[Any]) -> list[list[torch.fx.Node]]:
    """Operators behind each use of the given module classes and functions, such as ``torch.nn.Linear``.

    Parameters and inputs are left out: a group is what runs.
    """
    by_source: dict[Any, list[SourcePartition]] = get_source_partitions(graph, list(sources))
    return [
        [node for node in partition.nodes if node.op == "call_function"]
        for partitions in by_source.values()
        for partition in partitions
    ]


class TargetSupport(OperatorSupportBase):
    """Supports operators by target: ATen or edge overloads, or their names such as ``aten.add.Tensor``."""

    def __init__(self, targets: Collection[Any]) -> None:
        self._names = {operator_name(target) for target in targets}

    def is_node_supported(self, submodules: Any, node: torch.fx.Node) -> bool:
        return node.op == "call_function" and operator_name(node.target) in self._names


def operator_name(target: Any) -> str:
    """``aten.add.Tensor`` for that overload of ATen, for its edge form and for the name itself."""
    if isinstance(target, str):
        return target
    schema = getattr(target, "_schema", None)
    if schema is not None:
        return f"{schema.name.replace('::', '.')}.{schema.overload_name or 'default'}"
    return getattr(target, "__name__", str(target))
