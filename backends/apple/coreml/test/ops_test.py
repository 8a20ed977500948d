"""Operator by operator against eager PyTorch, through partitioner, model package and interpreter."""

import pathlib

import pytest
import torch
from torch.export import export

from executorch.backends.apple.coreml.compiler.operators import BOOLEAN, QUANTIZED, SUPPORTED
from executorch.backends.apple.coreml.test.lowered import LoweredProgram, lowered
from executorch.backends.apple.coreml.test.mil.interpreter import OPERATORS
from executorch.backends.test.calls_for_tests import Calls, delegated_operators, unequal
from executorch.backends.test.ops_for_tests import GROUPS

#: What is left outside, for lack of an operator or of a form of it.
OUTSIDE = {
    "x": ["cdist", "unfold", "pad.neg", "pixel_un", "to.uint8", "eye", "argmax.all"],
    "ints": ["bitwise_and", "bitwise_or", "bitwise_xor"],
    "image": ["max_pool.indices", "bicubic", "grid", "im2col"],
    "layers": ["upsample3d"],
}
_PAGE = pathlib.Path(__file__).parents[1] / "OPERATORS.md"
_LIMITS = {
    "aten.argmax.default": "along a dimension",
    "aten.argmin.default": "along a dimension",
    "aten.avg_pool2d.default": "no `divisor_override`",
    "aten.avg_pool3d.default": "no `divisor_override`",
    "aten.constant_pad_nd.default": "no negative sizes",
    "aten.gather.default": "indices of the data's shape but for the axis",
    "aten.index.Tensor": "integers; at most five dimensions on the way",
    "aten.index_put.default": "integers; one row of indices, or indices for the first dimensions",
    "aten.max_pool2d_with_indices.default": "no dilation, indices not read",
    "aten.max_pool3d_with_indices.default": "no dilation, indices not read",
    "aten.randn.default": "float32",
    "aten.scatter.src": "indices of the data's shape but for the axis",
    "aten.scatter.value": "indices of the data's shape but for the axis",
    "aten.scatter_add.default": "indices of the data's shape but for the axis",
    "quant.dequantize_codebook.default": "of constants",
    "torchao.dequantize_affine.default": "of constants",
} | dict.fromkeys(BOOLEAN, "booleans")
_lowered = {}


def _inside(group):
    functions, inputs = GROUPS[group]
    left = OUTSIDE.get(group, ())
    return {name: function for name, function in functions.items() if name not in left}, inputs


def _lower(group):
    if group not in _lowered:
        functions, inputs = _inside(group)
        _lowered[group] = lowered(export(Calls(functions).eval(), inputs)).exported_program()
    return _lowered[group]


@pytest.mark.parametrize("group", GROUPS)
def test_results_are_those_of_eager(group):
    functions, inputs = _inside(group)
    results = iter(LoweredProgram(_lower(group))(*inputs))
    tolerance = 2e-3 if group == "half" else 2e-5
    assert not unequal(functions, inputs, results, tolerance)


def test_each_operator_of_the_table_is_run():
    taken = set()
    for group in GROUPS:
        taken |= delegated_operators(_lower(group).graph_module)
    assert set(SUPPORTED) - taken - QUANTIZED - {"aten.sym_size.int", "aten.randn.default"} == set()


class Noise(torch.nn.Module):
    def forward(self, x):
        return torch.randn(x.shape) + x, torch.randn(x.shape) - x


def test_random_numbers_are_normal_and_of_each_call_their_own():
    x = torch.full((40, 50), 3.0)
    run = LoweredProgram(lowered(export(Noise(), (x,)), lower_full_graph=True).exported_program())
    first, second = run(x)
    drawn = torch.stack([first - x, second + x])
    # Four thousand draws: both are within 0.1 but for one run in a million.
    assert float(drawn.mean().abs()) < 0.1 and float((drawn.std() - 1).abs()) < 0.1
    assert not torch.equal(drawn[0], drawn[1]) and not torch.equal(run(x)[0], first)


class Turned(torch.nn.Module):
    def forward(self, x):
        return x.permute(0, 2, 1).reshape(-1)


def test_a_program_that_only_moves_is_taken():
    x = torch.rand(2, 3, 4)
    program = lowered(export(Turned(), (x,))).exported_program()
    targets = {str(node.target) for node in program.graph.nodes if node.op == "call_function"}
    assert targets == {"executorch_call_delegate", "<built-in function getitem>"}
    torch.testing.assert_close(LoweredProgram(program)(x)[0], Turned()(x))


