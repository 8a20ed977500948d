"""Released passes leave what a program calculates as it is, and do what they are named for."""

import copy

import pytest
import torch
from torch._subclasses import FakeTensorMode

from executorch.backends.arm import _passes
from executorch.backends.arm.constants import DISALLOW_TFA_META_KEY
from executorch.backends.arm.test.lowered import as_model
from executorch.backends.arm.tosa.graph.constants import name_of
from executorch.backends.arm.tosa.specification import TosaLoweringContext, TosaSpecification
from executorch.dialects.ops import ops
from executorch.dialects.verifiers import verify_edge_graph
from executorch.exir import EdgeCompileConfig, to_edge

_X = torch.linspace(-2, 2, 24).reshape(4, 6)
_POSITIVE = _X.abs() + 0.5
_NUMBERS = torch.arange(-6, 6, dtype=torch.int32).reshape(3, 4)

#: Pass, function, inputs, what is gone, what is there (and how often).
_CASES = [
    ("DecomposeSoftmaxPass", lambda x: x.softmax(1), (_X * 50,), "_softmax.default", {"exp.default": 1}),
    (
        "DecomposeSoftmaxPass",
        lambda x: x.log_softmax(0),
        (_X,),
        "_log_softmax.default",
        {"log.default": 1, "amax.default": 1},
    ),
    ("DecomposeVarPass", lambda x: x.var(1), (_X,), "var.correction", {"mean.dim": 1, "mul.Tensor": 2}),
    ("DecomposeVarPass", lambda x: x.var(correction=0), (_X,), "var.correction", {"sum.dim_IntList": 1}),
    (
        "DecomposeLayerNormPass",
        torch.nn.LayerNorm((4, 6)),
        (_X.repeat(2, 1, 1),),
        "native_layer_norm.default",
        {"rsqrt.default": 1, "view_copy.default": 2},
    ),
    (
        "DecomposeDivPass",
        lambda x, y: x / y,
        (_X, _POSITIVE),
        "div.Tensor",
        {"reciprocal.default": 1, "mul.Tensor": 1},
    ),
    (
        "DecomposeIntPowPass",
        lambda x: x**-5,
        (_POSITIVE,),
        "pow.Tensor_Scalar",
        {"mul.Tensor": 3, "reciprocal.default": 1},
    ),
    ("DecomposeIntPowPass", lambda x: x**0, (_X,), "pow.Tensor_Scalar", {"full_like.default": 1}),
    ("DecomposeSelectPass", lambda x: x[:, -1], (_X,), "select_copy.int", {"slice_copy.Tensor": 1}),
    ("DecomposeSelectPass", lambda x: x[2], (_X,), "select_copy.int", {"squeeze_copy.dims": 1}),
    (
        "DecomposeEmbeddingPass",
        torch.nn.Embedding(9, 4),
        (torch.tensor([[1, 8, 0]]),),
        "embedding.default",
        {"index_select.default": 1},
    ),
    ("ConvertSplitToSlicePass", lambda x: x.split(2, 1), (_X,), "split_with_sizes_copy.default", {"slice_copy.Tensor": 3}),
    ("ConvertToClampPass", torch.relu, (_X,), "relu.default", {"clamp.default": 1}),
    ("ConvertToClampPass", torch.nn.Hardtanh(-0.5, 1.0), (_X,), "hardtanh.default", {"clamp.default": 1}),
    (
        "FuseConsecutiveClampsPass",
        lambda x: x.clamp(-1, 1.5).clamp(min=0.25),
        (_X,),
        "",
        {"clamp.default": 1},
    ),
    ("FuseConsecutiveClampsPass", lambda x: x.clamp(5, 10).clamp(0, 3), (_X,), "", {"clamp.default": 2}),
    (
        "DecomposeTOSAUnsupportedClampPass",
        lambda x: x.clamp(-2, 3),
        (_NUMBERS,),
        "clamp.default",
        {"maximum.default": 1, "minimum.default": 1},
    ),
    ("RewriteLeLtToGeGtPass", torch.lt, (_X, _X.flip(0)), "lt.Tensor", {"gt.Tensor": 1}),
    ("RewriteLeLtToGeGtPass", torch.le, (_X, _X.flip(0)), "le.Tensor", {"ge.Tensor": 1}),
    ("ConvertExpandCopyToRepeatPass", lambda x: x.expand(2, 4, 6), (_X,), "expand_copy.default", {"repeat.default": 1}),
    ("UnsqueezeBeforeRepeatPass", lambda x: x.repeat(2, 1, 3), (_X,), "", {"view_copy.default": 1}),
    ("MatchArgRanksPass", torch.add, (_X, _X[0]), "", {"view_copy.default": 1}),
    ("BroadcastArgsPass", torch.add, (_X[:1], _X[:, :1]), "", {"repeat.default": 1}),
]  # fmt: skip


