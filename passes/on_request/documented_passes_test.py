"""The documented passes that no stage of the lowering runs by default: what they rewrite and what they leave."""

import operator

import pytest
import torch
from torch.fx import subgraph_rewriter
from torch.fx.experimental.proxy_tensor import make_fx

from executorch.dialects.errors import ExportError, PassError
from executorch.dialects.ops import ops
from executorch.ir.values import fill_missing_values
from executorch.passes.infrastructure.pass_registry import PassRegistry
from executorch.passes.on_request.common_passes import (
    dead_code_elimination_pass,
    make_alloc_node,
    propagate_dynamic_shape,
    update_args,
)
from executorch.passes.on_request.const_prop_pass import ConstPropPass
from executorch.passes.on_request.cse_pass import CSEPass
from executorch.passes.on_request.debug_pass import DebugPass
from executorch.passes.on_request.normalize_passes import (
    InitializedMutableBufferPass,
    NormalizeTransposePass,
    NormalizeViewCopyBasePass,
    PruneEmptyTensorsPass,
    RemoveToCopyPass,
)
from executorch.passes.quantized.quant_fusion_pass import QuantFusionPass
from executorch.passes.quantized.quantize_pairs_pass import (
    FoldRedundantDequantizeQuantizePass,
    eliminate_dq_q,
)
from executorch.passes.to_edge.edge_ops_pass import EdgeOpsPass, trace_edge_graph
from executorch.passes.to_edge.remove_noop_pass import RemoveNoopPass

aten, edge = torch.ops.aten, ops.edge.aten


def _graph(function, *inputs):
    """The edge graph of ``function``."""
    module = make_fx(function, tracing_mode="fake")(*inputs)
    EdgeOpsPass()(module)
    return module


def _names(module):
    targets = (str(node.target) for node in module.graph.nodes if node.op == "call_function")
    return [target.replace(".", "_").lower() for target in targets]


def _check(pass_, module, expected, *inputs):
    """``pass_`` rewrites ``module`` to the operators ``expected``, says so, and changes no value."""
    before = module(*inputs)
    result = pass_(module)
    assert result.modified and _names(result.graph_module) == expected
    torch.testing.assert_close(result.graph_module(*inputs), before)
    assert not pass_(result.graph_module).modified


X = torch.rand(2, 3)


def test_patterns_may_be_written_in_both_kinds_of_operators():
    def pattern(x, y):
        return edge.relu.default(aten.add.Tensor(x, y))

    def replacement(x, y):
        return aten.maximum.default(aten.add.Tensor(x, y), aten.zeros_like.default(x))

    graph = _graph(lambda x, y: (x + y).relu() * 2, X, X - 1)
    found = subgraph_rewriter.replace_pattern(graph, trace_edge_graph(pattern), trace_edge_graph(replacement))
    assert len(found) == 1
    assert _names(graph) == [
        "aten_add_tensor",
        "aten_zeros_like_default",
        "aten_maximum_default",
        "aten_mul_tensor",
    ]
    torch.testing.assert_close(graph(X, X - 1), (X + X - 1).relu() * 2)


def test_transpositions_have_one_spelling():
    module = _graph(lambda x: aten.t_copy.default(x).relu(), X)
    _check(NormalizeTransposePass(), module, ["aten_transpose_copy_int", "aten_relu_default"], X)
    vector = _graph(lambda x: aten.t_copy.default(x).relu(), X[0])
    _check(NormalizeTransposePass(), vector, ["aten_relu_default"], X[0])


def test_view_copies_point_at_their_base():
    module = _graph(lambda x: aten.view_copy(aten.view_copy(x, [6]), [3, 2]).relu(), X)
    view = "aten_view_copy_default"
    _check(NormalizeViewCopyBasePass(), module, [view, view, "aten_relu_default"], X)
    x, *views, _, _ = module.graph.nodes
    assert [node.args[0] for node in views] == [x, x]


