"""Programs before and after: the operators that stand there, and what they calculate."""

import itertools

import pytest
import torch
from torch import nn
from torchao.quantization.granularity import PerGroup
from torchao.quantization.quant_api import IntxWeightOnlyConfig, quantize_
from torchao.utils import unwrap_tensor_subclass

from executorch.backends.vulkan.published._passes.fuse_patterns import FusePatternsPass
from executorch.backends.vulkan.test.models import Int8, rounded
from executorch.exir import EdgeCompileConfig, to_edge


def fused(model, inputs, preserved=()):
    """The program, whether it changed, and its calls of et_vk."""
    config = EdgeCompileConfig(_check_ir_validity=False, preserve_ops=list(preserved))
    edge = to_edge(torch.export.export(model.eval(), inputs), compile_config=config)
    program = edge.exported_program()
    rewrite = FusePatternsPass()
    rewrite._exported_program = program
    result = rewrite(program.graph_module)
    program.graph_module.graph.lint()
    calls = [node for node in program.graph.nodes if "et_vk" in str(node.target)]
    return program, result.modified, calls


def same(program, model, inputs, tolerance=1e-5):
    got = program.module()(*inputs)
    torch.testing.assert_close(got, model(*inputs), atol=tolerance, rtol=1e-5)


class Layers(nn.Module):
    """Three layers of int8, the second of which is clamped."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Int8(nn.Linear(16, 9)), Int8(nn.Linear(9, 8, bias=False))
        self.third = Int8(nn.Linear(8, 4))

    def forward(self, x):
        x = rounded(self.first(rounded(x, 0.03)), 0.02)
        return rounded(self.third(rounded(self.second(x).relu(), 0.01, -5)), 0.02)


@pytest.mark.parametrize(("rows", "name"), [(4, "q8ta_linear"), (1, "q8ta_linear_gemv")])
def test_linear_layers_between_int8(rows, name):
    torch.manual_seed(0)
    model, inputs = Layers(), (torch.randn(rows, 16),)
    program, is_changed, calls = fused(model, inputs)
    assert is_changed and [f"et_vk.{name}.default" in str(node.target) for node in calls] == [True] * 3
    for one, following in itertools.pairwise(calls):
        assert (one.args[6], one.args[7]) == (following.args[1], following.args[2])
        assert following.args[0] is one
    assert [node.args[9] for node in calls] == ["none", "relu", "none"]
    # Of nine outputs, sums, scales and biases have places for twelve.
    assert [list(calls[0].args[i].meta["val"].shape) for i in (3, 4, 5, 8)] == [[9, 16], [12], [12], [12]]
    same(program, model, inputs, 0.02)


def table(columns, group):
    model = nn.Embedding(64, columns)
    how = IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerGroup(group))
    quantize_(model, how, filter_fn=lambda *_: True)
    unwrap_tensor_subclass(model)
    return model


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = table(128, 32)

    def forward(self, x, y):
        return self.table(x) + self.table(y)


def test_a_table_of_four_bits_is_packed_once():
    model, inputs = Twice(), (torch.tensor([0, 1, 2]), torch.tensor([5, 6, 63]))
    program, is_changed, calls = fused(model, inputs)
    assert is_changed and len(calls) == 2
    assert calls[0].args[0] is calls[1].args[0] and calls[0].args[2::2] == (32, True)
    assert calls[0].args[0].meta["val"].dtype is torch.uint8
    assert tuple(calls[0].args[0].meta["val"].shape) == (64, 64)
    assert not [node for node in program.graph.nodes if "dequantize" in str(node.target)]
    same(program, model, inputs)


def test_a_table_of_other_widths_stays():
    _, is_changed, calls = fused(table(48, 16), (torch.tensor([0, 1]),))
    assert not is_changed and not calls


class Turn(nn.Module):
    """As decoders write it, the tables of angles as broad as queries and keys."""

    def forward(self, queries, keys, cosines, sines):
        def turned(x):
            even, odd = x.reshape(*x.shape[:-1], -1, 2).unbind(-1)
            c, s = (one.view(1, x.shape[1], 1, -1) for one in (cosines, sines))
            return torch.stack([even * c - odd * s, even * s + odd * c], -1).flatten(3)

        return turned(queries), turned(keys)


def test_queries_and_keys_are_turned_together():
    inputs = torch.randn(1, 5, 4, 8), torch.randn(1, 5, 2, 8), torch.randn(5, 4), torch.randn(5, 4)
    program, is_changed, calls = fused(Turn(), inputs)
    assert is_changed and ["apply_rotary_emb" in str(node.target) for node in calls] == [True]
    same(program, Turn(), inputs)


class Shuffle(nn.Module):
    def __init__(self, between):
        super().__init__()
        self.between = between

    def forward(self, x):
        ops = torch.ops.quantized_decomposed
        x = ops.dequantize_per_tensor(x, 0.1, 0, -128, 127, torch.int8)
        return ops.quantize_per_tensor(self.between(x), 0.05, 1, -128, 127, torch.int8)


def test_a_pixel_shuffle_between_int8():
    inputs = (torch.randint(-128, 128, (1, 8, 3, 5), dtype=torch.int8),)
    model = Shuffle(nn.PixelShuffle(2))
    program, is_changed, (call,) = fused(model, inputs, [torch.ops.aten.pixel_shuffle.default])
    assert is_changed and call.args[1:] == (0.1, 0, 20.0, 1, 2)
    same(program, model, inputs, 0)
    assert not fused(Shuffle(nn.ReLU()), inputs)[1]


def test_a_pass_without_a_program_is_refused():
    with pytest.raises(ValueError, match="Way out: set _exported_program"):
        FusePatternsPass()(torch.fx.GraphModule(nn.Module(), torch.fx.Graph()))
