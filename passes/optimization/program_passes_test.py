"""Passes over whole programs: buffers, constants, fused layers, external data."""

import copy

import pytest
import torch
from torch import nn
from torch.export.experimental import _export_forward_backward

from executorch.ir.constants import ConstantLifter
from executorch.ir.graph import output_arguments
from executorch.ir.signature import constant_values, sync_signature
from executorch.passes.optimization.constant_prop_pass import ConstantPropPass, constant_prop_pass
from executorch.passes.optimization.external_constants_pass import (
    DEFAULT_FILE,
    delegate_external_constants_pass_unlifted,
    external_constants_pass,
    external_mutable_weights_pass,
)
from executorch.passes.optimization.fuse_batch_norm_pass import FuseBatchNormPass
from executorch.passes.optimization.fuse_linear_pass import FuseLinearPass
from executorch.passes.optimization.keep_weights_pass import KeepWeightsPass
from executorch.passes.optimization.remove_unused_parameters_pass import (
    RemoveUnusedParametersPass,
    remove_unused_parameters_pass,
)
from executorch.passes.programs_for_tests import calls, core, edge, export
from executorch.passes.to_execution.insert_write_back_for_buffers_pass import (
    InsertWriteBackForBuffersPass,
    insert_write_back_for_buffers_pass,
)
from executorch.passes.to_execution.sym_shape_eval_pass import upper_bound


def _close(program, model, *inputs):
    with torch.no_grad():
        torch.testing.assert_close(copy.deepcopy(program).module()(*inputs), copy.deepcopy(model)(*inputs))


# ---- buffers ----------------------------------------------------------------------------------------------------


class _Buffers(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.ones(2))
        self.register_buffer("b", torch.zeros(2))
        self.register_buffer("cache", torch.zeros(1, 4, 2))


class _Add(_Buffers):
    def forward(self, x):
        self.a.add_(x)
        return self.a * 2


class _Swap(_Buffers):
    def forward(self):
        a = self.a.clone()
        self.a.copy_(self.b)
        self.b.copy_(a)
        return self.a


class _Update(_Buffers):
    def forward(self, x, position):
        self.cache[:, position] = x
        return self.cache.sum(1)


class _UpdateAndReadOld(_Buffers):
    def forward(self, x, position):
        old = self.cache.sum(1)
        new = self.cache.index_put((torch.zeros_like(position), position), x)
        result = new.sum(1) + self.cache.sum(1)
        self.cache.copy_(new)
        return result + old


def test_new_values_are_copied_at_the_end():
    program = edge(_Add(), torch.ones(2))
    assert InsertWriteBackForBuffersPass()(program).modified
    written = output_arguments(program.graph)[0]
    assert written.target is torch.ops.aten.copy_.default and written.args[0].name == "b_a"
    assert program.graph_signature.output_specs[0].arg.name == written.name
    assert calls(program)[-1] == "aten.copy_.default"


def test_buffers_that_change_places_are_copied_first():
    program = edge(_Swap())
    InsertWriteBackForBuffersPass()(program)
    copies = program.graph.find_nodes(op="call_function", target=torch.ops.aten.copy_.default)
    sources = [node.args[1] for node in copies]
    assert len(copies) == 2
    assert all(source.op == "call_function" and source < copies[0] for source in sources)


def test_caches_are_updated_in_place():
    program = edge(_Update(), torch.ones(1, 1, 2), torch.tensor([1]))
    insert_write_back_for_buffers_pass(program)
    assert "aten.index_put_.default" in calls(program) and "aten.copy_.default" not in calls(program)


def test_not_while_the_old_value_is_still_read():
    program = edge(_UpdateAndReadOld(), torch.ones(1, 2), torch.tensor([1]))
    InsertWriteBackForBuffersPass()(program)
    assert "aten.index_put_.default" not in calls(program) and "aten.copy_.default" in calls(program)


def test_programs_without_state_stay():
    assert not InsertWriteBackForBuffersPass()(edge(torch.sin, torch.ones(2))).modified


# ---- constants --------------------------------------------------------------------------------------------------


class _Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.rand(4, 4))
        self.unused = nn.Parameter(torch.rand(100))

    def forward(self, x):
        return x + self.table.t().exp()


def test_constant_subgraphs_are_computed():
    model, x = _Table(), torch.rand(4, 4)
    program = edge(model, x)
    assert ConstantPropPass()(program).modified
    sync_signature(program)
    assert calls(program) == ["aten.add.Tensor"] and len(program.constants) == 1
    _close(program, model, x)
    assert not ConstantPropPass()(program).modified


class _ConstantResult(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.ones(2))

    def forward(self, x):
        return self.table + 1, x * 2