def test_empty_tensors_leave_a_cat():
    empty = torch.empty(2, 0)
    module = _graph(lambda x, e: aten.cat([x, e, x], 1), X, empty)
    _check(PruneEmptyTensorsPass(), module, ["aten_cat_default"], X, empty)
    alone = _graph(lambda x, e: aten.cat([x.relu(), e], 1).sin(), X, empty)
    _check(PruneEmptyTensorsPass(), alone, ["aten_relu_default", "aten_sin_default"], X, empty)


def test_a_cat_of_one_tensor_stays_if_only_a_run_tells_its_sizes():
    class Chosen(torch.nn.Module):
        def forward(self, x, weights):
            return torch.cat([x[:0], x[torch.nonzero(weights > 0.5)[:, 0]]])

    program = torch.export.export(Chosen(), (torch.rand(4, 8), torch.rand(4, 2)))
    module = PruneEmptyTensorsPass()(program.graph_module).graph_module
    (cat,) = module.graph.find_nodes(op="call_function", target=aten.cat.default)
    (source,) = cat.args[0]
    assert source.meta["val"].dim() == 2


def test_copies_to_the_own_type():
    module = _graph(lambda x: aten._to_copy(x.relu(), dtype=torch.float32).sin(), X)
    _check(RemoveToCopyPass(), module, ["aten_relu_default", "aten_sin_default"], X)
    cast = _graph(lambda x: aten._to_copy(x, dtype=torch.float64), X)
    assert not RemoveToCopyPass()(cast).modified


def test_what_is_computed_twice_is_computed_once():
    module = _graph(lambda x: (x + 1) * (x + 1) + (x + 1.0), X)
    before = module(X)
    result = CSEPass()(module)
    assert result.modified and sorted(_names(module)) == [*["aten_add_tensor"] * 3, "aten_mul_tensor"]
    torch.testing.assert_close(module(X), before)
    assert not CSEPass()(module).modified


@pytest.mark.parametrize("one, other", [(0.0, -0.0), (1, 1.0), (1, True), (1.0, True)])
def test_numbers_that_compare_equal_are_not_all_the_same(one, other):
    module = _graph(lambda x: (aten.full([1], one) / x, aten.full([1], other) / x), X)
    fills = [node for node in module.graph.nodes if node.target is edge.full.default]
    assert [repr(node.args[1]) for node in fills] == [repr(one), repr(other)]
    assert not CSEPass()(module).modified


def test_random_numbers_and_separate_outputs_stay():
    assert not CSEPass()(_graph(lambda x: aten.rand_like(x) + aten.rand_like(x), X)).modified
    assert not CSEPass()(_graph(lambda x: (x.sin(), x.sin()), X)).modified


def test_buffers_are_marked():
    module = _graph(lambda x: x.relu(), X)
    assert InitializedMutableBufferPass(["x"])(module).modified
    assert next(iter(module.graph.nodes)).meta["et_init_buffer"] is True
    assert not InitializedMutableBufferPass(["nope"])(module).modified


def test_the_debug_pass_prints_and_changes_nothing(capsys, tmp_path):
    module = _graph(lambda x: x.relu(), X)
    assert not DebugPass("between", show_src=True, show_spec=True)(module).modified
    printed = capsys.readouterr().out
    assert printed.startswith("between\n") and "aten_relu_default" in printed
    DebugPass("off", enable_debug_pass=False)(module)
    assert capsys.readouterr().out == ""
    DebugPass("file", log_filename=str(tmp_path / "log"), show_all_frames=True)(module)
    assert "aten_relu_default" in (tmp_path / "log").read_text()


def test_passes_by_name(monkeypatch):
    monkeypatch.setattr(PassRegistry, "registry", {})

    @PassRegistry.register("mine")
    def one(module):
        return None

    PassRegistry.register()(one)
    assert PassRegistry.get("mine") == [one] == PassRegistry.get("one")
    with pytest.raises(ExportError, match="already"):
        PassRegistry.register_list("mine", [])
    with pytest.raises(ExportError, match="there are"):
        PassRegistry.get("nope")


