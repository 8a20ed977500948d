"""The passes between edge and execution: each with what it changes and what it leaves."""

import operator

import pytest
import torch
from torch.export import Dim

from executorch.dialects import memory
from executorch.dialects.errors import MissingOutVariantError, OperatorNotSupportedError, UnboundedShapeError
from executorch.dialects.ops import ops
from executorch.dialects.tensor_spec import TensorShapeDynamism, TensorSpec
from executorch.dialects.verifiers import verify_execution_graph
from executorch.passes.infrastructure.export_pass import ExportPass
from executorch.passes.programs_for_tests import call_nodes, calls, edge, find
from executorch.passes.to_edge.edge_ops_pass import EdgeToAtenPass
from executorch.passes.to_execution.replace_edge_with_backend_pass import EdgeToBackendOpsPass
from executorch.passes.to_execution.replace_view_copy_with_view_pass import ReplaceViewCopyWithViewPass
from executorch.passes.to_execution.spec_prop_pass import SpecPropPass, make_spec, update_placeholder_specs
from executorch.passes.to_execution.sym_shape_eval_pass import (
    ConstraintBasedSymShapeEvalPass,
    HintBasedSymShapeEvalPass,
    upper_bound,
)
from executorch.passes.to_execution.to_out_var_pass import ToOutVarPass

X = torch.rand(2, 3)
#: Where the traces of functions point to.
SOURCE = "programs_for_tests.py"
ROWS = ({0: Dim("rows", min=2, max=8)},)


def _spec(node):
    return node.meta["spec"]


def _with_specs(model, *args, dynamic_shapes=None):
    program = edge(model, *args, dynamic_shapes=dynamic_shapes)
    SpecPropPass()(program.graph_module)
    update_placeholder_specs(program, program.graph_module)
    EdgeToBackendOpsPass()(program.graph_module)
    EdgeToAtenPass()(program.graph_module)
    return program


def _execution(model, *args, dynamic_shapes=None):
    program = _with_specs(model, *args, dynamic_shapes=dynamic_shapes)
    SpecPropPass()(program.graph_module)
    ConstraintBasedSymShapeEvalPass()(program.graph_module)
    ReplaceViewCopyWithViewPass()(program.graph_module)
    ToOutVarPass()(program.graph_module)
    return program


# ---- specs ------------------------------------------------------------------------------------------------------


class _Stateful(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))
        self.register_buffer("table", torch.ones(3))
        self.register_buffer("count", torch.full((3,), 5.0))

    def forward(self, x, n):
        self.count.add_(1)
        return x * self.weight + self.table * n, None


def test_every_value_gets_a_spec():
    program = edge(_Stateful(), X, 2)
    assert SpecPropPass()(program.graph_module).modified
    assert not SpecPropPass()(program.graph_module).modified
    update_placeholder_specs(program, program.graph_module)
    specs = {node.name: _spec(node) for node in program.graph.find_nodes(op="placeholder")}
    assert specs["p_weight"].const and specs["p_weight"].fully_qualified_name == "weight"
    assert torch.equal(specs["p_weight"].data, torch.ones(3))
    assert specs["b_table"].const
    assert not specs["b_count"].const and float(specs["b_count"].data[0]) == 5.0
    assert not specs["x"].const
    assert specs["n"] == 2


def test_results_of_one_operator_share_specs_with_their_getitems():
    program = edge(lambda x: x.max(0), X)
    SpecPropPass()(program.graph_module)
    both = _spec(find(program, "aten.max.dim"))
    items = [node for node in call_nodes(program) if node.target is operator.getitem]
    assert [_spec(node) for node in items] == list(both)
    assert all(any(_spec(node) is spec for spec in both) for node in items)


def test_external_tags_reach_the_specs():
    program = edge(_Stateful(), X, 2)
    placeholder = program.graph.find_nodes(op="placeholder")[0]
    placeholder.meta["constant_tag"] = "weights"
    spec_prop = SpecPropPass()
    spec_prop(program.graph_module)
    spec_prop.update_placeholder_tensor_specs(program, program.graph_module)
    assert _spec(placeholder).external_tag == "weights"


