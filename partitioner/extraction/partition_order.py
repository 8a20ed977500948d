"""Brings the nodes of a tagged graph into an order in which every partition is one contiguous step."""

from __future__ import annotations

import heapq
from collections.abc import Collection
from dataclasses import dataclass, field

import torch

from executorch.dialects import meta_keys
from executorch.dialects.errors import Problems
from executorch.partitioner.interface.errors import PartitionCycleError


@dataclass
class Step:
    """One node of the graph (``tag`` None), or all nodes of one tag.

    Attributes:
        tag: the partition's tag.
        nodes: in graph order.
    """

    tag: str | None
    nodes: list[torch.fx.Node] = field(default_factory=list)


def _group(graph: torch.fx.Graph, tags: Collection[str]) -> tuple[list[Step], dict[torch.fx.Node, int]]:
    """Steps in the order of their first node, and each node's step."""
    steps: list[Step] = []
    step_of: dict[torch.fx.Node, int] = {}
    step_of_tag: dict[str, int] = {}
    for node in graph.nodes:
        tag = node.meta.get(meta_keys.DELEGATION_TAG)
        if tag is None or tag not in tags or node.op == "placeholder":
            step_of[node] = len(steps)
            steps.append(Step(None, [node]))
            continue
        if tag not in step_of_tag:
            step_of_tag[tag] = len(steps)
            steps.append(Step(tag))
        step_of[node] = step_of_tag[tag]
        steps[step_of[node]].nodes.append(node)
    return steps, step_of


def _predecessors(steps: list[Step], step_of: dict[torch.fx.Node, int]) -> list[set[int]]:
    return [
        {step_of[arg] for node in step.nodes for arg in node.all_input_nodes} - {index}
        for index, step in enumerate(steps)
    ]


def order_steps(graph: torch.fx.Graph, tags: Collection[str]) -> list[Step]:
    """The graph as steps, each after everything it needs; stable, and linear in nodes and edges.

    Raises:
        PartitionCycleError: when no such order exists, that is when a partition, or several together, need
            their own results by way of nodes outside. Names the partitions on each cycle and the nodes
            between them.
    """
    steps, step_of = _group(graph, tags)
    before = _predecessors(steps, step_of)
    after: list[list[int]] = [[] for _ in steps]
    for index, needed in enumerate(before):
        for other in needed:
            after[other].append(index)
    missing = [len(needed) for needed in before]
    ready = [index for index, count in enumerate(missing) if count == 0]
    heapq.heapify(ready)
    ordered: list[int] = []
    while ready:
        index = heapq.heappop(ready)
        ordered.append(index)
        for follower in after[index]:
            missing[follower] -= 1
            if missing[follower] == 0:
                heapq.heappush(ready, follower)
    if len(ordered) < len(steps):
        _raise_cycle(steps, before, set(range(len(steps))) - set(ordered))
    return [steps[index] for index in ordered]


def _find_cycle(before: list[set[int]], stuck: set[int]) -> list[int]:
    """Some cycle among the steps that never became ready; each of them waits for another of them."""
    seen: dict[int, int] = {}
    path: list[int] = []
    current = min(stuck)
    while current not in seen:
        seen[current] = len(path)
        path.append(current)
        current = min(before[current] & stuck)
    return list(reversed(path[seen[current] :]))


def _raise_cycle(steps: list[Step], before: list[set[int]], stuck: set[int]) -> None:
    cycle = _find_cycle(before, stuck)
    problems = Problems("The partitions are not convex")
    for position, index in enumerate(cycle):
        step, following = steps[index], steps[cycle[(position + 1) % len(cycle)]]
        needed_by = following.nodes[0].name if following.tag is None else f"partition {following.tag!r}"
        through = [node for node in step.nodes if any(user in following.nodes for user in node.users)]
        for node in through[:1]:
            owner = "which no partition took," if step.tag is None else f"in partition {step.tag!r},"
            problems.add(node, f"{owner} is needed by {needed_by}")
    problems.raise_if_any(
        way_out="split one of these partitions so that no value leaves it and comes back "
        "(torch's CapabilityBasedPartitioner proposes only convex partitions).",
        error=PartitionCycleError,
    )
