"""Models that between them use what programs are made of; each with example inputs and dynamic shapes."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F


class Cnn(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.second, self.norm2 = nn.Conv2d(8, 16, 3, bias=False), nn.BatchNorm2d(16)
        self.dropout, self.linear = nn.Dropout(0.3), nn.Linear(16, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(F.relu(self.norm(self.first(x))), 2)
        x = F.relu_(self.norm2(self.second(x)))
        x = F.adaptive_avg_pool2d(x, (1, 1)).flatten(1)
        return F.softmax(self.linear(self.dropout(x)), -1)


class Transformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention, self.norm = nn.MultiheadAttention(16, 4, batch_first=True), nn.LayerNorm(16)
        self.feed_forward = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(x)
        return x + self.feed_forward(self.attention(y, y, y)[0])


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.gru = nn.LSTM(8, 6, 2, batch_first=True), nn.GRU(6, 5, batch_first=True)

    def forward(self, x: torch.Tensor) -> Any:
        y, state = self.lstm(x)
        return self.gru(y)[0], state


class Counter(nn.Module):
    count: torch.Tensor
    grid: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.full((3,), 5.0))
        self.register_buffer("grid", torch.zeros(2, 4))

    def forward(self, x: torch.Tensor) -> Any:
        self.count.add_(1)
        self.count.mul_(2)
        self.grid[:, 1:3] = x
        self.grid[0].add_(1)
        return x + self.count.sum(), self.count.clone(), self.grid * 2


class Swap(nn.Module):
    a: torch.Tensor
    b: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("a", torch.ones(3))
        self.register_buffer("b", torch.zeros(3))

    def forward(self, x: torch.Tensor) -> Any:
        old = self.a.clone()
        self.a.copy_(self.b)
        self.b.copy_(old + x)
        return self.a, self.b


class Cache(nn.Module):
    cache: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("cache", torch.zeros(1, 8, 4))

    def forward(self, x: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        self.cache[:, position] = x
        return self.cache.reshape(8, 4).sum(0)


class WrittenThroughView(nn.Module):
    b: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("b", torch.zeros(2, 3))

    def forward(self, x: torch.Tensor) -> Any:
        view = self.b.view(-1)
        self.b.add_(x)
        return view * 2, self.b


class WrittenInput(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        y[0] = 5
        return x * 2 + y


class Dynamic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> Any:
        y = self.linear(x)
        both = torch.cat([y, y * 2], 0)
        return both.reshape(-1, 2), x.view(x.shape[0] * 8), F.softmax(y, -1).sum(0), x.shape[0] * 2


class DynamicImage(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 4, 3, stride=2), nn.BatchNorm2d(4)

    def forward(self, x: torch.Tensor) -> Any:
        y = F.relu(self.norm(self.conv(x)))
        return (
            F.adaptive_avg_pool2d(y, 1).flatten(1),
            F.interpolate(y, scale_factor=2.0),
            y.shape[2] + y.shape[3],
        )


class DataDependent(nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor) -> Any:
        count = n.item()
        torch._check(count >= 0)
        torch._check(count <= 4)
        return x[:count] * 2, x.nonzero()


class Containers(nn.Module):
    def forward(self, x: torch.Tensor, n: int, flag: bool, f: float, t: dict[str, torch.Tensor]) -> Any:
        return {
            "a": x * n,
            "b": (x + f, [x > 0, t["k"].to(torch.int32) + 1]),
            "c": n,
            "d": None,
            "e": "text",
            "f": x * 2 if flag else x,
        }


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.out = nn.Embedding(16, 8), nn.Linear(8, 16, bias=False)
        self.out.weight = self.embedding.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.out(F.layer_norm(self.embedding(tokens), (8,)))


class Types(nn.Module):
    def forward(
        self, i32: torch.Tensor, i64: torch.Tensor, f: torch.Tensor, h: torch.Tensor, b: torch.Tensor
    ) -> Any:
        mixed = i32 + i64, i32 / 2, i64 * 2.5, f * h, b.float() + f, torch.where(b, f, 0.0), i32 > 1.5, h + 1
        powers = f**2, 2**f, 1 - f, torch.cat([f, i32]), i64 // 3, i64 % 3, i32.mean(dtype=torch.float32)
        casts = f.to(torch.float64).exp(), f.to(torch.int64), f.half(), b.sum(), ~b, i32.bool()
        return mixed, powers, casts


class ChannelsLast(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, x: torch.Tensor) -> Any:
        y = self.conv(x.to(memory_format=torch.channels_last))
        return F.relu(y), y.contiguous() + 1, F.max_pool2d(y, 2)


class Views(nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        a, b = x.chunk(2, 1)
        rows = torch.stack(x.unbind(0))
        column = x[:, 1:3].permute(1, 0).contiguous()
        flat = a.transpose(0, 1).reshape(-1).view(4, -1) + 1
        return flat, b.unsqueeze(0).squeeze(0) * 2, column, x.unsqueeze(1), rows, x.split([1, 3], 1)[1] + 0


class Aliases(nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        y = x * 2
        return y, y, x, y.detach(), y.view(-1)


class ConstantOutputs(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", torch.arange(4.0))
        self.weight = nn.Parameter(torch.ones(2))
        self.constant = torch.tensor([3.0, 4.0])

    def forward(self, x: torch.Tensor) -> Any:
        return self.table, self.weight, x + self.constant, 3, "hi", None, True, 2.5


class Branches(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> Any:
        return torch.cond(
            x.sum() > 0,
            lambda y: (self.linear(y), y + 1),
            lambda y: (y * 3, self.linear(y) - y),
            (x,),
        )


class NoGrad(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            y = x * 2
        return y + x.new_zeros(3) + torch.arange(3) + torch.tensor([1.0, 2.0, 3.0])


class Slices(nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        y = x.clone()
        y[:, 0] = 1
        y[1:, 1].mul_(3)
        z = torch.zeros(2, 3)
        z.add_(x[:2, :3])
        z[0] += z[1]
        return y, z


@dataclass
class Case:
    """One model to lower.

    Attributes:
        model: class of the model.
        inputs: example inputs.
        dynamic_shapes: as for ``torch.export.export``.
        others: further inputs, of other sizes.
    """

    model: type[nn.Module]
    inputs: tuple[Any, ...]
    dynamic_shapes: Any = None
    others: tuple[tuple[Any, ...], ...] = ()


def cases() -> dict[str, Case]:
    """All models by name."""
    torch.manual_seed(0)
    half, mask = torch.randn(4).half(), torch.tensor([True, False, True, False])
    image = {"x": {0: Dim("b", max=4), 2: Dim("h", min=5, max=16), 3: Dim("w", min=5, max=16)}}
    return {
        "cnn": Case(Cnn, (torch.randn(2, 1, 12, 12),)),
        "cnn_dynamic": Case(
            Cnn, (torch.randn(2, 1, 12, 12),), {"x": {0: Dim("b", max=4)}}, ((torch.randn(4, 1, 12, 12),),)
        ),
        "transformer": Case(Transformer, (torch.randn(2, 5, 16),)),
        "transformer_dynamic": Case(
            Transformer,
            (torch.randn(2, 5, 16),),
            {"x": {0: Dim("b", max=4), 1: Dim("s", max=16)}},
            ((torch.randn(4, 16, 16),), (torch.randn(3, 2, 16),)),
        ),
        "recurrent": Case(Recurrent, (torch.randn(2, 3, 8),)),
        "counter": Case(Counter, (torch.randn(2, 2),)),
        "swap": Case(Swap, (torch.randn(3),)),
        "cache": Case(Cache, (torch.randn(1, 1, 4), torch.tensor([3]))),
        "written_through_view": Case(WrittenThroughView, (torch.randn(2, 3),)),
        "written_input": Case(WrittenInput, (torch.randn(3), torch.randn(3))),
        "dynamic": Case(
            Dynamic,
            (torch.randn(3, 8),),
            {"x": {0: Dim("b", min=1, max=9)}},
            ((torch.randn(9, 8),), (torch.randn(1, 8),)),
        ),
        "dynamic_image": Case(
            DynamicImage, (torch.randn(2, 3, 9, 9),), image, ((torch.randn(4, 3, 16, 5),),)
        ),
        "data_dependent": Case(
            DataDependent, (torch.randn(4), torch.tensor(3)), None, ((torch.ones(4), torch.tensor(0)),)
        ),
        "containers": Case(Containers, (torch.randn(2, 3), 3, True, 1.5, {"k": torch.arange(3)})),
        "tied": Case(Tied, (torch.randint(0, 16, (2, 3)),)),
        "types": Case(
            Types, (torch.arange(4, dtype=torch.int32), torch.arange(4) * 5, torch.randn(4), half, mask)
        ),
        "channels_last": Case(ChannelsLast, (torch.randn(1, 3, 8, 8),)),
        "views": Case(Views, (torch.randn(6, 4),)),
        "aliases": Case(Aliases, (torch.randn(2, 3),)),
        "constant_outputs": Case(ConstantOutputs, (torch.randn(2),)),
        "branches": Case(Branches, (torch.ones(3),), None, ((-torch.ones(3),),)),
        "no_grad": Case(NoGrad, (torch.randn(2, 3),)),
        "slices": Case(Slices, (torch.randn(3, 4),)),
    }
