"""The exception family and its messages."""

import pytest
import torch
import torch._export.verifier

from executorch.dialects.errors import (
    ExportError,
    ExportErrorType,
    InternalError,
    Problems,
    SpecViolationError,
    UnknownMethodError,
    describe_node,
    internal_assert,
    source_line,
)


class _Model(torch.nn.Module):
    def forward(self, x):
        return x.sin() + 1  # the line that messages must show


@pytest.fixture
def add_node():
    program = torch.export.export(_Model(), (torch.rand(2),))
    (node,) = program.graph.find_nodes(op="call_function", target=torch.ops.aten.add.Tensor)
    return node


def test_source_line_is_the_innermost_frame(add_node):
    line = source_line(add_node)
    assert line is not None and __file__ in line and "in forward" in line
    assert "return x.sin() + 1" in line


class _Wrapper(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)

    def forward(self, x):
        return self.linear(x)  # the line above torch's own


def test_frames_inside_torch_are_passed_over():
    program = torch.export.export(_Wrapper(), (torch.rand(2),))
    (node,) = program.graph.find_nodes(op="call_function", target=torch.ops.aten.linear.default)
    line = source_line(node)
    assert line is not None and __file__ in line and "return self.linear(x)" in line
    lone = torch.export.export(torch.nn.Sequential(torch.nn.ReLU()), (torch.rand(2),))
    (node,) = lone.graph.find_nodes(op="call_function", target=torch.ops.aten.relu.default)
    line = source_line(node)
    assert line is not None and "activation.py" in line


def test_nodes_without_a_trace_have_no_source_line():
    node = torch.fx.Graph().placeholder("x")
    assert source_line(node) is None and describe_node(node) == "x (x)"


def test_all_problems_are_in_one_message(add_node):
    problems = Problems("Things are wrong")
    problems.add(add_node, "is odd")
    problems.add_text("the rest is odd, too")
    with pytest.raises(SpecViolationError) as caught:
        problems.raise_if_any("make it even")
    text = str(caught.value)
    assert "VIOLATION_OF_SPEC" in text and "Things are wrong (2 problems)" in text
    assert "add (aten.add.Tensor): is odd" in text and "return x.sin() + 1" in text
    assert "the rest is odd, too" in text and text.endswith("Way out: make it even")


def test_no_problem_no_exception():
    problems = Problems("Things are wrong")
    assert not problems
    problems.raise_if_any()


def test_equal_problems_are_said_once(add_node):
    problems = Problems("Things are wrong")
    problems.add(add_node, "is odd")
    problems.add(add_node, "is odd")
    assert "1 problem)" in problems.message()


def test_errors_take_a_code_a_message_or_both():
    assert ExportError(ExportErrorType.NOT_SUPPORTED, "no").error_code is ExportErrorType.NOT_SUPPORTED
    assert SpecViolationError("no").error_code is ExportErrorType.VIOLATION_OF_SPEC
    assert str(SpecViolationError("no")) == "[ExportErrorType.VIOLATION_OF_SPEC]: no"
    assert str(InternalError("no")) == "no" and isinstance(InternalError("no"), ExportError)


def test_the_documented_numbers():
    names = "INVALID_INPUT_TYPE INVALID_OUTPUT_TYPE VIOLATION_OF_SPEC NOT_SUPPORTED MISSING_PROPERTY UNINITIALIZED"
    assert [ExportErrorType[name].value for name in names.split()] == [1, 2, 3, 4, 5, 6]


def test_callers_may_catch_torchs_own_class():
    with pytest.raises(torch._export.verifier.SpecViolationError, match="odd"):
        raise SpecViolationError("odd")


def test_an_unknown_method_is_a_key_error_with_a_readable_text():
    error = UnknownMethodError("no method 'nope'")
    assert isinstance(error, KeyError) and isinstance(error, ExportError)
    assert str(error) == "[ExportErrorType.INVALID_INPUT_TYPE]: no method 'nope'"


def test_internal_assert():
    internal_assert(True, "fine")
    with pytest.raises(ExportError, match="broken"):
        internal_assert(False, "broken")