def test_specs_of_nested_values():
    spec = make_spec((torch.ones(2), [torch.ones(1), 3], None))
    assert isinstance(spec[0], TensorSpec) and isinstance(spec[1][0], TensorSpec) and spec[1][1] == 3


# ---- primitives -------------------------------------------------------------------------------------------------


def test_arithmetic_on_sizes_becomes_primitive():
    program = edge(lambda x: x.sum() + (x.shape[0] * 2 + 1), X, dynamic_shapes=ROWS)
    assert EdgeToBackendOpsPass()(program.graph_module).modified
    names = [node.target.name() for node in call_nodes(program) if hasattr(node.target, "name")]
    assert "executorch_prim::mul.Scalar" in names and "executorch_prim::add.Scalar" in names
    assert not EdgeToBackendOpsPass()(program.graph_module).modified


def test_primitives_are_of_the_backend_dialect_and_edge_operators_stay():
    program = edge(lambda x: x.sum() + (x.shape[0] - 1), X, dynamic_shapes=ROWS)
    EdgeToBackendOpsPass()(program.graph_module)
    targets = {node.target for node in call_nodes(program)}
    assert {ops.backend.executorch_prim.sub.Scalar, ops.edge.aten.add.Tensor} <= targets
    assert "backend__ops_executorch_prim_sub_Scalar" in program.graph_module.code
    again = ExportPass()(program.graph_module).graph_module
    result = list(again.graph.nodes)[-1].args[0][0].meta["val"]
    assert result.shape == ()
    EdgeToAtenPass()(program.graph_module)
    targets = {node.target for node in call_nodes(program)}
    assert {torch.ops.executorch_prim.sub.Scalar, torch.ops.aten.add.Tensor} <= targets


def test_sums_of_sizes_become_additions():
    program = edge(
        lambda x, y: torch.zeros(x.shape[0] + y.shape[0] + x.shape[1]), X, X, dynamic_shapes=ROWS + ROWS
    )
    EdgeToBackendOpsPass()(program.graph_module)
    assert torch.sym_sum not in {node.target for node in call_nodes(program)}


def test_arithmetic_the_executor_lacks_is_listed():
    program = edge(lambda x: x.sum() + x.shape[0], X, dynamic_shapes=ROWS)
    size = program.graph.find_nodes(op="call_function", target=torch.ops.aten.sym_size.int)[0]
    with program.graph.inserting_after(size):
        for function in (operator.pow, operator.lshift):
            program.graph.call_function(function, (size, 2)).meta["val"] = size.meta["val"]
    with pytest.raises(OperatorNotSupportedError, match="2 problems") as caught:
        EdgeToBackendOpsPass()(program.graph_module)
    assert "executorch_prim::add.Scalar" in str(caught.value)


# ---- shapes -----------------------------------------------------------------------------------------------------


def test_upper_bounds_come_from_the_ranges():
    program = _with_specs(lambda x: torch.cat([x, x]), X, dynamic_shapes=ROWS)
    assert ConstraintBasedSymShapeEvalPass()(program.graph_module).modified
    spec = _spec(find(program, "aten.cat.default"))
    assert spec.shape == [16, 3] and spec.shape_dynamism is TensorShapeDynamism.DYNAMIC_BOUND
    assert not ConstraintBasedSymShapeEvalPass()(program.graph_module).modified


def test_hints_are_the_example_sizes():
    program = _with_specs(lambda x: torch.cat([x, x]), torch.rand(3, 3), dynamic_shapes=ROWS)
    HintBasedSymShapeEvalPass()(program.graph_module)
    assert _spec(find(program, "aten.cat.default")).shape == [6, 3]


def test_sizes_without_an_example_count_with_their_bounds():
    def ones(count):
        size = count.item()
        torch._check(size >= 0)
        torch._check(size <= 100)
        return torch.ones(size) + 1

    program = _with_specs(ones, torch.tensor(3))
    HintBasedSymShapeEvalPass()(program.graph_module)
    assert _spec(find(program, "aten.add.Tensor")).shape == [100]


