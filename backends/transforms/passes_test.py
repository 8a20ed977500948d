"""Passes on edge programs: what is left, equal numbers before and after, and the truth about ``modified``."""

import pytest
import torch
import torch.nn.functional as F
from torch.export import Dim, export

from executorch.backends.transforms.addmm_mm_to_linear import (
    AddmmToLinearTransform,
    replace_linear_view_copy_input_output,
)
from executorch.backends.transforms.collapse_view_copy import CollapseViewCopyPass
from executorch.backends.transforms.convert_conv1d_to_conv2d_pass import ConvertConv1dToConv2dPass
from executorch.backends.transforms.convert_dtype_pass import ConvertDtypePass, I64toI32
from executorch.backends.transforms.decompose_sdpa import DecomposeScaledDotProductAttention
from executorch.backends.transforms.enforce_contiguous_dim_order import EnforceContiguousDimOrder
from executorch.backends.transforms.fuse_batch_norm_with_conv import FuseBatchNormWithConvPass
from executorch.backends.transforms.fuse_duplicate_users_pass import FuseDuplicateUsersPass
from executorch.backends.transforms.fuse_view_copy import FuseViewCopyTransform
from executorch.backends.transforms.mean_to_sum_div import MeanToSumDiv
from executorch.backends.transforms.programs_for_tests import evaluate, function_module, operators, run
from executorch.backends.transforms.rank_0_to_rank_1 import Rank0ToRank1Pass
from executorch.backends.transforms.remove_clone_ops import RemoveCloneOpsTransform
from executorch.backends.transforms.replace_scalar_with_tensor import ReplaceScalarWithTensorArgPass
from executorch.backends.transforms.view_copy_to_squeeze_unsqueeze import ViewCopyToSqueezeUnsqueezePass
from executorch.dialects.ops import ops
from executorch.exir import to_edge

_IMAGE = (torch.rand(2, 3, 4, 5),)
_BATCH = ({0: Dim("batch", min=2, max=8)},)
_aten = torch.ops.aten


@pytest.mark.parametrize("bias", [True, False])
def test_a_matrix_product_with_a_transposed_weight_is_linear(bias):
    result = run(
        torch.nn.Linear(4, 3, bias=bias), (torch.rand(2, 4),), lambda _: AddmmToLinearTransform(), _BATCH
    )
    assert operators(result) == ["aten::linear"]


def test_any_other_matrix_product_stays():
    def model(x, y, z):
        return torch.addmm(z, x, y.t()) + x @ y.t().contiguous()

    inputs = (torch.rand(2, 4), torch.rand(3, 4), torch.rand(2, 3))
    assert (
        "aten::linear"
        not in operators(run(model, inputs, lambda _: AddmmToLinearTransform(), modified=None))[:2]
    )


def test_views_around_linear_go():
    result = run(torch.nn.Linear(4, 3), (torch.rand(2, 5, 4),), lambda _: AddmmToLinearTransform())
    assert operators(result) == ["aten::view_copy", "aten::linear", "aten::view_copy"]
    replace_linear_view_copy_input_output(result.graph)
    assert operators(result) == ["aten::linear"]
    assert tuple(result.graph.output_node().args[0][0].meta["val"].shape) == (2, 5, 3)


def test_views_that_change_what_linear_reads_stay():
    def model(x, weight):
        rows = x.reshape(2, 8)
        return (rows @ weight.t()).reshape(2, 4, 2)

    result = run(model, (torch.rand(2, 4, 2), torch.rand(8, 8)), lambda _: AddmmToLinearTransform())
    before = operators(result)
    replace_linear_view_copy_input_output(result.graph)
    assert operators(result) == before


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("convolution", [torch.nn.Conv2d, torch.nn.ConvTranspose2d])
def test_batch_norm_is_folded_into_a_convolution(convolution, bias):
    norm = torch.nn.BatchNorm2d(4)
    norm.load_state_dict(
        {**norm.state_dict(), "running_mean": torch.rand(4), "running_var": torch.rand(4) + 1}
    )
    model = torch.nn.Sequential(convolution(3, 4, 3, bias=bias), norm)
    result = run(model, (torch.rand(2, 3, 8, 8),), FuseBatchNormWithConvPass, _BATCH)
    assert operators(result) == ["aten::convolution"]


def test_batch_norm_after_a_convolution_that_others_read_stays():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.convolution, self.norm = torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4)

        def forward(self, x):
            y = self.convolution(x)
            return self.norm(y) + y

    run(Model(), (torch.rand(2, 3, 8, 8),), FuseBatchNormWithConvPass, modified=False)


def test_a_batch_norm_whose_statistics_or_scale_the_model_writes_stays():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.convolution, self.norm = torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4)

        def forward(self, x):
            y = self.norm(self.convolution(x))
            self.norm.running_mean.add_(1)
            return y

    run(Model(), (torch.rand(2, 3, 8, 8),), FuseBatchNormWithConvPass, modified=False)


