"""Decomposition node by node: the same operators and results as tracing the whole program again."""

import copy
import importlib
import logging
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from executorch.passes.decomposition.decompose import decompose
from executorch.passes.decomposition.decomposition_table import DecompositionTable
from executorch.passes.decomposition.grid_sampler_3d import grid_sampler_3d
from executorch.passes.decomposition.local_decomposition import decompose_locally
from executorch.passes.decomposition.op_recorder import NotLocalError
from executorch.passes.programs_for_tests import calls, core, export
from executorch.passes.to_execution.sym_shape_eval_pass import upper_bound

aten = torch.ops.aten
# The package's attribute of this name may be the function.
decompose_module = importlib.import_module("executorch.passes.decomposition.decompose")
#: What torch leaves in a graph without effect, and this library removes a stage later.
_NO_EFFECT = {"aten.alias.default", "aten.detach.default"}


class Apply(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class _Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.linear = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.Linear(4, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu_(self.norm(self.conv(x))), 2)
        return F.softmax(self.linear(F.dropout(F.adaptive_avg_pool2d(x, 1).flatten(1), training=False)), -1)


class _Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.norm = nn.MultiheadAttention(8, 2, batch_first=True), nn.LayerNorm(8)

    def forward(self, x):
        return x + self.attention(*[self.norm(x)] * 3)[0]


class _Buffers(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.ones(3))
        self.register_buffer("b", torch.zeros(2, 4))

    def forward(self, x):
        self.a.add_(1)
        self.a.mul_(2)
        self.b[:, 1:3] = x
        self.b[0].add_(1)
        self.b.index_copy_(1, torch.tensor([0]), x[:, :1])
        return x + self.a.sum(), self.a.clone(), self.b * 2


class _NoGrad(nn.Module):
    def forward(self, x):
        with torch.no_grad():
            y = x * 2
        return y + x.new_zeros(3) + torch.arange(3)


MODELS = {
    "network": (_Net(), (torch.rand(2, 1, 8, 8),)),
    "attention": (_Attention(), (torch.rand(2, 3, 8),)),
    "buffers": (_Buffers(), (torch.rand(2, 2),)),
    "no_grad": (_NoGrad(), (torch.rand(2, 3),)),
    "shapes": (
        lambda x: [t.reshape(-1) for t in x.chunk(2)] + [torch.stack(x.unbind(0)).squeeze()],
        (torch.rand(4, 3),),
    ),
    "activations": (
        lambda x: F.hardswish(x) + F.silu(x) + F.gelu(x) + F.elu(x) + F.mish(x),
        (torch.rand(4),),
    ),
    "einsum": (lambda x, y: torch.einsum("ij,kj->ik", x, y), (torch.rand(2, 3), torch.rand(4, 3))),
}


def _run(program, inputs):
    program = copy.deepcopy(program)  # buffers are written where they are
    outputs = program.module()(*[value.clone() for value in inputs])
    return torch.utils._pytree.tree_leaves(outputs)


@pytest.mark.parametrize("name", MODELS)
def test_same_as_tracing_again(name):
    model, inputs = MODELS[name]
    program = export(model, *inputs)
    local = decompose_locally(program, DecompositionTable())
    traced = program.run_decompositions()
    ours, theirs = Counter(calls(local)), Counter(calls(traced))
    for harmless in _NO_EFFECT:
        ours.pop(harmless, None)
        theirs.pop(harmless, None)
    # Writes take fewer copies here, and torch folds batches of matrix products otherwise when weights want gradients.
    if name not in ("buffers", "attention"):
        assert ours == theirs
    signature, expected = local.graph_signature, traced.graph_signature
    assert [(s.kind, s.target) for s in signature.output_specs] == [
        (s.kind, s.target) for s in expected.output_specs
    ]
    local.validate()
    for ours_value, their_value in zip(_run(local, inputs), _run(traced, inputs), strict=True):
        torch.testing.assert_close(ours_value, their_value)


def test_the_argument_is_left_alone():
    program = export(_Net(), torch.rand(2, 1, 8, 8))
    before = str(program.graph)
    decompose(program)
    assert str(program.graph) == before


def test_metadata_points_to_the_source():
    program = decompose(export(_Net(), torch.rand(2, 1, 8, 8)))
    for node in program.graph.nodes:
        if node.op == "call_function":
            assert __file__ in node.meta["stack_trace"] and node.meta["nn_module_stack"]


def test_dynamic_shapes_stay_symbolic():
    batch = torch.export.Dim("batch", min=2, max=8)
    program = export(_Attention(), torch.rand(3, 3, 8), dynamic_shapes=({0: batch},))
    local = decompose_locally(program, DecompositionTable())
    for size in (2, 5):
        x = torch.rand(size, 3, 8)
        torch.testing.assert_close(local.module()(x), program.module()(x))


def test_operators_can_be_kept_whole():
    program = export(nn.Linear(2, 3), torch.rand(1, 2))
    assert calls(decompose(program, [aten.linear.default])) == ["aten.linear.default"]
    assert "aten.addmm.default" in calls(decompose(program))


@pytest.mark.parametrize(
    "function, dtype, operators",
    [
        (torch.erfc, torch.float32, ["aten.erfc.default"]),
        (lambda x: x << 2, torch.int32, ["aten.bitwise_left_shift.Tensor_Scalar"]),
        (lambda x: x >> x, torch.int32, ["aten.bitwise_right_shift.Tensor"]),
        (lambda x: torch.bitwise_and(6, x), torch.int32, ["aten.full.default", "aten.bitwise_and.Tensor"]),
        (lambda x: 5 % x, torch.float32, ["aten.full.default", "aten.remainder.Tensor"]),
        (
            lambda x: torch.round(x, decimals=2),
            torch.float32,
            ["aten.mul.Scalar", "aten.round.default", "aten.div.Scalar"],
        ),
        (lambda x: torch.var(x, 1), torch.float32, ["aten.var.correction"]),
    ],
)
def test_nothing_becomes_a_prim(function, dtype, operators):
    x = torch.tensor([[1, 2], [3, 4]], dtype=dtype)
    decomposed = decompose(export(Apply(function), x))
    assert calls(decomposed) == operators
    torch.testing.assert_close(decomposed.module()(x), function(x))


def test_comparison_writes_bits():
    x = torch.rand(3, 4)
    decomposed = decompose(export(Apply(lambda x: torch.isclose(x, x + 1e-9)), x))
    assert {"aten.bitwise_and.Tensor", "aten.bitwise_or.Tensor"} <= set(calls(decomposed))
    assert not any(call.startswith("prims") for call in calls(decomposed))
    assert decomposed.module()(x).all()


def test_decompositions_write_their_own_lists():
    def masked(x):
        index = torch.tensor([1, 5, 0])
        return aten._unsafe_masked_index(x, (index < 4).view(3, 1), [index, None], 7.0)

    x = torch.rand(4, 2)
    torch.testing.assert_close(decompose(export(Apply(masked), x)).module()(x), masked(x))


def test_each_node_can_be_decided_on():
    program = export(nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 2)), torch.rand(1, 2))
    first = program.graph.find_nodes(op="call_function", target=aten.linear.default)[0].name
    mixed = decompose(program, [aten.linear.default], lambda node: node.name == first)
    assert calls(mixed) == ["aten.permute.default", "aten.addmm.default", "aten.linear.default"]