def test_unbounded_sizes_are_all_listed():
    program = _with_specs(lambda x: x.sin() + 1, X, dynamic_shapes=({0: Dim("rows")},))
    with pytest.raises(UnboundedShapeError) as caught:
        ConstraintBasedSymShapeEvalPass(require_bounds=True)(program.graph_module)
    text = str(caught.value)
    assert "aten_sin_default" in text and "aten_add_tensor" in text and SOURCE in text
    assert "max=" in text


def test_sizes_without_a_bound_count_as_in_the_example():
    shapes = ({0: Dim("rows"), 1: Dim("columns", max=8)},)
    program = _with_specs(lambda x: torch.cat([x, x]).view(-1) + 1, X, dynamic_shapes=shapes)
    assert ConstraintBasedSymShapeEvalPass()(program.graph_module).modified
    joined, flat = _spec(find(program, "aten.cat.default")), _spec(find(program, "aten.add.Tensor"))
    assert joined.shape == [4, 8] and joined.unbounded_dims == {0}
    assert flat.shape == [32] and flat.unbounded_dims == {0}
    assert joined.shape_dynamism == TensorShapeDynamism.DYNAMIC_BOUND


def test_sizes_that_only_the_data_decide_are_planned_for_one():
    program = _with_specs(lambda x: x.nonzero() * 2, X, dynamic_shapes=({0: Dim("rows")},))
    ConstraintBasedSymShapeEvalPass()(program.graph_module)
    found = _spec(find(program, "aten.nonzero.default"))
    assert found.shape == [1, 2] and found.unbounded_dims == {0}


def test_static_graphs_have_nothing_to_evaluate():
    program = _with_specs(torch.sin, X)
    assert not ConstraintBasedSymShapeEvalPass()(program.graph_module).modified


def test_upper_bound_of_expressions():
    assert upper_bound(7) == 7
    program = edge(lambda x: x.view(x.shape[0] * 3), X, dynamic_shapes=ROWS)
    (size,) = find(program, "aten.view_copy.default").meta["val"].shape
    assert upper_bound(size) == 24


# ---- views ------------------------------------------------------------------------------------------------------


def test_reshapes_become_views():
    program = _with_specs(lambda x: x.sin().view(3, 2).unsqueeze(0).cos(), X)
    assert ReplaceViewCopyWithViewPass()(program.graph_module).modified
    views = [node for node in call_nodes(program) if node.target is memory.view]
    assert [node.args[1] for node in views] == [[3, 2], [1, 3, 2]]
    assert _spec(views[1]).root is _spec(find(program, "aten.sin.default"))
    assert not ReplaceViewCopyWithViewPass()(program.graph_module).modified


def test_reshapes_become_views_in_graphs_without_specs():
    program = edge(lambda x: x.sin().view(3, 2).cos(), X)
    assert ReplaceViewCopyWithViewPass()(program.graph_module).modified
    (view,) = [node for node in call_nodes(program) if node.target is memory.view]
    assert view.meta["spec"].root is find(program, "aten.sin.default").meta["spec"]


def test_views_with_one_symbolic_size():
    program = _with_specs(lambda x: x.sin().unsqueeze(0).cos(), X, dynamic_shapes=ROWS)
    ConstraintBasedSymShapeEvalPass()(program.graph_module)
    ReplaceViewCopyWithViewPass()(program.graph_module)
    assert find(program, str(memory.view)).args[1] == [1, -1, 3]


@pytest.mark.parametrize(
    "model",
    [
        lambda x: x.sin().view(3, 2),  # leaves the method
        lambda x: x.to(torch.int32).view(torch.float32).cos(),  # other element type
        lambda x: x.sin().t().contiguous().cos(),  # other order of elements
    ],
)
def test_other_copies_stay(model):
    program = _with_specs(model, X)
    assert not ReplaceViewCopyWithViewPass()(program.graph_module).modified


def test_the_caller_may_forbid_views():
    program = _with_specs(lambda x: x.sin().view(3, 2).cos(), X)
    assert not ReplaceViewCopyWithViewPass(lambda node: False)(program.graph_module).modified


