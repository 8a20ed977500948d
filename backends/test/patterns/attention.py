"""Attention as models write it: whole, by hand, with masks of every kind, with heads that share keys; layers around it; experts."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from executorch.backends.test.patterns.pattern import Table, randn

TABLE = Table()
sdpa = F.scaled_dot_product_attention
Q, K, V = randn(2, 4, 5, 8), randn(2, 4, 7, 8), randn(2, 4, 7, 8)
KEYS_OF_TWO, VALUES_OF_TWO = randn(2, 2, 7, 8), randn(2, 2, 7, 8)
KEYS_OF_ONE, VALUES_OF_ONE = randn(2, 1, 7, 8), randn(2, 1, 7, 8)
SEEN = randn(5, 7) > 0
SEEN[:, 0] = True
ADDED = randn(2, 1, 5, 7)
#: Of one query nothing is seen.
BLIND = torch.ones(5, 7, dtype=torch.bool)
BLIND[2] = False


def repeated(x, times):
    """Heads as transformers repeat them."""
    batch, heads, length, width = x.shape
    return x[:, :, None].expand(batch, heads, times, length, width).reshape(batch, -1, length, width)


TABLE.add_all(
    {
        "whole": sdpa,
        "whole, causal over more keys": lambda q, k, v: sdpa(q, k, v, is_causal=True),
        "whole, causal over fewer keys": lambda q, k, v: sdpa(k, q, q + 1, is_causal=True),
        "whole, scaled": lambda q, k, v: sdpa(q, k, v, scale=0.5, is_causal=True),
        "whole, one query, causal": lambda q, k, v: sdpa(q[:, :, :1], k, v, is_causal=True),
        "whole, keys of one batch": lambda q, k, v: sdpa(q, k[:1], v[:1]),
        "whole, without a batch": lambda q, k, v: sdpa(q[0], k[0], v[0], is_causal=True),
        "whole, matrices": lambda q, k, v: sdpa(q[0, 0], k[0, 0], v[0, 0]),
        "whole, five dimensions": lambda q, k, v: sdpa(q[None], k[None], v[None]),
        "whole, wide values": lambda q, k, v: sdpa(q, k, torch.cat([v, v[..., :4]], -1)),
        "by hand": lambda q, k, v: (q @ k.mT / math.sqrt(8)).softmax(-1) @ v,
        "by hand, plain": lambda q, k, v: (q @ k.mT).softmax(-1) @ v,
        "by hand, queries scaled": lambda q, k, v: ((q * 0.4) @ k.mT).softmax(-1) @ v,
        "by hand, both scaled": lambda q, k, v: ((q * 0.6) @ (k * 0.7).mT).softmax(-1) @ v,
        "by hand, over queries": lambda q, k, v: (q @ k.mT / 3).softmax(-2) @ v,
        "by hand, over heads": lambda q, k, v: (q @ k.mT / 3).softmax(1) @ v,
        "by hand, capped": lambda q, k, v: (torch.tanh(q @ k.mT / 3 / 5) * 5).softmax(-1) @ v,
        "by hand, one more in the sum": lambda q, k, v: (
            ((q @ k.mT / 3).exp() / (1 + (q @ k.mT / 3).exp().sum(-1, keepdim=True))) @ v
        ),
        "of directions": lambda q, k, v: (
            (F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT * 9).softmax(-1) @ v
        ),
        "of channels": lambda q, k, v: ((q.mT @ k[:, :, :5] / 3).softmax(-1) @ v[:, :, :5].mT).mT,
        "of sigmoids": lambda q, k, v: (q @ k.mT / 3 - 2).sigmoid() @ v,
        "the difference of two": lambda q, k, v: (
            ((q @ k.mT / 3).softmax(-1) - 0.3 * (q.flip(1) @ k.mT / 3).softmax(-1)) @ v
        ),
        "linear": lambda q, k, v: (
            ((F.elu(q) + 1) @ ((F.elu(k) + 1).mT @ v)) / ((F.elu(q) + 1) @ (F.elu(k) + 1).sum(-2)[..., None])
        ),
        "biased by distance": lambda q, k, v: sdpa(q, k, v, distances() * slopes()),
        "biased by distance by hand": lambda q, k, v: (q @ k.mT / 3 + distances() * slopes()).softmax(-1) @ v,
        "a window": lambda q, k, v: sdpa(q, k, v, (distances().abs() < 3)),
    },
    Q,
    K,
    V,
)


def distances():
    """Of keys from queries."""
    return (torch.arange(7)[None] - torch.arange(5)[:, None]).float()


def slopes():
    """One for each head."""
    return (2.0 ** -torch.arange(1, 5))[:, None, None]


TABLE.add_all(
    {
        "grouped": lambda q, k, v: sdpa(q, k, v, enable_gqa=True),
        "grouped, causal": lambda q, k, v: sdpa(q, k, v, is_causal=True, enable_gqa=True),
        "grouped, repeated": lambda q, k, v: sdpa(q, repeated(k, 2), repeated(v, 2)),
        "grouped, interleaved": lambda q, k, v: sdpa(q, k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)),
        "grouped, tiled": lambda q, k, v: sdpa(q, k.repeat(1, 2, 1, 1), v.repeat(1, 2, 1, 1)),
    },
    Q,
    KEYS_OF_TWO,
    VALUES_OF_TWO,
)
TABLE.add_all(
    {
        "one key for all heads": sdpa,
        "one key for all heads, expanded": lambda q, k, v: sdpa(
            q, k.expand(-1, 4, -1, -1), v.expand(-1, 4, -1, -1)
        ),
        "one key for all heads, grouped": lambda q, k, v: sdpa(q, k, v, enable_gqa=True),
    },
    Q,
    KEYS_OF_ONE,
    VALUES_OF_ONE,
)
TABLE.add(
    "grouped, masked", lambda q, k, v, m: sdpa(q, k, v, m, enable_gqa=True), Q, KEYS_OF_TWO, V[:, :2], SEEN
)
for name, mask in {
    "booleans": SEEN,
    "booleans of a batch": ADDED > -1.5,
    "booleans of keys": torch.tensor([[[[True] * 4 + [False] * 3]], [[[True] * 6 + [False]]]]),
    "nothing seen": BLIND,
    "numbers": randn(5, 7),
    "numbers of a batch": ADDED,
    "numbers of heads": randn(1, 4, 5, 7),
    "infinities": torch.zeros(5, 7).masked_fill(~SEEN, -math.inf),
    "infinities alone": torch.zeros(5, 7).masked_fill(~BLIND, -math.inf),
    "the least number": torch.zeros(5, 7).masked_fill(~SEEN, torch.finfo().min),
    "the least number alone": torch.zeros(5, 7).masked_fill(~BLIND, torch.finfo().min),
}.items():
    TABLE.add(f"whole, masked by {name}", sdpa, Q, K, V, mask)
    TABLE.add(
        f"a matrix, masked by {name}",
        sdpa,
        Q[0, 0],
        K[0, 0],
        V[0, 0],
        mask.flatten(0, -3)[0] if mask.dim() > 2 else mask,
    )
TABLE.add_all(
    {
        "by hand, masked": lambda q, k, v, m: (q @ k.mT / 3 + m).softmax(-1) @ v,
        "by hand, masked before it is scaled": lambda q, k, v, m: ((q @ k.mT + m) * 0.3).softmax(-1) @ v,
        "by hand, masked twice": lambda q, k, v, m: (q @ k.mT / 3 + m + m.flip(0)).softmax(-1) @ v,
        "by hand, capped and masked": lambda q, k, v, m: (torch.tanh(q @ k.mT / 15) * 5 + m).softmax(-1) @ v,
        "by hand, filled": lambda q, k, v, m: (q @ k.mT / 3).masked_fill(m < -1, -math.inf).softmax(-1) @ v,
        "by hand, chosen": lambda q, k, v, m: torch.where(m > -1, q @ k.mT / 3, -1e4).softmax(-1) @ v,
        "by hand, masked behind": lambda q, k, v, m: ((q @ k.mT / 3).softmax(-1) * (m > -1)) @ v,
    },
    Q,
    K,
    V,
    ADDED,
)
TABLE.add(
    "by hand, a scale for each head",
    lambda q, k, v, s: (q @ k.mT * s).softmax(-1) @ v,
    Q,
    K,
    V,
    randn(4, 1, 1),
)
TABLE.add(
    "by hand, a scale for each query", lambda q, k, v, s: (q @ k.mT * s).softmax(-1) @ v, Q, K, V, randn(5, 1)
)
TABLE.add(
    "a sink",
    lambda q, k, v, s: torch.cat([q @ k.mT / 3, s.expand(2, 4, 5, 1)], -1).softmax(-1)[..., :-1] @ v,
    Q,
    K,
    V,
    randn(1, 4, 1, 1),
)
TABLE.add(
    "biased by a table",
    lambda q, k, v, t: (q @ k.mT + t[(distances() + 4).long()].permute(2, 0, 1)).softmax(-1) @ v,
    Q,
    K,
    V,
    randn(12, 4),
)
TABLE.add(
    "positions of keys",
    lambda q, k, v, t: (q @ k.mT + torch.einsum("bhid,ijd->bhij", q, t)).softmax(-1) @ v,
    Q,
    K,
    V,
    randn(5, 7, 8),
)
TABLE.add(
    "positions gathered",
    lambda q, k, v, t: (
        ((q @ k.mT + torch.gather(q @ t.mT, -1, (distances() + 4).long().expand(2, 4, 5, 7))) / 3).softmax(-1)
        @ v
    ),
    Q,
    K,
    V,
    randn(4, 12, 8),
)
TABLE.add(
    "heads behind",
    lambda q, k, v: sdpa(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)).transpose(1, 2).flatten(2),
    randn(2, 5, 4, 8),
    randn(2, 7, 4, 8),
    randn(2, 7, 4, 8),
)


class Fused(nn.Module):
    """One layer for queries, keys and values, whose columns ``split`` shares out."""

    def __init__(self, split):
        super().__init__()
        self.split, self.qkv, self.out = split, nn.Linear(32, 96), nn.Linear(32, 32)

    def forward(self, x):
        q, k, v = self.split(self.qkv(x))
        return self.out(sdpa(q, k, v).transpose(1, 2).flatten(2))


def heads(x):
    """(batch, heads, length, width)"""
    return x.unflatten(-1, (4, -1)).transpose(1, 2)


torch.manual_seed(0)
for name, split in {
    "chunks": lambda y: map(heads, y.chunk(3, -1)),
    "three, heads, width": lambda y: y.unflatten(-1, (3, 4, 8)).permute(2, 0, 3, 1, 4),
    "three, heads, width, unbound": lambda y: y.unflatten(-1, (3, 4, 8)).permute(2, 0, 3, 1, 4).unbind(0),
    "heads, three, width": lambda y: y.unflatten(-1, (4, 3, 8)).permute(3, 0, 2, 1, 4),
    "heads, width, three": lambda y: y.unflatten(-1, (4, 8, 3)).permute(4, 0, 2, 1, 3),
    "heads, chunks": lambda y: heads(y).chunk(3, -1),
    "normed": lambda y: (lambda q, k, v: (F.rms_norm(q, (8,)), F.layer_norm(k, (8,)), v))(
        *map(heads, y.chunk(3, -1))
    ),
}.items():
    TABLE.add(f"fused by {name}", Fused(split), randn(2, 6, 32))
TABLE.add("encoder layer", nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), randn(2, 6, 32))
TABLE.add(
    "decoder layer", nn.TransformerDecoderLayer(32, 4, 64, batch_first=True), randn(2, 6, 32), randn(2, 5, 32)
)


class Experts(nn.Module):
    """Two of four for each token; ``mix`` makes their sum."""

    def __init__(self, mix):
        super().__init__()
        self.mix, self.gate = mix, nn.Linear(16, 4, bias=False)
        self.up, self.down = (
            nn.Parameter(torch.randn(4, 16, 24) / 4),
            nn.Parameter(torch.randn(4, 24, 16) / 4),
        )

    def forward(self, x):
        weights, chosen = self.gate(x).softmax(-1).topk(2, -1)
        return self.mix(self, x, weights / weights.sum(-1, keepdim=True), chosen)

    def all_of(self, x):
        """What each expert makes of each token."""
        return F.silu(x.expand(4, -1, -1) @ self.up) @ self.down


TABLE.add_all(
    {
        "experts one by one": Experts(
            lambda self, x, w, chosen: sum(
                (F.silu(x @ self.up[i]) @ self.down[i]) * (w * (chosen == i)).sum(-1, keepdim=True)
                for i in range(4)
            )
        ),
        "experts all at once": Experts(
            lambda self, x, w, chosen: (
                self.all_of(x) * torch.zeros(9, 4).scatter(1, chosen, w).t()[..., None]
            ).sum(0)
        ),
        "experts repeated": Experts(
            lambda self, x, w, chosen: (
                torch.bmm(F.silu(torch.bmm(x.repeat(4, 1).view(4, 9, 16), self.up)), self.down).view(4, 9, 16)
                * torch.zeros(9, 4).scatter(1, chosen, w).t().view(4, 9, 1)
            ).sum(0)
        ),
        "experts gathered": Experts(
            lambda self, x, w, chosen: torch.einsum(
                "tkf,tkfd,tk->td",
                F.silu(torch.einsum("td,tkdf->tkf", x, self.up[chosen])),
                self.down[chosen],
                w,
            )
        ),
    },
    randn(9, 16),
)
