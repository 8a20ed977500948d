"""The passes between ATen and edge: each with what it changes and what it leaves."""

import pytest
import torch

from executorch.dialects.dim_order import dim_order_of
from executorch.dialects.edge_ops import EdgeOpOverload
from executorch.dialects.errors import SpecViolationError
from executorch.dialects.verifiers import verify_edge_graph
from executorch.passes.programs_for_tests import call_nodes, calls, core, edge, export, find
from executorch.passes.to_edge.debug_handle_generator_pass import DebugHandleGeneratorPass
from executorch.passes.to_edge.edge_ops_pass import EdgeOpsPass, EdgeToAtenPass
from executorch.passes.to_edge.functionalize_views_pass import FunctionalizeViewsPass
from executorch.passes.to_edge.lift_constants_pass import LiftConstantsPass, lift_tensor_attributes
from executorch.passes.to_edge.memory_format_ops_pass import DimOrderOpsRevertPass, MemoryFormatOpsPass
from executorch.passes.to_edge.remove_graph_asserts_pass import RemoveGraphAssertsPass
from executorch.passes.to_edge.remove_noop_pass import RemoveNoopPass
from executorch.passes.to_edge.scalar_to_tensor_pass import ScalarToTensorPass
from executorch.passes.to_edge.type_promotion_pass import TypePromotionPass

X = torch.rand(2, 3)


def _order(node):
    value = node.meta["val"]
    return dim_order_of(value.shape, value.stride())


# ---- no-ops -----------------------------------------------------------------------------------------------------


def test_identities_are_removed():
    program = core(lambda x: torch.sin(x.detach()).view(2, 3).to(torch.float32) + 1, X)
    assert "aten.view.default" in calls(program)
    assert RemoveNoopPass()(program.graph_module).modified
    assert calls(program) == ["aten.sin.default", "aten.add.Tensor"]
    assert not RemoveNoopPass()(program.graph_module).modified


def _twice(x):
    y = x + 1
    return y, y.clone()


@pytest.mark.parametrize("model", [lambda x: x.clone(), _twice])
def test_copies_that_keep_results_apart_stay(model):
    program = core(model, X)
    RemoveNoopPass(remove_clones=True)(program.graph_module)
    assert "aten.clone.default" in calls(program)


def test_clones_stay_unless_told():
    program = core(lambda x: (x + 1).clone() * 2, X)
    assert not RemoveNoopPass()(program.graph_module).modified
    assert RemoveNoopPass(remove_clones=True)(program.graph_module).modified
    assert "aten.clone.default" not in calls(program)


def test_casts_and_reshapes_that_change_something_stay():
    program = core(lambda x: x.to(torch.float64).view(6), X)
    assert not RemoveNoopPass()(program.graph_module).modified


def test_assertions_are_removed():
    program = export(lambda x: x.to(torch.float64) + 1, X)
    assert "aten._assert_tensor_metadata.default" in calls(program)
    assert RemoveGraphAssertsPass()(program.graph_module).modified
    assert "aten._assert_tensor_metadata.default" not in calls(program)
    assert not RemoveGraphAssertsPass()(program.graph_module).modified


# ---- scalars ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "number", "expected"),
    [
        (torch.float32, 2, torch.float32),
        (torch.float16, 2.5, torch.float16),
        (torch.int32, 2, torch.int32),
        (torch.int32, 2.5, torch.float32),
        (torch.bool, 2, torch.int64),
        (torch.float32, 2j, torch.complex64),
        (torch.complex64, 2j, torch.complex64),
    ],
)
def test_numbers_become_tensors_of_the_type_torch_computes_in(dtype, number, expected):
    program = core(lambda x: x * number, torch.ones(2, dtype=dtype))
    assert ScalarToTensorPass()(program.graph_module).modified
    scalar = find(program, "aten.scalar_tensor.default")
    assert scalar.args == (number,) and scalar.meta["val"].dtype == expected
    assert find(program, "aten.mul.Tensor").args[1] is scalar
    assert not ScalarToTensorPass()(program.graph_module).modified


def test_numbers_in_scalar_arguments_stay():
    program = core(lambda x: (x > 1, x**2), X)
    assert not ScalarToTensorPass()(program.graph_module).modified


