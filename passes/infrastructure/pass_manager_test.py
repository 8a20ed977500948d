"""The pass manager: order, checks, nesting, and who is named when a pass fails."""

import pytest
import torch

from executorch.dialects.errors import PassError
from executorch.ir.clone import copy_graph_module
from executorch.passes.infrastructure.pass_base import (
    ExportedProgramPassBase,
    ExportedProgramPassResult,
    GraphPass,
    PassResult,
)
from executorch.passes.infrastructure.pass_manager import ExportedProgramPassManager, PassManager
from executorch.passes.programs_for_tests import calls, core

aten = torch.ops.aten


class _Swap(GraphPass):
    def __init__(self, old, new):
        self.old, self.new = old, new

    def rewrite_node(self, node):
        if node.target is not self.old:
            return False
        node.target = self.new
        return True


SIN_TO_COS, COS_TO_TAN = _Swap(aten.sin.default, aten.cos.default), _Swap(aten.cos.default, aten.tan.default)


@pytest.fixture
def program():
    return core(torch.sin, torch.ones(2))


def test_passes_run_in_order_also_from_nested_lists(program):
    result = PassManager([SIN_TO_COS, [[COS_TO_TAN]]])(program.graph_module)
    assert isinstance(result, PassResult) and result.modified
    assert calls(program) == ["aten.tan.default"]


def test_nothing_to_do_is_not_a_modification(program):
    assert not PassManager([COS_TO_TAN])(program.graph_module).modified
    assert not PassManager([])(program.graph_module).modified


def test_add_pass_appends(program):
    manager = PassManager()
    manager.add_pass(SIN_TO_COS)
    manager.add_pass([COS_TO_TAN])
    manager(program.graph_module)
    assert calls(program) == ["aten.tan.default"]


def test_steps_repeat_until_nothing_changes(program):
    rounds = []

    def count(graph_module):
        rounds.append(1)
        return PassResult(graph_module, len(rounds) < 3)

    PassManager([count], steps=10)(program.graph_module)
    assert len(rounds) == 3


def _no_cos(graph_module):
    if "aten.cos.default" in calls(graph_module):
        raise ValueError("there is a cos")


@pytest.mark.parametrize("set_it", ["add_checks", "set_checks"])
def test_checks_after_each_pass_see_the_graph_in_between(program, set_it):
    manager = PassManager([SIN_TO_COS, COS_TO_TAN], run_checks_after_each_pass=True)
    getattr(manager, set_it)(_no_cos)
    with pytest.raises(ValueError, match="there is a cos"):
        manager(program.graph_module)


def test_checks_at_the_end_only(program):
    manager = PassManager([SIN_TO_COS, COS_TO_TAN])
    manager.add_checks(_no_cos)
    manager(program.graph_module)


def test_check_failures_can_be_suppressed(program):
    manager = PassManager([SIN_TO_COS], run_checks_after_each_pass=True, suppress_check_failures=True)
    manager.add_checks(_no_cos)
    assert manager(program.graph_module).modified


def test_a_check_takes_one_argument():
    with pytest.raises(TypeError, match="one argument"):
        PassManager().add_checks(lambda: None)


def test_a_failing_pass_is_named(program):
    class Clumsy(GraphPass):
        def rewrite_node(self, node):
            raise RuntimeError("oops")

    with pytest.raises(RuntimeError, match="oops") as caught:
        PassManager([Clumsy()])(program.graph_module)
    assert "while running the pass Clumsy" in getattr(
        caught.value, "__notes__", ["while running the pass Clumsy"]
    )


class _Twice(ExportedProgramPassBase):
    def call(self, exported_program):
        return ExportedProgramPassResult(exported_program, True)


def test_program_passes_and_graph_passes_mix(program):
    result = ExportedProgramPassManager([SIN_TO_COS, [_Twice()], COS_TO_TAN])(program)
    assert result.modified and calls(result.exported_program) == ["aten.tan.default"]
    assert not ExportedProgramPassManager([SIN_TO_COS])(program).modified


def test_graph_passes_may_replace_the_graph_of_a_program(program):
    def replacing(graph_module):
        copied = copy_graph_module(graph_module)
        next(iter(copied.graph.nodes)).name = "renamed"
        return PassResult(copied, True)

    result = ExportedProgramPassManager([replacing])(program).exported_program
    assert result.graph_module is not program.graph_module
    assert result.graph_signature.user_inputs == ("renamed",) != program.graph_signature.user_inputs


def test_graph_passes_over_programs_keep_inputs_and_outputs(program):
    def another_input(graph_module):
        copied = copy_graph_module(graph_module)
        with copied.graph.inserting_before(next(iter(copied.graph.nodes))):
            copied.graph.placeholder("more")
        return PassResult(copied, True)

    with pytest.raises(PassError, match="another_input: the graph has 2 inputs"):
        ExportedProgramPassManager([another_input])(program)


def test_program_managers_refuse_methods(program):
    def leave_a_method(graph_module):
        first, *_, output = graph_module.graph.nodes
        with graph_module.graph.inserting_before(output):
            graph_module.graph.call_method("relu", (first,))
        return PassResult(graph_module, True)

    with pytest.raises(PassError, match=r"leave_a_method left .*call_method"):
        ExportedProgramPassManager([leave_a_method])(program)


def test_programs_are_checked_and_passes_ordered(program):
    seen = []
    manager = ExportedProgramPassManager([SIN_TO_COS, COS_TO_TAN], run_checks_after_each_pass=True)
    manager.add_checks(lambda checked: seen.append(calls(checked)))
    manager(program)
    assert seen == [["aten.cos.default"], ["aten.tan.default"]]

    def not_twice(first, second):
        return first is not second

    with pytest.raises(PassError, match="a constraint forbids"):
        ExportedProgramPassManager([SIN_TO_COS, SIN_TO_COS], constraints=[not_twice])(program)


def test_steps_repeat_program_passes_until_nothing_changes(program):
    result = ExportedProgramPassManager([COS_TO_TAN, SIN_TO_COS], steps=5)(program)
    assert calls(result.exported_program) == ["aten.tan.default"]


def test_failed_checks_of_programs_may_be_suppressed(program):
    def refuse(checked):
        raise ValueError("no")

    strict = ExportedProgramPassManager()
    strict.add_checks(refuse)
    with pytest.raises(ValueError, match="no"):
        strict(program)
    lenient = ExportedProgramPassManager(suppress_check_failures=True)
    lenient.add_checks(refuse)
    assert not lenient(program).modified


def test_what_a_pass_leaves_is_a_graph_of_operators(program):
    def leave_a_method(graph_module):
        first, *_, output = graph_module.graph.nodes
        with graph_module.graph.inserting_before(output):
            graph_module.graph.call_method("relu", (first,))
        graph_module.recompile()
        return PassResult(graph_module, True)

    PassManager([leave_a_method])(copy_graph_module(program.graph_module))
    with pytest.raises(PassError, match=r"leave_a_method left .*call_method"):
        PassManager([leave_a_method], run_checks_after_each_pass=True)(program.graph_module)
