"""The passes of released ExecuTorch 1.x: each rewrites what it is for, leaves the rest, and keeps the numbers."""

import pytest
import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.xnnpack._passes import XNNPACKPassManager, XNNPACKRemoveCloneOpsTransform
from executorch.backends.xnnpack._passes.channels_last_tagged_reshape_pass import (
    ChannelsLastTaggedReshapePass,
)
from executorch.backends.xnnpack._passes.conv1d_unsqueeze_pass import Conv1dUnsqueezePass
from executorch.backends.xnnpack._passes.convert_to_linear import ConvertToLinearPass
from executorch.backends.xnnpack._passes.decompose_batch_norm import DecomposeBatchNorm
from executorch.backends.xnnpack._passes.decompose_cat import DecomposeConcatenate
from executorch.backends.xnnpack._passes.fuse_activation_pass import FuseActivationPass
from executorch.backends.xnnpack._passes.fuse_batch_norm import FuseBatchNormPass
from executorch.backends.xnnpack._passes.insert_pad_qdq import InsertPadQDQPass
from executorch.backends.xnnpack._passes.prelu_reshape_pass import PReLUReshapePass
from executorch.backends.xnnpack._passes.propagate_custom_meta_pass import PropagateCustomMetaPass
from executorch.backends.xnnpack._passes.remove_redundant_copy_pass import RemoveRedundantCopyPass
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import EdgeCompileConfig, to_edge

nn = torch.nn


class Function(nn.Module):
    def __init__(self, function, **parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, *args):
        return self.function(self, *args)


def edge(model, *inputs, preserve=()):
    config = EdgeCompileConfig(_check_ir_validity=False, preserve_ops=list(preserve))
    return to_edge(torch.export.export(model, inputs), compile_config=config).exported_program()


def quantized(model, *inputs):
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(model.eval(), inputs).module(), quantizer)
    prepared(*inputs)
    return convert_pt2e(prepared)


def after(program, *passes):
    return XNNPACKPassManager(program, list(passes)).transform()


def names(program):
    return [node.name for node in program.graph.nodes if node.op == "call_function"]


def count(program, part):
    return sum(part in name for name in names(program))


def assert_same(program, model, *inputs):
    found, expected = program.module()(*inputs), model(*inputs)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)
    assert torch.utils._pytree.tree_map(lambda one: one.stride(), found) == torch.utils._pytree.tree_map(
        lambda one: one.stride(), expected
    )


IMAGE = torch.randn(1, 3, 8, 8)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("shape", [(2, 4), (2, 5, 4)])
def test_linear_layers_come_back(bias, shape):
    model, x = nn.Linear(4, 3, bias=bias), torch.randn(*shape)
    program = after(edge(model, x), ConvertToLinearPass)
    assert names(program) == ["aten_linear_default"]
    assert_same(program, model, x)


def test_a_product_with_a_weight_of_its_own_is_no_linear_layer():
    model = Function(lambda self, x: torch.addmm(self.b, x, self.w), w=nn.Parameter(torch.randn(4, 3)))
    model.b = nn.Parameter(torch.randn(3))
    assert names(after(edge(model, torch.randn(2, 4)), ConvertToLinearPass)) == ["aten_addmm_default"]


@pytest.mark.parametrize(("inputs", "calls"), [(5, 1), (6, 2), (9, 2), (10, 3)])
def test_long_concatenations(inputs, calls):
    model = Function(lambda self, *all_of_them: torch.cat(all_of_them, 1))
    given = [torch.randn(1, 2) for _ in range(inputs)]
    program = after(edge(model, *given), DecomposeConcatenate)
    assert count(program, "cat") == calls
    assert all(len(node.args[0]) <= 5 for node in program.graph.nodes if "cat" in node.name)
    assert_same(program, model, *given)