def test_symbolic_numbers_become_tensors_too():
    program = core(lambda x: x * x.shape[0], X, dynamic_shapes=({0: torch.export.Dim("rows", max=8)},))
    assert ScalarToTensorPass()(program.graph_module).modified
    assert find(program, "aten.scalar_tensor.default").args[0].target is torch.ops.aten.sym_size.int


def test_constants_are_lifted_and_shared():
    program = core(lambda x: (x * 2.5 + 2.5) * 3.0, X)
    ScalarToTensorPass()(program.graph_module)
    assert LiftConstantsPass()(program).modified
    assert "aten.scalar_tensor.default" not in calls(program)
    assert sorted(float(value) for value in program.constants.values()) == [2.5, 3.0]
    program.validate()
    torch.testing.assert_close(program.module()(X), (X * 2.5 + 2.5) * 3.0)
    assert not LiftConstantsPass()(program).modified


def test_complex_constants_are_lifted():
    program = core(lambda x: x * 2j, X)
    ScalarToTensorPass()(program.graph_module)
    assert LiftConstantsPass()(program).modified
    assert [value.item() for value in program.constants.values()] == [2j]


def test_tensors_that_a_pass_left_as_attributes_are_lifted():
    program = core(torch.sin, X)
    program.graph_module.extra = torch.ones(3)
    sin = find(program, "aten.sin.default")
    with program.graph.inserting_before(sin):
        attribute = program.graph.get_attr("extra")
        attribute.meta["val"] = sin.meta["val"]
        total = program.graph.call_function(torch.ops.aten.add.Tensor, (sin.args[0], attribute))
    total.meta["val"] = sin.meta["val"]
    sin.replace_input_with(sin.args[0], total)
    assert lift_tensor_attributes(program)
    program.validate()
    assert not program.graph.find_nodes(op="get_attr") and len(program.constants) == 1
    assert not lift_tensor_attributes(program)


# ---- type promotion ---------------------------------------------------------------------------------------------


def test_mixed_arguments_are_cast_once():
    integers, floats = torch.ones(2, dtype=torch.int32), torch.ones(2)
    program = core(lambda a, b: (a + b, a * b), integers, floats)
    assert TypePromotionPass()(program.graph_module).modified
    assert calls(program).count("aten._to_copy.default") == 1
    for name in ("aten.add.Tensor", "aten.mul.Tensor"):
        assert {source.meta["val"].dtype for source in find(program, name).args} == {torch.float32}
    assert not TypePromotionPass()(program.graph_module).modified


@pytest.mark.parametrize(
    "function",
    [
        *(torch.bitwise_left_shift, torch.bitwise_right_shift, torch.copysign, torch.gcd, torch.lcm),
        *(torch.fmax, torch.fmin, torch.hypot, torch.nextafter),
    ],
)
def test_both_arguments_get_one_type(function):
    is_of_integers = function.__name__ in ("gcd", "lcm") or "shift" in function.__name__
    narrow, wide = (torch.int16, torch.int64) if is_of_integers else (torch.float16, torch.float32)
    program = core(function, torch.ones(2, dtype=narrow), torch.ones(2, dtype=wide))
    assert TypePromotionPass()(program.graph_module).modified
    (call,) = (node for node in call_nodes(program) if function.__name__ in str(node.target))
    assert {source.meta["val"].dtype for source in call.args} == {wide}


def test_clamp_and_its_bounds_get_one_type():
    integers = torch.tensor([1, 2])
    program = core(lambda x, low: torch.clamp(x, low, low + 1), torch.ones(2), integers)
    assert TypePromotionPass()(program.graph_module).modified
    clamp = find(program, "aten.clamp.Tensor")
    assert {source.meta["val"].dtype for source in clamp.args} == {torch.float32}
    half_open = core(lambda x, high: torch.clamp(x, max=high), torch.ones(2), integers)
    assert TypePromotionPass()(half_open.graph_module).modified
    low, high = find(half_open, "aten.clamp.Tensor").args[1:]
    assert low is None and high.meta["val"].dtype == torch.float32
    bounded = core(lambda x, low: torch.clamp(x, min=low), integers, torch.ones(2))
    assert TypePromotionPass()(bounded.graph_module).modified
    assert find(bounded, "aten.clamp.Tensor").meta["val"].dtype == torch.float32


