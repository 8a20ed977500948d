"""Calls of operators, by what they take: a group is one program in the tests of a backend."""

import torch
from torch.nn import functional as F

_generator = torch.Generator().manual_seed(7)
_weights: dict[tuple[int, ...], torch.Tensor] = {}


def _names(text: str) -> list[str]:
    return text.split()


def rand(*shape: int) -> torch.Tensor:
    """Between -0.9 and 0.9."""
    return torch.rand(shape, generator=_generator) * 1.8 - 0.9


def W(*shape: int) -> torch.Tensor:
    """The constant of this shape, which is made ahead of the capture."""
    return _weights[shape]


for _shape in (
    (
        10,
        4,
    ),
    (
        2,
        6,
        6,
    ),
    (3,),
    (4,),
    (
        4,
        3,
        2,
        2,
        2,
    ),
    (
        4,
        3,
        3,
        3,
    ),
    (
        4,
        6,
        3,
    ),
    (
        4,
        6,
        3,
        3,
    ),
    (
        5,
        3,
    ),
    (
        6,
        1,
        3,
        3,
    ),
    (
        6,
        2,
        3,
        3,
    ),
    (
        6,
        4,
        3,
    ),
    (
        6,
        4,
        3,
        3,
    ),
    (7,),
    (
        7,
        5,
    ),
):
    _weights[_shape] = rand(*_shape)

X = rand(2, 6, 5)
POSITIVE = X.abs() + 0.1
IMAGE = rand(2, 6, 8, 9)
INTS = torch.randint(1, 9, (2, 6, 5), generator=_generator)
SMALL_INTS = torch.randint(0, 5, (2, 6, 5), generator=_generator)
FLAGS = X > 0

