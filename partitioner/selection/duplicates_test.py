"""Copies of shared constants and dequantizations; quantized partitions; the debug handle map."""

import pytest
import torch
from torch.export import export
from torch.fx.passes.utils.source_matcher_utils import get_source_partitions

from executorch.dialects import meta_keys
from executorch.partitioner import (
    DelegateMappingBuilder,
    DuplicateDequantNodePass,
    duplicate_constant_node,
    remove_first_quant_and_last_dequant,
    replace_quantized_partition_with_op,
)
from executorch.partitioner.interface.errors import DelegationError, PartitionerContractError
from executorch.partitioner.selection.constants import (
    ARGUMENTS_INSIDE,
    COPY_FOR_READERS,
    tag_copies,
    tag_prepared_constants,
)
from executorch.partitioner.selection.duplicates import copy_for_readers, give_arguments_inside

from torch.ao.quantization.fx._decomposed import quantized_decomposed_lib  # noqa: F401  isort: skip

QUANTIZE = torch.ops.quantized_decomposed.quantize_per_tensor.default
DEQUANTIZE = torch.ops.quantized_decomposed.dequantize_per_tensor.default


class Shared(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.rand(3))
        self.register_buffer("seen", torch.zeros(3))

    seen: torch.Tensor

    def forward(self, x):
        self.seen.add_(x)
        return (x + self.w) * self.w - self.w


def test_marked_calls_are_copied_for_each_partition_and_for_what_is_in_none():
    def model(x):
        steps = torch.arange(3) + 1
        return x * steps, x - steps, x + steps, steps

    program = export(lambda_module(model), (torch.rand(3),)).run_decompositions({})
    by_name = {node.name: node for node in program.graph.nodes}
    made = [node for node in program.graph.nodes if node.op == "call_function"][:2]
    for name, tag in (("mul", "first"), ("sub", "second")):
        by_name[name].meta[meta_keys.DELEGATION_TAG] = tag
    tag_prepared_constants(program, made.__contains__)
    assert all(COPY_FOR_READERS in node.meta for node in made)
    copy_for_readers(program.graph_module)
    program.graph.lint()
    for node in program.graph.nodes:
        tags = {one.meta.get(meta_keys.DELEGATION_TAG) for one in node.users}
        if COPY_FOR_READERS in node.meta:
            assert tags == {node.meta.get(meta_keys.DELEGATION_TAG)}
    assert sum(node.target == made[0].target for node in program.graph.nodes) == 3
    for found, expected in zip(program.module()(torch.ones(3)), model(torch.ones(3)), strict=True):
        torch.testing.assert_close(found, expected)


def test_calls_inside_do_without_sizes():
    def model(x):
        return torch.sin(x).view(x.shape[0] * 2, 2), torch.cos(x).view(x.shape[0], 2, 2)

    shapes = ({0: torch.export.Dim("rows", min=2, max=8)},)
    program = export(lambda_module(model), (torch.rand(3, 4),), dynamic_shapes=shapes).run_decompositions({})
    views = [node for node in program.graph.nodes if node.target == torch.ops.aten.view.default]
    sizes = [node for node in program.graph.nodes if isinstance(node.meta.get("val"), torch.SymInt)]
    for view in views:
        view.meta[meta_keys.DELEGATION_TAG] = view.name
    views[0].meta[ARGUMENTS_INSIDE] = {1: [-1, 2]}
    tag_copies(program, sizes.__contains__)
    give_arguments_inside(program.graph_module)
    copy_for_readers(program.graph_module)
    program.graph.lint()
    assert views[0].args[1] == [-1, 2] and ARGUMENTS_INSIDE not in views[0].meta
    left = [node for node in program.graph.nodes if isinstance(node.meta.get("val"), torch.SymInt)]
    assert [list(size.users) for size in left] == [[views[1]]]
    assert left[0].meta[meta_keys.DELEGATION_TAG] == views[1].name
    x = torch.rand(5, 4)
    for found, expected in zip(program.module()(x), model(x), strict=True):
        torch.testing.assert_close(found, expected)


def lambda_module(function):
    module = torch.nn.Module()
    module.forward = function
    return module


def test_constants_are_copied_per_user():
    model, x = Shared(), torch.rand(3)
    program = export(model, (x,)).run_decompositions({})
    assert duplicate_constant_node(program, "p_w") == {"p_w_copy_0", "p_w_copy_1"}
    assert all(len(n.users) == 1 for n in program.graph.nodes if n.name.startswith("p_w"))
    assert set(program.state_dict) == {"w", "seen", "p_w_copy_0", "p_w_copy_1"}
    torch.testing.assert_close(program.module()(x), Shared.forward(model, x))


