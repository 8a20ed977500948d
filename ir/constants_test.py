"""Constants come and go with placeholder, signature entry and value together."""

import torch
from torch.export.graph_signature import InputKind

from executorch.ir.constants import (
    ConstantLifter,
    add_constant,
    order_inputs,
    remove_constants,
    set_constant,
)
from executorch.ir.graph import fake_mode_of
from executorch.ir.programs_for_tests import Counter, functional
from executorch.ir.signature import input_specs, state_value


def _program():
    return functional(Counter(), torch.ones(2))


def test_constants_stand_between_weights_and_inputs():
    program = _program()
    lifter = ConstantLifter(program)
    first = lifter.lift(torch.tensor(2.0), key=("two",))
    assert lifter.lift(torch.tensor(2.0), key=("two",)) is first
    second = lifter.lift(torch.tensor(3.0))
    assert second is not first and first.meta["val"].shape == ()
    program.validate()
    kinds = [spec.kind for spec in program.graph_signature.input_specs]
    expected = [InputKind.PARAMETER, InputKind.BUFFER, *[InputKind.CONSTANT_TENSOR] * 2, InputKind.USER_INPUT]
    assert kinds == expected
    assert fake_mode_of(program.graph.nodes) is first.meta["val"].fake_mode


def test_constants_of_a_program_without_inputs():
    program = functional(lambda: torch.zeros(2))
    add_constant(program, torch.ones(1), "one")
    program.validate()


def test_each_kind_stands_with_its_own():
    program = _program()
    added = [
        add_constant(program, torch.ones(1), "buffer", InputKind.BUFFER, persistent=False),
        add_constant(program, torch.ones(1), "stored", InputKind.BUFFER, persistent=True),
        add_constant(program, torch.ones(1), "parameter", InputKind.PARAMETER),
    ]
    program.validate()
    names = ["p_weight", "parameter", "b_count", "buffer", "stored", "input"]
    assert [node.name for node in program.graph.find_nodes(op="placeholder")] == names
    assert list(input_specs(program.graph_signature)) == names
    assert "buffer" in program.constants and {"stored", "parameter"} <= program.state_dict.keys()
    assert not program.state_dict["parameter"].requires_grad
    remove_constants(program, added)
    program.validate()
    assert "buffer" not in program.constants and set(program.state_dict) == {"weight", "count"}


class _Attribute(torch.nn.Module):
    """A tensor that is no buffer, with a buffer and a parameter."""

    def __init__(self):
        super().__init__()
        self.plain = torch.tensor([1.0, 2.0])
        self.register_buffer("kept", torch.tensor([3.0, 4.0]))
        self.weight = torch.nn.Parameter(torch.tensor([5.0, 6.0]))

    def forward(self, x):
        return x * self.plain + self.kept * self.weight


def _inputs(program):
    return [
        (spec.kind, spec.arg.name, spec.target, spec.persistent)
        for spec in program.graph_signature.input_specs
    ]


def test_inputs_stand_as_torch_traces_them():
    x = torch.tensor([7.0, 8.0])
    strict = torch.export.export(_Attribute(), (x,), strict=True)
    expected = _inputs(strict.run_decompositions({}))
    assert _inputs(strict) != expected and order_inputs(strict)
    assert _inputs(strict) == expected
    names = [node.name for node in strict.graph.find_nodes(op="placeholder")]
    assert names == [name for _, name, *_ in expected]
    strict.graph.lint()
    assert torch.equal(strict.module()(x), _Attribute()(x))
    assert not order_inputs(strict) and _inputs(strict) == expected


def test_names_that_are_taken_get_a_number():
    program = _program()
    for name in ("input", "weight", "mul", "my.weight"):
        node = add_constant(program, torch.ones(1), name)
        assert node.name != name and node.target == node.name and node.name in program.constants
    program.validate()
    names = [node.name for node in program.graph.nodes]
    assert len(set(names)) == len(names)


def test_another_value_of_another_shape():
    program = _program()
    weight = program.graph.find_nodes(op="placeholder")[0]
    set_constant(program, weight, torch.ones(1, 2))
    assert program.state_dict["weight"].requires_grad and weight.meta["val"].shape == (1, 2)


def test_only_what_nothing_reads_is_removed():
    program = _program()
    unread = add_constant(program, torch.ones(1), "unread")
    placeholders = program.graph.find_nodes(op="placeholder")
    remove_constants(program, [*placeholders, unread, None, 1.0])
    program.validate()
    assert list(input_specs(program.graph_signature)) == ["p_weight", "b_count", "input"]
    assert not program.constants


def test_a_value_that_two_placeholders_share_stays():
    program = _program()
    one, other = (add_constant(program, torch.ones(1), name) for name in ("one", "other"))
    spec = input_specs(program.graph_signature)["other"]
    spec.target = "one"
    program.constants.pop("other")
    remove_constants(program, [one])
    assert state_value(program, spec) is not None
    remove_constants(program, [other])
    assert not program.constants
