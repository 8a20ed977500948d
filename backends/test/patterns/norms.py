"""Norms, gates and activations, written out and whole, and what looks like them; recurrences."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from executorch.backends.test.patterns.pattern import Table, randn

NORMS, GATES, RECURRENT = Table(), Table(), Table()
ROWS, SCALE, SHIFT, CHANNELS = randn(2, 6, 16), randn(16), randn(16), randn(6, 1)


def root(x, dims=-1, epsilon=1e-6, power=2):
    """Of the mean of squares, inverted."""
    return torch.rsqrt(x.pow(power).mean(dims, keepdim=True) + epsilon)


def centred(x, dims=-1):
    """Less its mean."""
    return x - x.mean(dims, keepdim=True)


def normed(x, dims=-1):
    """Without scale and shift."""
    return centred(x, dims) / (centred(x, dims).pow(2).mean(dims, keepdim=True) + 1e-5).sqrt()


NORMS.add_all(
    {
        "rms": lambda x: x * root(x) * SCALE,
        "rms, scale first": lambda x: SCALE * (x * root(x)),
        "rms, one and scale": lambda x: x * root(x) * (1 + SCALE),
        "rms alone": lambda x: x * root(x),
        "rms, one scale for all": lambda x: x * root(x) * 0.3,
        "rms, a scale for each row": lambda x: x * root(x) * CHANNELS,
        "rms and a shift": lambda x: x * root(x) * SCALE + SHIFT,
        "rms by a quotient": lambda x: x / (x.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * SCALE,
        "rms by a power": lambda x: x * (x.pow(2).mean(-1, keepdim=True) + 1e-6).pow(-0.5) * SCALE,
        "rms of products": lambda x: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * SCALE,
        "rms, epsilon outside": lambda x: x / (x.pow(2).mean(-1, keepdim=True).sqrt() + 0.1) * SCALE,
        "rms, at least one": lambda x: x / x.pow(2).mean(-1, keepdim=True).sqrt().clamp(min=1.1) * SCALE,
        "rms of sums": lambda x: x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) + 1e-6) * SCALE,
        "rms over rows": lambda x: x * root(x, 1) * CHANNELS,
        "rms over all": lambda x: x * root(x, (1, 2)) * SCALE,
        "rms of fourth powers": lambda x: x * root(x, power=4) * SCALE,
        "rms of another": lambda x: (x + 1) * root(x) * SCALE,
        "rms read twice": lambda x: x * root(x) * SCALE + root(x),
        "rms gated": lambda x: x * root(x) * SCALE * F.silu(x + 1),
        "rms of groups": lambda x: (x.view(2, 6, 4, 4) * root(x.view(2, 6, 4, 4))).view(2, 6, 16) * SCALE,
        "rms whole": lambda x: F.rms_norm(x, (16,), SCALE, 1e-5),
        "rms whole over two": lambda x: F.rms_norm(x, (6, 16), None, 1e-5),
        "rms of small numbers": lambda x: F.rms_norm(x * 1e-4, (16,)),
        "layer whole": lambda x: F.layer_norm(x, (16,), SCALE, SHIFT),
        "layer whole over two": lambda x: F.layer_norm(x, (6, 16)),
        "layer": lambda x: normed(x) * SCALE + SHIFT,
        "layer over rows": lambda x: normed(x, 1) * SCALE + SHIFT,
        "layer by variance": lambda x: centred(x) * torch.rsqrt(x.var(-1, keepdim=True) + 1e-5) * SCALE,
        "layer by deviation": lambda x: centred(x) / (x.std(-1, keepdim=True) + 0.1) * SCALE + SHIFT,
        "layer by squares less the mean's": lambda x: (
            centred(x) * torch.rsqrt((x * x).mean(-1, keepdim=True) - x.mean(-1, keepdim=True).pow(2) + 1e-5)
        ),
        "layer by another's deviation": lambda x: (
            centred(x.flip(0)) / (centred(x).pow(2).mean(-1, keepdim=True) + 1e-5).sqrt()
        ),
        "layer of what is far from zero": lambda x: F.layer_norm(x + 100, (16,), SCALE, SHIFT),
        "lengths": lambda x: F.normalize(x, dim=1),
        "lengths by hand": lambda x: x / x.norm(dim=-1, keepdim=True),
        "lengths with epsilon": lambda x: x / (x.pow(2).sum(-1, keepdim=True) + 1e-6).sqrt(),
        "lengths of at least two": lambda x: x / x.pow(2).sum(1, keepdim=True).sqrt().clamp(min=2.0),
        "sums of magnitudes": lambda x: F.normalize(x, 1.0, dim=-1),
        "softmax by hand": lambda x: (lambda e: e / e.sum(-1, keepdim=True))(
            (x - x.amax(-1, keepdim=True)).exp()
        ),
        "softmax by another maximum": lambda x: (lambda e: e / e.sum(-1, keepdim=True))(
            (x - x.amax(1, keepdim=True)).exp()
        ),
    },
    ROWS,
)
torch.manual_seed(0)
for shape in ((3, 6), (2, 6, 5), (2, 6, 5, 4), (2, 6, 3, 5, 4)):
    rank = len(shape)
    for groups in (1, 2, 3) if rank == 2 else (1, 2, 6):
        layer = nn.GroupNorm(groups, 6)
        layer.weight.data, layer.bias.data = randn(6), randn(6)
        NORMS.add(f"groups of {6 // groups}, {rank} dimensions", layer, randn(*shape) + 3)
    kind = {2: nn.BatchNorm1d, 3: nn.BatchNorm1d, 4: nn.BatchNorm2d, 5: nn.BatchNorm3d}[rank]
    NORMS.add(
        f"batch by its own statistics, {rank} dimensions",
        kind(6, track_running_stats=False),
        randn(*shape) + 3,
    )
    if rank > 2:
        kind = {3: nn.InstanceNorm1d, 4: nn.InstanceNorm2d, 5: nn.InstanceNorm3d}[rank]
        NORMS.add(f"instance, {rank} dimensions", kind(6, affine=True), randn(*shape) + 3)
        NORMS.add(
            f"instance by statistics, {rank} dimensions", kind(6, track_running_stats=True), randn(*shape)
        )
IMAGE = randn(2, 6, 5, 4)
NORMS.add_all(
    {
        "instance by hand": lambda x: normed(x, (2, 3)),
        "instance, another's mean and deviation": lambda x: (
            normed(x, (2, 3)) * x.flip(0).std((2, 3), keepdim=True) + x.flip(0).mean((2, 3), keepdim=True)
        ),
        "channels": lambda x: normed(x, 1) * CHANNELS[..., None],
        "responses": lambda x: (
            x
            * (
                torch.linalg.vector_norm(x, 2, (2, 3), keepdim=True)
                / (torch.linalg.vector_norm(x, 2, (2, 3), keepdim=True).mean(1, keepdim=True) + 1e-6)
            )
            + x
        ),
    },
    IMAGE,
)

WIDE = randn(2, 6, 16) * 3


def gated(act, axis=-1):
    """The first half times ``act`` of the second."""
    return lambda x: (lambda a, b: a * act(b))(*x.chunk(2, axis))


def tanh_gelu(x, factor=0.044715, power=3):
    """As published, for the published factor and power."""
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + factor * x.pow(power))))


GATES.add_all(
    {
        "gelu": F.gelu,
        "gelu by erf": lambda x: x * 0.5 * (1 + torch.erf(x / math.sqrt(2))),
        "gelu, another divisor": lambda x: x * 0.5 * (1 + torch.erf(x / 1.5)),
        "gelu, another factor": lambda x: x * 0.4 * (1 + torch.erf(x / math.sqrt(2))),
        "gelu of another": lambda x: (x + 1) * 0.5 * (1 + torch.erf(x / math.sqrt(2))),
        "gelu, less": lambda x: x * 0.5 * (1 - torch.erf(x / math.sqrt(2))),
        "gelu by tanh": lambda x: F.gelu(x, approximate="tanh"),
        "gelu by tanh by hand": tanh_gelu,
        "gelu by tanh, another factor": lambda x: tanh_gelu(x, 0.05),
        "gelu by tanh, squares": lambda x: tanh_gelu(x, power=2),
        "gelu by sigmoid": lambda x: x * torch.sigmoid(1.702 * x),
        "swish": lambda x: x * torch.sigmoid(x),
        "swish by exp": lambda x: x / (1 + torch.exp(-x)),
        "swish by exp, two": lambda x: x / (2 + torch.exp(-x)),
        "swish by exp, positive": lambda x: x / (1 + torch.exp(x)),
        "swish of another": lambda x: (x + 1) * torch.sigmoid(x),
        "mish": F.mish,
        "mish by hand": lambda x: x * torch.tanh(torch.log(1 + torch.exp(x))),
        "mish, two": lambda x: x * torch.tanh(torch.log(2 + torch.exp(x))),
        "mish of another": lambda x: (x + 1) * torch.tanh(F.softplus(x)),
        "softplus of small numbers": lambda x: F.softplus(x - 25),
        "log1p of small numbers": lambda x: torch.log1p(x * 1e-4),
        "log1p": lambda x: torch.log1p(x.abs()),
        "expm1 of small numbers": lambda x: torch.expm1(x * 1e-4),
        "expm1": torch.expm1,
        "exp2": torch.exp2,
        "hard swish": F.hardswish,
        "hard swish by hand": lambda x: x * F.relu6(x + 3) / 6,
        "hard swish by clamp": lambda x: x * ((x + 3).clamp(0, 6) * (1 / 6)),
        "hard swish, two": lambda x: x * (x + 2).clamp(0, 6) / 6,
        "hard swish, five": lambda x: x * (x + 3).clamp(0, 5) / 6,
        "hard swish of another": lambda x: (x + 1) * (x + 3).clamp(0, 6) / 6,
        "hard sigmoid": F.hardsigmoid,
        "hard sigmoid by a slope": lambda x: (0.2 * x + 0.5).clamp(0, 1),
        "leaky by maximum": lambda x: torch.maximum(x, 0.1 * x),
        "leaky upwards": lambda x: torch.maximum(x, 1.5 * x),
        "leaky, negative": lambda x: torch.maximum(x, -0.1 * x),
        "slopes by hand": lambda x: F.relu(x) - CHANNELS * F.relu(-x),
        "slopes, the other sign": lambda x: F.relu(x) + CHANNELS * F.relu(-x),
        "slopes by magnitude": lambda x: F.relu(x) + CHANNELS * (x - x.abs()) * 0.5,
        "clamp of clamp": lambda x: x.clamp(-1, 2).clamp(0, 1) + x.clamp(2, -1),
        "sine": lambda x: x + torch.sin(2 * x) ** 2 / 2,
        "square of relu": lambda x: F.relu(x) ** 2,
        "gate": F.glu,
        "gate over rows": lambda x: F.glu(x, 1),
        "gate of swish": gated(F.silu),
        "gate of swish over rows": gated(F.silu, 1),
        "gate of gelu": gated(F.gelu),
        "gate of gelu by tanh": gated(lambda x: F.gelu(x, approximate="tanh")),
        "gate of gelu by sigmoid": gated(lambda x: x * torch.sigmoid(1.702 * x)),
        "gate of relu": gated(F.relu),
        "gate, first half": lambda x: (lambda a, b: F.silu(a) * b)(*x.chunk(2, -1)),
        "gate of unequal parts": lambda x: (lambda a, b: a[..., :6] * F.silu(b))(*x.split([10, 6], -1)),
        "gate of every second": lambda x: (
            (x[..., 1::2].clamp(-2, 2) + 1) * (x[..., ::2] * torch.sigmoid(1.702 * x[..., ::2]))
        ),
    },
    WIDE,
)

STEPS, STATE = randn(2, 3, 5), randn(2, 7)
W_IN, W_STATE = randn(5, 28) * 0.4, randn(7, 28) * 0.4


def lstm(order):
    """By hand, with gates in this order."""

    def run(x, h, c):
        for step in x.unbind(1):
            gates = dict(zip(order, (step @ W_IN + h @ W_STATE).chunk(4, -1), strict=True))
            c = gates["f"].sigmoid() * c + gates["i"].sigmoid() * gates["g"].tanh()
            h = gates["o"].sigmoid() * c.tanh()
        return h, c

    return run


def gru(resets_first, keeps_first):
    """By hand; whether the reset is before the product, and which of old and new the update keeps."""

    def run(x, h):
        for step in x.unbind(1):
            a, b = step @ W_IN[:, :21], h @ W_STATE[:, :21]
            reset, update = (a[:, :7] + b[:, :7]).sigmoid(), (a[:, 7:14] + b[:, 7:14]).sigmoid()
            candidate = (reset * h) @ W_STATE[:, 14:21] if resets_first else reset * b[:, 14:]
            new = (a[:, 14:] + candidate).tanh()
            h = update * h + (1 - update) * new if keeps_first else update * new + (1 - update) * h
        return h

    return run


for kind in (nn.LSTM, nn.GRU, nn.RNN):
    RECURRENT.add(f"{kind.__name__} of two layers", kind(5, 7, 2, batch_first=True), STEPS)
    RECURRENT.add(f"{kind.__name__} in both directions", kind(5, 7, bidirectional=True), STEPS)
for gates in ("ifgo", "figo", "oigf"):
    RECURRENT.add(f"LSTM by hand, {gates}", lstm(gates), STEPS, STATE, randn(2, 7))
for first in (True, False):
    for keeps in (True, False):
        RECURRENT.add(f"GRU by hand, {first}, {keeps}", gru(first, keeps), STEPS, STATE)