def test_what_cannot_be_copied():
    program = export(Shared(), (torch.rand(3),)).run_decompositions({})
    with pytest.raises(PartitionerContractError, match="written by the program"):
        duplicate_constant_node(program, "b_seen")
    with pytest.raises(PartitionerContractError, match=r"x is not a constant.*p_w"):
        duplicate_constant_node(program, "x")


class Quantized(torch.nn.Module):
    def forward(self, x):
        q = QUANTIZE(x, 0.1, 0, -128, 127, torch.int8)
        d = DEQUANTIZE(q, 0.1, 0, -128, 127, torch.int8)
        total = torch.nn.functional.relu(d) + d
        q = QUANTIZE(total, 0.2, 0, -128, 127, torch.int8)
        return DEQUANTIZE(q, 0.2, 0, -128, 127, torch.int8)


X = torch.randn(2, 3)


def test_each_user_gets_a_dequantization():
    program = export(Quantized(), (X,))
    before = len(program.graph.nodes)
    result = DuplicateDequantNodePass()(program.graph_module)
    assert result.modified and len(program.graph.nodes) == before + 1
    (expected,) = result.graph_module(X)
    torch.testing.assert_close(expected, Quantized()(X))
    assert not DuplicateDequantNodePass()(program.graph_module).modified


def test_integers_in_and_out():
    graph_module = export(Quantized(), (X,)).graph_module
    remove_first_quant_and_last_dequant(graph_module)
    targets = [node.target for node in graph_module.graph.nodes if node.op == "call_function"]
    assert targets.count(QUANTIZE) == 1 and targets.count(DEQUANTIZE) == 1
    q = torch.ops.quantized_decomposed.quantize_per_tensor.default(X, 0.1, 0, -128, 127, torch.int8)
    (found,) = graph_module(q)
    assert found.dtype is torch.int8


def test_a_quantized_partition_becomes_one_operator():
    class Relu(torch.nn.Module):
        def forward(self, x):
            d = DEQUANTIZE(x, 0.1, 0, -128, 127, torch.int8)
            return QUANTIZE(torch.nn.functional.relu(d), 0.1, 0, -128, 127, torch.int8)

    q = torch.randint(-128, 127, (2, 3), dtype=torch.int8)
    program = export(Relu(), (q,), strict=True)
    graph_module = program.graph_module
    ((partition,),) = get_source_partitions(graph_module.graph, [torch.nn.functional.relu]).values()
    node, dequantizations, quantizations = replace_quantized_partition_with_op(
        graph_module, partition, torch.ops.aten.relu
    )
    assert len(dequantizations) == len(quantizations) == 1
    assert [n.op for n in graph_module.graph.nodes] == ["placeholder", "call_function", "output"]
    assert node.target is torch.ops.aten.relu.default
    assert torch.equal(graph_module(q)[0], Relu()(q))


def node_with(handle):
    node = torch.fx.Graph().placeholder("x")
    node.meta["debug_handle"] = handle
    return node


def test_debug_handle_maps():
    builder = DelegateMappingBuilder()
    assert builder.insert_delegate_mapping_entry(node_with(5), identifier="a") == "a"
    assert builder.insert_delegate_mapping_entry([node_with(7), node_with(3)], identifier=1) == 1
    assert builder.insert_delegate_mapping_entry(handles=[4, None, 4, 2], identifier="b") == "b"
    assert builder.get_delegate_mapping() == {"a": (5,), 1: (3, 7), "b": (2, 4)}
    numbered = DelegateMappingBuilder(generated_identifiers=True)
    assert [numbered.insert_delegate_mapping_entry(handles=h) for h in (3, [4, 5])] == [0, 1]
    assert numbered.get_delegate_mapping() == {0: (3,), 1: (4, 5)}


@pytest.mark.parametrize(
    ("generated", "arguments", "message"),
    [
        (False, {"handles": 1}, "No identifier provided"),
        (True, {"handles": 1, "identifier": 2}, "can't manually add identifiers"),
        (False, {"identifier": "new"}, "Only one of nodes or handles"),
        (False, {"identifier": "new", "nodes": [], "handles": [1]}, "Only one of nodes or handles"),
        (False, {"identifier": "new", "handles": [None]}, "No valid debug handles"),
        (False, {"identifier": "taken", "handles": 2}, "already inserted"),
    ],
)
def test_what_a_debug_handle_map_refuses(generated, arguments, message):
    builder = DelegateMappingBuilder(generated)
    if not generated:
        builder.insert_delegate_mapping_entry(handles=1, identifier="taken")
    with pytest.raises(DelegationError, match=message):
        builder.insert_delegate_mapping_entry(**arguments)
