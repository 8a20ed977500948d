"""Rotations of positions in the forms that language models have, and others that are no rotation or another one."""

import torch

from executorch.backends.test.patterns.pattern import Table, randn

TABLE = Table()
X, COS, SIN = randn(1, 4, 6, 16), randn(1, 1, 6, 16), randn(1, 1, 6, 16)
#: For half of the columns.
COS_HALF, SIN_HALF = randn(1, 1, 6, 8), randn(1, 1, 6, 8)


def halves(x):
    """Turned by a quarter: the second half's opposite, and the first."""
    low, high = x.chunk(2, -1)
    return torch.cat([-high, low], -1)


def pairs(x):
    """Turned by a quarter, column by column."""
    return torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)


def turned(high, low):
    """``x * cos + cat([-x[high], x[low]]) * sin``."""
    return lambda x, c, s: x * c + torch.cat([-x[..., high], x[..., low]], -1) * s


TABLE.add_all(
    {
        "halves": lambda x, c, s: x * c + halves(x) * s,
        "halves by slices": turned(slice(8, None), slice(8)),
        "halves, sine first": lambda x, c, s: halves(x) * s + x * c,
        "halves backwards": lambda x, c, s: x * c - halves(x) * s,
        "halves exchanged": lambda x, c, s: x * s + halves(x) * c,
        "halves, the other sign": lambda x, c, s: x * c + torch.cat([x[..., 8:], -x[..., :8]], -1) * s,
        "halves without sign": lambda x, c, s: x * c + torch.cat([x[..., 8:], x[..., :8]], -1) * s,
        "halves times minus two": lambda x, c, s: x * c + torch.cat([x[..., 8:] * -2, x[..., :8]], -1) * s,
        "halves in their places": turned(slice(8), slice(8, None)),
        "parts of 10 and 6": turned(slice(10, None), slice(10)),
        "parts of 10 and 6 times minus one": lambda x, c, s: (
            x * c + torch.cat([x[..., 10:] * -1.0, x[..., :10]], -1) * s
        ),
        "parts of 10 and 6, split": lambda x, c, s: (
            x * c + (lambda low, high: torch.cat([-high, low], -1))(*x.split([10, 6], -1)) * s
        ),
        "parts that begin elsewhere": turned(slice(4, 12), slice(8)),
        "parts that end elsewhere": turned(slice(8, None), slice(4, 12)),
        "the second half twice": turned(slice(8, None), slice(8, None)),
        "halves of every second column": lambda x, c, s: (
            x * c + torch.cat([-x[..., 1::2], x[..., ::2]], -1) * s
        ),
        "pairs": lambda x, c, s: x * c + pairs(x) * s,
        "pairs, the other sign": lambda x, c, s: (
            x * c + torch.stack([x[..., 1::2], -x[..., ::2]], -1).flatten(-2) * s
        ),
        "halves of another dimension": lambda x, c, s: x * c + torch.cat([-x[:, :, 3:], x[:, :, :3]], 2) * s,
    },
    X,
    COS,
    SIN,
)


def of_halves(first, second):
    """``cat`` of two sums; each is a function of the halves, cosine and sine."""

    def rotated(x, c, s):
        a, b = x.chunk(2, -1)
        return torch.cat([first(a, b, c, s), second(a, b, c, s)], -1)

    return rotated


def of_pairs(first, second):
    """The same of pairs of columns."""

    def rotated(x, c, s):
        a, b = x[..., ::2], x[..., 1::2]
        return torch.stack([first(a, b, c, s), second(a, b, c, s)], -1).flatten(-2)

    return rotated


for form, make in {"halves": of_halves, "pairs": of_pairs}.items():
    TABLE.add_all(
        {
            f"sums of {form}": make(lambda a, b, c, s: a * c - b * s, lambda a, b, c, s: a * s + b * c),
            f"sums of {form}, exchanged": make(
                lambda a, b, c, s: a * c - b * s, lambda a, b, c, s: b * c + a * s
            ),
            f"sums of {form}, backwards": make(
                lambda a, b, c, s: a * c + b * s, lambda a, b, c, s: b * c - a * s
            ),
            f"sums of {form}, both less": make(
                lambda a, b, c, s: a * c - b * s, lambda a, b, c, s: b * c - a * s
            ),
            f"sums of {form}, both more": make(
                lambda a, b, c, s: a * c + b * s, lambda a, b, c, s: b * c + a * s
            ),
            f"sums of {form}, sine less cosine": make(
                lambda a, b, c, s: b * s - a * c, lambda a, b, c, s: b * c + a * s
            ),
            f"sums of {form} with an opposite": make(
                lambda a, b, c, s: -(b * s) + a * c, lambda a, b, c, s: a * s + b * c
            ),
        },
        X,
        COS_HALF,
        SIN_HALF,
    )