def test_recurrent_layers_become_core_operators():
    operators = calls(decompose(export(nn.LSTM(2, 3), torch.rand(4, 1, 2))))
    assert "aten.sigmoid.default" in operators and "aten.mkldnn_rnn_layer.default" not in operators


def test_concurrent_decompositions_leave_the_process_as_it_was(monkeypatch):
    """The one that began last ends last: it must not take what the first has set for the process's own setting."""
    began, ended = threading.Event(), threading.Event()

    def first(*args):
        assert began.wait(10)
        return args[0]

    def last(*args):
        began.set()
        assert ended.wait(10)
        assert not torch._C._get_mkldnn_enabled()
        return args[0]

    turns = iter((first, last))
    entered = threading.Event()

    def in_turn(*args):
        turn = next(turns)
        entered.set()
        return turn(*args)

    monkeypatch.setattr(decompose_module, "decompose_locally", in_turn)
    program = export(nn.Linear(2, 2), torch.rand(1, 2))
    before = torch._C._get_mkldnn_enabled()
    with ThreadPoolExecutor(2) as threads:
        one = threads.submit(decompose, program)
        assert entered.wait(10)
        other = threads.submit(decompose, program)
        one.result()
        ended.set()
        other.result()
    assert before and torch._C._get_mkldnn_enabled() == before


def test_control_flow_bodies_are_decomposed():
    linear = nn.Linear(2, 2)

    class Branches(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = linear

        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda y: self.linear(y), lambda y: y * 2, (x,))

    program = decompose(export(Branches(), torch.rand(1, 2)))
    bodies = [calls(child) for _, child in program.graph_module.named_children()]
    assert any("aten.addmm.default" in body for body in bodies)