def edge_of(model, inputs):
    config = EdgeCompileConfig(_check_ir_validity=False)
    return to_edge(torch.export.export(as_model(model), inputs), compile_config=config).exported_program()


def calls(module):
    return [name_of(node).split(".", 1)[1] for node in module.graph.nodes if "." in name_of(node)]


@pytest.mark.parametrize(("name", "function", "inputs", "gone", "there"), _CASES)
def test_a_pass_leaves_what_is_calculated(name, function, inputs, gone, there):
    program = edge_of(function, inputs)
    wanted = program.module()(*inputs)
    assert not gone or gone in calls(program.graph_module)
    with TosaLoweringContext(TosaSpecification.create_from_string("TOSA-1.0+INT+u55")):
        result = getattr(_passes, name)()(program.graph_module)
        assert not getattr(_passes, name)()(program.graph_module).modified
    found = calls(result.graph_module)
    assert gone not in found and {one: found.count(one) for one in there} == there
    assert result.modified == (name != "FuseConsecutiveClampsPass" or found.count("clamp.default") == 1)
    torch.testing.assert_close(program.module()(*inputs), wanted, rtol=1e-5, atol=1e-5)


def test_truths_among_numbers_are_numbers():
    program = edge_of(torch.mul, (_NUMBERS, _NUMBERS + 1))
    first = next(iter(program.graph.nodes))
    first.meta["val"] = first.meta["val"].bool()
    assert _passes.PromoteBoolOperandsPass()(program.graph_module).modified
    (cast,) = (node for node in program.graph.nodes if "_to_dim_order" in str(node.target))
    assert cast.args[0] is first and cast.kwargs == {"dtype": torch.int32}
    assert not _passes.PromoteBoolOperandsPass()(program.graph_module).modified


def test_a_linear_layer_may_have_one_size_that_is_unknown():
    model, x = torch.nn.Linear(6, 3), _X.repeat(5, 1, 1)
    exported = torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim("n", min=2, max=9)},))
    config = EdgeCompileConfig(_check_ir_validity=False, preserve_ops=[torch.ops.aten.linear.default])
    program = to_edge(exported, compile_config=config).exported_program()
    assert _passes.DecomposeLinearPass()(program.graph_module).modified
    assert "convolution.default" in calls(program.graph_module)
    torch.testing.assert_close(program.module()(x[:3]), model(x[:3]))


def test_integers_of_sixty_four_bits_are_narrowed_where_they_fit():
    program = edge_of(lambda x: x + torch.arange(4), (_NUMBERS,))
    assert _passes.ConvertInt64ConstOpsToInt32Pass()(program.graph_module).modified
    program = edge_of(lambda x: x + torch.full((4,), 2**40), (_NUMBERS,))
    assert not _passes.ConvertInt64ConstOpsToInt32Pass()(program.graph_module).modified
    program = edge_of(lambda x: x.argmax(1) * 3 + 0.5, (_X,))
    assert _passes.ConvertInt64OutputOpsToInt32Pass()(program.graph_module).modified
    (product,) = program.graph.find_nodes(op="call_function", target=ops.edge.aten.mul.Tensor)
    assert product.meta["val"].dtype is torch.int32
    torch.testing.assert_close(program.module()(_X), _X.argmax(1) * 3 + 0.5)
    assert not _passes.ConvertInt64OutputOpsToInt32Pass()(program.graph_module).modified


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (torch.arange(10) + 1).view(-1, 1) < x[0, :1],
        lambda x: x + torch.arange(4),
        lambda x: (torch.arange(1, 9, 2) - 3, torch.full((3,), 5) * 3, x),
        lambda x: torch.arange(3).int() + x[:, 0],
    ],
)
def test_narrowed_constants_keep_the_types_around_them(function):
    program = edge_of(function, (_NUMBERS,))
    wanted = program.module()(_NUMBERS)
    assert _passes.ConvertInt64ConstOpsToInt32Pass()(program.graph_module).modified
    assert not _passes.ConvertInt64ConstOpsToInt32Pass()(program.graph_module).modified
    assert {
        node.meta["val"].dtype for node in program.graph.nodes if "arange" in node.name or "full" in node.name
    } == {torch.int32}
    verify_edge_graph(program.graph_module)
    torch.testing.assert_close(program.module()(_NUMBERS), wanted, rtol=0, atol=0)