def test_building_blocks():
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    x.meta["val"] = X
    graph.call_function(edge.relu.default, (x,))
    graph.output(x)
    module = torch.fx.GraphModule({}, graph)
    assert dead_code_elimination_pass(module).modified and _names(module) == []
    assert not dead_code_elimination_pass(module).modified
    for pass_ in propagate_dynamic_shape():
        pass_(module)
    assert x.meta["spec"].shape == [2, 3]
    with pytest.raises(PassError, match="UPPER_BOUND"):
        propagate_dynamic_shape(1)
    with module.graph.inserting_after(x):
        one, several = make_alloc_node(module, X), make_alloc_node(module, [X, X], "meta")
    assert one.args == (((2, 3), torch.float32),) and len(several.args[0]) == 2
    assert several.meta["tensor_meta"] == "meta" and several.meta["val"][0] is X
    assert update_args((1, 2), 1, 3) == (1, 3)


def test_missing_example_values_are_computed():
    module = _graph(lambda x: x.relu().sin(), X)
    nodes = [node for node in module.graph.nodes if node.op == "call_function"]
    for node in nodes:
        expected = node.meta.pop("val")
    assert fill_missing_values(module) and not fill_missing_values(module)
    assert nodes[-1].meta["val"].shape == expected.shape and nodes[-1].meta["val"].dtype == expected.dtype


# ---- quantized graphs -------------------------------------------------------------------------------------------

Q = (0.05, 3, -128, 127, torch.int8)
R = (0.1, 0, -128, 127, torch.int8)


def _q(x, params):
    from torch.ao.quantization.fx import _decomposed  # noqa: F401 - registers the operators

    return torch.ops.quantized_decomposed.quantize_per_tensor.default(x, *params)


def _dq(x, params):
    return torch.ops.quantized_decomposed.dequantize_per_tensor.default(x, *params)


INTEGERS = _q(torch.randn(2, 3), Q)


@pytest.mark.parametrize("relu", [False, True])
def test_additions_are_fused(relu):
    def function(a, b):
        total = _dq(a, Q) + _dq(b, R)
        return _q(total.relu() if relu else total, R)

    name = "quantized_decomposed_add_relu_default" if relu else "quantized_decomposed_add_default"
    _check(QuantFusionPass(), _graph(function, INTEGERS, INTEGERS), [name], INTEGERS, INTEGERS)


def test_moves_work_on_the_integers():
    module = _graph(lambda a: _q(aten.view_copy(_dq(a, Q), [3, 2]), Q), INTEGERS)
    _check(QuantFusionPass(), module, ["aten_view_copy_default"], INTEGERS)
    cat = _graph(lambda a: _q(aten.cat([_dq(a, Q), _dq(a, Q)]), Q), INTEGERS)
    _check(QuantFusionPass(), cat, ["aten_cat_default"], INTEGERS)
    rescaled = _graph(lambda a: _q(aten.view_copy(_dq(a, Q), [3, 2]), R), INTEGERS)
    assert not QuantFusionPass()(rescaled).modified


def test_embeddings_of_bytes_are_fused():
    weight, scales = torch.randint(-9, 9, (4, 8), dtype=torch.int8), torch.rand(4)
    zeros, indices = torch.zeros(4, dtype=torch.int64), torch.tensor([3, 0])

    def function(w, s, z, i):
        table = torch.ops.quantized_decomposed.dequantize_per_channel(w, s, z, 0, -128, 127, torch.int8)
        return aten.embedding.default(table, i)

    inputs = (weight, scales, zeros, indices)
    module = _graph(function, *inputs)
    _check(QuantFusionPass(), module, ["quantized_decomposed_embedding_byte_default"], *inputs)


