"""Each operator of the registry in floating point, through TOSA's reference model, against eager PyTorch."""

import json
import re

import pytest
import torch
import torch.nn.functional as F

from executorch.backends.arm.test.cases import CASES
from executorch.backends.arm.test.lowered import as_model, lowered, names_inside, quantized
from executorch.backends.arm.test.runner import run_program
from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.backends.arm.tosa.graph.builder import Builder
from executorch.backends.arm.tosa.graph.registry import OPERATORS
from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.backend.utils import format_reasons, get_reasons
from executorch.partitioner import get_lowered_submodules


@pytest.mark.parametrize(
    ("name", "number"), [(name, i) for name, row in CASES.items() for i in range(len(row))]
)
def test_an_operator_is_that_of_pytorch(name, number):
    function, inputs = CASES[name][number]
    spec = "TOSA-1.0+INT+FP" if OPERATORS[name].needs_int else "TOSA-1.0+FP"
    program = lowered(as_model(function), inputs, spec)
    assert name in names_inside(program), format_reasons(program.graph_module)
    outputs, calls = run_program(program, inputs)
    assert calls == 1, format_reasons(program.graph_module)
    expected = function(*inputs)
    expected = expected if isinstance(expected, tuple | list) else [expected]
    for mine, theirs in zip(outputs, expected, strict=True):
        assert mine.dtype == theirs.dtype and mine.shape == theirs.shape
        torch.testing.assert_close(mine, theirs.detach(), rtol=1e-4, atol=2e-5, equal_nan=True)


def test_bits_of_integers_are_of_the_profile_int():
    program = lowered(as_model(torch.bitwise_and), (torch.tensor([1, 7]).int(), torch.tensor([3, 5]).int()))
    assert "of the profile INT," in format_reasons(program.graph_module)
    program = lowered(as_model(torch.bitwise_and), (torch.tensor([True]), torch.tensor([False])))
    assert format_reasons(program.graph_module) == "Every operator is delegated."


@pytest.mark.parametrize("spec", ["TOSA-1.0+FP", "TOSA-1.0+INT"])
@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32])
@pytest.mark.parametrize("number", [2, 2.0, 0.5, -0.5, 300, torch.inf])
def test_integers_are_compared_with_numbers_of_their_type(number, dtype, spec):
    """PyTorch compares with a fraction in floating point, and with an integer of another type as that goes round."""
    inputs = (torch.tensor([-128, -1, 0, 1, 2, 3, 127]).to(dtype),)
    for function in (lambda x: x < number, lambda x: x >= number, lambda x: x != number):
        program = lowered(as_model(function), inputs, spec)
        outputs, calls = run_program(program, inputs)
        assert outputs[0].tolist() == function(*inputs).tolist()
        assert calls == (number == 2 or (number == 300 and dtype is not torch.int8))
        assert calls or "which it has not; convert it first" in " ".join(
            format_reasons(program.graph_module).split()
        )


_FILTERS = torch.arange(18.0).reshape(2, 1, 3, 3) / 16


@pytest.mark.parametrize(
    ("function", "given", "reason"),
    [
        (F.conv2d, (_FILTERS,), "filters that are calculated or given"),
        (lambda x, w: F.conv2d(x, w.tanh()), (_FILTERS,), "filters that are calculated or given"),
        (
            lambda x, b: F.conv2d(x, _FILTERS, b),
            (torch.tensor([8.0, -8.0]),),
            "a bias that is calculated or given",
        ),
    ],
)
def test_convolutions_with_what_is_not_constant_are_left(function, given, reason):
    inputs = (torch.rand(1, 1, 4, 5), *given)
    program = lowered(as_model(function), inputs)
    outputs, _ = run_program(program, inputs)
    torch.testing.assert_close(outputs[0], function(*inputs))
    assert reason in " ".join(one.reason for one in get_reasons(program.graph_module))


_X = torch.arange(24.0).reshape(2, 3, 4) / 8
_WEIGHT = torch.linspace(-1, 1, 20).reshape(5, 4)
_IMAGE = torch.arange(60.0).reshape(1, 3, 4, 5) / 32