def test_bodies_of_control_flow_are_not_folded_and_that_is_said(caplog):
    class Branches(nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))

    constant_prop_pass(edge(nn.ReLU(), torch.rand(2)))
    assert "control flow" not in caplog.text
    constant_prop_pass(edge(Branches(), torch.rand(2)))
    assert "does not constant propagate in control flow" in caplog.text


def test_a_constant_may_be_a_result():
    program = edge(_ConstantResult(), torch.rand(2))
    constant_prop_pass(program)
    program._validate()
    results = [spec.arg.name for spec in program.graph_signature.output_specs]
    assert results[0] in program.graph_signature.inputs_to_lifted_tensor_constants and len(results) == 2


class _Growing(nn.Module):
    def __init__(self):
        super().__init__()
        self.row = nn.Parameter(torch.rand(1, 64))

    def forward(self, x):
        return x + self.row.expand(64, 64).exp()


def test_not_when_the_program_grows():
    program = edge(_Growing(), torch.rand(64, 64))
    assert not ConstantPropPass()(program).modified
    constant_prop_pass(program)
    assert calls(program) == ["aten.add.Tensor"]


def test_random_numbers_and_buffers_that_change_are_not_constants():
    program = edge(_Add(), torch.ones(2))
    assert not ConstantPropPass()(program).modified
    assert not ConstantPropPass()(edge(lambda x: x + torch.rand(2), torch.ones(2))).modified


def test_unused_weights_are_dropped():
    program = edge(_Table(), torch.rand(4, 4))
    assert RemoveUnusedParametersPass()(program).modified
    assert list(program.state_dict) == ["table"]
    program.validate()
    assert not RemoveUnusedParametersPass()(program).modified
    assert remove_unused_parameters_pass(program) is program


def test_written_buffers_are_not_unused():
    class Resetting(_Buffers):
        def forward(self, x):
            self.a.copy_(x)
            return x * 2

    program = edge(Resetting(), torch.ones(2))
    RemoveUnusedParametersPass()(program)
    assert "a" in program.state_dict and "b" not in program.state_dict


# ---- fused layers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(2, 3), (2, 5, 3)])
def test_linear_layers_are_put_together(bias, shape):
    model, x = nn.Linear(3, 4, bias=bias), torch.rand(shape)
    program = edge(model, x)
    assert FuseLinearPass()(program.graph_module).modified
    assert "aten.linear.default" in calls(program) and "aten.permute_copy.default" not in calls(program)
    _close(program, model, x)
    assert not FuseLinearPass()(program.graph_module).modified


@pytest.mark.parametrize(("beta", "fused"), [(1, True), (2, False)])
def test_factors_of_a_product_decide_whether_it_is_a_linear_layer(beta, fused):
    class Product(nn.Module):
        def forward(self, bias, x, weight):
            return torch.addmm(bias, x, weight.T, beta=beta)

    program = edge(Product(), torch.rand(4), torch.rand(2, 3), torch.rand(4, 3))
    (product,) = [node for node in program.graph.nodes if "addmm" in node.name]
    product.kwargs = {"alpha": 1, **product.kwargs}
    assert FuseLinearPass()(program.graph_module).modified == fused


def _kept(program):
    return KeepWeightsPass(constant_values(program))(program.graph_module).modified


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("rows", "turned"), [(1, "view"), (2, "permute"), (40, "")])
def test_weights_stay_where_turning_the_rows_round_is_less(bias, rows, turned):
    model, x = nn.Linear(32, 64, bias=bias), torch.rand(rows, 32)
    program = edge(model, x)
    before = calls(program)
    assert _kept(program) == bool(turned)
    if turned:
        assert calls(program).count(f"aten.{turned}_copy.default") == 2 + (bias and turned == "view")
        assert set(calls(program)) - {"aten.view_copy.default"} <= {f"aten.{turned}_copy.default", before[-1]}
    else:
        assert calls(program) == before
    _close(program, model, x)
    assert not _kept(program)


def test_a_table_that_is_the_output_layer_too_is_not_turned_round():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(64, 32)

        def forward(self, indices):
            return self.table(indices) @ self.table.weight.t()

    model, indices = Tied(), torch.arange(15)
    program = edge(model, indices)
    assert _kept(program)
    shapes = [node.meta["val"].shape for node in program.graph.nodes if "permute" in node.name]
    assert [list(shape) for shape in shapes] == [[32, 15], [15, 64]]
    _close(program, model, indices)


def test_sizes_stay_symbols_in_layers_that_are_turned_round():
    model, x = nn.Linear(32, 64), torch.rand(4, 32)
    program = edge(model, x, dynamic_shapes={"input": {0: torch.export.Dim("rows", min=1, max=8)}})
    assert _kept(program)
    (result,) = program.graph.output_node().args[0]
    assert not isinstance(result.meta["val"].shape[0], int)
    assert upper_bound(result.meta["val"].shape[0]) == 8


