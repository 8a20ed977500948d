"""Layers on MX blocks: what becomes of a model, how far numbers move, and what is refused."""

import pytest
import torch
from torch import nn

from executorch.backends.arm.ao_ext import MXFPOpConfig, to_mxfp
from executorch.backends.arm.ao_ext.ops import MXFPConv2dOp, MXFPLinearOp, from_blocks, to_blocks
from executorch.backends.arm.tosa.mx_types import STORED

_DTYPES = [getattr(torch, name, name) for name in STORED]


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.conv = nn.Conv2d(64, 32, 3, stride=2, padding=1, dilation=2)
        self.first = nn.Linear(32, 96, bias=False)
        self.odd = nn.Linear(96, 7)

    def forward(self, x):
        return self.odd(self.first(self.conv(x).mean((2, 3))))


@pytest.mark.parametrize("name", STORED)
def test_blocks_keep_what_a_type_can_say(name):
    # Powers of two, one exponent apart, are numbers of all these types.
    x = torch.tensor([1.0, -2.0, 0.0, 2.0]).repeat(2, 3, 16) * torch.tensor(
        [2.0**-9, 2.0**40]
    ).repeat_interleave(32)
    data, scale = to_blocks(x, name)
    assert scale.shape == (2, 3, 2) and scale.dtype is torch.float8_e8m0fnu
    dtype, each = STORED[name]
    assert data.dtype is dtype and data.shape == (2, 3, 64 // each)
    assert torch.equal(from_blocks(data, scale, name), x)


@pytest.mark.parametrize("dtype", _DTYPES, ids=str)
def test_layers_on_blocks_are_near_and_exported(dtype):
    model, x = Model().eval(), torch.randn(2, 64, 9, 9)
    wanted = model(x)
    to_mxfp(model, MXFPOpConfig(dtype))
    assert isinstance(model.conv, MXFPConv2dOp) and isinstance(model.first, MXFPLinearOp)
    assert model.conv.weight_scale.shape == (32, 3, 3, 2) and model.first.weight_scale.shape == (1, 96, 1)
    found = model(x)
    noise = float((found - wanted).norm() / wanted.norm())
    assert 0 < noise < (0.4 if "float4" in str(dtype) else 0.1)
    exported = torch.export.export(model, (x,))
    names = [str(node.target) for node in exported.graph.nodes if node.op == "call_function"]
    assert {"tosa_mxfp.conv2d.default", "tosa_mxfp.linear.default"} <= {*names}
    assert torch.equal(exported.module()(x), found)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_results_keep_the_type_of_the_model(dtype):
    model, x = Model().eval().to(dtype), torch.randn(1, 64, 9, 9).to(dtype)
    to_mxfp(model, MXFPOpConfig())
    assert model.first(model.conv(x).mean((2, 3))).dtype is dtype
    assert torch.export.export(model, (x,)).module()(x).dtype is dtype


def test_what_cannot_be_on_blocks_is_left_or_refused():
    model = Model()
    to_mxfp(model, MXFPOpConfig(), filter_fn=lambda module, name: name == "first")
    assert isinstance(model.first, MXFPLinearOp) and isinstance(model.conv, nn.Conv2d)
    to_mxfp(model, MXFPOpConfig())
    assert isinstance(model.conv, MXFPConv2dOp)
    for layer, why in (
        (nn.Linear(40, 2), "40 input channels"),
        (nn.Conv2d(64, 64, 3, groups=2), "2 groups"),
        (nn.Conv2d(64, 64, 3, padding="same"), "'same'"),
        (nn.ReLU(), "neither"),
    ):
        with pytest.raises(ValueError, match=why):
            to_mxfp(nn.Sequential(layer), MXFPOpConfig(), filter_fn=lambda module, name: name == "0")
    with pytest.raises(ValueError, match="itself"):
        to_mxfp(nn.Linear(32, 2), MXFPOpConfig())
    with pytest.raises(ValueError, match="no type"):
        MXFPOpConfig(torch.float16)
    with pytest.raises(ValueError, match="have 32"):
        MXFPOpConfig(block_size=16)
