"""Layers of images with what stands around them, pools, sizes, and orders of elements by views and permutations."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from executorch.backends.test.patterns.pattern import Table, randn

LAYERS, POOLS, SIZES, ORDERS = Table(), Table(), Table(), Table()
IMAGE, EVEN = randn(2, 8, 9, 11), randn(2, 8, 8, 12)
LINE, VOLUME = randn(2, 8, 19), randn(2, 4, 4, 5, 6)
BY_CHANNEL, BY_COLUMN = randn(8, 1, 1), randn(11)

torch.manual_seed(0)
for name, layer, x in (
    ("dilated", nn.Conv2d(8, 6, 3, 2, 1, dilation=3), IMAGE),
    ("grouped", nn.Conv2d(8, 6, 3, groups=2), IMAGE),
    ("depthwise, dilated", nn.Conv2d(8, 8, (3, 5), padding=(2, 1), dilation=(2, 1), groups=8), IMAGE),
    ("depthwise, more channels", nn.Conv2d(8, 16, 3, padding=1, groups=8), IMAGE),
    ("same", nn.Conv2d(8, 6, (4, 3), padding="same", dilation=(1, 2)), IMAGE),
    ("reflecting", nn.Conv2d(8, 6, 3, padding=1, padding_mode="reflect"), IMAGE),
    ("circular", nn.Conv2d(8, 6, 3, padding=1, padding_mode="circular"), IMAGE),
    ("without a batch", nn.Conv2d(8, 6, 3), IMAGE[0]),
    ("transposed", nn.ConvTranspose2d(8, 6, 3, 2, 1, 1, dilation=2), IMAGE),
    ("transposed, grouped", nn.ConvTranspose2d(8, 6, 3, 2, groups=2), IMAGE),
    ("transposed, depthwise", nn.ConvTranspose2d(8, 16, 4, 2, 1, groups=8), IMAGE),
    ("transposed, gaps", nn.ConvTranspose2d(8, 6, 2, 3, 0, 1), IMAGE),
    ("of lines", nn.Conv1d(8, 6, 3, padding=2, dilation=2), LINE),
    ("of lines, causal", nn.Conv1d(8, 8, 4, padding=3, groups=8), LINE),
    ("of lines, transposed", nn.ConvTranspose1d(8, 6, 4, 2, 1, groups=2, dilation=2), LINE),
    ("of volumes", nn.Conv3d(4, 6, 2, (1, 2, 1), dilation=2), VOLUME),
    ("of volumes, depthwise", nn.Conv3d(4, 4, (1, 3, 3), groups=4), VOLUME),
    ("of volumes, transposed", nn.ConvTranspose3d(4, 6, 3, 2, 1, 1, groups=2), VOLUME),
    ("padded before", nn.Sequential(nn.ZeroPad2d((0, 1, 0, 1)), nn.Conv2d(8, 6, 3, 2)), IMAGE),
    ("padded before by a number", nn.Sequential(nn.ConstantPad2d(1, 2.0), nn.Conv2d(8, 6, 3, 2)), IMAGE),
    ("cut before", nn.Sequential(nn.ZeroPad2d((-1, 1, -1, 1)), nn.Conv2d(8, 6, 3)), IMAGE),
):
    LAYERS.add(name, layer, x)
LAYERS.add("filters that come in", lambda x, w: F.conv2d(x, w, padding=1), IMAGE, randn(6, 8, 3, 3))
LAYERS.add("filters that come in, depthwise", lambda x, w: F.conv2d(x, w, groups=8), IMAGE, randn(8, 1, 3, 3))
LAYERS.add(
    "filters that come in, transposed",
    lambda x, w: F.conv_transpose2d(x, w, stride=2),
    IMAGE,
    randn(8, 6, 3, 3),
)


class Around(nn.Module):
    """Layers, a norm by statistics, and what ``body`` does with them."""

    def __init__(self, body):
        super().__init__()
        self.body = body
        self.conv, self.depthwise = nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.grouped, self.up = nn.Conv2d(8, 8, 3, padding=1, groups=2), nn.ConvTranspose2d(8, 8, 2, 2)
        self.norm, self.linear = nn.BatchNorm2d(8), nn.Linear(8, 8)
        self.norm.running_mean, self.norm.running_var = torch.randn(8), torch.rand(8) + 0.3

    def forward(self, x):
        return self.body(self, x)


LAYERS.add_all(
    {
        name: Around(body)
        for name, body in {
            "norm behind": lambda m, x: m.norm(m.conv(x)),
            "norm before": lambda m, x: m.conv(m.norm(x)),
            "norm behind transposed": lambda m, x: m.norm(m.up(x)),
            "norm behind grouped": lambda m, x: m.norm(m.grouped(x)),
            "norm behind depthwise": lambda m, x: m.norm(m.depthwise(x)),
            "factor behind": lambda m, x: m.conv(x) * BY_CHANNEL,
            "factor before": lambda m, x: m.conv(x * BY_CHANNEL),
            "factor before grouped": lambda m, x: m.grouped(x * BY_CHANNEL),
            "factor before depthwise": lambda m, x: m.depthwise(x * BY_CHANNEL),
            "factor before transposed": lambda m, x: m.up(x * BY_CHANNEL),
            "term before": lambda m, x: m.conv(x + BY_CHANNEL),
            "term before depthwise": lambda m, x: m.depthwise(x - BY_CHANNEL),
            "factor of columns behind": lambda m, x: m.conv(x) * BY_COLUMN,
            "less from one": lambda m, x: 1 - m.conv(x),
            "sum with what came in": lambda m, x: F.relu(m.conv(x) + x),
            "sum behind relu": lambda m, x: F.relu(x) + m.conv(x),
            "sum of two": lambda m, x: m.conv(x) + m.depthwise(x),
            "sum with its own relu": lambda m, x: (lambda y: y + y.relu())(m.conv(x)),
            "sum with a mean": lambda m, x: m.conv(x) + x.mean((2, 3), keepdim=True),
            "sum with a batch of one": lambda m, x: m.conv(x) + x[:1],
            "sum of a row": lambda m, x: m.conv(x)[:, :, :1] + x,
            "part of a sum": lambda m, x: torch.add(m.conv(x), x, alpha=0.3),
            "product with what came in": lambda m, x: m.conv(x) * x,
            "depthwise behind": lambda m, x: m.depthwise(F.relu6(m.conv(x))),
            "clamps and factors": lambda m, x: (m.conv(x) * 2 + 1).clamp(0, 1) * 3 - 1,
            "slopes": lambda m, x: F.prelu(m.conv(x), BY_CHANNEL.flatten()),
            "joined": lambda m, x: torch.cat([m.conv(x), x, m.depthwise(x)], 1),
            "parts joined": lambda m, x: (lambda a, b: torch.cat([a, m.conv(torch.cat([b, a], 1))], 1))(
                *x.chunk(2, 1)
            ),
            "channels last": lambda m, x: m.linear(m.conv(x).permute(0, 2, 3, 1)).permute(0, 3, 1, 2),
            "channels last, normed": lambda m, x: (
                F.layer_norm(m.depthwise(x).permute(0, 2, 3, 1), (8,)).permute(0, 3, 1, 2) + x
            ),
            "rows exchanged": lambda m, x: m.conv(x.permute(0, 2, 3, 1).flip(1).permute(0, 3, 1, 2)),
            "sizes exchanged": lambda m, x: m.conv(x.reshape(2, 8, 11, 9)),
            "places in a row": lambda m, x: m.linear(m.conv(x).flatten(2).transpose(1, 2)),
            "mean of places": lambda m, x: m.linear(m.conv(x).mean((2, 3))),
            "largest of places": lambda m, x: m.linear(m.conv(x).amax((2, 3))),
            "softmax of places": lambda m, x: m.conv(x).flatten(2).softmax(-1).view(2, 8, 9, 11),
            "twice": lambda m, x: m.conv(F.interpolate(m.conv(x), scale_factor=2)),
            "squeezed and excited": lambda m, x: (
                x
                * F.hardsigmoid(m.linear(F.relu(m.linear(F.adaptive_avg_pool2d(x, 1).flatten(1)))))[
                    ..., None, None
                ]
            ),
            "gated": lambda m, x: m.conv(x) * m.depthwise(x).sigmoid(),
        }.items()
    },
    IMAGE,
)

for ceil in (False, True):
    for counts in (False, True):
        for kernel, stride, padding in (
            ((3, 3), 2, 1),
            ((2, 2), 2, 0),
            ((4, 4), 3, 2),
            ((3, 2), (1, 2), (1, 0)),
        ):
            POOLS.add(
                f"mean, {kernel} by {stride}, {padding} around, {ceil=}, {counts=}",
                lambda x, arguments=(kernel, stride, padding, ceil, counts): F.avg_pool2d(x, *arguments),
                IMAGE,
            )
        POOLS.add(
            f"mean of lines, {ceil=}, {counts=}",
            lambda x, arguments=(3, 2, 1, ceil, counts): F.avg_pool1d(x, *arguments),
            LINE[..., :10],
        )
        POOLS.add(
            f"mean of volumes, {ceil=}, {counts=}",
            lambda x, arguments=(3, 2, 1, ceil, counts): F.avg_pool3d(x, *arguments),
            VOLUME,
        )
    for kernel, stride, padding, dilation in (
        (3, 2, 1, 1),
        (3, 2, 0, 2),
        ((2, 3), (2, 1), (1, 1), 1),
        (4, 3, 2, 1),
    ):
        POOLS.add(
            f"largest, {kernel} by {stride}, {padding} around, every {dilation}, {ceil=}",
            lambda x, arguments=(kernel, stride, padding, dilation, ceil): F.max_pool2d(x, *arguments),
            -IMAGE.abs() - 1,
        )
POOLS.add_all(
    {
        "mean by a divisor": lambda x: F.avg_pool2d(x, 3, 2, 1, divisor_override=5),
        "mean, padded before": lambda x: F.avg_pool2d(F.pad(x, (1, 1, 1, 1)), 3, 2),
        "mean, padded before and not counted": lambda x: F.avg_pool2d(
            F.pad(x, (1, 1, 1, 1)), 3, 2, 1, count_include_pad=False
        ),
        "largest, padded before": lambda x: F.max_pool2d(F.pad(-x.abs(), (0, 1, 0, 1)), 3, 2),
    },
    IMAGE,
)
POOLS.add("mean of volumes by a divisor", lambda x: F.avg_pool3d(x, 2, divisor_override=3), VOLUME)
for size in (1, 2, 5, (4, 7), (None, 4), (10, 12)):
    POOLS.add(f"mean to {size}", lambda x, size=size: F.adaptive_avg_pool2d(x, size), IMAGE)
    POOLS.add(f"largest to {size}", lambda x, size=size: F.adaptive_max_pool2d(x, size), IMAGE)
POOLS.add("mean of volumes to sizes", lambda x: F.adaptive_avg_pool3d(x, (3, 4, 5)), VOLUME)
POOLS.add("largest of volumes to sizes", lambda x: F.adaptive_max_pool3d(x, (3, 4, 5)), VOLUME)
POOLS.add("largest of lines to a size", lambda x: F.adaptive_max_pool1d(x, 4), LINE)

#: Modes of `interpolate`, and whether corners may lie on corners.
for mode in ("nearest", "nearest-exact", "area", "bilinear", "bicubic"):
    for corners in (False, True) if mode.startswith("bi") else (None,):
        for wanted in (
            {"size": (18, 22)},
            {"size": (5, 7)},
            {"size": (13, 17)},
            {"scale_factor": 1.7},
            {"scale_factor": (0.6, 1.3)},
        ):
            SIZES.add(
                f"{mode}, {wanted}, {corners=}",
                lambda x, arguments={**wanted, "mode": mode, "align_corners": corners}: F.interpolate(
                    x, **arguments
                ),
                IMAGE,
            )
for corners in (False, True):
    SIZES.add(
        f"linear, {corners=}",
        lambda x, corners=corners: F.interpolate(x, size=13, mode="linear", align_corners=corners),
        LINE,
    )
    SIZES.add(
        f"trilinear, {corners=}",
        lambda x, corners=corners: F.interpolate(x, size=(5, 3, 8), mode="trilinear", align_corners=corners),
        VOLUME,
    )
SIZES.add("nearest of lines", lambda x: F.interpolate(x, scale_factor=1.6), LINE)
SIZES.add("nearest of volumes", lambda x: F.interpolate(x, size=(5, 3, 8)), VOLUME)
for mode in ("constant", "reflect", "replicate", "circular"):
    SIZES.add(f"padded, {mode}", lambda x, mode=mode: F.pad(x, (1, 2, 3, 0), mode=mode), IMAGE)
    SIZES.add(f"lines padded, {mode}", lambda x, mode=mode: F.pad(x, (1, 2), mode=mode), LINE)
SIZES.add("padded by infinity", lambda x: F.pad(x, (1, 1), value=-math.inf), IMAGE)
SIZES.add("cut and padded", lambda x: F.pad(x, (-1, 2, -2, -1), value=3.0), IMAGE)

#: Blocks of 2 x 2 of channels or places: in which order six dimensions stand.
for order in (
    (0, 1, 4, 2, 5, 3),
    (0, 3, 4, 1, 5, 2),
    (0, 1, 4, 3, 5, 2),
    (0, 2, 4, 1, 5, 3),
    (0, 3, 4, 2, 5, 1),
):
    ORDERS.add(
        f"channels to places {order}",
        lambda x, order=order: x.view(2, 2, 2, 2, 9, 11).permute(*order).reshape(2, 2, 18, 22),
        IMAGE,
    )
for order in ((0, 1, 3, 5, 2, 4), (0, 3, 5, 1, 2, 4), (0, 5, 3, 1, 2, 4)):
    ORDERS.add(
        f"places to channels {order}",
        lambda x, order=order: x.view(2, 8, 4, 2, 6, 2).permute(*order).reshape(2, 32, 4, 6),
        EVEN,
    )
ORDERS.add_all(
    {
        "channels to places": lambda x: F.pixel_shuffle(x, 2),
        "channels shuffled": lambda x: F.channel_shuffle(x, 4),
        "channels shuffled by hand": lambda x: x.view(2, 2, 4, 9, 11).transpose(1, 2).reshape(2, 8, 9, 11),
        "channels shuffled, places exchanged": lambda x: (
            x.view(2, 2, 4, 9, 11).permute(0, 2, 1, 4, 3).reshape(2, 8, 11, 9)
        ),
        "channels in three": lambda x: (
            x.view(2, 2, 2, 2, 9, 11).permute(0, 3, 2, 1, 4, 5).reshape(2, 8, 9, 11)
        ),
        "parts in order": lambda x: torch.cat(x.split([3, 5], 1), 1) * 2,
        "parts exchanged": lambda x: torch.cat(x.split([3, 5], 1)[::-1], 1) * 2,
        "a part less": lambda x: torch.cat([x[:, :3], x[:, 4:]], 1) * 2,
        "stacked again": lambda x: torch.stack(x.unbind(1)[::-1], 1) * 2,
        "rolled": lambda x: torch.roll(x, (1, -2), (1, 3)) * 2,
        "rolled flat": lambda x: torch.roll(x, 3) * 2,
        "windows": lambda x: x.unfold(-1, 3, 2).unfold(-2, 2, 1) * 2,
        "columns of places": lambda x: F.unfold(x, 3, padding=1, stride=2),
        "triangles": lambda x: x.tril(1) + x.triu(-1),
        "squares of differences": lambda x: (x[:, :, :, None] - x[:, :, None]).pow(2).sum(2),
        "views of views": lambda x: x.permute(1, 0, 2, 3).reshape(8, -1).t().reshape(11, -1) + 1,
        "means of means": lambda x: x.mean(2).mean(2) + x.sum(3, keepdim=True).sum(2)[..., 0],
        "largest of largest": lambda x: x.amax(1, keepdim=True).amax(2),
        "counted": lambda x: ((x > 0).sum(1), (x > 0).cumsum(2)),
        "sums on the way": lambda x: x.cumsum(1) + x.flip(1).cumsum(1).flip(1) - x.cumsum(-1),
        "the three largest": lambda x: x.topk(3, 1),
        "sorted": lambda x: x.sort(-1, descending=True),
        "gathered": lambda x: x.gather(1, x.argsort(1)),
        "scattered": lambda x: torch.zeros_like(x).scatter(1, x.argsort(1), x),
        "numbers of places": lambda x: (
            x
            + torch.div(torch.arange(-4, 7), 3, rounding_mode="floor")
            - torch.remainder(torch.arange(-4, 7), -5) * torch.arange(11).prod()
        ),
        "numbers of places, cut off": lambda x: x + torch.div(torch.arange(-4, 7), 3, rounding_mode="trunc"),
    },
    IMAGE,
)
ORDERS.add("distances of vectors", torch.cdist, randn(2, 5, 4), randn(2, 6, 4))
ORDERS.add("sums of differences", lambda x, y: torch.cdist(x, y, 1.0), randn(2, 5, 4), randn(2, 6, 4))
ORDERS.add("windows of lines", lambda x: x.unfold(-1, 4, 2) * 2, randn(1, 20))