@pytest.mark.parametrize(
    "function",
    [
        *(lambda x: x.clamp(-0.5, 1.5), lambda x: x.clamp(max=1.5), lambda x: x**2.0),
        *(lambda x: 2.5**x, lambda x: x.fmod(1.5), lambda x: x % 1.5),
    ],
)
def test_integers_become_what_a_fraction_makes_of_them(function):
    integers = torch.tensor([-3, 0, 1, 5])
    program = core(function, integers)
    assert TypePromotionPass()(program.graph_module).modified
    assert find(program, "aten._to_copy.default").kwargs["dtype"] == torch.float32
    torch.testing.assert_close(program.module()(integers), function(integers))
    assert not TypePromotionPass()(program.graph_module).modified


def test_integers_divided_without_rounding_by_the_rounding_operator():
    integers = torch.tensor([1, 2])
    program = core(lambda a, b: torch.div(a, b, rounding_mode=None), integers, integers + 2)
    assert TypePromotionPass()(program.graph_module).modified
    division = find(program, "aten.div.Tensor_mode")
    assert {source.meta["val"].dtype for source in division.args} == {torch.float32}
    rounded = core(lambda a, b: torch.div(a, b, rounding_mode="floor"), integers, integers + 2)
    assert not TypePromotionPass()(rounded.graph_module).modified


def test_rank_0_tensors_promote_less():
    program = core(lambda a, b: a * b, torch.ones(2, dtype=torch.float16), torch.tensor(2.0))
    TypePromotionPass()(program.graph_module)
    assert find(program, "aten._to_copy.default").kwargs["dtype"] == torch.float16
    assert find(program, "aten.mul.Tensor").meta["val"].dtype == torch.float16


def test_conditions_are_not_promoted():
    mask, x = torch.tensor([True, False]), torch.ones(2)
    program = core(lambda m, x: torch.where(m, m, x), mask, x)
    assert TypePromotionPass()(program.graph_module).modified
    where = find(program, "aten.where.self")
    assert [source.meta["val"].dtype for source in where.args] == [torch.bool, torch.float32, torch.float32]


def test_lists_are_promoted():
    program = core(lambda a, b: torch.cat([a, b]), torch.ones(2, dtype=torch.int8), torch.ones(2))
    TypePromotionPass()(program.graph_module)
    assert {source.meta["val"].dtype for source in find(program, "aten.cat.default").args[0]} == {
        torch.float32
    }


# ---- views and layout -------------------------------------------------------------------------------------------


def test_views_become_copies_with_contiguous_results():
    program = core(lambda x: torch.relu(x.t())[0], X)
    assert FunctionalizeViewsPass()(program.graph_module).modified
    operators = calls(program)
    assert "aten.permute_copy.default" in operators and "aten.select_copy.int" in operators
    for node in call_nodes(program):
        assert node.meta["val"].is_contiguous()
    assert not FunctionalizeViewsPass()(program.graph_module).modified


def test_channels_last_is_a_fact_of_the_value():
    conv = torch.nn.Conv2d(3, 4, 3)
    model = lambda x: torch.relu(torch.nn.functional.conv2d(x, conv.weight.detach())).contiguous() + 1  # noqa: E731
    program = core(model, torch.rand(1, 3, 8, 8).to(memory_format=torch.channels_last))
    FunctionalizeViewsPass()(program.graph_module)
    assert _order(find(program, "aten.relu.default")) == (0, 2, 3, 1)
    assert _order(find(program, "aten.add.Tensor")) == (0, 1, 2, 3)


def test_a_permuted_value_is_not_channels_last():
    program = core(lambda x: torch.relu(x.permute(0, 3, 1, 2)), torch.rand(1, 4, 4, 3))
    FunctionalizeViewsPass()(program.graph_module)
    assert _order(find(program, "aten.relu.default")) == (0, 1, 2, 3)


def test_strides_that_get_lost_are_an_error():
    program = core(lambda x: torch.as_strided(x.t(), (2,), (1,)), X)
    with pytest.raises(SpecViolationError, match="contiguous"):
        FunctionalizeViewsPass()(program.graph_module)
    contiguous = core(lambda x: torch.as_strided(x, (2,), (1,)) + 1, X)
    assert FunctionalizeViewsPass()(contiguous.graph_module).modified
    assert "aten.as_strided_copy.default" in calls(contiguous)