def test_dequantize_and_quantize_cancel():
    module = _graph(lambda a: aten.view_copy(_q(_dq(a, Q), Q), [6]), INTEGERS)
    _check(FoldRedundantDequantizeQuantizePass(), module, ["aten_view_copy_default"], INTEGERS)
    assert not FoldRedundantDequantizeQuantizePass()(_graph(lambda a: _q(_dq(a, Q), R), INTEGERS)).modified
    again = _graph(lambda a: aten.view_copy(_q(_dq(a, Q), Q), [6]), INTEGERS)
    eliminate_dq_q(again, [node for node in again.graph.nodes if "dequantize" in node.name])
    assert _names(again) == ["aten_view_copy_default"]
    # Also where only something that changes nothing stands between them.
    between = _graph(lambda a: aten.view_copy(_q(aten.view_copy(_dq(a, Q), a.shape), Q), [6]), INTEGERS)
    assert RemoveNoopPass()(between).modified and _names(between) == ["aten_view_copy_default"]


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_dequantize_and_quantize_cancel_across_copies_of_the_same_layout(layout):
    image = torch.randint(-9, 9, (1, 2, 3, 3), dtype=torch.int8)
    module = _graph(lambda a: _q(aten.clone(_dq(a, Q), memory_format=layout), Q).reshape(6, 3), image)
    same = layout is torch.contiguous_format
    assert FoldRedundantDequantizeQuantizePass()(module).modified is same
    assert any("quantize" in name for name in _names(module)) is not same


class _Constants(torch.nn.Module):
    """``x * (table + table).exp()`` with the table as an attribute."""

    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.rand(3))

    def forward(self, x):
        return x * (self.table + self.table).exp()


def test_selections_are_numbered_without_gaps():
    module = make_fx(lambda x: torch.topk(torch.topk(x, 3)[0], 2)[1], tracing_mode="fake")(torch.rand(4))
    selections = [node for node in module.graph.nodes if node.target is operator.getitem]
    for node in selections:
        if not node.users:
            module.graph.erase_node(node)
    assert EdgeOpsPass()(module).modified
    names = [node.name for node in module.graph.find_nodes(op="call_function", target=operator.getitem)]
    assert names == ["getitem", "getitem_1"]
    assert str(list(module.graph.nodes)[-1].args) == "(getitem_1,)"
    assert not EdgeOpsPass()(module).modified


def test_constants_of_a_module_are_folded():
    model, x = _Constants(), torch.rand(3)
    module = make_fx(model, tracing_mode="fake", _allow_non_fake_inputs=True)(x)
    EdgeOpsPass()(module)
    folded = ConstPropPass()(module).graph_module
    assert _names(folded) == ["aten_mul_tensor"]
    assert folded is module and "_tensor_constant" in dict(folded.named_buffers())
    torch.testing.assert_close(folded(x), model(x))
    assert not ConstPropPass()(module).modified


def test_tensors_made_of_numbers_are_folded():
    def function(x):
        return torch.ones(3) + x + torch.full((3,), 2.0), torch.rand(3), torch.arange(3)

    module = make_fx(function, tracing_mode="fake")(torch.rand(3))
    EdgeOpsPass()(module)
    folded = ConstPropPass()(module).graph_module
    assert [name for name in _names(folded) if "add" not in name] == ["aten_rand_default"]
    assert len(dict(folded.named_buffers())) == 3
    torch.testing.assert_close(folded(torch.zeros(3))[0], torch.full((3,), 3.0))


@pytest.mark.parametrize("quant", [False, True])
def test_quantization_is_folded_on_request(quant):
    quantize = torch.ops.quantized_decomposed.quantize_per_tensor.default

    class Quantizes(_Constants):
        def forward(self, x):
            return x + quantize(self.table, 0.1, 0, -128, 127, torch.int8)

    x = torch.zeros(3, dtype=torch.int8)
    module = make_fx(Quantizes(), tracing_mode="fake", _allow_non_fake_inputs=True)(x)
    EdgeOpsPass()(module)
    names = _names(ConstPropPass(propogate_quant=quant)(module).graph_module)
    assert len(names) == (1 if quant else 2)
