"""The partitioners that backends build on: by config, by pattern, by source, by capability, and whole graphs."""

import pytest
import torch
from torch.export import export
from torch.fx.passes.operator_support import any_chain, chain

from executorch.partitioner import (
    AllNodePartitioner,
    CompileSpec,
    ConfigerationBasedPartitioner,
    DelegationSpec,
    DontPartition,
    DontPartitionModule,
    DontPartitionName,
    GroupBasedPartitioner,
    PartitionerConfig,
    TargetSupport,
    format_target_name,
    generate_grouped_partitions_from_list_of_nodes,
    generate_partitions_from_list_of_nodes,
    generate_pattern_op_partitions,
    get_lowered_submodules,
    get_reasons,
    is_constant_data,
    source_groups,
    to_backend,
)
from executorch.partitioner.demo_for_tests import op_name


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one = torch.nn.Linear(4, 4)
        self.two = torch.nn.Linear(4, 4, bias=False)

    def forward(self, x, y):
        h = torch.relu(self.one(x)) + y
        return torch.relu(self.two(h)) * y, h.sin()


PAIR = (torch.rand(2, 4), torch.rand(2, 4))


def program():
    return export(Net(), PAIR)


def ops(partition):
    return sorted(op_name(node) for node in partition.nodes)


def find(exported, name):
    return [node for node in exported.graph.nodes if op_name(node) == name]


class LinearRelu(PartitionerConfig):
    """A linear with bias, and the activation behind it."""

    target_name = "linear.default"

    def check_constraints(self, node, ep):
        return len(node.args) == 3

    def get_original_aten(self):
        return torch.ops.aten.linear.default

    def get_partition(self, node, ep):
        if not self.check_constraints(node, ep):
            return []
        return [node, *(user for user in node.users if op_name(user) == "relu.default")]


class Products(PartitionerConfig):
    target_name = "mul.Tensor"

    def check_constraints(self, node, ep):
        return True

    def get_original_aten(self):
        return None

    def get_partition(self, node, ep):
        return [node]


def config_partitioner():
    return ConfigerationBasedPartitioner(DelegationSpec("TextBackend", []), [LinearRelu(), Products()])


def test_configs_choose_check_and_collect():
    exported = program()
    partitioner = config_partitioner()
    matched = partitioner.get_matched_nodes_from_configs(exported)
    assert [[op_name(n) for n in nodes] for nodes in matched] == [
        ["linear.default", "relu.default"],
        ["mul.Tensor"],
    ]
    lowered = to_backend(exported, config_partitioner())
    modules = [module for _, module, _ in get_lowered_submodules(lowered.graph_module)]
    assert len(modules) == 2
    assert set(lowered.state_dict) == {"two.weight"}
    reasons = {(one.op, one.reason) for one in get_reasons(lowered.graph_module)}
    assert ("aten.linear.default", "LinearRelu refused it") in reasons
    assert ("aten.sin.default", "no config for this operator") in reasons
    for found, expected in zip(lowered.module()(*PAIR), exported.module()(*PAIR), strict=True):
        torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("of_parameter", [False, True])
def test_configs_leave_state_that_is_written_outside(of_parameter):
    class Scaling(torch.nn.Module):
        def __init__(self):
            super().__init__()
            state = torch.ones(2)
            if of_parameter:
                self.scale = torch.nn.Parameter(state)
            else:
                self.register_buffer("scale", state)

        def forward(self, x):
            with torch.no_grad():
                self.scale.mul_(2)
            return x * self.scale

    exported = export(Scaling(), (torch.ones(2),)).run_decompositions({})
    lowered = to_backend(exported, config_partitioner())
    ((_, delegate, _),) = get_lowered_submodules(lowered.graph_module)
    assert "scale" not in delegate.original_module.state_dict and set(lowered.state_dict) == {"scale"}
    run = lowered.module()
    with torch.no_grad():
        assert [run(torch.ones(2))[0].item() for _ in range(3)] == [2.0, 4.0, 8.0]


def test_configs_keep_operators_whole():
    exported = program()
    kept, accepts = config_partitioner().ops_to_not_decompose(exported)
    assert kept == [torch.ops.aten.linear.default]
    assert [accepts(node) for node in find(exported, "linear.default")] == [True, False]
    assert not any(accepts(node) for node in exported.graph.nodes if node.op == "placeholder")


def test_names_and_constants():
    assert format_target_name("aten.add.Tensor") == "add.Tensor"
    exported = program()
    constant = {node.name for node in exported.graph.nodes if is_constant_data(exported, node)}
    assert constant == {"p_one_weight", "p_one_bias", "p_two_weight"}
    with pytest.raises(TypeError, match="abstract"):
        PartitionerConfig()