def test_channels_last_values_are_not_viewed():
    x = torch.rand(1, 2, 3, 3).to(memory_format=torch.channels_last)
    program = _with_specs(lambda x: x.sin().reshape(2, 9).cos(), x)
    assert not ReplaceViewCopyWithViewPass()(program.graph_module).modified


# ---- out variants -----------------------------------------------------------------------------------------------


def test_operators_write_into_allocations():
    program = _execution(lambda x: x.max(0).values + 1, X)
    verify_execution_graph(program.graph_module)
    maximum = find(program, "aten.max.dim_max")
    assert sorted(maximum.kwargs) == ["max", "max_values"]
    assert all(node.target is memory.alloc for node in maximum.kwargs.values())
    assert maximum.kwargs["max"].args == (((3,), torch.float32),)
    assert maximum.kwargs["max"].next is maximum.kwargs["max_values"]
    assert not ToOutVarPass()(program.graph_module).modified


def test_lists_of_results_are_lists_of_allocations():
    program = _execution(lambda x: [part.sin() for part in x.split(1)], X)
    verify_execution_graph(program.graph_module)
    outs = find(program, "aten.split_with_sizes_copy.out").kwargs["out"]
    assert [node.target for node in outs] == [memory.alloc] * 2


def test_arguments_that_describe_the_result_are_dropped():
    program = _execution(lambda x: torch.full((2,), 3.0, dtype=torch.float32) + x.sum(), X)
    assert sorted(find(program, "aten.full.out").kwargs) == ["out"]


def test_all_operators_without_an_out_variant_are_listed():
    with torch.library._scoped_library("execution_passes_test", "DEF") as library:
        for name in ("first", "second"):
            library.define(f"{name}(Tensor x) -> Tensor")
            library.impl(name, torch.clone, "CompositeExplicitAutograd")
            torch.library.register_fake(f"execution_passes_test::{name}", torch.empty_like, lib=library)
        ops = torch.ops.execution_passes_test
        program = _with_specs(lambda x: ops.second(ops.first(x)), X)
        ConstraintBasedSymShapeEvalPass()(program.graph_module)
        with pytest.raises(MissingOutVariantError, match="2 problems") as caught:
            ToOutVarPass()(program.graph_module)
        text = str(caught.value)
        assert "execution_passes_test.first" in text and "execution_passes_test.second" in text
        assert SOURCE in text and "register execution_passes_test::first.out" in text
        assert not ToOutVarPass(ignore_to_out_var_failure=True)(program.graph_module).modified


def test_primitives_and_symbols_need_no_allocation():
    program = _execution(lambda x: (x + 1, x.shape[0] * 2), X, dynamic_shapes=ROWS)
    verify_execution_graph(program.graph_module)
    assert calls(program).count(str(memory.alloc)) == 1


def test_edge_operators_write_into_given_memory_too():
    graph_module = SpecPropPass()(edge(lambda x: x.topk(2), torch.rand(4)).graph_module).graph_module
    result = ToOutVarPass()(graph_module)
    values, indices, topk, *_ = call_nodes(result.graph_module)
    assert topk.target is torch.ops.aten.topk.values
    assert topk.kwargs == {"values": values, "indices": indices}
    assert indices.meta["val"].dtype == torch.int64


def test_example_values_do_where_specs_are_missing():
    result = ToOutVarPass()(edge(torch.relu, torch.rand(4)).graph_module)
    alloc, relu = call_nodes(result.graph_module)
    assert alloc.args == (((4,), torch.float32),) and relu.kwargs == {"out": alloc}


def test_edge_operators_in_place_stay():
    program = edge(lambda x: (x.sin() * 2).cos(), torch.rand(4))
    (product,) = (node for node in call_nodes(program) if "mul" in node.name)
    product.target = ops.edge.aten.mul_.Tensor
    result = ToOutVarPass()(SpecPropPass()(program.graph_module).graph_module)
    assert product.target in {node.target for node in call_nodes(result.graph_module)}