@pytest.mark.parametrize(
    "model",
    [
        lambda x, y: torch.mm(x, y),
        lambda x, y: torch.addmm(torch.ones(2, 2), x, y.t().t()),
        lambda x, y: torch.mm(x.long(), y.t().long()),
    ],
)
def test_other_products_stay(model):
    program = edge(model, torch.rand(2, 2), torch.rand(2, 2))
    assert not FuseLinearPass()(program.graph_module).modified
    assert not _kept(program)


@pytest.mark.parametrize(
    "conv",
    [
        nn.Conv2d(4, 6, 3, bias=False),
        nn.Conv2d(4, 6, 3, groups=2, stride=2, padding=1),
        nn.ConvTranspose2d(4, 6, 2, stride=2),
    ],
)
def test_batch_norm_is_folded(conv):
    model, x = nn.Sequential(conv, nn.BatchNorm2d(6), nn.ReLU()).eval(), torch.rand(1, 4, 8, 8)
    model[1].running_mean.uniform_()
    model[1].running_var.uniform_(0.5, 2)
    nn.init.uniform_(model[1].weight)
    program = edge(model, x)
    assert FuseBatchNormPass()(program).modified
    sync_signature(program)
    assert calls(program) == ["aten.convolution.default", "aten.relu.default"]
    _close(program, model, x)
    assert not FuseBatchNormPass()(program).modified


def test_batch_norm_stays_where_the_convolution_is_used_otherwise():
    class Forked(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.norm = nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)

        def forward(self, x):
            y = self.conv(x)
            return self.norm(y), y

    assert not FuseBatchNormPass()(edge(Forked(), torch.rand(1, 1, 4, 4))).modified
    assert not FuseBatchNormPass()(edge(nn.BatchNorm2d(2), torch.rand(1, 2, 4, 4))).modified


# ---- external data ----------------------------------------------------------------------------------------------


def _tags(program):
    return {node.name: node.meta.get("constant_tag") for node in program.graph.find_nodes(op="placeholder")}


def test_all_constants_go_to_one_file():
    program = edge(_Table(), torch.rand(4, 4))
    assert external_constants_pass(program).modified
    assert _tags(program) == {"p_table": DEFAULT_FILE, "p_unused": DEFAULT_FILE, "x": None}
    assert not external_constants_pass(program).modified


def test_constants_out_of_the_code_stay_in_the_program():
    class Inline(nn.Module):
        def __init__(self):
            super().__init__()
            self.mask = torch.ones(2)

        def forward(self, x):
            return x * torch.tensor([4.0, 3.0]) + self.mask

    program = edge(Inline(), torch.rand(2))
    ConstantLifter(program).lift(torch.ones(1))
    assert external_constants_pass(program).modified
    tags = _tags(program)
    assert [name for name, tag in tags.items() if tag] == ["c_mask"] and len(tags) == 4


def test_the_caller_chooses_files():
    program = edge(_Table(), torch.rand(4, 4))
    external_constants_pass(program, lambda node: "big" if node.name == "p_unused" else None)
    assert _tags(program) == {"p_table": None, "p_unused": "big", "x": None}


def test_written_buffers_stay_inside():
    program = core(_Add(), torch.ones(2))
    external_constants_pass(program)
    assert _tags(program)["b_a"] is None and _tags(program)["b_b"] == DEFAULT_FILE


class _Tuned(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(3, 3).requires_grad_(False), nn.Linear(3, 2)

    def forward(self, x, y):
        return nn.functional.mse_loss(self.head(self.body(x)), y)


def test_only_weights_that_are_trained():
    inference = torch.export.export(_Tuned(), (torch.rand(1, 3), torch.rand(1, 2)), strict=False)
    training = _export_forward_backward(inference)
    assert external_mutable_weights_pass(None, training).modified
    tagged = {name for name, tag in _tags(training).items() if tag == DEFAULT_FILE}
    assert tagged == {"p_head_weight", "p_head_bias"}
    assert not external_mutable_weights_pass(inference.graph_module, inference).modified


def test_unlifted_modules_are_tagged_before_they_are_exported_again():
    module = export(_Table(), torch.rand(4, 4)).module()
    assert delegate_external_constants_pass_unlifted(module, lambda node: "model").modified
    tagged = [
        node for node in module.graph.find_nodes(op="get_attr") if node.meta.get("constant_tag") == "model"
    ]
    assert {str(node.target) for node in tagged} >= {"table"}
    assert not delegate_external_constants_pass_unlifted(module, lambda node: None).modified