@pytest.mark.parametrize(
    ("function", "name", "most", "is_narrow"),
    [
        (lambda x: torch.arange(x.shape[0]) * 3_000_000, "ConvertInt64ConstOpsToInt32Pass", 500, True),
        (lambda x: torch.arange(x.shape[0]) * 3_000_000, "ConvertInt64ConstOpsToInt32Pass", 1000, False),
        (lambda x: torch.arange(x.shape[0]) * 3_000_000, "ConvertInt64ConstOpsToInt32Pass", None, False),
        (lambda x: torch.full((3,), x.shape[0]) * -3_000_000, "ConvertInt64ConstOpsToInt32Pass", 1000, False),
        (lambda x: torch.arange(-x.shape[0], 2) * 3_000_000, "ConvertInt64ConstOpsToInt32Pass", 1000, False),
        (lambda x: x.argmax() * 3_000_000, "ConvertInt64OutputOpsToInt32Pass", 500, True),
        (lambda x: x.argmax() * 3_000_000, "ConvertInt64OutputOpsToInt32Pass", 1000, False),
        (lambda x: x.argmax(0) * 3_000_000, "ConvertInt64OutputOpsToInt32Pass", None, False),
    ],
)
def test_sizes_that_a_run_tells_count_with_their_bound(function, name, most, is_narrow):
    program = _of_any_size(function, most)
    getattr(_passes, name)()(program.graph_module)
    (product,) = program.graph.find_nodes(op="call_function", target=torch.ops.aten.mul.Tensor)
    assert product.meta["val"].dtype is (torch.int32 if is_narrow else torch.int64)
    x = torch.arange(float(most or 1000))
    torch.testing.assert_close(program.module()(x), function(x), rtol=0, atol=0, check_dtype=False)


def _of_any_size(function, most=None):
    """As exported: numbers are still arguments."""
    sizes = {"inputs": ({0: torch.export.Dim("sizes", min=2, max=most)},)}
    return torch.export.export(as_model(function), (torch.arange(4.0),), dynamic_shapes=sizes)


def test_an_extreme_is_narrow_whatever_its_size():
    program = _of_any_size(lambda x: x.argmax(0) + 0.5)
    assert _passes.ConvertInt64OutputOpsToInt32Pass()(program.graph_module).modified
    assert program.module()(torch.arange(1000.0)) == 999.5


def _extreme_of(size, dim):
    """A graph that no memory is needed for."""
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    place = graph.call_function(torch.ops.aten.argmax.default, (x, dim))
    with FakeTensorMode():
        x.meta["val"] = torch.empty(2, size)
        place.meta["val"] = torch.empty((), dtype=torch.int64)
    graph.output(place)
    return torch.fx.GraphModule(torch.nn.Module(), graph)


def test_places_beyond_thirty_two_bits_are_not_narrowed(caplog):
    narrow = _passes.ConvertInt64OutputOpsToInt32Pass
    with pytest.raises(RuntimeError, match="cannot be safely cast to int32"):
        narrow()(_extreme_of(2**31 + 1, 1))
    with pytest.raises(RuntimeError, match="cannot be safely cast to int32"):
        narrow(on_overflow="raise")(_extreme_of(2**31 + 1, -1))
    assert not narrow(on_overflow="skip")(_extreme_of(2**31 + 1, 1)).modified and not caplog.messages
    assert not narrow(on_overflow="warn")(_extreme_of(2**30 + 1, None)).modified
    assert "cannot be safely cast to int32" in caplog.text
    # The last place is one less than there are.
    assert not narrow()(_extreme_of(2**31, 1)).modified
    with pytest.raises(ValueError, match="on_overflow must be"):
        narrow(on_overflow="wrap")


