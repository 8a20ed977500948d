"""Groups supported nodes of a graph into the largest convex partitions, in near-linear time.

A partition runs as one step, so no value may leave it and come back (it is *convex*), and two partitions must
not wait for each other either. Searching for such a path whenever two nodes could join costs quadratic time.
Here most of the work is one pass:

1. Nodes that must stay together (patterns, a node and its ``getitem``) become one *unit*. Units that would
   wait for each other are dissolved.
2. A unit's *height* is how often the longest way from it to the end changes between supported and unsupported
   units; odd for supported ones. An edge never leads to a greater height, and between units of one kind it
   keeps the height unless something of the other kind lies between. Hence supported units of one height form a
   convex cluster, and all clusters together have no cycle. This takes time proportional to the graph, and no
   choice of partitions has fewer: from each height to the next a path leads through something unsupported.
   Measured from the end, what feeds a later cluster only (a weight's dequantization, say) is part of it.
3. What only takes from an earlier cluster rises to the height of its source and joins it, again in one pass.
4. Neighbouring clusters that are left still join where nothing outside lies between them: a search in the
   graph of clusters, which is much smaller, bounded by the places of the two in an order that is mended where
   a join disturbs it and never computed again.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

import torch

from executorch.dialects import meta_keys


@dataclass
class Grouping:
    """What ``group_nodes`` found.

    Attributes:
        partitions: nodes of each partition in graph order; partitions in the order of their first node.
        dissolved: groups that were asked for but cannot be one step, since they need their own results by way
            of nodes outside.
        steps: elementary steps taken (nodes and edges looked at), which tests hold against the graph's size.
    """

    partitions: list[list[torch.fx.Node]]
    dissolved: list[list[torch.fx.Node]] = field(default_factory=list)
    steps: int = 0


class _Sets:
    """Disjoint sets of the integers below ``count``."""

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))

    def find(self, one: int) -> int:
        root = one
        while self._parent[root] != root:
            root = self._parent[root]
        while self._parent[one] != root:
            self._parent[one], one = root, self._parent[one]
        return root

    def join(self, one: int, other: int) -> None:
        """The set of ``one`` takes that of ``other`` in and keeps its root."""
        self._parent[self.find(other)] = self.find(one)


class _Quotient:
    """A directed graph whose vertices join; a joined vertex keeps the number of one of its parts."""

    def __init__(self, count: int, edges: Iterable[tuple[int, int]]) -> None:
        self.after: list[set[int]] = [set() for _ in range(count)]
        self.before: list[set[int]] = [set() for _ in range(count)]
        for source, target in edges:
            if source != target:
                self.after[source].add(target)
                self.before[target].add(source)

    def join(self, one: int, other: int) -> None:
        """Moves the edges of ``other`` to ``one``."""
        for neighbour in self.after[other]:
            self.before[neighbour].discard(other)
            if neighbour != one:
                self.before[neighbour].add(one)
                self.after[one].add(neighbour)
        for neighbour in self.before[other]:
            self.after[neighbour].discard(other)
            if neighbour != one:
                self.after[neighbour].add(one)
                self.before[one].add(neighbour)
        self.after[other], self.before[other] = set(), set()

    def order(self, vertices: Iterable[int]) -> list[int]:
        """Vertices in an order of dependency; those on or behind a cycle are missing."""
        waiting = {vertex: len(self.before[vertex]) for vertex in vertices}
        ready = deque(vertex for vertex, count in waiting.items() if count == 0)
        ordered = []
        while ready:
            vertex = ready.popleft()
            ordered.append(vertex)
            for follower in self.after[vertex]:
                waiting[follower] -= 1
                if waiting[follower] == 0:
                    ready.append(follower)
        return ordered

    def on_cycles(self, vertices: Sequence[int]) -> set[int]:
        """Vertices that neither an order from the front nor one from the back reaches."""
        stuck = set(vertices) - set(self.order(vertices))
        waiting = {v: sum(n in stuck for n in self.after[v]) for v in stuck}
        ready = [vertex for vertex, count in waiting.items() if count == 0]
        while ready:
            vertex = ready.pop()
            stuck.discard(vertex)
            for earlier in self.before[vertex]:
                if earlier in stuck:
                    waiting[earlier] -= 1
                    if waiting[earlier] == 0:
                        ready.append(earlier)
        return stuck


def group_nodes(
    graph: torch.fx.Graph,
    is_supported: Callable[[torch.fx.Node], bool],
    groups: Sequence[Sequence[torch.fx.Node]] = (),
    join_unrelated: bool = False,
) -> Grouping:
    """The largest convex partitions of the supported nodes.

    Args:
        graph: any graph in order of dependency.
        is_supported: whether a node may be taken on its own; asked for all but the output.
        groups: nodes that are taken together or not at all, such as the matches of a pattern; they need not
            be supported on their own. Groups that share nodes count as one.
        join_unrelated: whether runs that have nothing to do with each other share a partition where they can,
            which gives the fewest partitions there are. Otherwise nodes join along edges only.
    """
    nodes = list(graph.nodes)
    index = {node: position for position, node in enumerate(nodes)}
    edges = [(index[arg], index[node]) for node in nodes for arg in node.all_input_nodes]
    steps = len(nodes) + len(edges)
    grouped, dissolved, more = _sound_groups(len(nodes), edges, [[index[n] for n in g] for g in groups])
    units = _Sets(len(nodes))
    taken = set()
    for group in grouped:
        taken.update(group)
        for member in group[1:]:
            units.join(group[0], member)
    for position, node in enumerate(nodes):
        if node.op != "output" and (position in taken or is_supported(node)):
            taken.add(position)
    _getitems_follow(nodes, index, units, taken)
    members: dict[int, list[int]] = {}
    for position in range(len(nodes)):
        members.setdefault(units.find(position), []).append(position)
    quotient = _Quotient(len(nodes), ((units.find(a), units.find(b)) for a, b in edges))
    order = quotient.order(members)
    clusters = _clusters(quotient, order, _heights(quotient, order, taken), taken, join_unrelated)
    steps += more + 3 * (len(members) + len(edges)) + _join_clusters(quotient, order, clusters, taken)
    partitions: dict[int, list[torch.fx.Node]] = {}
    for position in sorted(taken):
        root = clusters.find(units.find(position))
        partitions.setdefault(root, []).append(nodes[position])
    return Grouping(list(partitions.values()), [[nodes[p] for p in group] for group in dissolved], steps)


def read_outside(
    groups: Iterable[Sequence[torch.fx.Node]], which: Callable[[torch.fx.Node], bool]
) -> set[torch.fx.Node]:
    """Those nodes of ``which`` that not only their own group reads."""
    return {node for nodes in groups for node in nodes if which(node) and not set(node.users) <= set(nodes)}


def group_without_sizes_outside(
    graph: torch.fx.Graph, taken: Collection[torch.fx.Node], groups: Sequence[Sequence[torch.fx.Node]] = ()
) -> list[list[torch.fx.Node]]:
    """The largest convex partitions of ``taken`` that give tensors only: sizes that are read elsewhere are left out.

    Args:
        graph: any graph in order of dependency.
        taken: nodes that may be taken on their own.
        groups: nodes that are taken together or not at all, as for :func:`group_nodes`.
    """
    left = set(taken)
    while True:
        found = group_nodes(graph, left.__contains__, groups).partitions
        crossing = read_outside(found, lambda node: not _gives_tensors(node))
        if not crossing:
            return found
        left -= crossing


def _gives_tensors(node: torch.fx.Node) -> bool:
    return isinstance(node.meta.get(meta_keys.VAL), torch.Tensor | list | tuple)


def _sound_groups(
    count: int, edges: list[tuple[int, int]], groups: list[list[int]]
) -> tuple[list[list[int]], list[list[int]], int]:
    """Groups that can be one step each, those that cannot, and the steps taken to know."""
    dissolved: list[list[int]] = []
    steps = 0
    while True:
        sets = _Sets(count)
        for group in groups:
            for member in group[1:]:
                sets.join(group[0], member)
        quotient = _Quotient(count, ((sets.find(a), sets.find(b)) for a, b in edges))
        steps += len(edges)
        bad = quotient.on_cycles(sorted({sets.find(position) for position in range(count)}))
        stuck = [group for group in groups if group and sets.find(group[0]) in bad]
        if not stuck:
            return [sorted(group) for group in groups if group], dissolved, steps
        # One after another: what is left may do without the first.
        worst = max(stuck, key=len)
        dissolved.append(worst)
        groups = [group for group in groups if group is not worst]


def _getitems_follow(
    nodes: list[torch.fx.Node], index: dict[torch.fx.Node, int], units: _Sets, taken: set[int]
) -> None:
    """A ``getitem`` is where its source is, so that no tuple crosses a border."""
    for position, node in enumerate(nodes):
        if node.op == "call_function" and node.target is operator.getitem:
            source = node.args[0]
            if isinstance(source, torch.fx.Node):
                units.join(index[source], position)
                (taken.add if index[source] in taken else taken.discard)(position)


def _heights(quotient: _Quotient, order: list[int], taken: set[int]) -> dict[int, int]:
    """Height of each unit, after those that only take from higher units have risen; see the module."""
    height: dict[int, int] = {}
    for unit in reversed(order):
        mine = unit in taken
        height[unit] = max(
            (height[other] + ((other in taken) is not mine) for other in quotient.after[unit]),
            default=int(mine),
        )
    for unit in order:
        mine = unit in taken
        sources = quotient.before[unit]
        if sources:
            highest = min(height[other] - ((other in taken) is not mine) for other in sources)
            # A supported unit rises only to join something, and if it has nothing to join where it is.
            joins = any(other in taken and height[other] == highest for other in sources)
            alone = not any(
                other in taken and height[other] == height[unit] for other in quotient.after[unit]
            )
            if not mine or (joins and alone):
                height[unit] = highest
    return height


def _clusters(
    quotient: _Quotient, order: list[int], height: dict[int, int], taken: set[int], join_unrelated: bool
) -> _Sets:
    """Supported units of equal height, joined; only connected ones unless ``join_unrelated``."""
    clusters = _Sets(len(quotient.after))
    first: dict[int, int] = {}
    for unit in order:
        if unit not in taken:
            continue
        if join_unrelated:
            clusters.join(first.setdefault(height[unit], unit), unit)
            continue
        for other in quotient.after[unit]:
            if other in taken and height[other] == height[unit]:
                clusters.join(unit, other)
    return clusters


def _join_clusters(quotient: _Quotient, order: list[int], clusters: _Sets, taken: set[int]) -> int:
    """Joins supported clusters with a direct edge and no way around; returns the steps taken."""
    for unit in order:
        root = clusters.find(unit)
        if root != unit:
            quotient.join(root, unit)
    vertices = [unit for unit in order if clusters.find(unit) == unit]
    rank: dict[int, tuple[int, ...]] = {v: (position,) for position, v in enumerate(quotient.order(vertices))}
    steps = len(vertices)
    mended = 0
    pending = deque(sorted((v for v in vertices if v in taken), key=rank.__getitem__))
    while pending:
        vertex = pending.popleft()
        if clusters.find(vertex) != vertex:
            continue
        for other in sorted((n for n in quotient.after[vertex] if n in taken), key=rank.__getitem__):
            between, cost = _between(quotient, rank, vertex, other)
            steps += cost
            if between is None:
                continue
            mended -= 1
            for moved in between:  # After the joined cluster, but before all that came after `other`.
                rank[moved] = (*rank[other], mended, *rank[moved])
            kept, gone = _larger_first(quotient, vertex, other)
            rank[kept] = rank[other]
            clusters.join(kept, gone)
            quotient.join(kept, gone)
            pending.appendleft(kept)
            break
    return steps


def _larger_first(quotient: _Quotient, one: int, other: int) -> tuple[int, int]:
    def size(vertex: int) -> int:
        return len(quotient.after[vertex]) + len(quotient.before[vertex])

    return (one, other) if size(one) >= size(other) else (other, one)


def _between(
    quotient: _Quotient, rank: dict[int, tuple[int, ...]], start: int, end: int
) -> tuple[set[int] | None, int]:
    """What follows ``start`` and stands before ``end``, and the edges looked at.

    None in its place if a path leads from ``start`` to ``end`` through something else.
    """
    pending = [n for n in quotient.after[start] if rank[n] < rank[end]]
    seen = set(pending)
    cost = len(quotient.after[start])
    while pending:
        vertex = pending.pop()
        cost += len(quotient.after[vertex])
        for follower in quotient.after[vertex]:
            if follower == end:
                return None, cost
            if rank[follower] < rank[end] and follower not in seen:
                seen.add(follower)
                pending.append(follower)
    return seen, cost