def test_patterns():
    class Pattern(torch.nn.Module):
        def forward(self, x, w):
            return torch.relu(torch.ops.aten.linear.default(x, w))

    graph_module = program().graph_module
    pattern = torch.fx.Graph()
    x, w = pattern.placeholder("x"), pattern.placeholder("w")
    linear = pattern.call_function(torch.ops.aten.linear.default, (x, w))
    pattern.output((pattern.call_function(torch.ops.aten.relu.default, (linear,)),))
    found = generate_pattern_op_partitions(graph_module, patterns=[pattern])
    assert [ops(one) for one in found] == [["linear.default", "relu.default"]]
    found = generate_pattern_op_partitions(
        graph_module,
        patterns=[pattern],
        op_support=TargetSupport(["aten.mul.Tensor", torch.ops.aten.sin.default]),
    )
    assert [ops(one) for one in found] == [["linear.default", "mul.Tensor", "relu.default", "sin.default"]]


def test_sources():
    exported = program()
    groups = source_groups(exported.run_decompositions().graph, [torch.nn.Linear])
    assert [[op_name(n) for n in nodes] for nodes in groups] == [
        ["permute.default", "addmm.default"],
        ["permute.default", "mm.default"],
    ]


def test_listed_nodes_and_groups():
    exported = program()
    graph_module = exported.graph_module
    (add,), relus = find(exported, "add.Tensor"), find(exported, "relu.default")
    listed = generate_partitions_from_list_of_nodes(graph_module, [[relus[0], add], [relus[1]]])
    assert [ops(one) for one in listed] == [["relu.default"], ["add.Tensor", "relu.default"]]
    # A group that needs its own result by way of the second linear cannot be one step.
    partitioner = GroupBasedPartitioner(
        graph_module, TargetSupport(["aten.mul.Tensor"]), True, node_groups=[[relus[0], relus[1]]]
    )
    assert [ops(one) for one in partitioner.propose_partitions()] == [["mul.Tensor"]]
    assert partitioner.dissolved_groups == [relus]
    whole = generate_grouped_partitions_from_list_of_nodes(graph_module, [[relus[0], add]])
    assert [ops(one) for one in whole] == [["add.Tensor", "relu.default"]]


def test_partitions_that_are_not_worth_it():
    graph_module = program().graph_module
    support = TargetSupport(["aten.mul.Tensor", "aten.add.Tensor"])
    assert GroupBasedPartitioner(graph_module, support).propose_partitions() == []
    proposed = GroupBasedPartitioner(
        graph_module, support, allowed_single_node_partition_ops=["torch.ops.aten.mul.Tensor"]
    ).propose_partitions()
    assert [ops(one) for one in proposed] == [["mul.Tensor"]]


def test_everything():
    model = Net()
    exported = export(model, PAIR)
    lowered = to_backend(exported, AllNodePartitioner("TextBackend", [CompileSpec("k", b"v")]))
    (one,) = get_lowered_submodules(lowered.graph_module)
    assert one.module.compile_specs == [CompileSpec("k", b"v")]
    assert not lowered.state_dict
    assert [node.name for node in lowered.graph.nodes if node.op == "placeholder"] == ["x", "y"]


def test_exceptions():
    exported = program()
    calls = [node for node in exported.graph.nodes if node.op == "call_function"]

    def left(check):
        return [op_name(node) for node in calls if not check.is_node_supported({}, node)]

    assert left(DontPartition(torch.ops.aten.sin.default)) == ["sin.default"]
    assert left(DontPartition("aten.sin.default", "aten.mul.Tensor")) == ["mul.Tensor", "sin.default"]
    assert left(DontPartition("relu")) == []
    assert left(DontPartition("relu", exact=False)) == ["relu.default"] * 2
    assert left(DontPartitionName("relu_1")) == ["relu.default"]
    assert left(DontPartitionName("relu", exact=False)) == ["relu.default"] * 2
    assert left(DontPartitionModule(instance_name="one")) == ["linear.default"]
    assert left(DontPartitionModule(module_name="Linear")) == ["linear.default"] * 2
    assert left(DontPartitionModule(module_name="torch.nn.modules.linear.Linear")) == ["linear.default"] * 2
    check = DontPartition("aten.sin.default")
    assert not check.has_rejected_node()
    both = chain(check, any_chain(TargetSupport(["aten.sin.default"]), TargetSupport(["aten.mul.Tensor"])))
    assert [op_name(node) for node in calls if both.is_node_supported({}, node)] == ["mul.Tensor"]
    assert check.num_rejected() == 1 and op_name(check.rejected_nodes()[0]) == "sin.default"
    assert not DontPartition("aten.sin.default").has_rejected_node(), "what is refused is the object's own"