class _WrittenThroughAView(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("b", torch.zeros(2, 3))

    def forward(self, x):
        view = self.b.view(-1)
        self.b.add_(x)
        view[1:3].mul_(2)
        self.b.t()[0].sub_(1)
        return view * 2, self.b.sum(1)


def test_writes_reach_every_view():
    inputs = (torch.ones(2, 3),)
    program = decompose_locally(export(_WrittenThroughAView(), *inputs), DecompositionTable())
    flat, rows = _run(program, inputs)
    assert flat.tolist() == [0, 4, 4, 0, 2, 2] and rows.tolist() == [4, 2]
    (spec, *_) = program.graph_signature.output_specs
    assert spec.target == "b"


class _WrittenDiagonal(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("b", torch.zeros(3, 3))

    def forward(self, x):
        self.b.diagonal().add_(x)
        return self.b * 2


def test_what_is_not_local_is_traced_again(caplog):
    inputs = (torch.ones(3),)
    program = export(_WrittenDiagonal(), *inputs)
    with pytest.raises(NotLocalError, match="writes part of b_b through diagonal"):
        decompose_locally(program, DecompositionTable())
    with caplog.at_level(logging.INFO, logger="executorch.passes.decomposition.decompose"):
        traced = decompose(program)
    assert "tracing the whole program again" in caplog.text
    assert torch.equal(_run(traced, inputs)[0], torch.eye(3) * 2)


class _WrittenInverse(_WrittenDiagonal):
    def forward(self, x):
        return torch.linalg.inv(super().forward(x)) + torch.linalg.cholesky(torch.diag(x))


def test_what_is_traced_again_holds_no_effects():
    inputs = (torch.ones(3) * 4,)
    traced = decompose(export(_WrittenInverse(), *inputs))
    assert [node.name for node in traced.graph.find_nodes(op="placeholder")] == ["b_b", "x"]
    assert torch.equal(_run(traced, inputs)[0], torch.eye(3) * (2 + 1 / 8))


def test_a_mean_over_a_channels_last_image_is_local():
    image = torch.rand(2, 3, 4, 4).to(memory_format=torch.channels_last)
    program = export(lambda x: F.adaptive_avg_pool2d(x, 1), image)
    local = decompose_locally(program, DecompositionTable())
    assert calls(local) == ["aten.mean.dim"]
    torch.testing.assert_close(_run(local, (image,))[0], F.adaptive_avg_pool2d(image, 1))


def test_polar_coordinates_and_memory_in_another_order():
    def model(x):
        made = torch.empty_permuted(x.shape, (1, 0))
        made.copy_(x)
        return torch.view_as_real(torch.polar(x, x)), made

    x = torch.rand(2, 3)
    local = decompose_locally(export(model, x), DecompositionTable())
    assert not {"aten.polar.default", "aten.empty_permuted.default"} & set(calls(local))
    for actual, expected in zip(_run(local, (x,)), model(x), strict=True):
        torch.testing.assert_close(actual, expected)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.var_mean(x),
        lambda x: torch.var_mean(x, [0, -1], correction=0, keepdim=True),
    ],
    ids=["all", "dimensions"],
)
def test_variance_and_mean_at_once(function):
    x = torch.randn(2, 3, 4)
    local = decompose_locally(export(function, x), DecompositionTable())
    assert {"aten.var.correction", "aten.mean.dim"} <= set(calls(local))
    assert "aten.var_mean.correction" not in calls(local)
    actual, expected = _run(local, (x,)), function(x)
    torch.testing.assert_close(actual, expected if isinstance(expected, tuple) else (expected,))


def test_bilinear_layers():
    layer = nn.Bilinear(5, 6, 4)
    given = torch.randn(2, 3, 5), torch.randn(2, 3, 6)
    local = decompose_locally(export(layer, *given), DecompositionTable())
    assert {"aten._trilinear.default", "aten.einsum.default"}.isdisjoint(calls(local))
    torch.testing.assert_close(_run(local, given), (layer(*given),))


@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_grids_in_volumes(mode, padding, align_corners):
    names = {"bilinear": 0, "nearest": 1}, {"zeros": 0, "border": 1, "reflection": 2}
    volume, grid = torch.randn(2, 3, 4, 5, 6).double(), torch.rand(2, 3, 4, 5, 3).double() * 3 - 1.5
    actual = grid_sampler_3d(volume, grid, names[0][mode], names[1][padding], align_corners)
    torch.testing.assert_close(actual, nn.functional.grid_sample(volume, grid, mode, padding, align_corners))


@pytest.mark.parametrize("out_dtype", [None, torch.bfloat16])
def test_grouped_products(out_dtype):
    rows, matrices = torch.rand(8, 16).bfloat16(), torch.rand(3, 16, 8).bfloat16()
    ends = torch.tensor([2, 2, 8], dtype=torch.int32)

    def model(rows, matrices, ends):
        return torch.ops.aten._grouped_mm.default(rows, matrices, ends, None, out_dtype)

    local = decompose_locally(export(model, rows, matrices, ends), DecompositionTable())
    assert calls(local)[0] == "executorch.grouped_mm.default"
    expected = torch.cat([rows[:2] @ matrices[0], rows[2:] @ matrices[2]])
    torch.testing.assert_close(_run(local, (rows, matrices, ends))[0], expected)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8], ids=str)
