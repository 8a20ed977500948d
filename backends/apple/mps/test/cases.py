"""Calls of every operator in the table, in groups that are one program each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from executorch.backends.test.calls_for_tests import Calls

Group = tuple[nn.Module, tuple[Tensor, ...]]


def _random(*sizes: int, positive: bool = False) -> Tensor:
    values = torch.randn(*sizes)
    return values.abs() + 0.5 if positive else values


def binary() -> Group:
    """Two operands that broadcast, numbers for one of them, factors, roundings."""
    functions: list[Callable[..., Any]] = [
        lambda a, b, p: torch.add(a, b, alpha=2),
        lambda a, b, p: a + 1.5,
        lambda a, b, p: torch.sub(a, b, alpha=3),
        lambda a, b, p: 2 - a,
        lambda a, b, p: 3 * a * b,
        lambda a, b, p: a / p,
        lambda a, b, p: a / 4,
        lambda a, b, p: torch.div(a, p, rounding_mode="floor"),
        lambda a, b, p: torch.div(a, 0.7, rounding_mode="trunc"),
        lambda a, b, p: torch.floor_divide(a, p),
        lambda a, b, p: torch.minimum(a, b),
        lambda a, b, p: torch.maximum(a, b),
        lambda a, b, p: p**b,
        lambda a, b, p: p**1.5,
        lambda a, b, p: 1.5**a,
        lambda a, b, p: torch.fmod(a, p),
        lambda a, b, p: torch.fmod(a, 0.7),
        lambda a, b, p: torch.remainder(a, p),
        lambda a, b, p: torch.remainder(a, 0.7),
        lambda a, b, p: torch.atan2(a, p),
        lambda a, b, p: torch.where(a > 0, a, b),
    ]
    return Calls(functions), (_random(2, 3, 4), _random(3, 1), _random(4, positive=True))


_COMPARISONS = (torch.eq, torch.ne, torch.lt, torch.le, torch.gt, torch.ge)


def integers() -> Group:
    """Comparisons, bits, other types."""
    functions: list[Callable[..., Any]] = [
        *(lambda a, b, i, one=one: one(a, b) for one in _COMPARISONS),
        *(lambda a, b, i, one=one: one(a, 0.5) for one in _COMPARISONS),
        lambda a, b, i: torch.logical_not(a > 0),
        lambda a, b, i: (a > 0).to(torch.float32) + i.to(torch.float32),
        lambda a, b, i: (a * 3).to(torch.int32),
        lambda a, b, i: i * 2 + i,
        lambda a, b, i: i & 3,
        lambda a, b, i: i | (i * 2),
        lambda a, b, i: i ^ (i + 1),
        lambda a, b, i: torch.bitwise_not(i),
        lambda a, b, i: torch.abs(i) - torch.sign(i),
        lambda a, b, i: torch.isnan(a / b),
        lambda a, b, i: torch.isinf(a / b),
    ]
    inputs = (_random(3, 4).round(), _random(3, 4).round(), torch.arange(12).reshape(3, 4) - 5)
    return Calls(functions), inputs


_FUNCTIONS = "exp exp2 reciprocal sqrt neg log log10 log2 erf floor ceil rsqrt sigmoid sin sign cos tan abs atan sinh cosh tanh asinh round"


def unary() -> Group:
    """Functions of one element."""
    named = [getattr(torch, name) for name in _FUNCTIONS.split()]
    functions: list[Callable[..., Any]] = [lambda x, p, u, one=one: one(p) for one in named]
    functions += [lambda x, p, u, one=one: one(u) for one in (torch.asin, torch.acos, torch.atanh)]
    functions += [lambda x, p, u: torch.acosh(p + 1)]
    for one in (torch.relu, F.relu6, F.gelu, F.silu, F.hardswish, F.hardsigmoid):
        functions.append(lambda x, p, u, one=one: one(x))
    functions += [
        lambda x, p, u: F.hardtanh(x, -0.3, 0.6),
        lambda x, p, u: F.leaky_relu(x, 0.2),
        lambda x, p, u: F.gelu(x, approximate="tanh"),
        lambda x, p, u: x.clamp(-0.5, 0.25),
        lambda x, p, u: x.clamp(min=0.1),
        lambda x, p, u: x.clamp(max=0.1),
    ]
    return Calls(functions), (_random(2, 3, 5), _random(7, positive=True), torch.rand(6) * 1.6 - 0.8)


def products() -> Group:
    """Products of matrices, with constant weights and without, with factors."""
    linear, second = nn.Linear(6, 5), nn.Linear(6, 3, bias=False)
    functions: list[Callable[..., Any]] = [
        lambda a, b, x: torch.mm(a, b),
        lambda a, b, x: torch.bmm(x, x.transpose(1, 2)),
        lambda a, b, x: torch.addmm(a[:, :2], a, b[:, :2], beta=0.5, alpha=2),
        lambda a, b, x: torch.addmm(b[0], a, b),
        lambda a, b, x: linear(x),
        lambda a, b, x: second(a),
    ]
    return Calls(functions, linear=linear, second=second), (_random(4, 6), _random(6, 3), _random(2, 3, 6))


def convolutions() -> Group:
    """One and two dimensions: dense, pointwise, depthwise, grouped, dilated; batch norms fold into them."""
    layers: dict[str, nn.Module] = {
        "dense": nn.Sequential(nn.Conv2d(4, 6, 3, padding=1, bias=False), nn.BatchNorm2d(6), nn.ReLU6()),
        "pointwise": nn.Sequential(nn.Conv2d(4, 8, 1), nn.ReLU()),
        "uneven": nn.Conv2d(4, 6, 3, stride=(2, 1), padding=(1, 2), dilation=(1, 2)),
        "depthwise": nn.Conv2d(4, 4, 3, stride=2, padding=1, groups=4),
        "multiplied": nn.Conv2d(4, 8, 3, groups=4),
        "grouped": nn.Conv2d(4, 6, (3, 1), padding=(1, 0), groups=2, dilation=(2, 1)),
    }
    row, rows = nn.Conv1d(4, 6, 3, stride=2, padding=2, dilation=2), nn.Conv1d(4, 4, 3, groups=4)
    functions: list[Callable[..., Any]] = [lambda x, r, one=one: one(x) for one in layers.values()]
    functions += [lambda x, r: row(r), lambda x, r: rows(r)]
    return Calls(functions, row=row, rows=rows, **layers), (_random(1, 4, 8, 7), _random(2, 4, 9))


def normalizations() -> Group:
    """Normalization, reduction and pools."""
    layer, group, batch, plain = (
        nn.LayerNorm([5, 6]),
        nn.GroupNorm(2, 4),
        nn.BatchNorm2d(4),
        nn.LayerNorm(6, elementwise_affine=False),
    )
    square, bare = nn.RMSNorm(6), nn.BatchNorm2d(4, affine=False)
    functions: list[Callable[..., Any]] = [
        lambda x: torch.softmax(x, 1),
        lambda x: torch.log_softmax(x, -1),
        lambda x: layer(x),
        lambda x: plain(x),
        lambda x: square(x),
        lambda x: group(x),
        lambda x: batch(x * 2),
        lambda x: bare(x),
        lambda x: x.mean((2, 3)),
        lambda x: x.mean(-1, keepdim=True),
        lambda x: x.mean(),
        lambda x: (x > 1).any(-1),
        lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True),
        lambda x: x.sum(1, keepdim=True),
        lambda x: F.max_pool2d(x, 2),
        lambda x: F.max_pool2d(x, 3, stride=2, padding=1, ceil_mode=True),
        lambda x: F.max_pool2d(x, 2, stride=1, dilation=2),
        lambda x: F.avg_pool2d(x, 2, divisor_override=3),
        lambda x: F.avg_pool2d(x, 3, stride=1, padding=1),
        lambda x: F.avg_pool2d(x, 3, stride=2, padding=1, ceil_mode=True, count_include_pad=False),
        lambda x: F.adaptive_avg_pool2d(x, 1),
        lambda x: F.adaptive_avg_pool2d(x, (5, 2)),
    ]
    layers = {"layer": layer, "group": group, "batch": batch, "square": square, "plain": plain, "bare": bare}
    return Calls(functions, **layers), (_random(1, 4, 5, 6),)


def moves() -> Group:
    """Elements elsewhere."""
    functions: list[Callable[..., Any]] = [
        lambda x: x.reshape(6, 20).relu(),
        lambda x: x.unsqueeze(-1).relu(),
        lambda x: (x[:1] * 2).squeeze(0),
        lambda x: (x * 2).squeeze(1),
        lambda x: (x[:1, :1] * 2).squeeze(),
        lambda x: x.permute(2, 0, -2).contiguous(),
        lambda x: x.transpose(0, -1).contiguous(),
        lambda x: x[0].t().contiguous() * 2,
        lambda x: x[:, :, :1].expand(-1, -1, 3).contiguous(),
        lambda x: x.repeat(2, 1, 3),
        lambda x: x.repeat(2, 1, 1, 2),
        lambda x: torch.cat([x, x * 2, x], -2),
        lambda x: torch.stack([x, x * 2], 1),
        lambda x: x[:, 1:-1:2].contiguous(),
        lambda x: x.select(1, -1).contiguous(),
        lambda x: [one.contiguous() for one in x.split([2, 3], 1)],
        lambda x: [one + 1.0 for one in x.chunk(3, -1)],
        lambda x: [one.contiguous() for one in x.unbind(0)],
        lambda x: F.pad(x, (1, 2, 0, 1), value=0.5),
        lambda x: F.pixel_shuffle(x.unsqueeze(0), 2),
        lambda x: F.pad(x, (1, 2), mode="reflect"),
    ]
    return Calls(functions), (_random(4, 5, 6),)


def lookups() -> Group:
    """Elements by number, and tensors of numbers alone that are too large to be constants."""
    table = nn.Embedding(9, 4, padding_idx=1)
    functions: list[Callable[..., Any]] = [
        lambda x, i: table(i),
        lambda x, i: torch.index_select(x, -1, i[0]),
        lambda x, i: x[i[1]],
        lambda x, i: x[:, i],
        lambda x, i: x[i[0], i[1]],
        lambda x, i: torch.index_put(x, (i[0],), x * 3),
        lambda x, i: torch.index_put(x, (i[0], i[1]), x[0, :2] - 1),
        lambda x, i: torch.index_put(x, (i,), x[0] * 5),
        lambda x, i: torch.scatter(x, 1, i, x[:, :2] * 2),
        lambda x, i: torch.full_like(x, 2.5) * x,
        lambda x, i: torch.full((70000, 1), 2.0) * x[0],
        lambda x, i: torch.arange(0.0, 140000.0, 2.0) * x[0, :1],
        lambda x, i: torch.arange(70000) * i[0, :1],
    ]
    return Calls(functions, table=table), (_random(2, 3), torch.tensor([[0, 1], [1, 0]]))


GROUPS: dict[str, Callable[[], Group]] = {
    one.__name__: one
    for one in (binary, integers, unary, products, convolutions, normalizations, moves, lookups)
}


def make(name: str) -> Group:
    """A group with the same numbers each time; its norms have statistics."""
    torch.manual_seed(0)
    module, inputs = GROUPS[name]()
    for layer in module.modules():
        if isinstance(layer, nn.BatchNorm2d):
            assert layer.running_mean is not None and layer.running_var is not None
            layer.running_mean.uniform_(-0.5, 0.5)
            layer.running_var.uniform_(0.5, 2.0)
    return module.eval(), inputs