@pytest.mark.parametrize("is_edge", [False, True])
def test_what_may_be_larger_than_thirty_two_bits_stays_sixty_four(is_edge):
    def model(x):
        places = x.argmax(1).unsqueeze(1)
        return places * places, places + 2, x.argmin(1)

    x = torch.zeros(1, 50001)
    x[0, -1] = 1
    program = edge_of(model, (x,)) if is_edge else torch.export.export(as_model(model), (x,))
    expected = program.module()(x)
    assert _passes.ConvertInt64OutputOpsToInt32Pass()(program.graph_module).modified
    (relay,) = (node for node in program.graph.nodes if "unsqueeze" in str(node.target))
    assert relay.meta["val"].dtype is torch.int32
    found = program.module()(x)
    torch.testing.assert_close(found, expected, rtol=0, atol=0)
    assert found[0] == 50000**2
    assert not _passes.ConvertInt64OutputOpsToInt32Pass()(program.graph_module).modified


def test_small_integers_are_compared_as_floats_of_their_own():
    low, high = (torch.tensor([-128, 127, 126]).to(torch.int8) for _ in range(2))
    for spec, changes in (("TOSA-1.0+FP", True), ("TOSA-1.0+INT", False)):
        program = edge_of(torch.ge, (low, high))
        with TosaLoweringContext(TosaSpecification.create_from_string(spec)):
            assert _passes.CastIntComparisonInputsPass()(program.graph_module).modified is changes
        casts = [
            node
            for node in program.graph.nodes
            if node.target is ops.edge.dim_order_ops._to_dim_order_copy.default
        ]
        assert len(casts) == 2 * changes
        assert program.module()(low, high.flip(0)).tolist() == (low >= high.flip(0)).tolist()


def test_readers_of_one_constant_have_names_of_their_own():
    class Twice(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("shared", torch.tensor([1.0, -torch.inf]))

        def forward(self, x):
            return (x + self.shared) * self.shared.clamp(-2, 2)

    module = torch.fx.symbolic_trace(Twice())
    inputs = (torch.ones(2),)
    attribute = next(iter(module.graph.find_nodes(op="get_attr")))
    for other in list(module.graph.find_nodes(op="get_attr"))[1:]:
        other.replace_all_uses_with(attribute)
        module.graph.erase_node(other)
    wanted = module(*inputs)
    assert _passes.DeduplicateGetAttrPass()(module).modified
    assert len({node.target for node in module.graph.find_nodes(op="get_attr")}) == 2
    assert torch.equal(module(*inputs), wanted)


def test_infinities_become_numbers_but_not_where_they_are_limits():
    def function(x):
        return torch.ops.aten.add.Tensor(torch.ops.aten.clamp.default(x, -float("inf"), 1.0), -float("inf"))

    module = torch.fx.symbolic_trace(function)
    spared = copy.deepcopy(module)
    assert _passes.ReplaceInfAndLimitValuesPass(neg_inf=-9.0)(module).modified
    assert module(torch.tensor([-20.0, 3.0])).tolist() == [-29.0, -8.0]
    for node in spared.graph.nodes:
        node.meta[DISALLOW_TFA_META_KEY] = True
    assert not _passes.ReplaceInfAndLimitValuesPass(tfa_pass=True)(spared).modified


def test_what_is_returned_twice_is_two_values():
    program = edge_of(lambda x: [x + 1] * 2, (_X,))
    with TosaLoweringContext(TosaSpecification.create_from_string("TOSA-1.0+FP")):
        assert _passes.EnsureUniqueOutputNodesPass()(program.graph_module).modified
    first, second = program.graph.output_node().args[0]
    assert first is not second and first.args == second.args