def test_activations_become_ranges():
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Hardtanh(-1, 1), nn.ReLU()).eval()
    program = after(edge(model, IMAGE), FuseActivationPass)
    assert names(program) == ["aten_convolution_default"]
    (node,) = [one for one in program.graph.nodes if one.op == "call_function"]
    found = FuseActivationPass.get_fused_activation(node)
    assert (found.output_min, found.output_max) == (0.0, 1.0)


def test_an_activation_of_what_is_read_elsewhere_stays():
    model = Function(lambda self, x: (lambda y: torch.relu(y) + y)(x + x))
    program = after(edge(model, IMAGE), FuseActivationPass)
    assert count(program, "relu") == 1
    assert not any(FuseActivationPass.get_fused_activation(node) for node in program.graph.nodes)


@pytest.mark.parametrize(
    ("model", "x"),
    [
        (nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)), IMAGE),
        (nn.Sequential(nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4, affine=False)), IMAGE),
        (nn.Sequential(nn.ConvTranspose2d(3, 4, 3), nn.BatchNorm2d(4)), IMAGE),
        (nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3)), torch.randn(2, 4)),
    ],
)
def test_batch_norms_are_folded(model, x):
    model[1].running_mean.uniform_(-1, 1)
    model[1].running_var.uniform_(0.5, 2)
    model = model.eval()
    program = after(edge(model, x), ConvertToLinearPass, FuseBatchNormPass)
    assert len(names(program)) == 1
    # The layer's own weights and those of the norm are gone.
    assert len(program.graph_signature.parameters) == 2 and not program.graph_signature.buffers[:-1]
    assert_same(program, model, x)


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 5), (1, 3, 8, 8)])
@pytest.mark.parametrize("affine", [False, True])
def test_batch_norms_by_themselves_are_convolutions(shape, affine):
    kind = nn.BatchNorm2d if len(shape) == 4 else nn.BatchNorm1d
    model, x = kind(3, affine=affine).eval(), torch.randn(*shape)
    model.running_mean.uniform_(-1, 1)
    program = after(edge(model, x), DecomposeBatchNorm)
    assert count(program, "convolution") == 1 and count(program, "batch_norm") == 0
    assert_same(program, model, x)


def test_what_is_no_batch_norm_of_an_image_says_why():
    program = edge(nn.BatchNorm3d(3).eval(), torch.randn(1, 3, 4, 4, 4))
    (norm,) = [node for node in program.graph.nodes if "batch_norm" in node.name]
    told = []
    assert not DecomposeBatchNorm.can_decompose_batch_norm(norm, program, lambda node, why: told.append(why))
    assert "5 dimensions" in told[0]
    assert count(after(program, DecomposeBatchNorm), "batch_norm") == 1


@pytest.mark.parametrize("layer", [nn.Conv1d(3, 4, 3, padding=1), nn.ConvTranspose1d(3, 4, 3, stride=2)])
@pytest.mark.parametrize("integers", [False, True])
def test_convolutions_of_one_dimension(layer, integers):
    x = torch.randn(1, 3, 8)
    model = quantized(nn.Sequential(layer), x) if integers else layer.eval()
    program = after(edge(model, x), Conv1dUnsqueezePass)
    (node,) = [one for one in program.graph.nodes if "convolution" in one.name]
    assert node.meta["val"].dim() == 4
    assert_same(program, model, x)


def test_channels_last_from_the_first_convolution_to_the_last():
    model = Function(
        lambda self, x: torch.relu(self.second(torch.relu(self.first(torch.abs(x))))),
        first=nn.Conv2d(3, 4, 3),
        second=nn.Conv2d(4, 4, 3),
    )
    program = after(edge(model.eval(), IMAGE), ChannelsLastTaggedReshapePass)
    assert count(program, "_to_copy") == 2
    tagged = [node.name for node in program.graph.nodes if ChannelsLastTaggedReshapePass.is_nhwc_node(node)]
    assert sum("convolution" in name or "relu" in name for name in tagged) == 4
    assert not any("abs" in name for name in tagged)
    assert_same(program, model, IMAGE)


