"""Grouping: convex, without cycles between partitions, as large as possible, and nearly linear in the graph."""

import random
import time

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from executorch.partitioner.extraction.partition_order import order_steps
from executorch.partitioner.selection.grouping import group_nodes, group_without_sizes_outside, read_outside

ADD = torch.ops.aten.add.Tensor


def build(edges):
    """A graph of adds: node i takes the nodes ``edges[i]`` (0 is the input, 1 the first add, ...)."""
    graph = torch.fx.Graph()
    nodes = [graph.placeholder("x")]
    for sources in edges:
        nodes.append(graph.call_function(ADD, tuple(nodes[s % len(nodes)] for s in sources)))
    graph.output((nodes[-1],))
    return graph, nodes


def names(found):
    return [[int(node.name.split("_")[1]) if "_" in node.name else 0 for node in p] for p in found.partitions]


def tag(found):
    for number, nodes in enumerate(found.partitions):
        for node in nodes:
            node.meta["delegation_tag"] = f"t{number}"
    return {f"t{number}" for number in range(len(found.partitions))}


NODE = st.tuples(st.lists(st.integers(0, 40), min_size=1, max_size=3), st.booleans())


@settings(max_examples=300, deadline=None)
@given(st.lists(NODE, min_size=1, max_size=24))
def test_partitions_are_convex_complete_and_maximal(spec):
    graph, nodes = build([sources for sources, _ in spec])
    supported = {node for node, (_, wanted) in zip(nodes[1:], spec, strict=True) if wanted}
    found = group_nodes(graph, supported.__contains__)
    assert {node for nodes in found.partitions for node in nodes} == supported
    assert sum(map(len, found.partitions)) == len(supported)
    order_steps(graph, tag(found))  # Raises if they are not convex, alone or together.
    owner = {node: number for number, part in enumerate(found.partitions) for node in part}
    for node in supported:
        for user in node.users:
            if user in owner and owner[user] != owner[node]:
                for part, number in ((p, i) for i, p in enumerate(found.partitions) if i == owner[user]):
                    for member in part:
                        member.meta["delegation_tag"] = f"t{owner[node]}"
                    with pytest.raises(AssertionError):  # Joining two neighbours would make a cycle.
                        order_steps(graph, {f"t{i}" for i in range(len(found.partitions))})
                    for member in part:
                        member.meta["delegation_tag"] = f"t{number}"


@settings(max_examples=200, deadline=None)
@given(st.lists(NODE, min_size=1, max_size=24))
def test_joining_unrelated_runs_gives_one_partition_per_change(spec):
    graph, nodes = build([sources for sources, _ in spec])
    supported = {node for node, (_, wanted) in zip(nodes[1:], spec, strict=True) if wanted}
    found = group_nodes(graph, supported.__contains__, join_unrelated=True)
    order_steps(graph, tag(found))
    changes = {nodes[0]: 0}  # Supported stretches on the longest way to each node: the lower bound.
    for node in nodes[1:]:
        before = max(
            changes[arg] + (node in supported and arg not in supported) for arg in node.all_input_nodes
        )
        changes[node] = before
    assert len(found.partitions) == max((changes[node] for node in supported), default=0)
    assert {node for nodes in found.partitions for node in nodes} == supported


@settings(max_examples=200, deadline=None)
@given(
    st.lists(NODE, min_size=2, max_size=16),
    st.lists(st.sets(st.integers(1, 16), min_size=2, max_size=4), max_size=3),
)
def test_groups_are_whole_or_dissolved(spec, wanted):
    graph, nodes = build([sources for sources, _ in spec])
    groups = [[nodes[i] for i in sorted(group) if i < len(nodes)] for group in wanted]
    groups = [group for group in groups if group]
    found = group_nodes(graph, lambda node: False, groups)
    order_steps(graph, tag(found))
    owner = {node: number for number, part in enumerate(found.partitions) for node in part}
    kept = [group for group in groups if group not in found.dissolved]
    assert len(kept) + len(found.dissolved) == len(groups)
    for group in kept:
        assert len({owner[node] for node in group}) == 1
    assert set(owner) == {node for group in kept for node in group}


