"""Base classes: checks run on the right side, and results are truthful."""

import pytest
import torch

from executorch.passes.infrastructure.pass_base import (
    ExportedProgramPassBase,
    ExportedProgramPassResult,
    GraphPass,
    PassBase,
    PassResult,
    run_pass,
)
from executorch.passes.programs_for_tests import calls, core, export

aten = torch.ops.aten


class _Replace(PassBase):
    """Replaces the whole graph by another one, which ``ensures`` must see."""

    def __init__(self, new):
        self.new, self.required, self.ensured = new, None, None

    def requires(self, graph_module):
        self.required = graph_module

    def call(self, graph_module):
        return PassResult(self.new, True)

    def ensures(self, graph_module):
        self.ensured = graph_module


def test_requires_sees_the_input_and_ensures_the_output():
    old, new = export(torch.sin, torch.ones(2)).graph_module, export(torch.cos, torch.ones(2)).graph_module
    pass_ = _Replace(new)
    assert pass_(old).graph_module is new
    assert pass_.required is old and pass_.ensured is new


def test_requires_may_refuse():
    class Refusing(PassBase):
        def requires(self, graph_module):
            raise ValueError("No torch.add ops!")

        def call(self, graph_module):
            raise AssertionError("not reached")

    with pytest.raises(ValueError, match=r"No torch\.add ops!"):
        Refusing()(export(torch.sin, torch.ones(2)).graph_module)


class _SinToCos(GraphPass):
    def rewrite_node(self, node):
        if node.target is not aten.sin.default:
            return False
        node.target = aten.cos.default
        return True


def test_the_output_node_has_the_values_of_the_results():
    program = export(lambda x: (x.sin(), None, [x.exp()]), torch.ones(2, 3))
    _SinToCos()(program.graph_module)
    first, nothing, second = program.graph.output_node().meta["val"]
    assert nothing is None and (first.shape, second.shape) == ((2, 3), (2, 3))


def test_graph_passes_rewrite_in_place_and_say_so():
    program = core(lambda x: x.sin() + 1, torch.ones(2))
    result = _SinToCos()(program.graph_module)
    assert result.modified and result.graph_module is program.graph_module
    assert calls(program) == ["aten.cos.default", "aten.add.Tensor"]
    assert not _SinToCos()(program.graph_module).modified


def test_graph_passes_reach_control_flow():
    def model(x):
        return torch.cond(x.sum() > 0, lambda y: y.sin(), lambda y: y.sin() * 2, (x,))

    program = core(model, torch.ones(2))
    assert _SinToCos()(program.graph_module).modified
    bodies = [child for _, child in program.graph_module.named_children()]
    assert len(bodies) == 2 and all("aten.cos.default" in calls(body) for body in bodies)


class _SumOverTheOther(GraphPass):
    """Changes the size of what it edits, and leaves what it read without users."""

    def rewrite_node(self, node):
        if node.target is not aten.sum.dim_IntList:
            return False
        node.args = (node.args[0].args[0], [1])
        return True


def _summed():
    return core(lambda x: x.sin().sum([0]).exp(), torch.ones(2, 3))


def test_what_follows_from_a_change_is_settled():
    program = _summed()
    assert _SumOverTheOther()(program.graph_module).modified
    assert calls(program) == ["aten.sum.dim_IntList", "aten.exp.default"]
    shapes = [node.meta["val"].shape for node in program.graph.nodes if node.op == "call_function"]
    assert shapes == [(2,), (2,)] and program.graph.output_node().meta["val"][0].shape == (2,)


def test_a_pass_that_describes_values_and_keeps_dead_code_is_spared_both():
    class Bare(_SumOverTheOther):
        describes_values = True
        removes_dead_code = False

    program = _summed()
    known = {node.name: node.meta["val"] for node in program.graph.nodes if node.op == "call_function"}
    assert Bare()(program.graph_module).modified
    now = {node.name: node.meta["val"] for node in program.graph.nodes if node.op == "call_function"}
    assert now.keys() == known.keys() and all(now[name] is known[name] for name in known)


def test_a_graph_pass_without_a_hook_says_so():
    class Empty(GraphPass):
        pass

    with pytest.raises(NotImplementedError, match="Empty overrides neither rewrite_node nor rewrite_graph"):
        Empty()(_summed().graph_module)


def test_program_passes_check_both_sides():
    seen = []

    class Recording(ExportedProgramPassBase):
        def requires(self, exported_program):
            seen.append("requires")

        def call(self, exported_program):
            return ExportedProgramPassResult(exported_program, False)

        def ensures(self, exported_program):
            seen.append("ensures")

    assert not Recording()(export(torch.sin, torch.ones(2))).modified
    assert seen == ["requires", "ensures"]


def test_a_pass_without_a_result_changed_its_graph_in_place():
    graph_module = export(torch.sin, torch.ones(2)).graph_module
    result = run_pass(lambda module: None, graph_module)
    assert result.graph_module is graph_module and result.modified


def test_a_pass_with_a_wrong_result_is_named():
    def mistaken(graph_module):
        return graph_module

    with pytest.raises(TypeError, match="mistaken must return a PassResult"):
        run_pass(mistaken, export(torch.sin, torch.ones(2)).graph_module)
