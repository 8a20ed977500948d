"""Convexity: valid tags give an order with each partition in one piece, others an error that names the cycle."""

import time

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.export import export

from executorch.partitioner import to_backend
from executorch.partitioner.demo_for_tests import OpPartitioner, op_name
from executorch.partitioner.extraction.partition_order import order_steps
from executorch.partitioner.interface.errors import PartitionCycleError


def random_graph(edges, tags):
    """A graph of adds: node i takes the nodes named by ``edges[i]`` (all before it), with ``tags[i]``."""
    graph = torch.fx.Graph()
    nodes = [graph.placeholder("x")]
    for sources, tag in zip(edges, tags, strict=True):
        args = tuple(nodes[s % len(nodes)] for s in sources)
        node = graph.call_function(torch.ops.aten.add.Tensor, args)
        if tag is not None:
            node.meta["delegation_tag"] = tag
        nodes.append(node)
    graph.output((nodes[-1],))
    return graph


def has_cycle(graph, tags):
    """Oracle: reachability between groups by brute force."""
    group = {n: n.meta.get("delegation_tag", n.name) for n in graph.nodes}
    reach = {g: set() for g in group.values()}
    for node in graph.nodes:
        for arg in node.all_input_nodes:
            if group[arg] != group[node]:
                reach[group[arg]].add(group[node])
    for middle in reach:
        for start in reach:
            if middle in reach[start]:
                reach[start] |= reach[middle]
    return any(g in reach[g] for g in reach)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(0, 30), min_size=2, max_size=2), st.sampled_from([None, None, "a", "b", "c"])
        ),
        min_size=1,
        max_size=14,
    )
)
def test_order_or_cycle(spec):
    tags = {"a", "b", "c"}
    graph = random_graph([s for s, _ in spec], [t for _, t in spec])
    if has_cycle(graph, tags):
        with pytest.raises(PartitionCycleError):
            order_steps(graph, tags)
        return
    steps = order_steps(graph, tags)
    flat = [node for step in steps for node in step.nodes]
    assert sorted(flat) == list(graph.nodes)
    position = {node: index for index, node in enumerate(flat)}
    for node in flat:
        assert all(position[arg] < position[node] for arg in node.all_input_nodes)
    assert len([s for s in steps if s.tag]) == len({s.tag for s in steps if s.tag})


class Chain(torch.nn.Module):
    def forward(self, x, y):
        return ((x + y).sin() + y).cos() + x


def test_the_error_names_the_cycle_and_the_line_of_the_model():
    program = export(Chain(), (torch.rand(2), torch.rand(2)))
    partitioner = OpPartitioner([], tag_of=lambda n: "adds" if op_name(n) == "add.Tensor" else None)
    with pytest.raises(PartitionCycleError) as error:
        to_backend(program, partitioner)
    text = str(error.value)
    assert "'adds'" in text and "sin" in text and "partition_order_test.py" in text and "Way out" in text


def test_two_partitions_that_wait_for_each_other():
    def tag_of(node):
        return {"add": "p", "sin": "q", "add_1": "q", "cos": "p"}.get(node.name)

    with pytest.raises(PartitionCycleError, match="partition 'p'"):
        to_backend(export(Chain(), (torch.rand(2), torch.rand(2))), OpPartitioner([], tag_of=tag_of))


def test_parallel_branches_of_one_tag_stay_one_partition():
    class Branches(torch.nn.Module):
        def forward(self, x, y):
            return (x + y).sin(), (x * y).cos()

    model, inputs = Branches(), (torch.rand(2), torch.rand(2))
    ops = {"add.Tensor", "mul.Tensor"}
    lowered = to_backend(
        export(model, inputs), OpPartitioner([], tag_of=lambda n: "one" if op_name(n) in ops else None)
    )
    torch.testing.assert_close(lowered.module()(*inputs), model(*inputs))


def test_ordering_stays_near_linear():
    def seconds(count):
        graph = random_graph(
            [(i, i) for i in range(count)], [f"t{i // 5}" if i % 5 < 3 else None for i in range(count)]
        )
        start = time.process_time()
        order_steps(graph, {f"t{i}" for i in range(count)})
        return time.process_time() - start

    small = min(seconds(500) for _ in range(3))
    large = min(seconds(8000) for _ in range(3))
    assert large < 16 * small * 4, (small, large)