class Shuffled(torch.nn.Module):
    def forward(self, x, y):
        joined = torch.cat([x, y * 2], 1)
        return joined.view(1, 2, 4, 5, 6).transpose(1, 2).reshape(1, 8, 5, 6)


def test_channels_of_two_are_put_between_each_other():
    inputs = (torch.rand(1, 4, 5, 6), torch.rand(1, 4, 5, 6))
    run = LoweredProgram(lowered(export(Shuffled(), inputs)).exported_program())
    torch.testing.assert_close(run(*inputs)[0], Shuffled()(*inputs))
    # coremltools has one operator of all four.
    assert run.ran - {"const"} == {"concat", "mul"}


class Counted(torch.nn.Module):
    def forward(self, numbers, x):
        ones = torch.full_like(numbers, 1, dtype=torch.float32)
        return torch.zeros(4).scatter_add(0, numbers, ones), torch.full_like(
            x, 2, dtype=torch.int32
        ) + numbers


def test_filled_tensors_have_the_type_that_is_asked_for():
    inputs = (torch.tensor([0, 3, 3]), torch.rand(3))
    program = lowered(export(Counted(), inputs), lower_full_graph=True).exported_program()
    for got, want in zip(LoweredProgram(program)(*inputs), Counted()(*inputs), strict=True):
        torch.testing.assert_close(got, want)


class Rows(torch.nn.Module):
    def forward(self, x):
        return (x * 2).view(x.shape[0], x.shape[1], 2, -1).transpose(1, 2)


def test_sizes_that_change_are_put_together():
    shapes = ({0: torch.export.Dim("batch", min=1, max=4), 1: torch.export.Dim("rows", min=2, max=9)},)
    exported = export(Rows(), (torch.rand(2, 3, 8),), dynamic_shapes=shapes)
    run = LoweredProgram(lowered(exported, lower_full_graph=True).exported_program())
    for batch, rows in ((2, 3), (4, 9), (1, 2)):
        x = torch.rand(batch, rows, 8)
        torch.testing.assert_close(run(x)[0], Rows()(x))


class Gathered(torch.nn.Module):
    def forward(self, x, places):
        index = places.unsqueeze(-1).expand(-1, x.shape[1])
        return torch.zeros(5, 3).scatter_add(0, index, x * 2)


def test_rows_are_added_up_whose_number_changes():
    number = torch.export.Dim("rows", min=2, max=9)
    inputs = (torch.rand(4, 3), torch.tensor([4, 0, 2, 4]))
    exported = export(Gathered(), inputs, dynamic_shapes=({0: number}, {0: number}))
    run = LoweredProgram(lowered(exported, lower_full_graph=True).exported_program())
    for count in (4, 2, 9):
        given = (torch.rand(count, 3), torch.arange(count) % 5)
        torch.testing.assert_close(run(*given)[0], Gathered()(*given))


class Put(torch.nn.Module):
    def forward(self, x, rows, places):
        x = x.clone()
        x[:, places] = rows * 2
        return x


def test_rows_are_put_whose_number_changes():
    number = torch.export.Dim("rows", min=1, max=6)
    inputs = (torch.rand(1, 6, 4), torch.rand(1, 3, 4), torch.tensor([4, 0, 2]))
    exported = export(Put(), inputs, dynamic_shapes=(None, {1: number}, {0: number}))
    run = LoweredProgram(lowered(exported, lower_full_graph=True).exported_program())
    for count in (3, 1, 6):
        given = (inputs[0], torch.rand(1, count, 4), torch.randperm(6)[:count])
        torch.testing.assert_close(run(*given)[0], Put()(*given))


def table():
    """The page."""
    rows = [f"| `{name}` | {_LIMITS.get(name, '')} |" for name in sorted(SUPPORTED)]
    covered = ", ".join(f"`{name}`" for name in sorted(OPERATORS))
    return (
        "# Operators that Core ML takes\n\n`ops_test.py` lowers and runs them and compares this page.\n\n| operator | limit |\n"
        "| --- | --- |\n"
        + "\n".join(rows)
        + "\n\n## Covered by the interpreter\nOperators of model packages that "
        "`test/mil` calculates; what a test makes of any other fails: "
        + covered
        + ", `const`, `read_state`, "
        "`coreml_update_state` (written as `write_state`).\n"
    )


def test_the_page_has_the_table():
    assert _PAGE.read_text() == table()
