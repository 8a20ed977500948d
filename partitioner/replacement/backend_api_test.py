"""The flows of ``to_backend`` with a demo backend; eager PyTorch is the oracle for what a program computes."""

import copy

import pytest
import torch
from torch.export import export

from executorch.partitioner import (
    CompileSpec,
    MethodProgramsPartitionerSpec,
    PreprocessOnlySpec,
    executorch_call_delegate,
    get_lowered_backend_modules,
    get_lowered_submodules,
    to_backend,
)
from executorch.partitioner.demo_for_tests import OpPartitioner, OtherTextBackend, TextBackend, op_name
from executorch.partitioner.interface.errors import PartitionerContractError


class AddMulSub(torch.nn.Module):
    """x+y, x*y, x-y, x/y, x*y, x+y in a row: two runs that a backend of add and mul takes."""

    def forward(self, x, y):
        x = x + y
        x = x * y
        x = x - y
        x = x / y
        x = x * y
        return x + y


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(1, 4, 3)
        self.bn = torch.nn.BatchNorm2d(4)
        self.fc = torch.nn.Linear(4 * 6 * 6, 3)

    def forward(self, x):
        return self.fc(torch.relu(self.bn(self.conv(x))).flatten(1))


PAIR = (torch.rand(3), torch.rand(3) + 1)
IMAGE = (torch.rand(2, 1, 8, 8),)


def ops_of(program):
    return [op_name(n) for n in program.graph.nodes if n.op == "call_function"]


def same(program, module, inputs):
    torch.testing.assert_close(program.module()(*inputs), module(*inputs), rtol=0, atol=0)


def test_partitioner_flow_replaces_each_run_by_one_call():
    model = AddMulSub()
    program = export(model, PAIR)
    lowered = to_backend(program, OpPartitioner(["add.Tensor", "mul.Tensor"]))
    assert [n.target for n in lowered.graph.nodes].count(executorch_call_delegate) == 2
    assert ops_of(lowered)[2:4] == ["sub.Tensor", "div.Tensor"]
    first, second = (module for _, module, _ in get_lowered_submodules(lowered.graph_module))
    assert first.processed_bytes == b"op add.Tensor\nop mul.Tensor"
    assert second.processed_bytes == b"op mul.Tensor\nop add.Tensor"
    assert first.backend_id == "TextBackend"
    same(lowered, model, PAIR)


def test_the_given_program_stays_as_it_was():
    program = export(Net().eval(), IMAGE)
    text, keys = str(program.graph), list(program.state_dict)
    to_backend(program, OpPartitioner(["conv2d.default", "relu.default"]))
    assert str(program.graph) == text
    assert list(program.state_dict) == keys
    assert not any("delegation_tag" in n.meta for n in program.graph.nodes)


def test_constants_move_into_the_delegate_and_leave_the_program():
    model = Net().eval()
    lowered = to_backend(export(model, IMAGE), OpPartitioner(["conv2d.default", "batch_norm.default"]))
    (module,) = get_lowered_backend_modules(lowered.graph_module)
    inside = set(module.original_module.state_dict)
    assert {"conv.weight", "conv.bias", "bn.weight", "bn.running_mean"} <= inside
    assert set(lowered.state_dict) == {"fc.weight", "fc.bias", "bn.num_batches_tracked"} - inside | (
        {"bn.num_batches_tracked"} - inside
    )
    assert len(module.original_module.graph_signature.user_inputs) == 1
    same(lowered, model, IMAGE)


def test_untagged_constants_are_inputs_of_the_delegate():
    model = Net().eval()
    lowered = to_backend(export(model, IMAGE), OpPartitioner(["linear.default"], constants=False))
    ((_, module, call),) = get_lowered_submodules(lowered.graph_module)
    assert not module.original_module.state_dict
    assert [arg.name for arg in call.args[1:]] == ["p_fc_weight", "p_fc_bias", "flatten"]
    same(lowered, model, IMAGE)