@pytest.mark.parametrize("make", [FuseViewCopyTransform, CollapseViewCopyPass])
def test_views_that_follow_each_other_become_one(make):
    result = run(lambda x: x.view(6, 20).view(120).view(12, 10), _IMAGE, lambda _: make())
    assert operators(result) == ["aten::view_copy"]
    run(
        lambda x: (x.view(6, 20).view(120), x.view(6, 20) + x.view(6, 20)),
        _IMAGE,
        lambda _: make(),
        modified=None,
    )


def test_views_are_fused_over_elementwise_operators_of_unknown_batch():
    def model(x):
        return torch.relu(x.view(-1, 12)).view(-1, 3, 4)

    result = run(model, (torch.rand(4, 12),), lambda _: FuseViewCopyTransform(), _BATCH, modified=None)
    assert "aten::relu" in operators(result)
    result = run(lambda x: torch.relu(x.view(6, 20)).view(120), _IMAGE, lambda _: FuseViewCopyTransform())
    assert operators(result) == ["aten::view_copy", "aten::relu"]


def test_a_chain_of_views_that_leads_back_is_dropped():
    result = run(
        lambda x: torch.relu(x.view(6, 20).view(2, 3, 4, 5)), _IMAGE, lambda _: CollapseViewCopyPass()
    )
    assert operators(result) == ["aten::relu"]


@pytest.mark.parametrize("dims", [(2, 3), (-1,)])
@pytest.mark.parametrize("keepdim", [True, False])
def test_mean_is_a_sum_divided(dims, keepdim):
    result = run(lambda x: x.mean(dims, keepdim=keepdim), _IMAGE, lambda _: MeanToSumDiv(), _BATCH)
    assert operators(result) == ["aten::sum.dim_IntList", "aten::full", "aten::div.Tensor"]


def test_a_mean_over_an_unknown_size_stays():
    run(lambda x: x.mean((0,)), _IMAGE, lambda _: MeanToSumDiv(), _BATCH, modified=False)


def test_constants_of_rank_0_are_seen_with_dimensions():
    result = run(lambda x, y: x * y, (torch.rand(2, 3), torch.tensor(2.0)), lambda _: Rank0ToRank1Pass())
    assert [tuple(n.meta["val"].shape) for n in result.graph.find_nodes(op="placeholder")] == [(2, 3), (1, 1)]


def test_copies_go_unless_they_change_the_dim_order():
    remove = lambda _: RemoveCloneOpsTransform()  # noqa: E731
    assert operators(run(lambda x: torch.relu(x.clone()), _IMAGE, remove)) == ["aten::relu"]
    run(lambda x: torch.relu(x.clone(memory_format=torch.channels_last)), _IMAGE, remove, modified=False)
    keep = RemoveCloneOpsTransform(preserve_input_output_copies=True)
    run(lambda x: x.clone(), _IMAGE, lambda _: keep, modified=False)


@pytest.mark.parametrize("format_of_copy", [None, torch.channels_last])
def test_copies_in_graphs_without_example_values(format_of_copy):
    graph = torch.fx.Graph()
    layout = {} if format_of_copy is None else {"memory_format": format_of_copy}
    copy = graph.call_function(ops.edge.aten.clone.default, (graph.placeholder("x"),), layout)
    graph.output(graph.call_function(_aten.relu.default, (copy,)))
    result = RemoveCloneOpsTransform()(torch.fx.GraphModule({}, graph))
    assert result.modified is (format_of_copy is None)
    assert operators(result.graph_module) == (
        ["aten::relu"] if result.modified else ["aten::clone", "aten::relu"]
    )


def test_numbers_become_tensors():
    def model(x):
        return _aten.mul.Scalar(_aten.sub.Scalar(x, 2, 3), 3.5)

    for x in (torch.rand(2, 3), torch.arange(6), torch.tensor(1.5)):
        result = run(model, (x,), lambda _: ReplaceScalarWithTensorArgPass())
        assert operators(result) == ["aten::full", "aten::sub.Tensor", "aten::full", "aten::mul.Tensor"]
    run(lambda x: torch.relu(x), _IMAGE, lambda _: ReplaceScalarWithTensorArgPass(), modified=False)