def test_products_of_bytes_are_sums_of_32_bits(dtype):
    limits = torch.iinfo(dtype)
    bytes_, others = (
        torch.full((3, 999), limits.max, dtype=dtype),
        torch.full((999, 2), -128, dtype=torch.int8),
    )
    local = decompose_locally(export(torch._int_mm, bytes_, others), DecompositionTable())
    assert calls(local)[-1] == "aten.mm.default"
    (actual,) = _run(local, (bytes_, others))
    assert actual.dtype is torch.int32 and bool((actual == 999 * limits.max * -128).all())


def test_writes_to_a_copy_do_not_reach_the_original():
    def model(x, y):
        z = torch.zeros(2)
        z.copy_(x)
        x.add_(y)
        return z, x * 1

    inputs = (torch.ones(2), torch.ones(2))
    program = decompose_locally(export(model, *inputs), DecompositionTable())
    assert [float(value[0]) for value in _run(program, inputs)] == [1.0, 2.0]


class _Vectorized(nn.Module):
    def forward(self, x):
        rows = torch.arange(3)
        mask = torch.vmap(torch.vmap(lambda i, j: i >= j, (None, 0)), (0, None))(rows, rows)
        return torch.where(mask, x, 0.0)


def test_levels_of_vmap_are_resolved_by_tracing_again():
    inputs = (torch.randn(3, 3),)
    program = export(_Vectorized(), *inputs)
    with pytest.raises(NotLocalError, match="vmap"):
        decompose_locally(program, DecompositionTable())
    traced = decompose(program)
    assert all(name.startswith("aten.") for name in calls(traced))
    assert torch.equal(_run(traced, inputs)[0], inputs[0].tril())


def test_sizes_that_the_data_decide_keep_their_bounds():
    def ones(count):
        size = count.item()
        torch._check(size >= 0)
        torch._check(size <= 100)
        return torch.ones(size) + 1

    graph = core(ones, torch.tensor(3)).graph
    (item,) = graph.find_nodes(op="call_function", target=torch.ops.aten._local_scalar_dense.default)
    (full,) = graph.find_nodes(op="call_function", target=torch.ops.aten.full.default)
    assert upper_bound(item.meta["val"]) == upper_bound(full.meta["val"].shape[0]) == 100


_LIBRARY = torch.library.Library("decompose_test", "DEF")


def _exchange(value, first, second, start=0):
    part = first.narrow(0, start, value.shape[0])
    second.mul_(2)
    part.copy_(value + second.sum())
    return value * 2, second - 1


_LIBRARY.define(
    "exchange(Tensor value, Tensor(a!) first, Tensor(b!) second, SymInt start=0) -> (Tensor, Tensor)"
)
_LIBRARY.impl("exchange", _exchange, "CompositeExplicitAutograd")


class _Exchanging(nn.Module):
    """An operator without a functional form writes a buffer, a part of another and an intermediate value."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.arange(6.0).reshape(3, 2))
        self.register_buffer("b", torch.ones(4, 2))

    def forward(self, x):
        own = x + 1
        part = self.b[1:3]
        doubled, less = torch.ops.decompose_test.exchange(x, self.a, part, 1)
        again, _ = torch.ops.decompose_test.exchange(less, own, self.b)
        return doubled, again, own, part * 2, self.a.sum(), self.b.view(-1)


def test_operators_without_a_functional_form_are_wrapped(caplog):
    inputs = (torch.rand(2, 2),)
    program = export(_Exchanging(), *inputs)
    expected = _Exchanging()(*inputs)
    with caplog.at_level(logging.INFO, logger="executorch.passes.decomposition.decompose"):
        local = decompose(program)
    assert "tracing the whole program again" not in caplog.text
    assert calls(local).count("auto_functionalized_v2") == 2
    traced = program.run_decompositions()
    assert [(spec.kind, spec.target) for spec in local.graph_signature.output_specs] == [
        (spec.kind, spec.target) for spec in traced.graph_signature.output_specs
    ]
    for one in (local, traced):
        for actual, wanted in zip(_run(one, inputs), expected, strict=True):
            torch.testing.assert_close(actual, wanted)
    assert calls(decompose(traced)).count("auto_functionalized_v2") == 2


@pytest.mark.parametrize(
    "second",
    [lambda module: module.a, lambda module: module.a[1:]],
    ids=["the same", "a part of it"],
)
def test_memory_that_is_written_through_two_arguments_is_traced_again(second):
    class Twice(_Exchanging):
        def forward(self, x):
            return torch.ops.decompose_test.exchange(x, self.a, second(self))

    with pytest.raises(NotLocalError, match=r"twice|several views"):
        decompose_locally(export(Twice(), torch.rand(2, 2)), DecompositionTable())