def test_a_constant_shared_by_two_partitions_and_the_rest_is_copied():
    class Shared(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.rand(3))

        def forward(self, x):
            return (x + self.w).sin() * self.w - self.w

    model = Shared()
    lowered = to_backend(export(model, PAIR[:1]), OpPartitioner(["add.Tensor", "mul.Tensor"]))
    modules = get_lowered_backend_modules(lowered.graph_module)
    assert [list(m.original_module.state_dict) for m in modules] == [["w"], ["w"]]
    assert list(lowered.state_dict) == ["w"]
    same(lowered, model, PAIR[:1])

    class NoCopy(OpPartitioner):
        def partition(self, exported_program):
            result = super().partition(exported_program)
            next(iter(exported_program.graph.nodes)).meta["no_copy"] = True
            return result

    with pytest.raises(RuntimeError, match=r"constant data node \(p_w\) is tagged with .*must not be copied"):
        to_backend(export(model, PAIR[:1]), NoCopy(["add.Tensor", "mul.Tensor"]))


def test_partitioners_in_a_row_each_see_what_is_left():
    model = AddMulSub()
    chain = [OpPartitioner(["mul.Tensor"]), OpPartitioner(["add.Tensor", "mul.Tensor"], "OtherTextBackend")]
    lowered = to_backend(export(model, PAIR), chain)
    modules = [m for _, m, _ in get_lowered_submodules(lowered.graph_module)]
    assert [m.backend_id for m in modules] == [
        "OtherTextBackend",
        "TextBackend",
        "TextBackend",
        "OtherTextBackend",
    ]
    same(lowered, model, PAIR)


def test_whole_program_becomes_one_module_with_its_options():
    model = AddMulSub()
    program = export(model, PAIR)
    specs = [CompileSpec("level", bytes([3]))]
    lowered = to_backend("TextBackend", program, specs)
    assert lowered.processed_bytes.startswith(b"option level\nop add.Tensor")
    assert lowered.compile_specs == specs
    assert lowered.original_module is program
    assert lowered.meta["debug_handle_map"] and "read_ahead" not in lowered.meta
    torch.testing.assert_close(lowered(*PAIR), model(*PAIR))
    assert copy.deepcopy(lowered).original_module is program
    assert (
        to_backend(backend_id="TextBackend", edge_program=program, compile_spec=specs).compile_specs == specs
    )


def test_an_option_for_preprocess_is_not_in_the_program():
    specs = [CompileSpec("level", bytes([3])), PreprocessOnlySpec("folder", b"/my/home")]
    lowered = to_backend("TextBackend", export(AddMulSub(), PAIR), specs)
    assert lowered.processed_bytes.startswith(b"option level\noption folder\nop add.Tensor")
    assert lowered.compile_specs == specs[:1]


