"""The shared graph passes, on small exported programs."""

import operator

import pytest
import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed
from torch.export.graph_signature import InputKind

from executorch.backends.transforms import DuplicateDynamicQuantChainPass, RemoveGetItemPass
from executorch.backends.transforms.utils import (
    create_constant_placeholder,
    create_mutable_buffer,
    delete_constant_placeholder,
    get_param_tensor,
    is_param_node,
    set_param_tensor,
)
from executorch.exir import to_edge
from executorch.passes.infrastructure.export_pass import ExportPass

_Q = torch.ops.quantized_decomposed


class _TwoLayers(torch.nn.Module):
    """One dynamically quantized input for two matrix products."""

    def forward(self, x, w):
        scale, zero_point = _Q.choose_qparams.tensor(x, -128, 127, 1e-6, torch.int8)
        q = _Q.quantize_per_tensor.tensor(x, scale, zero_point, -128, 127, torch.int8)
        dq = _Q.dequantize_per_tensor.tensor(q, scale, zero_point, -128, 127, torch.int8)
        return dq @ w, dq @ (w + 1)


def _count(graph, name):
    return sum(node.op == "call_function" and name in str(node.target) for node in graph.nodes)


def test_each_user_gets_a_chain_of_its_own():
    inputs = (torch.rand(2, 3), torch.rand(3, 3))
    program = torch.export.export(_TwoLayers(), inputs)
    module = program.module()
    expected = module(*inputs)
    result = DuplicateDynamicQuantChainPass()(module)
    assert result.modified
    for link in ("choose_qparams", "quantize_per_tensor", "dequantize_per_tensor"):
        assert _count(module.graph, f"decomposed.{link}") == 2
    assert all(len(n.users) == 1 for n in module.graph.nodes if "dequantize_per_tensor" in str(n.target))
    module.graph.lint()
    torch.testing.assert_close(module(*inputs), expected)
    assert not DuplicateDynamicQuantChainPass()(module).modified


def test_a_static_quantization_is_left_alone():
    def model(x):
        q = _Q.quantize_per_tensor.default(x, 0.1, 0, -128, 127, torch.int8)
        dq = _Q.dequantize_per_tensor.default(q, 0.1, 0, -128, 127, torch.int8)
        return dq + 1, dq * 2

    class Model(torch.nn.Module):
        def forward(self, x):
            return model(x)

    module = torch.export.export(Model(), (torch.rand(2),)).module()
    assert not DuplicateDynamicQuantChainPass()(module).modified


class _Maximum(torch.nn.Module):
    def __init__(self, indices):
        super().__init__()
        self.indices = indices

    def forward(self, x):
        values, indices = torch.max(x, dim=1)
        return (values, indices) if self.indices else values


def test_max_of_which_only_values_are_read_has_one_result():
    x = torch.rand(2, 5)
    module = torch.export.export(_Maximum(False), (x,)).graph_module
    assert RemoveGetItemPass()(module).modified
    assert not module.graph.find_nodes(op="call_function", target=operator.getitem)
    assert _count(module.graph, "amax") == 1
    torch.testing.assert_close(module(x)[0], x.max(dim=1).values)


def test_max_of_which_indices_are_read_stays():
    module = torch.export.export(_Maximum(True), (torch.rand(2, 5),)).graph_module
    assert not RemoveGetItemPass()(module).modified
    assert _count(module.graph, "max.dim") == 1


@pytest.mark.parametrize("kind", [InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR])
def test_a_constant_is_added_used_replaced_and_removed(kind):
    x = torch.rand(2, 3)
    program = torch.export.export(torch.nn.Linear(3, 3), (x,))
    before = program.module()(x)
    graph = program.graph
    node = create_constant_placeholder(
        program, graph, "offset", kind, torch.ones(3), True if kind is InputKind.BUFFER else None
    )
    assert is_param_node(program, node)
    result = graph.output_node().args[0][0]
    with graph.inserting_before(graph.output_node()):
        added = graph.call_function(torch.ops.aten.add.Tensor, (result, node))
    added.meta["val"] = result.meta["val"]
    graph.output_node().args = ((added,),)
    program.graph_signature.output_specs[0].arg.name = added.name
    program.graph_module.recompile()
    program.validate()
    torch.testing.assert_close(program.module()(x), before + 1)
    set_param_tensor(program, node, torch.full((3,), 2.0))
    torch.testing.assert_close(get_param_tensor(program, node).detach(), torch.full((3,), 2.0))
    torch.testing.assert_close(program.module()(x), before + 2)
    with pytest.raises(RuntimeError, match="users"):
        delete_constant_placeholder(program, node)
    added.replace_all_uses_with(result)
    graph.erase_node(added)
    program.graph_signature.output_specs[0].arg.name = result.name
    delete_constant_placeholder(program, node)
    program.graph_module.recompile()
    program.validate()
    assert "offset" not in {**program.state_dict, **program.constants}
    torch.testing.assert_close(program.module()(x), before)


def test_a_new_buffer_is_written_by_the_program():
    program = torch.export.export(torch.nn.Linear(3, 3), (torch.rand(2, 3),))
    node = create_mutable_buffer(program, "b_state", torch.zeros(1))
    assert program.graph_signature.buffers_to_mutate == {node.name: "state"}
    assert program.graph_signature.inputs_to_buffers == {"b_state": "state"}
    torch.testing.assert_close(program.state_dict["state"], torch.zeros(1))


def test_what_is_no_constant_is_refused():
    program = torch.export.export(torch.nn.Linear(3, 3), (torch.rand(2, 3),))
    given = program.graph.find_nodes(op="placeholder")[-1]
    assert not is_param_node(program, given)
    with pytest.raises(RuntimeError, match="no parameter"):
        get_param_tensor(program, given)
    with pytest.raises(RuntimeError, match="persistent_buffer"):
        create_constant_placeholder(program, program.graph, "new", InputKind.BUFFER, torch.ones(1))


def test_new_buffers_stand_behind_written_ones_and_names_are_free():
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(1))

        def forward(self, x):
            self.count.add_(1)
            return x * self.count

    program = torch.export.export(Counter(), (torch.rand(2),)).run_decompositions({})
    names = [create_mutable_buffer(program, name, torch.zeros(1)).name for name in ("b_new", "x", "0_state")]
    assert names == ["b_new", "x_1", "_0_state"]
    kinds = [spec.kind.name for spec in program.graph_signature.output_specs]
    assert kinds == ["BUFFER_MUTATION"] * 4 + ["USER_OUTPUT"]
    assert list(program.graph_signature.buffers_to_mutate.values()) == ["count", "new", "x_1", "_0_state"]
    program.graph_module.recompile()
    program.validate()
    for name, why in (("b_count", "state_dict"), ("0_state", "in the graph")):
        with pytest.raises(RuntimeError, match=f"already exists (in )?{why}"):
            create_mutable_buffer(program, name, torch.zeros(1))


class _AddsBuffer(ExportPass):
    def __init__(self, program):
        super().__init__()
        self.program = program

    def call(self, graph_module):
        create_mutable_buffer(self.program, "b_seen", torch.zeros(1))
        return super().call(graph_module)


def test_a_pass_made_with_a_managers_program_may_add_a_buffer():
    edge = to_edge(torch.export.export(torch.nn.Linear(3, 3), (torch.rand(2, 3),)))
    changed = edge.transform([_AddsBuffer(edge.exported_program())]).exported_program()
    assert list(changed.graph_signature.buffers_to_mutate.values()) == ["seen"]
    assert "seen" in changed.state_dict
    changed.validate()