@pytest.mark.parametrize(
    ("function", "inputs", "count"),
    [
        (lambda x: x.permute(1, 2, 0).relu().permute(2, 0, 1), (_X,), 0),
        (lambda x: x.permute(1, 2, 0).permute(1, 0, 2).tanh(), (_X,), 1),
        (lambda x: (x.permute(2, 0, 1) + _X[0, :, 0]).sum(1), (_X,), 1),
        (lambda x: x.permute(2, 0, 1) + x.reshape(4, 2, 3), (_X,), 1),
        (lambda x: F.avg_pool2d(x.permute(0, 3, 1, 2), 2).permute(0, 2, 3, 1), (_IMAGE,), 0),
        (lambda x: x.permute(1, 0, 2), (_X[:1],), 0),
        (lambda x: F.max_pool1d(F.avg_pool1d(x, 2), 2), (_X,), 1),
        (lambda x: x.unsqueeze(1).permute(0, 3, 1, 2).squeeze(2).permute(0, 2, 1), (_X,), 0),
        (lambda x: x.cumsum(1), (_X,), 0),
        (lambda x: (x.permute(1, 0, 2), x.permute(1, 0, 2).relu()), (_X,), 2),
        (lambda x: x.permute(1, 0, 2)[1:].permute(1, 0, 2), (_X,), 0),
        (lambda x: x.permute(1, 0, 2)[1], (_X,), 0),
        (lambda x: torch.cat([x.permute(1, 0, 2)] * 2).permute(1, 0, 2), (_X,), 0),
        (lambda x: F.linear(x.permute(1, 0, 2), _WEIGHT).permute(1, 0, 2), (_X,), 0),
        (lambda x: F.linear(x.permute(2, 0, 1), torch.ones(5, 3)), (_X,), 1),
        (lambda x: x.permute(2, 0, 1).reshape(2, 2, 2, 3).permute(2, 3, 0, 1), (_X,), 0),
        (lambda x: x.permute(2, 0, 1).reshape(4, 1, 6, 1).relu().permute(2, 3, 1, 0), (_X,), 0),
        (lambda x: x.permute(2, 0, 1).reshape(8, 3), (_X,), 1),
    ],
)
@pytest.mark.parametrize("spec", ["TOSA-1.0+FP", "TOSA-1.0+INT"])
def test_data_is_moved_where_another_order_is_asked_for(function, inputs, count, spec, monkeypatch):
    counts = []
    serialize = Builder.serialize
    monkeypatch.setattr(
        Builder, "serialize", lambda builder: counts.append(builder.counts) or serialize(builder)
    )
    model = as_model(function) if "FP" in spec else quantized(as_model(function), inputs)
    outputs, _ = run_program(lowered(model, inputs, spec), inputs)
    assert sum(one.get("TRANSPOSE", 0) for one in counts) == count
    expected = model(*inputs)
    for mine, theirs in zip(outputs, expected if isinstance(expected, tuple) else [expected], strict=True):
        assert (mine - theirs).abs().max() < (1e-5 if "FP" in spec else 0.1)


class _Packed(torch.nn.Module):
    """Two layers whose weights are one parameter; the sort between is left to kernels, and so is the third part."""

    def __init__(self):
        super().__init__()
        self.weights = torch.nn.Parameter(torch.randn(12, 4))
        self.biases = torch.nn.Parameter(torch.randn(3, 4))

    def forward(self, x):
        first, second, third = self.weights.split(4)
        added, also, _ = self.biases.unbind()
        middle = F.linear(x, first, added).sort().values
        return F.linear(middle, second, also), third.sort().values


def test_parts_of_a_constant_are_constants(monkeypatch):
    counts = []
    serialize = Builder.serialize
    monkeypatch.setattr(
        Builder, "serialize", lambda builder: counts.append(builder.counts) or serialize(builder)
    )
    model, inputs = _Packed().eval(), (torch.randn(3, 4),)
    outputs, calls = run_program(lowered(model, inputs), inputs)
    assert calls == 2 and all(one["CONV2D"] == 1 and "SLICE" not in one for one in counts)
    torch.testing.assert_close(outputs, list(model(*inputs)))