# ---- dim orders -------------------------------------------------------------------------------------------------


def test_memory_formats_become_dim_orders_and_back():
    program = core(
        lambda x: x.to(torch.float64).clone(memory_format=torch.channels_last), torch.rand(1, 3, 4, 4)
    )
    assert MemoryFormatOpsPass()(program.graph_module).modified
    to_copy, clone = call_nodes(program)
    assert to_copy.target is torch.ops.dim_order_ops._to_dim_order_copy.default
    assert to_copy.kwargs == {"dtype": torch.float64, "dim_order": [0, 1, 2, 3]}
    assert clone.kwargs == {"dim_order": [0, 2, 3, 1]}
    assert not MemoryFormatOpsPass()(program.graph_module).modified
    assert DimOrderOpsRevertPass()(program.graph_module).modified
    assert calls(program) == ["aten._to_copy.default", "aten.clone.default"]
    assert clone.kwargs == {"memory_format": torch.channels_last}
    assert not DimOrderOpsRevertPass()(program.graph_module).modified


# ---- edge operators ---------------------------------------------------------------------------------------------


def test_targets_and_names_become_edge():
    program = core(lambda x: (x + x) + x, X)
    assert EdgeOpsPass()(program.graph_module).modified
    assert [node.name for node in call_nodes(program)] == ["aten_add_tensor", "aten_add_tensor_1"]
    assert all(isinstance(node.target, EdgeOpOverload) for node in call_nodes(program))
    assert not EdgeOpsPass()(program.graph_module).modified
    assert EdgeToAtenPass()(program.graph_module).modified
    assert not any(isinstance(node.target, EdgeOpOverload) for node in call_nodes(program))
    assert not EdgeToAtenPass()(program.graph_module).modified


def test_sizes_stay_torch_operators():
    program = core(
        lambda x: x.view(x.shape[0] * 3), X, dynamic_shapes=({0: torch.export.Dim("rows", max=8)},)
    )
    EdgeOpsPass()(program.graph_module)
    assert torch.ops.aten.sym_size.int in {node.target for node in call_nodes(program)}


def test_together_they_make_an_edge_program():
    program = edge(
        lambda x, y: ((x * 2 + y).t().clone(), (x > 0.5).sum()), X, torch.ones(2, 3, dtype=torch.int32)
    )
    verify_edge_graph(program.graph_module)
    program.validate()


# ---- debug handles ----------------------------------------------------------------------------------------------


def test_every_operator_of_the_exported_program_gets_its_own_handle():
    def model(x):
        return torch.cond(x.sum() > 0, lambda y: y.sin() + 1, lambda y: y.cos(), (x * 2,))

    program = core(model, X)
    assert DebugHandleGeneratorPass()(program.graph_module).modified
    graphs = [program.graph_module, *(child for _, child in program.graph_module.named_children())]
    nodes = [node for graph in graphs for node in call_nodes(graph)]
    # The selection of a result belongs to the operator that gives it.
    handles = [node.meta["debug_handle"] for node in nodes if not node.name.startswith("getitem")]
    assert len(set(handles)) == len(handles) and min(handles) == 1
    assert not DebugHandleGeneratorPass()(program.graph_module).modified


def test_handles_that_exist_stay():
    program = core(lambda x: x.sin() + 1, X)
    find(program, "aten.sin.default").meta["debug_handle"] = 7
    DebugHandleGeneratorPass()(program.graph_module)
    assert find(program, "aten.sin.default").meta["debug_handle"] == 7
    assert find(program, "aten.add.Tensor").meta["debug_handle"] == 8


def test_what_an_operator_gets_as_an_attribute_has_its_debug_handle():
    class Choice(torch.nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda y: y.sin(), lambda y: y.cos(), (x,))

    program = torch.export.export(Choice(), (torch.ones(2),))
    assert DebugHandleGeneratorPass()(program.graph_module).modified
    attributes = program.graph.find_nodes(op="get_attr")
    assert len(attributes) == 2
    for node in attributes:
        (user,) = node.users
        assert node.meta["debug_handle"] == user.meta["debug_handle"] > 0
    assert not DebugHandleGeneratorPass()(program.graph_module).modified