class _Indices(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("offset", torch.arange(5))
        self.table = torch.nn.Embedding(10, 3)

    def forward(self, x):
        best = torch.argmax(self.table(x), -1, keepdim=True)
        return self.table(x) + best + (x + self.offset).unsqueeze(-1), x + 1, torch.gather(x, 1, x * 0)


@pytest.mark.parametrize("skip_dim_order", [True, False])
def test_integers_are_calculated_in_32_bits(skip_dim_order):
    inputs = (torch.randint(0, 10, (2, 5)),)
    result = run(_Indices(), inputs, lambda _: I64toI32(skip_dim_order), _BATCH)
    (added,) = [n for n in result.graph.nodes if n.name.startswith("aten_unsqueeze_copy")]
    assert added.meta["val"].dtype is torch.int32
    assert [arg.meta["val"].dtype for arg in result.graph.output_node().args[0]] == [
        torch.float32,
        torch.int64,
        torch.int64,
    ]


def test_floats_are_calculated_in_16_bits():
    result = run(
        lambda x: torch.relu(x) + 1,
        _IMAGE,
        lambda _: ConvertDtypePass(torch.float32, torch.float16),
        atol=1e-2,
    )
    relu = next(n for n in result.graph.nodes if "relu" in n.name)
    assert relu.meta["val"].dtype is torch.float16


@pytest.mark.parametrize("convolution", [torch.nn.Conv1d, torch.nn.ConvTranspose1d])
def test_a_convolution_over_one_dimension_is_one_over_two(convolution):
    layer = convolution(3, 4, 3, stride=2, padding=1)
    result = run(layer, (torch.rand(2, 3, 8),), ConvertConv1dToConv2dPass, _BATCH)
    assert operators(result) == ["aten::unsqueeze_copy", "aten::convolution", "aten::squeeze_copy.dim"]


def test_the_convolution_is_the_node_that_it_was():
    program = to_edge(export(torch.nn.Conv1d(3, 4, 3), (torch.rand(2, 3, 8),))).exported_program()
    (node,) = program.graph.find_nodes(op="call_function", target=ops.edge.aten.convolution.default)
    name = node.name
    assert ConvertConv1dToConv2dPass(program)(program.graph_module).modified
    assert node.graph is program.graph and node.name == name and node.meta["val"].shape == (2, 4, 1, 6)


def test_a_convolution_with_a_calculated_weight_stays():
    run(
        lambda x, w: F.conv1d(x, w),
        (torch.rand(2, 3, 8), torch.rand(4, 3, 3)),
        ConvertConv1dToConv2dPass,
        modified=False,
    )


def test_views_become_squeeze_and_unsqueeze():
    rewrite = lambda _: ViewCopyToSqueezeUnsqueezePass()  # noqa: E731
    result = run(lambda x: torch.relu(x.view(3, 1, 5)).view(3, 5), (torch.rand(3, 5),), rewrite)
    assert operators(result) == ["aten::unsqueeze_copy", "aten::relu", "aten::squeeze_copy.dims"]
    run(lambda x: x.view(5, 3), (torch.rand(3, 5),), rewrite, modified=False)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"is_causal": True},
        {"scale": 0.5},
        {"attn_mask": torch.rand(4, 4)},
        {"attn_mask": torch.eye(4) > 0},
    ],
)
def test_attention_is_decomposed(options):
    def model(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, **options)

    inputs = tuple(torch.rand(2, 2, 4, 8) for _ in range(3))
    program = export(function_module(model), inputs)
    expected = model(*inputs)
    module = program.graph_module
    result = DecomposeScaledDotProductAttention()(module)
    assert result.modified
    assert "aten::scaled_dot_product_attention" not in operators(result.graph_module)
    torch.testing.assert_close(evaluate(program, result.graph_module, inputs)[0], expected)
    assert not DecomposeScaledDotProductAttention()(result.graph_module).modified


def test_the_dim_order_is_contiguous_between_inputs_and_outputs():
    image = torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last)
    result = run(lambda x: torch.relu(x) * 2, (image,), lambda _: EnforceContiguousDimOrder())
    assert next(n for n in result.graph.nodes if "relu" in n.name).meta["val"].is_contiguous()
    (output,) = result.graph.output_node().args[0]
    assert output.meta["val"].is_contiguous(memory_format=torch.channels_last)
    run(torch.relu, _IMAGE, lambda _: EnforceContiguousDimOrder(), modified=False)


def test_copies_there_and_back_go():
    def model(x):
        return (
            torch.relu(x)
            .clone(memory_format=torch.channels_last)
            .clone(memory_format=torch.contiguous_format)
        )

    result = run(model, _IMAGE, lambda _: EnforceContiguousDimOrder())
    assert operators(result) == ["aten::relu"]


def test_equal_calls_become_one():
    result = run(lambda x: torch.relu(x) + torch.relu(x), _IMAGE, lambda _: FuseDuplicateUsersPass())
    assert operators(result) == ["aten::relu", "aten::add.Tensor"]
    excluded = FuseDuplicateUsersPass(frozenset({ops.edge.aten.relu.default}))
    run(lambda x: torch.relu(x) + torch.relu(x), _IMAGE, lambda _: excluded, modified=False)


def test_attention_of_unequal_heads_says_what_is_wrong():
    graph = torch.fx.Graph()
    operands = [graph.placeholder(name) for name in ("query", "key", "value")]
    for operand, heads in zip(operands, (4, 2, 2), strict=True):
        operand.meta["val"] = torch.empty(1, heads, 4, 8)
    graph.output((graph.call_function(_aten.scaled_dot_product_attention.default, tuple(operands)),))
    with pytest.raises(ValueError, match="enable_gqa"):
        DecomposeScaledDotProductAttention()(torch.fx.GraphModule(torch.nn.Module(), graph))