ON_X = (
    {
        name: getattr(torch, name)
        for name in _names(
            "abs asin acos atan atanh asinh ceil cos cosh erf exp expm1 floor neg relu sigmoid "
            "sign sin sinh tan tanh trunc isnan isinf selu"
        )
    }
    | {
        name: getattr(F, name)
        for name in _names(
            "gelu silu mish hardswish hardsigmoid elu celu leaky_relu hardtanh logsigmoid softplus relu6 softsign tanhshrink"
        )
    }
    | {
        "add.Scalar": lambda x: x + 1.5,
        "sub.Scalar": lambda x: x - 2,
        "mul.Scalar": lambda x: x * 3,
        "div.Scalar": lambda x: x / 3,
        "rsub": lambda x: 1 - x,
        "pow.Tensor_Scalar": lambda x: x**2,
        "pow.Scalar": lambda x: 2**x,
        "eq.Scalar": lambda x: x == 0.5,
        "lt.Scalar": lambda x: x < 0.5,
        "ge.Scalar": lambda x: x >= 0.5,
        "gt.Scalar": lambda x: x > 0.5,
        "le.Scalar": lambda x: x <= 0.5,
        "ne.Scalar": lambda x: x != 0.5,
        "fmod.Scalar": lambda x: torch.fmod(x * 4, 1.5),
        "remainder.Scalar": lambda x: torch.remainder(x * 4, 1.5),
        "add.alpha": lambda x: torch.add(x, x, alpha=2),
        "sub.alpha": lambda x: torch.sub(x, x * 3, alpha=2),
        "div.floor": lambda x: torch.div(x * 5, 2, rounding_mode="floor"),
        "div.trunc": lambda x: torch.div(x * 5, 2, rounding_mode="trunc"),
        "clamp": lambda x: x.clamp(-0.2, 0.3),
        "clamp_min": lambda x: x.clamp(min=0.1),
        "clamp_max": lambda x: x.clamp(max=0.1),
        "clamp.Tensor": lambda x: torch.clamp(x, x * 0.5, x * 0.5 + 0.1),
        "sum": lambda x: x.sum(),
        "sum.dim": lambda x: x.sum((0, 2)),
        "sum.keep": lambda x: x.sum(1, keepdim=True),
        "mean": lambda x: x.mean(),
        "mean.dim": lambda x: x.mean((1, 2), keepdim=True),
        "amax": lambda x: x.amax(1),
        "amin": lambda x: x.amin((0, 1)),
        "max": lambda x: x.max(),
        "min": lambda x: x.min(),
        "max.dim": lambda x: torch.max(x, 1),
        "min.dim": lambda x: torch.min(x, 1, keepdim=True),
        "argmax": lambda x: x.argmax(1),
        "argmin": lambda x: x.argmin(1, keepdim=True),
        "argmax.all": lambda x: x.argmax(),
        "prod": lambda x: x.prod(),
        "prod.dim": lambda x: x.prod(1),
        "cumsum": lambda x: x.cumsum(1),
        "var": lambda x: x.var(1),
        "std": lambda x: x.std((0, 1)),
        "var_mean": lambda x: torch.var_mean(x, 1),
        "logsumexp": lambda x: x.logsumexp(1),
        "norm": lambda x: torch.linalg.vector_norm(x, 2, 1),
        "norm.1": lambda x: torch.linalg.vector_norm(x, 1, (1, 2)),
        "softmax": lambda x: x.softmax(1),
        "log_softmax": lambda x: x.log_softmax(-1),
        "any": lambda x: (x > 0.8).any(),
        "all": lambda x: (x > 0.8).all(),
        "any.dim": lambda x: (x > 0.8).any(1),
        "all.dim": lambda x: (x > -0.5).all(1),
        "view": lambda x: x.view(2, 30),
        "view.minus": lambda x: x.view(-1, 5),
        "permute": lambda x: x.permute(2, 0, 1),
        "transpose": lambda x: x.transpose(0, 2),
        "unsqueeze": lambda x: x.unsqueeze(1),
        "squeeze": lambda x: x[:1].squeeze(0),
        "squeeze.all": lambda x: x[:1].squeeze(),
        "expand": lambda x: x[:, :1].expand(2, 4, 5),
        "expand.new": lambda x: x.expand(3, 2, 6, 5),
        "repeat": lambda x: x.repeat(2, 1, 3).relu(),
        "repeat.new": lambda x: x.repeat(2, 1, 1, 3),
        "slice": lambda x: x[:, 1:5:2],
        "slice.neg": lambda x: x[:, -3:],
        "select": lambda x: x[:, 2],
        "select.neg": lambda x: x[:, -1],
        "cat": lambda x: torch.cat([x, x * 2], 1),
        "stack": lambda x: torch.stack([x, x * 2], 1),
        "split": lambda x: tuple(part.relu() for part in x.split(4, 1)),
        "split_sizes": lambda x: x.split([1, 2, 3], 1),
        "chunk": lambda x: x.chunk(3, 1),
        "unbind": lambda x: x.unbind(0),
        "flip": lambda x: x.flip((0, 2)),
        "roll": lambda x: x.roll(2, 1),
        "t": lambda x: x[0].t(),
        "tril": lambda x: x.tril(1),
        "triu": lambda x: x.triu(-1),
        "pad": lambda x: F.pad(x, (1, 2, 0, 3), value=0.5),
        "pad.neg": lambda x: F.pad(x, (-1, 2)),
        "clone": lambda x: x.clone() + 0,
        "unfold": lambda x: x.unfold(1, 3, 2),
        "movedim": lambda x: x.movedim(0, 2),
        "narrow": lambda x: x.narrow(1, 1, 3),
        "select_scatter": lambda x: x.select_scatter(x[:, 0], 1, 2),
        "slice_scatter": lambda x: x.slice_scatter(x[:, 0:2], 1, 2, 4),
        "to.int": lambda x: (x * 9).to(torch.int32),
        "to.bool": lambda x: x.bool(),
        "to.long": lambda x: (x * 9).to(torch.int64),
        "to.uint8": lambda x: (x.abs() * 9).to(torch.uint8),
        "full": lambda x: x + torch.full((2, 6, 5), 0.3),
        "full_like": lambda x: torch.full_like(x, 3),
        "zeros_like": lambda x: torch.zeros_like(x) + x,
        "ones_like": lambda x: torch.ones_like(x) * x,
        "arange": lambda x: x + torch.arange(5),
        "arange.step": lambda x: x + torch.arange(0, 10, 2),
        "scalar_tensor": lambda x: x + torch.scalar_tensor(2.0),
        "ones": lambda x: x + torch.ones(5),
        "zeros": lambda x: x + torch.zeros(5),
        "eye": lambda x: x @ torch.eye(5),
        "linspace": lambda x: x + torch.linspace(0, 1, 5),
        "arange.float": lambda x: x + torch.arange(0.0, 5.0),
        "topk": lambda x: x.topk(3, 1),
        "sort": lambda x: x.sort(1),
        "sort.desc": lambda x: x.sort(1, descending=True),
        "glu": lambda x: F.glu(x, 1),
        "layer_norm": lambda x: F.layer_norm(x, (6, 5)),
        "rms_norm": lambda x: F.rms_norm(x, (5,)),
        "instance_norm": lambda x: F.instance_norm(x),
        "dropout": lambda x: F.dropout(x, 0.5, False),
        "pixel": lambda x: F.pixel_shuffle(x.view(1, 4, 3, 5), 2),
        "pixel_un": lambda x: F.pixel_unshuffle(x.view(1, 1, 6, 10), 2),
        "channel_shuffle": lambda x: F.channel_shuffle(x, 2),
        "cdist": lambda x: torch.cdist(x, x * 2),
        "logit": lambda x: torch.logit(x.abs() * 0.9 + 0.05),
        "hardshrink": lambda x: F.hardshrink(x, 0.3),
        "softshrink": lambda x: F.softshrink(x, 0.3),
        "threshold": lambda x: F.threshold(x, 0.1, 2.0),
        "nan_to_num": lambda x: x.nan_to_num(),
        "lerp": lambda x: torch.lerp(x, x * 2, 0.3),
        "outer": lambda x: torch.outer(x[0, 0], x[0, 1]),
        "einsum": lambda x: torch.einsum("bij,bkj->bik", x, x),
        "gelu.tanh": lambda x: F.gelu(x, approximate="tanh"),
        "square": lambda x: x.square(),
        "norm_p": lambda x: F.normalize(x, dim=1),
        "cosine": lambda x: F.cosine_similarity(x, x.flip(0), dim=1),
        "addcmul": lambda x: torch.addcmul(x, x, x, value=0.5),
        "addcdiv": lambda x: torch.addcdiv(x, x, x.abs() + 1),
        "where.scalar": lambda x: torch.where(x > 0, x, 0.5),
        "frac": lambda x: torch.frac(x),
        "swiglu": lambda x: F.silu(x) * x,
        "one_hot": lambda x: F.one_hot(x.argmax(1), 6),
        "meshgrid": lambda x: torch.meshgrid(x[0, 0], x[0, 1], indexing="ij"),
        "masked_scalar": lambda x: x.masked_fill(x > 0, -float("inf")),
        "argsort": lambda x: x.argsort(1),
        "index_fill": lambda x: x.index_fill(1, torch.tensor([0, 2]), 3.0),
        "std_mean": lambda x: torch.std_mean(x, 1),
        "rot90": lambda x: x.rot90(1, (1, 2)),
        "logaddexp": lambda x: torch.logaddexp(x, x * 2),
    }
)
ON_POSITIVE = {
    name: getattr(torch, name) for name in _names("sqrt rsqrt log log2 log10 log1p reciprocal")
} | {"acosh": lambda x: torch.acosh(x + 1), "round": lambda x: torch.round(x * 5)}
ON_TWO = {
    name: getattr(torch, name)
    for name in _names(
        "add sub mul div maximum minimum eq ne lt le gt ge fmod remainder atan2 pow floor_divide"
    )
} | {
    "remainder.signs": lambda x, y: torch.remainder(0.5 - x * 5, y + 0.5),
    "fmod.signs": lambda x, y: torch.fmod(0.5 - x * 5, y + 0.5),
    "clamp.tensors": lambda x, y: torch.clamp(x, y * 0.5, y * 0.5 + 0.1),
}
ON_INTS = {
    name: getattr(torch, name)
    for name in _names("eq ne lt le gt ge maximum minimum bitwise_and bitwise_or bitwise_xor div")
} | {
    "to.float": lambda i, j: i.float() / 2,
    "embedding": lambda i, j: F.embedding(i, W(10, 4)),
    "view": lambda i, j: i.view(2, 30),
    "cat": lambda i, j: torch.cat([i, j], 1),
    "where": lambda i, j: torch.where(i > j, i, j),
    "amax": lambda i, j: i.amax(1),
    "to.int32": lambda i, j: i.to(torch.int32) > 3,
}
ON_FLAGS = {
    name: getattr(torch, name)
    for name in _names("logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor")
} | {
    "logical_not": lambda f, g: torch.logical_not(f),
    "bitwise_not": lambda f, g: torch.bitwise_not(f),
    "any": lambda f, g: f.any(1),
    "all": lambda f, g: g.all(),
    "float": lambda f, g: f.float() + g.float(),
}
ON_INDICES = {
    "index": lambda x, i: x[:, i],
    "index.two": lambda x, i: x[i - i, i],
    "index.gap": lambda x, i: x[i.clamp(max=1), :, i.clamp(max=4)],
    "index_put": lambda x, i: x.index_put((i.clamp(max=1)[:1],), x[:1] * 2),
    "index_put.acc": lambda x, i: x.index_put((i.clamp(max=1),), x[:1] * 2, accumulate=True),
    "index_select": lambda x, i: x.index_select(1, i),
    "gather": lambda x, i: x.gather(1, i.view(1, 4, 1).expand(2, 4, 5)),
    "scatter": lambda x, i: x.scatter(1, i.view(1, 4, 1).expand(2, 4, 5), x * 2),
    "scatter.value": lambda x, i: x.scatter(1, i.view(1, 4, 1).expand(2, 4, 5), 2.5),
    "scatter_add": lambda x, i: x.scatter_add(1, i.view(1, 4, 1).expand(2, 4, 5), x),
    "index_add": lambda x, i: x.index_add(1, i, x[:, :4]),
    "masked_fill": lambda x, i: x.masked_fill(x > 0, 7.0),
}
ON_IMAGE = {
    "conv": lambda x: F.conv2d(x, W(4, 6, 3, 3), W(4), stride=2, padding=1),
    "conv.depthwise": lambda x: F.conv2d(x, W(6, 1, 3, 3), groups=6, dilation=2),
    "conv.transposed": lambda x: F.conv_transpose2d(
        x, W(6, 4, 3, 3), W(4), stride=2, output_padding=1, padding=1
    ),
    "conv.groups": lambda x: F.conv2d(x, W(4, 3, 3, 3), groups=2),
    "conv.transposed.groups": lambda x: F.conv_transpose2d(x, W(6, 2, 3, 3), groups=2),
    "max_pool": lambda x: F.max_pool2d(x, 3, 2, 1),
    "max_pool.indices": lambda x: F.max_pool2d(x, 2, return_indices=True),
    "max_pool.ceil": lambda x: F.max_pool2d(x, 3, 2, ceil_mode=True),
    "avg_pool": lambda x: F.avg_pool2d(x, 3, 2, 1),
    "avg_pool.nopad": lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
    "avg_pool.ceil": lambda x: F.avg_pool2d(x, 3, 2, ceil_mode=True),
    "adaptive_avg": lambda x: F.adaptive_avg_pool2d(x, (1, 1)),
    "adaptive_avg.3": lambda x: F.adaptive_avg_pool2d(x, (3, 4)),
    "adaptive_max": lambda x: F.adaptive_max_pool2d(x, (2, 3)),
    "bilinear": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
    "bilinear.corners": lambda x: F.interpolate(x, size=(5, 7), mode="bilinear", align_corners=True),
    "nearest": lambda x: F.interpolate(x, scale_factor=2),
    "bicubic": lambda x: F.interpolate(x, size=(16, 18), mode="bicubic"),
    "nearest.size": lambda x: F.interpolate(x, size=(5, 7)),
    "reflect": lambda x: F.pad(x, (1, 2, 1, 1), mode="reflect"),
    "replicate": lambda x: F.pad(x, (1, 2, 1, 1), mode="replicate"),
    "batch_norm": torch.nn.BatchNorm2d(6),
    "group_norm": torch.nn.GroupNorm(3, 6),
    "group_norm.plain": lambda x: F.group_norm(x, 2),
    "grid": lambda x: F.grid_sample(x, x[:, :2].permute(0, 2, 3, 1), align_corners=False),
    "pixel_shuffle": lambda x: F.pixel_shuffle(x[:, :4], 2),
    "prelu": torch.nn.PReLU(6),
    "im2col": lambda x: F.unfold(x, 3),
    "lppool": lambda x: F.lp_pool2d(x.abs(), 2, 2),
    "lrn": lambda x: F.local_response_norm(x, 3),
}
OF_LAYERS = {
    "conv1d": lambda x: F.conv1d(x, W(4, 6, 3), W(4), padding=1),
    "max_pool1d": lambda x: F.max_pool1d(x, 2),
    "avg_pool1d": lambda x: F.avg_pool1d(x, 2),
    "conv3d": lambda x: F.conv3d(x.reshape(2, 3, 2, 5, 1).expand(2, 3, 2, 5, 2), W(4, 3, 2, 2, 2)),
    "avg_pool3d": lambda x: F.avg_pool3d(x.reshape(2, 3, 2, 5, 1).expand(2, 3, 2, 5, 2), 2),
    "max_pool3d": lambda x: F.max_pool3d(x.reshape(2, 3, 2, 5, 1).expand(2, 3, 2, 5, 2), 2),
    "linear1d": lambda x: F.interpolate(x, scale_factor=2, mode="linear"),
    "adaptive_avg1d": lambda x: F.adaptive_avg_pool1d(x, 2),
    "upsample3d": lambda x: F.interpolate(x.reshape(2, 3, 2, 5, 1).expand(2, 3, 2, 5, 2), scale_factor=2),
    "pad1d": lambda x: F.pad(x, (1, 2), mode="reflect"),
    "conv_transpose1d": lambda x: F.conv_transpose1d(x, W(6, 4, 3), stride=2),
    "linear": lambda x: F.linear(x, W(7, 5), W(7)),
    "linear.nobias": lambda x: F.linear(x, W(7, 5)),
    "mm": lambda x: torch.mm(x[0], W(5, 3)),
    "bmm": lambda x: torch.bmm(x, x.transpose(1, 2)),
    "addmm": lambda x: torch.addmm(W(3), x[0], W(5, 3), beta=0.5, alpha=2),
    "matmul": lambda x: torch.matmul(x, W(5, 3)),
    "baddbmm": lambda x: torch.baddbmm(W(2, 6, 6), x, x.transpose(1, 2)),
    "sdpa": lambda x: F.scaled_dot_product_attention(x[:, None], x[:, None], x[:, None]),
    "sdpa.causal": lambda x: F.scaled_dot_product_attention(
        x[:, None], x[:, None], x[:, None], is_causal=True
    ),
    "sdpa.mask": lambda x: F.scaled_dot_product_attention(
        x[:, None], x[:, None], x[:, None], attn_mask=torch.ones(6, 6).tril().bool()
    ),
    "mv": lambda x: torch.mv(x[0], x[0, 0]),
    "dot": lambda x: torch.dot(x[0, 0], x[0, 1]),
}

GROUPS = {
    "x": (ON_X, (X,)),
    "positive": (ON_POSITIVE, (POSITIVE,)),
    "two": (ON_TWO, (POSITIVE, POSITIVE.flip(0) + 0.3)),
    "ints": (ON_INTS, (INTS, SMALL_INTS)),
    "flags": (ON_FLAGS, (FLAGS, FLAGS.flip(0))),
    "indices": (ON_INDICES, (X, torch.tensor([0, 3, 5, 1]))),
    "image": (ON_IMAGE, (IMAGE,)),
    "layers": (OF_LAYERS, (X,)),
    "half": ({"mul": lambda x: x * 2 + 1, "linear": lambda x: F.linear(x, W(7, 5).half())}, (X.half(),)),
}
