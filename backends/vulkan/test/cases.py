"""A call of every operator in the registry, in groups that are one program each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

import executorch.backends.vulkan.custom_ops_lib  # noqa: F401 - the operators of et_vk.
from executorch.backends.test.calls_for_tests import Calls
from executorch.dialects import grouped_products  # noqa: F401 - executorch.grouped_mm.

Results = list[Tensor]
Group = tuple[nn.Module, tuple[Tensor, ...]]


def _random(*sizes: int, positive: bool = False) -> Tensor:
    values = torch.randn(*sizes)
    return values.abs() + 0.5 if positive else values


def binary() -> Group:
    """Two operands that broadcast, a number for the second, a number for the first."""
    functions: list[Callable[..., Any]] = [
        lambda a, b, p: torch.add(a, b, alpha=2),
        lambda a, b, p: a + 1.5,
        lambda a, b, p: torch.sub(a, b, alpha=3),
        lambda a, b, p: a - 0.5,
        lambda a, b, p: 2 - a,
        lambda a, b, p: a * b,
        lambda a, b, p: 3 * a,
        lambda a, b, p: a / p,
        lambda a, b, p: a / 4,
        lambda a, b, p: torch.minimum(a, b),
        lambda a, b, p: torch.maximum(a, b),
        lambda a, b, p: p**b,
        lambda a, b, p: p**1.5,
        lambda a, b, p: torch.fmod(a, p),
        lambda a, b, p: torch.fmod(a, 0.7),
        lambda a, b, p: torch.remainder(a, p),
        lambda a, b, p: torch.remainder(a, 0.7),
        lambda a, b, p: torch.atan2(a, p),
        lambda a, b, p: torch.div(a, p, rounding_mode="trunc"),
        lambda a, b, p: torch.floor_divide(a, p),
        lambda a, b, p: torch.floor_divide(p.round(), 0.1),
        lambda a, b, p: torch.where(a > 0, a, b),
    ]
    return Calls(functions), (_random(2, 3, 4), _random(3, 1), _random(4, positive=True))


def comparisons() -> Group:
    """To booleans, and what is done with those."""
    functions: list[Callable[..., Any]] = [
        *(
            lambda a, b, i, one=one: one(a, b)
            for one in (torch.eq, torch.ne, torch.lt, torch.le, torch.gt, torch.ge)
        ),
        *(
            lambda a, b, i, one=one: one(a, 0.5)
            for one in (torch.eq, torch.ne, torch.lt, torch.le, torch.gt, torch.ge)
        ),
        lambda a, b, i: (a > 0) & (b > 0),
        lambda a, b, i: (a > 0) | (b > 0),
        lambda a, b, i: (a > 0) ^ (b > 0),
        lambda a, b, i: ~(a > 0),
        lambda a, b, i: torch.logical_and(a > 0, b > 0),
        lambda a, b, i: torch.logical_or(a > 0, b > 0),
        lambda a, b, i: torch.logical_xor(a > 0, b > 0),
        lambda a, b, i: torch.logical_not(a > 0),
        lambda a, b, i: (a > 0).to(torch.float32),
        lambda a, b, i: i.to(torch.float32) * a,
        lambda a, b, i: (a * 3).to(torch.int32),
        lambda a, b, i: i * 2 + i,
        lambda a, b, i: torch.bitwise_not(i),
        lambda a, b, i: i // 3,
        lambda a, b, i: torch.div(i, -i.abs() - 1, rounding_mode="floor"),
        lambda a, b, i: torch.div(i, -i.abs() - 1, rounding_mode="trunc"),
    ]
    return Calls(functions), (
        _random(3, 4).round(),
        _random(3, 4).round(),
        torch.arange(12).reshape(3, 4) - 5,
    )


def unary() -> Group:
    """Functions of one element."""
    any_number = [
        torch.relu,
        torch.abs,
        torch.neg,
        torch.sign,
        torch.sigmoid,
        torch.tanh,
        torch.exp,
        torch.sin,
    ]
    any_number += [
        torch.cos,
        torch.tan,
        torch.floor,
        torch.ceil,
        torch.round,
        torch.trunc,
        torch.erf,
        torch.atan,
    ]
    any_number += [torch.expm1, F.silu, F.mish, F.gelu, F.hardswish, F.hardsigmoid, F.leaky_relu, F.relu6]
    any_number += [torch.sinh, torch.cosh, torch.asinh, F.elu, F.selu, F.celu]
    positive = [torch.log, torch.sqrt, torch.rsqrt, torch.reciprocal, torch.log1p, torch.log2, torch.log10]
    within = [torch.asin, torch.acos, torch.atanh]
    functions: list[Callable[..., Any]] = [lambda x, p, one=one: one(x) for one in any_number]
    functions += [lambda x, p, one=one: one(p) for one in positive]
    functions += [lambda x, p, one=one: one(x.sin() * 0.99) for one in within]
    functions += [
        lambda x, p: torch.acosh(p + 0.5),
        lambda x, p: F.elu(x, 0.5),
        lambda x, p: F.gelu(x, approximate="tanh"),
        lambda x, p: x.clamp(-0.5, 0.25),
        lambda x, p: x.clamp(min=0.1),
    ]
    return Calls(functions), (_random(2, 3, 5), _random(7, positive=True))


def products() -> Group:
    """Products of matrices, with constant weights and without."""
    linear, second = nn.Linear(6, 5), nn.Linear(6, 3, bias=False)
    matrices, ends = torch.randn(3, 6, 4), torch.tensor([2, 2, 5])
    integers, scales = torch.randint(-128, 128, (5, 6), dtype=torch.int8), torch.rand(5) / 100
    functions: list[Callable[..., Any]] = [
        lambda a, b, x: torch.mm(a, b),
        lambda a, b, x: torch.bmm(x, x.transpose(1, 2)),
        lambda a, b, x: torch.addmm(a[:, :2], a, b[:, :2], beta=0.5, alpha=2),
        lambda a, b, x: linear(x),
        lambda a, b, x: second(a),
        lambda a, b, x: torch.ops.aten._weight_int8pack_mm(a, integers, scales),
        lambda a, b, x: torch.ops.executorch.grouped_mm(x.view(6, 6), matrices, ends),
    ]
    return Calls(functions, linear=linear, second=second), (_random(4, 6), _random(6, 3), _random(2, 3, 6))


def _clamped(x: Tensor, layer: Any) -> Any:
    """The published operator, as programs may call it."""
    lists = ([1, 1], [0, 0], [1, 1], False, [0, 0])
    return torch.ops.et_vk.conv_with_clamp(x, layer.weight, layer.bias, *lists, 1, -0.25, 0.5)


def convolutions() -> Group:
    """One and two dimensions: dense, pointwise, depthwise, grouped, dilated, transposed, clamped."""
    layers: dict[str, nn.Module] = {
        "dense": nn.Sequential(nn.Conv2d(4, 6, 3, padding=1, bias=False), nn.BatchNorm2d(6), nn.ReLU6()),
        "pointwise": nn.Sequential(nn.Conv2d(4, 8, 1), nn.ReLU()),
        "depthwise": nn.Conv2d(4, 4, 3, stride=2, padding=1, groups=4),
        "grouped": nn.Conv2d(4, 6, (3, 1), padding=(1, 0), groups=2, dilation=(2, 1)),
        "transposed": nn.ConvTranspose2d(4, 3, 3, stride=2, padding=1, output_padding=1),
    }
    row = nn.Conv1d(4, 6, 3, padding=2, dilation=2)
    spread = nn.ConvTranspose1d(4, 2, 4, stride=2, groups=2)
    functions: list[Callable[..., Any]] = [lambda x, r, one=one: one(x) for one in layers.values()]
    functions += [
        lambda x, r: row(r),
        lambda x, r: spread(r),
        lambda x, r: _clamped(x, layers["pointwise"][0]),
    ]
    return Calls(functions, row=row, spread=spread, **layers), (_random(1, 4, 8, 7), _random(2, 4, 9))


def normalizations() -> Group:
    """Normalization, reduction and pools."""
    layer, group, batch = nn.LayerNorm(6), nn.GroupNorm(2, 4), nn.BatchNorm2d(4)
    square, instance = nn.RMSNorm(6), nn.InstanceNorm2d(4, affine=True)
    functions: list[Callable[..., Any]] = [
        lambda x: torch.softmax(x, 1),
        lambda x: torch.log_softmax(x, -1),
        lambda x: layer(x),
        lambda x: square(x),
        lambda x: group(x),
        lambda x: group(x[..., 0, 0]),
        lambda x: group(x[..., 0]),
        lambda x: group(x[:, :, None]),
        lambda x: batch(x),
        lambda x: nn.functional.instance_norm(x),
        lambda x: instance(x),
        lambda x: nn.functional.instance_norm(x[..., 0]),
        lambda x: nn.functional.instance_norm(x[:, :, None]),
        lambda x: x.mean((2, 3)),
        lambda x: x.sum(1, keepdim=True),
        lambda x: x.amax((-1,)),
        lambda x: x.amin((0, 2)),
        lambda x: (x > 1).any(-1),
        lambda x: x.argmax(2),
        lambda x: x.argmin(-1, keepdim=True),
        lambda x: x.cumsum(1),
        lambda x: (x * 10).long().cumsum(2),
        lambda x: (x * 10).to(torch.int32).cumsum(1),
        lambda x: (x > 0).cumsum(-1),
        lambda x: (x * 3).cumsum(1, dtype=torch.int32),
        lambda x: (x * 100).long().argmax(-1),
        lambda x: (x * 100).to(torch.int32).argmin(2),
        lambda x: (x * 100).long().amax(1),
        lambda x: (x * 100).to(torch.int32).amin((0, 2)),
        lambda x: tuple(x.topk(3)),
        lambda x: tuple(x.topk(2, 1, largest=False)),
        lambda x: (x * 100).to(torch.int32).topk(4, 2)[0],
        lambda x: (x * 4).round().topk(5)[0],
        lambda x: tuple((x * 4).round().sort(dim=1, stable=True, descending=True)),
        lambda x: tuple((x * 4).long().sort()),
        lambda x: torch.histc(x * 2, 7, -2, 3),
        lambda x: x.topk(1, 2, largest=False)[1],
        lambda x: F.max_pool2d(x, 2),
        lambda x: F.max_pool2d(x, 3, stride=2, padding=1, ceil_mode=True),
        lambda x: F.max_pool2d(x, (2, 3), stride=1, return_indices=True),
        lambda x: F.max_pool2d(x[0], 3, padding=1, dilation=2, ceil_mode=True, return_indices=True),
        lambda x: F.avg_pool2d(x, 3, stride=1, padding=1, count_include_pad=False),
        lambda x: F.adaptive_avg_pool2d(x, (3, 2)),
        lambda x: F.avg_pool2d(x[0], 2, ceil_mode=True),
        lambda x: F.max_pool2d(x[0], 2),
        lambda x: F.adaptive_avg_pool2d(x[0], 2),
    ]
    return Calls(functions, layer=layer, group=group, batch=batch, square=square, instance=instance), (
        _random(1, 4, 5, 6),
    )


def moves() -> Group:
    """Elements elsewhere."""
    functions: list[Callable[..., Any]] = [
        lambda x: x.reshape(6, 20).relu(),
        lambda x: x.unsqueeze(1).relu(),
        lambda x: (x[:1] * 2).squeeze(0),
        lambda x: x.permute(2, 0, 1).contiguous(),
        lambda x: x.transpose(0, 1).contiguous(),
        lambda x: x[:, :, :1].expand(-1, -1, 3).contiguous(),
        lambda x: x.repeat(2, 1, 3),
        lambda x: torch.cat([x, x * 2, x], 1),
        lambda x: x[:, 1:4:2].contiguous(),
        lambda x: x.select(1, -1).contiguous(),
        lambda x: [one.contiguous() for one in x.split([2, 3], 1)],
        lambda x: [one.contiguous() for one in x.unbind(0)],
        lambda x: x.flip(0, 2),
        lambda x: x.flip([]) * 2,
        lambda x: x.unfold(1, 2, 2),
        lambda x: x.unfold(-1, 6, 1),
        *(
            lambda x, how=how: F.grid_sample(x.unsqueeze(0), x[:1, :, :4].reshape(1, 2, 5, 2), **how)
            for how in (
                {"align_corners": False},
                {"align_corners": True, "padding_mode": "border"},
                {"align_corners": False, "padding_mode": "reflection"},
                {"align_corners": True, "padding_mode": "reflection"},
                {"align_corners": False, "mode": "nearest", "padding_mode": "border"},
                {"align_corners": True, "mode": "nearest"},
            )
        ),
        lambda x: F.pad(x, (1, 2, 0, 1), value=0.5),
        lambda x: F.pad(x.unsqueeze(0), (1, 2, 2, 1), mode="reflect"),
        lambda x: F.pad(x.unsqueeze(0), (1, 2, 2, 1), mode="replicate"),
        lambda x: F.pad(x, (1, 0, 3, 1), mode="replicate"),
        lambda x: F.interpolate(x.unsqueeze(0), scale_factor=2.0),
        lambda x: F.interpolate(x.unsqueeze(0), size=(7, 9), mode="bilinear", align_corners=True),
        lambda x: F.interpolate(x.unsqueeze(0), size=(10, 3), mode="bilinear"),
    ]
    return Calls(functions), (_random(4, 5, 6),)


def _put(x: Tensor, places: Any, values: Tensor) -> Tensor:
    found = x.clone()
    found[places] = values
    return found


def lookups() -> Group:
    """Elements by number."""
    table = nn.Embedding(9, 4)
    functions: list[Callable[..., Any]] = [
        lambda x, i: table(i),
        lambda x, i: torch.index_select(x, 1, i[0]),
        lambda x, i: x[i[1]],
        lambda x, i: x[:, i[1]],
        lambda x, i: x[i],
        lambda x, i: x[:, i, None],
        lambda x, i: x[i, i[:, :1]],
        lambda x, i: x[None][:, i[1], i],
        lambda x, i: x.repeat(2, 1, 3).view(2, 2, 3, 3)[i[:1], i, i[:, None] - 2],
        lambda x, i: torch.gather(x, 1, i),
        lambda x, i: torch.full_like(x, 2.5) * x,
        lambda x, i: torch.full_like(i, 2.5, dtype=torch.float32) * x[:, :1],
        lambda x, i: torch.empty_like(x).index_copy(1, torch.tensor([2, 0, 1]), x),
        lambda x, i: torch.index_put(x, (i[0, :2] - 1,), x.flip(1) * 2),
        lambda x, i: _put(x[None], (slice(None), i[0, :1]), x[1:]),
        lambda x, i: torch.index_copy(x, 1, i[0, :2], x[:, 1:] + 1),
        lambda x, i: torch.index_put(x, (i[0],), x[:1].expand(3, 3) * 2, accumulate=True),
        lambda x, i: torch.index_put(i, (i[0],), i[:1].expand(3, 3) + 2, accumulate=True),
        lambda x, i: torch.scatter_add(x[:, :2], 1, i, x),
        lambda x, i: torch.scatter_add(x.repeat(1, 3), 0, i, x.flip(1)),
        lambda x, i: torch.scatter_add(i, -1, i[:1, :2], i + 3),
        lambda x, i: torch.scatter(x, -1, i[:, 1:], x * 2),
        lambda x, i: torch.scatter(x > 0, 0, i[:1], x < 0),
    ]
    return Calls(functions, table=table), (_random(2, 3), torch.tensor([[0, 1, 1], [1, 0, 1]]))


def spectra() -> Group:
    """Complex numbers between real ones: transforms, arithmetic, what moves them, constants."""
    fft, as_real = torch.fft, torch.view_as_real
    factors = torch.complex(_random(6, 4), _random(6, 4))
    functions: list[Callable[..., Any]] = [
        lambda x, y: fft.rfft(x).abs(),
        lambda x, y: (fft.rfft(x) * 0).abs(),
        lambda x, y: as_real(fft.rfft(x, norm="ortho")),
        lambda x, y: as_real(fft.rfft(x, dim=1, norm="forward")),
        lambda x, y: as_real(fft.rfft2(x)),
        lambda x, y: as_real(fft.fft(torch.complex(x, y), dim=0)),
        lambda x, y: as_real(fft.ifftn(torch.complex(x, y), dim=(0, 2))),
        lambda x, y: as_real(fft.fft(x)),
        lambda x, y: fft.irfft(torch.complex(x, y), n=10),
        lambda x, y: fft.irfft(torch.complex(x, y), n=9, dim=1),
        lambda x, y: fft.irfft2(fft.rfft2(x) * 2, s=x.shape[-2:], norm="ortho"),
        lambda x, y: as_real(torch.complex(x, y) * torch.complex(y, x + 1)),
        lambda x, y: as_real(torch.complex(x, y) * x + torch.complex(y, x) / (y.abs() + 1)),
        lambda x, y: as_real(-torch.complex(x, y) / 4 - torch.complex(y, y)),
        lambda x, y: as_real(torch.complex(x, y) @ factors),
        lambda x, y: as_real(torch.complex(x, y)[0, :, :4] @ factors[:4]),
        lambda x, y: as_real(torch.complex(x, y).transpose(0, 2)[1:, -1].unsqueeze(-2)),
        lambda x, y: as_real(torch.complex(x, y).permute(1, 2, 0).reshape(3, -1).flip(-1)),
        lambda x, y: as_real(torch.cat([torch.complex(x, y), torch.complex(y, x)], -2).sum(-1)),
        lambda x, y: as_real(torch.complex(x, y)[:1].expand(2, 3, 6).squeeze(0).mean((0, -1))),
        lambda x, y: as_real(torch.view_as_complex(torch.stack([x, y], -1)).clone()),
    ]
    return Calls(functions), (_random(2, 3, 6), _random(2, 3, 6))


GROUPS: dict[str, Callable[[], Group]] = {
    one.__name__: one
    for one in (binary, comparisons, unary, products, convolutions, normalizations, moves, lookups, spectra)
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