TABLE.add_all(
    {
        "the first columns": lambda x, c, s: torch.cat(
            [x[..., :8] * c + halves(x[..., :8]) * s, x[..., 8:]], -1
        ),
        "the last columns": lambda x, c, s: torch.cat(
            [x[..., :8], x[..., 8:] * c + halves(x[..., 8:]) * s], -1
        ),
        "the first columns by pairs": lambda x, c, s: torch.cat(
            [x[..., :8] * c + pairs(x[..., :8]) * s, x[..., 8:]], -1
        ),
        "the first columns, parts of 6 and 2": lambda x, c, s: torch.cat(
            [x[..., :8] * c + torch.cat([-x[..., 6:8], x[..., :6]], -1) * s, x[..., 8:]], -1
        ),
        "halves side by side": lambda x, c, s: torch.stack(
            [x[..., :8] * c - x[..., 8:] * s, x[..., :8] * s + x[..., 8:] * c], -1
        ).flatten(-2),
    },
    X,
    COS_HALF,
    SIN_HALF,
)
#: Shapes of what is turned, of the cosine and of the sine.
for name, x, cos, sin in (
    ("one row of positions", (1, 4, 6, 16), (1, 1, 1, 16), (1, 1, 1, 16)),
    ("a batch of positions", (3, 4, 6, 16), (3, 1, 6, 16), (1, 1, 6, 16)),
    ("heads behind positions", (2, 6, 4, 16), (1, 6, 1, 16), (1, 6, 1, 16)),
    ("an angle for each head", (1, 4, 6, 16), (1, 4, 6, 16), (1, 1, 6, 16)),
    ("an angle for all columns", (1, 4, 6, 16), (1, 1, 6, 1), (1, 1, 6, 1)),
    ("a sine for all columns", (1, 4, 6, 16), (1, 1, 6, 16), (1, 1, 6, 1)),
    ("an angle for all", (1, 4, 6, 16), (1, 1, 1, 1), (1, 1, 1, 1)),
    ("one row for all positions", (1, 4, 1, 16), (1, 1, 6, 16), (1, 1, 6, 16)),
    ("one head for all angles", (1, 1, 6, 16), (1, 4, 6, 16), (1, 4, 6, 16)),
    ("no batch", (4, 6, 16), (1, 6, 16), (1, 6, 16)),
    ("a matrix", (6, 16), (6, 16), (6, 16)),
    ("two columns", (1, 4, 6, 2), (1, 1, 6, 2), (1, 1, 6, 2)),
):
    inputs = (randn(*x), randn(*cos), randn(*sin))
    TABLE.add(f"halves: {name}", lambda x, c, s: x * c + halves(x) * s, *inputs)
    TABLE.add(f"pairs: {name}", lambda x, c, s: x * c + pairs(x) * s, *inputs)
TABLE.add("halves by numbers", lambda x: x * 0.3 + halves(x) * 0.4, X)
TABLE.add("halves of the same angle", lambda x, c: x * c + halves(x) * c, X, COS)
TABLE.add(
    "halves of two tensors",
    lambda x, y, c, s: x * c + torch.cat([-y[..., 8:], x[..., :8]], -1) * s,
    X,
    X + 1,
    COS,
    SIN,
)


def by_frequencies(rotate, columns):
    """Angles from positions, as layers make them; ``columns`` is how often each stands."""

    def rotated(x, positions):
        frequencies = 10000 ** -(torch.arange(0, 16, 2) / 16)
        angles = positions[:, None].float() * frequencies
        angles = torch.cat([angles] * columns, -1)
        return rotate(x, angles.cos(), angles.sin())

    return rotated


TABLE.add_all(
    {
        "halves by positions": by_frequencies(lambda x, c, s: x * c + halves(x) * s, 2),
        "halves by positions, scaled": by_frequencies(
            lambda x, c, s: x * (c * 1.3) + halves(x) * (s * 1.3), 2
        ),
        "sums of halves by positions": by_frequencies(
            of_halves(lambda a, b, c, s: a * c - b * s, lambda a, b, c, s: a * s + b * c), 1
        ),
        "sums of pairs by positions": by_frequencies(
            of_pairs(lambda a, b, c, s: a * c - b * s, lambda a, b, c, s: a * s + b * c), 1
        ),
    },
    X,
    torch.arange(6) + 2,
)