@pytest.mark.parametrize("strict", [False, True])
def test_a_lowered_module_composes_into_a_larger_one(strict):
    lowered = to_backend("TextBackend", export(AddMulSub(), PAIR), [])

    class Composite(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lowered = lowered

        def forward(self, x, y):
            return self.lowered(self.lowered(x, y) - y, y).sin()

    model = Composite()
    program = export(model, PAIR, strict=strict)
    assert [n.target for n in program.graph.nodes].count(executorch_call_delegate) == 2
    modules = [m for _, m, _ in get_lowered_submodules(program.graph_module)]
    assert all(m.processed_bytes == lowered.processed_bytes for m in modules)
    same(program, model, PAIR)


class FarReadingBackend(TextBackend):
    read_ahead = 300


def test_a_lowered_module_knows_how_far_its_backend_reads():
    lowered = to_backend("FarReadingBackend", export(AddMulSub(), PAIR), [])
    assert lowered.meta["read_ahead"] == copy.deepcopy(lowered).meta["read_ahead"] == 300
    program = to_backend(export(AddMulSub(), PAIR), OpPartitioner(["add.Tensor"], "FarReadingBackend"))
    modules = get_lowered_backend_modules(program.graph_module)
    assert modules and all(module.meta["read_ahead"] == 300 for module in modules)


def test_the_module_alone_as_a_program():
    model = Net().eval()
    program = to_backend("TextBackend", export(model, IMAGE), []).exported_program()
    assert [n.op for n in program.graph.nodes] == ["placeholder", "get_attr", "call_function", "output"]
    same(program, model, IMAGE)

    class Two(torch.nn.Module):
        def forward(self, x):
            return x + 1, x * 2

    class WithNumber(torch.nn.Module):
        def forward(self, x, n):
            return x * n

    program = to_backend("TextBackend", export(WithNumber(), (*IMAGE, 3)), []).exported_program()
    assert len(program.graph.find_nodes(op="placeholder")) == 2
    same(program, WithNumber(), (*IMAGE, 3))
    program = to_backend("TextBackend", export(Two(), IMAGE), []).exported_program()
    assert [n.op for n in program.graph.nodes] == ["placeholder", "get_attr"] + ["call_function"] * 3 + [
        "output"
    ]
    same(program, Two(), IMAGE)


def test_methods_are_preprocessed_together():
    OtherTextBackend.calls.clear()
    programs = {
        "forward": export(AddMulSub(), PAIR),
        "image": export(Net().eval(), IMAGE),
        "rest": export(AddMulSub(), PAIR),
    }
    partitioners = {
        "forward": OpPartitioner(["add.Tensor", "mul.Tensor"], "OtherTextBackend"),
        "image": OpPartitioner(["relu.default"], "OtherTextBackend"),
    }
    lowered = to_backend(MethodProgramsPartitionerSpec(programs, partitioners))
    assert OtherTextBackend.calls == [{"forward": 2, "image": 1}]
    assert list(lowered) == ["forward", "image", "rest"]
    assert lowered["rest"] is programs["rest"]
    assert ops_of(lowered["image"])[2:4] != ["relu.default"]
    with pytest.raises(PartitionerContractError, match="nowhere"):
        to_backend(MethodProgramsPartitionerSpec(programs, {"nowhere": partitioners["image"]}))


def test_control_flow_submodules_are_partitioned_too():
    class Choice(torch.nn.Module):
        def forward(self, x, y):
            def yes(a, b):
                return (a + b).sin()

            def no(a, b):
                return a * b

            return torch.cond(x.sum() > 0, yes, no, (x, y))

    model = Choice()
    program = export(model, PAIR)
    lowered = to_backend(program, OpPartitioner(["add.Tensor", "mul.Tensor"]))
    branches = [m for m in lowered.graph_module.children() if isinstance(m, torch.fx.GraphModule)]
    assert [m.processed_bytes for b in branches for m in get_lowered_backend_modules(b)] == [
        b"op add.Tensor",
        b"op mul.Tensor",
    ]
    for sign in (1, -1):
        same(lowered, model, (PAIR[0] * sign, PAIR[1]))
    assert not any("delegation_tag" in n.meta for m in program.graph_module.children() for n in m.graph.nodes)

    def all_of_it(node):
        return "whole" if op_name(node) != "sum.default" else None

    whole = to_backend(program, OpPartitioner([], tag_of=all_of_it))
    assert len(list(whole.graph_module.children())) == 1
    same(whole, model, PAIR)


def test_tuples_never_cross_a_border():
    class Split(torch.nn.Module):
        def forward(self, x):
            a, b = torch.split(x, 2)
            return a + b

    model, inputs = Split(), (torch.rand(4),)
    for ops in (["split.Tensor"], ["add.Tensor"]):
        lowered = to_backend(export(model, inputs), OpPartitioner(ops))
        ((_, _, call),) = get_lowered_submodules(lowered.graph_module)
        assert all(isinstance(v, torch.Tensor) for v in call.meta["val"])
        same(lowered, model, inputs)

    def only_getitem(node):
        return "g" if "getitem" in str(node.target) else None

    lowered = to_backend(export(model, inputs), OpPartitioner([], tag_of=only_getitem))
    assert not get_lowered_backend_modules(lowered.graph_module)


def test_names_of_inputs_survive_even_those_of_builtins():
    class Named(torch.nn.Module):
        def forward(self, input, list):
            return (input + list) * input, input - list

    model = Named()
    program = export(model, PAIR)
    lowered = to_backend(program, OpPartitioner(["add.Tensor", "mul.Tensor"]))
    assert lowered.graph_signature.user_inputs == program.graph_signature.user_inputs == ("input", "list")
    (module,) = get_lowered_backend_modules(lowered.graph_module)
    assert module.original_module.graph_signature.user_inputs == ("input", "list")
    same(lowered, model, PAIR)
    whole = to_backend("TextBackend", program, []).exported_program()
    assert whole.graph_signature.user_inputs == ("input", "list")
    same(whole, model, PAIR)


def test_dynamic_shapes_pass_through():
    model = AddMulSub()
    dim = torch.export.Dim("n", min=2, max=9)
    program = export(model, PAIR, dynamic_shapes=({0: dim}, {0: dim}))
    lowered = to_backend(program, OpPartitioner(["add.Tensor", "mul.Tensor"]))
    assert lowered.range_constraints == program.range_constraints
    same(lowered, model, (torch.rand(7), torch.rand(7) + 1))


def test_sizes_cross_a_border_as_numbers():
    class Flat(torch.nn.Module):
        def forward(self, x):
            return x.view(x.shape[0] * x.shape[1]) * 2, x.shape[0]

    model = Flat()
    program = export(model, (torch.rand(3, 4),), dynamic_shapes=({0: torch.export.Dim("n", min=2, max=9)},))
    lowered = to_backend(program, OpPartitioner(["view.default", "mul.Tensor"]))
    ((_, module, call),) = get_lowered_submodules(lowered.graph_module)
    assert [type(arg.meta["val"]) for arg in call.args[2:]] == [torch.SymInt]
    assert len(module.original_module.graph_signature.user_inputs) == 2
    flat, size = lowered.module()(torch.arange(28.0).view(7, 4))
    torch.testing.assert_close(flat, torch.arange(28.0) * 2)
    assert size == 7


def test_debug_handles_of_calls_are_new():
    program = export(AddMulSub(), PAIR)
    for handle, node in enumerate(program.graph.nodes):
        node.meta["debug_handle"] = handle + 1
    lowered = to_backend(program, OpPartitioner(["add.Tensor", "mul.Tensor"]))
    handles = [n.meta["debug_handle"] for _, _, n in get_lowered_submodules(lowered.graph_module)]
    assert handles == [10, 11]


def graphs(program):
    """The graph of a program and those of its conditions' branches."""
    root = program.graph_module
    return [root, *(child for child in root.children() if isinstance(child, torch.fx.GraphModule))]


def test_debug_handles_of_calls_in_control_flow_are_nobody_elses():
    class Choice(torch.nn.Module):
        def forward(self, x, y):
            z = torch.cond(x.sum() > 0, lambda a, b: (a + b).sin(), lambda a, b: a * b + 1, (x, y))
            return (z + x).sin() * y

    program = export(Choice(), PAIR)
    calls = [node for graph in graphs(program) for node in graph.graph.nodes if node.op == "call_function"]
    for handle, node in enumerate(calls):
        node.meta["debug_handle"] = handle + 1
    for once in (OpPartitioner(["add.Tensor"]), OpPartitioner(["mul.Tensor"])):
        program = to_backend(program, once)
    handles = [
        node.meta["debug_handle"]
        for graph in graphs(program)
        for node in graph.graph.nodes
        if node.op == "call_function" and "debug_handle" in node.meta
    ]
    assert len(handles) == len(set(handles))
    assert max(handles) == len(calls) + 5