def test_a_way_around_splits_and_a_skip_does_not():
    graph, (_, a, _, c, d) = build(
        [[0], [1], [1, 2], [0]]
    )  # a -> b -> c and a -> c; d has nothing to do with them.
    found = group_nodes(graph, {a, c, d}.__contains__)
    assert found.partitions == [[a], [c], [d]]
    assert len(group_nodes(graph, {a, c, d}.__contains__, join_unrelated=True).partitions) == 2
    # c takes a and b, which have nothing to do with each other.
    graph, (_, a, _, c) = build([[0], [0], [1, 2]])
    assert group_nodes(graph, {a, c}.__contains__).partitions == [[a, c]]


def test_a_late_users_weight_preparation_joins_it():
    """Each layer: unsupported(previous), and a supported step that takes it and a prepared weight."""
    edges = []
    previous = 0
    for _ in range(50):
        edges += [[0], [previous]]
        edges.append([len(edges) - 1, len(edges)])
        previous = len(edges)
    graph, nodes = build(edges)
    supported = {n for i, n in enumerate(nodes[1:]) if i % 3 != 1}
    found = group_nodes(graph, supported.__contains__)
    assert [len(part) for part in found.partitions] == [2] * 50


def transformer_like(count, seed):
    generator = random.Random(seed)
    edges = [
        [max(0, i - generator.randint(0, 3)), max(0, i - generator.randint(0, 40))] for i in range(count)
    ]
    graph, nodes = build(edges)
    return graph, {node for node in nodes[1:] if generator.random() < 0.8}


@pytest.mark.parametrize("share", ["chain", "random", "alternating"])
def test_work_grows_nearly_linearly(share):
    def steps(count):
        if share == "random":
            graph, supported = transformer_like(count, seed=3)
        else:
            graph, nodes = build([[i, max(0, i - 7)] for i in range(count)])
            every = 2 if share == "alternating" else 10
            supported = {n for i, n in enumerate(nodes[1:]) if i % every}
        return group_nodes(graph, supported.__contains__).steps

    small, large = steps(500), steps(8000)
    assert large < 16 * 2 * small, (small, large)


def test_a_thousand_nodes_take_less_than_a_second():
    graph, supported = transformer_like(1000, seed=1)
    start = time.process_time()
    found = group_nodes(graph, supported.__contains__)
    seconds = time.process_time() - start
    print(f"1000 nodes: {len(found.partitions)} partitions, {found.steps} steps, {seconds * 1000:.1f} ms")
    order_steps(graph, tag(found))
    assert seconds < 1


def test_sizes_that_are_read_elsewhere_are_left():
    """Sizes stay where only their own group reads them; with one left out, what it was read from is asked again."""
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    size = graph.call_function(torch.ops.aten.sym_size.int, (x, 0))
    inside = graph.call_function(torch.ops.aten.sym_size.int, (x, 1))
    view = graph.call_function(torch.ops.aten.view.default, (x, [size, inside]))
    outside = graph.call_function(torch.ops.aten.full.default, ([size], 1))
    graph.output((view, outside))
    for node in (x, view, outside):
        node.meta["val"] = torch.empty(2, 3)
    for node in (size, inside):
        node.meta["val"] = 2
    taken = {size, inside, view}
    assert read_outside([[size, inside, view]], {size, inside}.__contains__) == {size}
    assert group_nodes(graph, taken.__contains__).partitions == [[size, inside, view]]
    assert group_without_sizes_outside(graph, taken) == [[inside, view]]
    assert group_without_sizes_outside(graph, {inside}, [[view, outside]]) == [[inside, view, outside]]
    assert taken == {size, inside, view}
