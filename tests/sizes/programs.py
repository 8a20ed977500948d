"""Exports the models of the kernels' size report: programs DIRECTORY

A classifier of 8 x 8 images, the blocks of a MobileNetV2 and a layer of a transformer with its embedding; plain
PyTorch with seeded random weights, since only the operators count.
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Callable

import torch
from torch import Tensor, nn

from executorch.exir import to_edge


def digits() -> tuple[nn.Module, tuple[Tensor, ...]]:
    """Two convolutions and a linear layer; images of 8 x 8."""
    layers = [nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    layers += [nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(64, 10)), (torch.randn(1, 1, 8, 8),)


class Mobile(nn.Module):
    """A first convolution, an inverted residual block and a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU6())
        widen = [nn.Conv2d(8, 48, 1, bias=False), nn.BatchNorm2d(48), nn.ReLU6()]
        widen += [nn.Conv2d(48, 48, 3, 1, 1, groups=48, bias=False), nn.BatchNorm2d(48), nn.ReLU6()]
        self.block = nn.Sequential(*widen, nn.Conv2d(48, 8, 1, bias=False), nn.BatchNorm2d(8))
        self.classifier = nn.Linear(8, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        return self.classifier((x + self.block(x)).mean([2, 3]))


def mobile() -> tuple[nn.Module, tuple[Tensor, ...]]:
    """Like MobileNetV2; images of 32 x 32."""
    return Mobile(), (torch.randn(1, 3, 32, 32),)


class Transformer(nn.Module):
    """An embedding, attention and a perceptron with a norm before each, and scores of the next token."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(64, 32)
        self.norms = nn.ModuleList(nn.LayerNorm(32) for _ in range(2))
        self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
        self.up, self.down = nn.Linear(32, 64), nn.Linear(64, 32)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.tokens(ids)
        q, k, v = self.qkv(self.norms[0](x)).chunk(3, -1)
        x = x + self.out(torch.softmax(q @ k.transpose(1, 2) / 32**0.5, -1) @ v)
        x = x + self.down(nn.functional.gelu(self.up(self.norms[1](x))))
        return x @ self.tokens.weight.t()


def transformer() -> tuple[nn.Module, tuple[Tensor, ...]]:
    """One layer of width 32; sixteen tokens."""
    return Transformer(), (torch.randint(0, 64, (1, 16)),)


MODELS: dict[str, Callable[[], tuple[nn.Module, tuple[Tensor, ...]]]] = {
    "digits": digits,
    "mobile": mobile,
    "transformer": transformer,
}


def program(name: str) -> bytes:
    """The model as a program that no backend takes part of."""
    torch.manual_seed(0)
    module, inputs = MODELS[name]()
    with torch.no_grad():
        return bytes(to_edge(torch.export.export(module.eval(), inputs)).to_executorch().buffer)


if __name__ == "__main__":
    for model in MODELS:
        pathlib.Path(sys.argv[1], f"{model}.pte").write_bytes(program(model))