def test_images_that_lie_with_channels_last_are_not_copied():
    x = IMAGE.to(memory_format=torch.channels_last)
    model = nn.Conv2d(3, 4, 3).eval()
    program = after(edge(model, x), ChannelsLastTaggedReshapePass)
    assert count(program, "_to_copy") == 0
    assert_same(program, model, x)


def test_views_read_the_plain_order():
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(144, 2)).eval()
    program = after(edge(model, IMAGE), ChannelsLastTaggedReshapePass)
    assert count(program, "_to_copy") == 2
    assert_same(program, model, IMAGE)


def test_copies_of_integers():
    x = torch.randn(1, 3, 8, 8)
    model = quantized(nn.Sequential(nn.Conv2d(3, 4, 3)), x)
    before = edge(model, x)
    program = after(before, ChannelsLastTaggedReshapePass)
    assert count(program, "_to_copy") == 2
    assert count(program, ".quantize") == count(before, ".quantize")
    assert count(program, "quantize_per_tensor") == count(before, "quantize_per_tensor") + 4
    assert_same(program, model, x)


def test_copies_to_and_fro_go():
    model = Function(
        lambda self, x: self.second(self.first(x).contiguous()),
        first=nn.Conv2d(3, 4, 3),
        second=nn.Conv2d(4, 4, 3),
    ).eval()
    x = IMAGE.to(memory_format=torch.channels_last)
    with_copies = after(edge(model, x), ChannelsLastTaggedReshapePass)
    without = after(edge(model, x), ChannelsLastTaggedReshapePass, RemoveRedundantCopyPass)
    assert count(without, "copy") + count(without, "clone") < count(with_copies, "copy") + count(
        with_copies, "clone"
    )
    torch.testing.assert_close(without.module()(x), model(x), atol=1e-5, rtol=1e-4)


def test_slopes_with_channels_last():
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.PReLU(4)).eval()
    program = edge(model, IMAGE, preserve=[torch.ops.aten.prelu.default])
    (slopes,) = [
        node.args[1]
        for node in after(program, ChannelsLastTaggedReshapePass, PReLUReshapePass).graph.nodes
        if "prelu" in node.name
    ]
    assert tuple(slopes.meta["val"].shape) == (1, 4, 1, 1)


def test_padding_of_integers():
    x = torch.randn(1, 3, 8, 8)
    program = edge(quantized(nn.Sequential(nn.Conv2d(3, 4, 3), nn.ZeroPad2d(1)), x), x)
    for node in list(program.graph.nodes):
        # As a quantizer leaves it that knows no padding.
        if "pad" in node.name:
            (integers,) = node.users
            (numbers,) = integers.users
            numbers.replace_all_uses_with(node)
    program.graph.eliminate_dead_code()
    before = count(program, "quantize_per_tensor")
    assert count(after(program, InsertPadQDQPass), "quantize_per_tensor") == before + 2
    assert count(after(program, InsertPadQDQPass, InsertPadQDQPass), "quantize_per_tensor") == before + 2


def test_what_is_said_of_a_weight_is_said_of_its_dequantization():
    x = torch.randn(2, 4)
    program = edge(quantized(nn.Sequential(nn.Linear(4, 3)), x), x)
    (weight,) = [node for node in program.graph.nodes if "frozen" in node.name]
    weight.meta["custom"] = {"delegate_constant_tag": "file"}
    marked = [
        node.name for node in after(program, PropagateCustomMetaPass).graph.nodes if node.meta.get("custom")
    ]
    assert len(marked) == 2 and "dequantize" in marked[1]


def test_clones():
    model = Function(lambda self, x: (x.clone() * x).clone(memory_format=torch.channels_last))
    program = after(edge(model, IMAGE), XNNPACKRemoveCloneOpsTransform)
    assert count(program, "clone") == 1
    assert_same(program, model, IMAGE)