@pytest.mark.parametrize(
    ("function", "is_taken"),
    [
        (lambda x: x.argmax(0).int(), True),
        (lambda x: (x.argmax(0).int(), x.argmax(0).float()), True),
        (lambda x: x.argmax(0), False),
        (lambda x: (x.argmax(0).int(), x.argmax(0)), False),
        (lambda x: x.argmax(0).reshape(2, 2).int(), False),
    ],
)
def test_a_result_of_sixty_four_bits_is_taken_with_its_conversion(function, is_taken):
    """A delegate has no such outputs: what it calculates has 32 bits."""
    inputs = (torch.rand(3, 4),)
    program = lowered(as_model(function), inputs, "TOSA-1.0+INT+FP")
    outputs, _ = run_program(program, inputs)
    expected = function(*inputs)
    for mine, theirs in zip(outputs, expected if isinstance(expected, tuple) else [expected], strict=True):
        assert mine.dtype is theirs.dtype and torch.equal(mine, theirs)
    reasons = {one.reason for one in get_reasons(program.graph_module)}
    assert is_taken == (not reasons), reasons
    assert is_taken or "a result of type int64, which TOSA 1.0 has not; convert it (.int())" in reasons
    for _, one, _ in get_lowered_submodules(program.graph_module):
        made = one.original_module.graph.output_node().args[0]
        assert all(node.meta["val"].dtype is not torch.int64 for node in made)


def test_integers_of_sixty_four_bits_are_not_made():
    function, inputs = (lambda x: torch.arange(4) + x), (torch.arange(4).int(),)
    program = lowered(as_model(function), inputs)
    assert "a conversion to int64," in format_reasons(program.graph_module)
    outputs, _ = run_program(program, inputs)
    assert outputs[0].dtype is torch.int64 and outputs[0].tolist() == [0, 2, 4, 6]


def test_what_no_delegate_takes_is_not_kept_whole():
    partitioner = TOSAPartitioner(TosaCompileSpec("TOSA-1.0+FP"))
    for dtype, kept in ((torch.float32, True), (torch.float64, False)):
        exported = torch.export.export(as_model(torch.nn.functional.hardswish), (torch.ones(3, dtype=dtype),))
        _, passes = partitioner.ops_to_not_decompose(exported)
        (call,) = exported.graph.find_nodes(op="call_function", target=torch.ops.aten.hardswish.default)
        assert passes(call) is kept


def test_parts_that_read_one_value_are_one_delegate():
    """Not where one waits for another, by way of what is left."""
    program = lowered(as_model(lambda x: x.unbind(0)), (torch.ones(3, 2),))
    assert len(get_lowered_submodules(program.graph_module)) == 1

    def waits(x):
        # A sort is left.
        return torch.neg(x), torch.relu(x).sort(0).values + torch.tanh(x)

    inputs = (torch.rand(3, 2),)
    program = lowered(as_model(waits), inputs)
    outputs, calls = run_program(program, inputs)
    assert calls == 2
    for mine, theirs in zip(outputs, waits(*inputs), strict=True):
        torch.testing.assert_close(mine, theirs)


def test_what_has_no_elements_is_concatenated():
    function, inputs = (lambda x, y: torch.block_diag(x, y) + 1), (torch.rand(2, 3), torch.rand(3, 2))
    program = lowered(as_model(function), inputs)
    (mine,), calls = run_program(program, inputs)
    assert calls == 1 and not get_reasons(program.graph_module)
    assert torch.equal(mine, function(*inputs))


def test_operators_of_a_file_say_where_they_are_from():
    spec = TosaCompileSpec("TOSA-1.0+FP")
    spec.dump_debug_info(spec.DebugMode.TOSA)
    exported = torch.export.export(as_model(lambda x: x.tanh() * 2), (torch.rand(3),))
    program = to_edge_transform_and_lower(exported, partitioner=[TOSAPartitioner(spec)]).exported_program()
    ((_, one, _),) = get_lowered_submodules(program.graph_module)
    told = [json.loads(text) for text in re.findall(rb'\{"node".*?\}', one.processed_bytes)]
    assert {text["node"] for text in told} == {"aten_tanh_default", "aten_mul_tensor"}
    assert all(", line " in text["source"] for text in told)


def test_each_row_has_its_cases():
    rows = {name for name, row in OPERATORS.items() if row.plain is not None}
    assert set(CASES) == rows
    assert all(CASES.values())
