"""The models that this project measures itself with: plain PyTorch, seeded random weights.

The same as in the comparison with other engines: an image classifier of depthwise convolutions, one of dense
convolutions, one of attention, a text encoder, one step of a decoder with a static key-value cache, and a multilayer
perceptron; the convolutional ones in int8 too. This file knows PyTorch only, so that every engine's process can read it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn


def _convolution(inputs: int, outputs: int, kernel: int, stride: int, groups: int = 1) -> list[nn.Module]:
    return [
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU6(),
    ]


class InvertedResidual(nn.Module):
    """MobileNetV2's block: widen, filter each channel, narrow without an activation."""

    def __init__(self, inputs: int, outputs: int, stride: int, expand: int) -> None:
        super().__init__()
        hidden = inputs * expand
        layers = _convolution(inputs, hidden, 1, 1) if expand != 1 else []
        layers += _convolution(hidden, hidden, 3, stride, groups=hidden)
        layers += _convolution(hidden, outputs, 1, 1)[:2]
        self.layers = nn.Sequential(*layers)
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x: Tensor) -> Tensor:
        return x + self.layers(x) if self.residual else self.layers(x)


class MobileNetV2(nn.Module):
    """Width 1.0, 1000 classes."""

    def __init__(self) -> None:
        super().__init__()
        blocks = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2)]
        blocks.append((6, 320, 1, 1))
        layers = _convolution(3, 32, 3, 2)
        inputs = 32
        for expand, outputs, count, stride in blocks:
            for i in range(count):
                layers.append(InvertedResidual(inputs, outputs, stride if i == 0 else 1, expand))
                inputs = outputs
        layers += _convolution(inputs, 1280, 1, 1)
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(1280, 1000)

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(self.features(x).mean([2, 3]))


class BasicBlock(nn.Module):
    """ResNet's block of two 3 x 3 convolutions."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()
        )
        self.second = nn.Sequential(nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
        shortcut: nn.Module = nn.Identity()
        if stride != 1 or inputs != outputs:
            shortcut = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )
        self.shortcut = shortcut

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.second(self.first(x)) + self.shortcut(x))


class ResNet18(nn.Module):
    """1000 classes."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
        )
        widths = [(64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)]
        self.blocks = nn.Sequential(
            *(nn.Sequential(BasicBlock(i, o, s), BasicBlock(o, o, 1)) for i, o, s in widths)
        )
        self.classifier = nn.Linear(512, 1000)

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(self.blocks(self.stem(x)).mean([2, 3]))


class EncoderLayer(nn.Module):
    """Attention and a two-layer perceptron, each with a residual connection and a norm behind it."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x: Tensor) -> Tensor:
        batch, tokens, width = x.shape

        def split(t: Tensor) -> Tensor:
            return t.view(batch, tokens, self.heads, width // self.heads).transpose(1, 2)

        q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
        scores = torch.softmax(q @ k.transpose(-1, -2) / (width // self.heads) ** 0.5, -1)
        mixed = (scores @ v).transpose(1, 2).reshape(batch, tokens, width)
        x = self.norm1(x + self.out(mixed))
        return self.norm2(x + self.down(nn.functional.gelu(self.up(x))))


class Encoder(nn.Module):
    """A BERT-like encoder: 4 layers, width 256, 4 heads."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.positions = nn.Embedding(8192, 256), nn.Embedding(128, 256)
        self.norm = nn.LayerNorm(256)
        self.layers = nn.Sequential(*(EncoderLayer(256, 4) for _ in range(4)))

    def forward(self, ids: Tensor) -> Tensor:
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))
        return self.layers(self.norm(x))


class RootMeanSquareNorm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


class DecoderLayer(nn.Module):
    """Rotary attention over a static cache, and a gated perceptron."""

    def __init__(self, width: int, heads: int, hidden: int, context: int) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.gate, self.up = (nn.Linear(width, hidden, bias=False) for _ in range(2))
        self.down = nn.Linear(hidden, width, bias=False)
        self.norm1, self.norm2 = RootMeanSquareNorm(width), RootMeanSquareNorm(width)
        size = (1, context, heads, width // heads)
        self.register_buffer("keys", torch.zeros(size))
        self.register_buffer("values", torch.zeros(size))

    def forward(self, x: Tensor, position: Tensor, cos: Tensor, sin: Tensor, mask: Tensor) -> Tensor:
        batch, tokens, width = x.shape
        shape = (batch, tokens, self.heads, width // self.heads)
        y = self.norm1(x)

        def rotate(t: Tensor) -> Tensor:
            a, b = t.view(shape).chunk(2, -1)
            return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)

        self.keys[:, position] = rotate(self.k(y))
        self.values[:, position] = self.v(y).view(shape)
        q = rotate(self.q(y)).transpose(1, 2)
        scores = q @ self.keys.permute(0, 2, 3, 1) / shape[-1] ** 0.5 + mask
        mixed = (torch.softmax(scores, -1) @ self.values.transpose(1, 2)).transpose(1, 2)
        x = x + self.out(mixed.reshape(batch, tokens, width))
        y = self.norm2(x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))


class Decoder(nn.Module):
    """A Llama-like decoder: 6 layers, width 288, 6 heads, 32000 tokens; one step at a time."""

    def __init__(self, context: int = 256) -> None:
        super().__init__()
        width, heads = 288, 6
        self.tokens = nn.Embedding(32000, width)
        self.layers = nn.ModuleList(DecoderLayer(width, heads, 768, context) for _ in range(6))
        self.norm = RootMeanSquareNorm(width)
        self.head = nn.Linear(width, 32000, bias=False)
        angles = torch.outer(torch.arange(context), 10000.0 ** (-torch.arange(0, 48, 2) / 48))
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())
        mask = torch.full((context, context), float("-inf")).triu(1)
        self.register_buffer("mask", mask)

    def forward(self, ids: Tensor, position: Tensor) -> Tensor:
        x = self.tokens(ids)
        cos, sin = (t[position].view(1, -1, 1, 24) for t in (self.cos, self.sin))
        mask = self.mask[position]
        for layer in self.layers:
            x = layer(x, position, cos, sin, mask)
        return self.head(self.norm(x))


class VisionLayer(nn.Module):
    """Attention and a two-layer perceptron, each with a norm before it and a residual connection."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, tokens, width = x.shape
        parts = self.qkv(self.norm1(x)).reshape(batch, tokens, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, tokens, width))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class VisionTransformer(nn.Module):
    """ViT-tiny: patches of 16, 12 layers, width 192, 3 heads, 1000 classes."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 192, 16, 16)
        self.token = nn.Parameter(torch.randn(1, 1, 192) * 0.02)
        self.positions = nn.Parameter(torch.randn(1, 197, 192) * 0.02)
        self.layers = nn.Sequential(*(VisionLayer(192, 3) for _ in range(12)))
        self.norm = nn.LayerNorm(192)
        self.classifier = nn.Linear(192, 1000)

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.positions
        return self.classifier(self.norm(self.layers(x))[:, 0])


def perceptron() -> nn.Module:
    """Three layers of 1024."""
    layers: list[nn.Module] = []
    for _ in range(3):
        layers += [nn.Linear(1024, 1024), nn.ReLU()]
    return nn.Sequential(*layers)


@dataclass(frozen=True)
class PeerModel:
    """A model and what it is fed.

    Attributes:
        make: Builds the module.
        inputs: Example inputs.
        int8: Whether it is quantized, with scales from its example inputs; for backends only.
    """

    make: Callable[[], nn.Module]
    inputs: Callable[[], tuple[Tensor, ...]]
    int8: bool = False

    def build(self) -> tuple[nn.Module, tuple[Tensor, ...]]:
        """The module in evaluation mode and its inputs, the same in every process."""
        torch.manual_seed(0)
        module, inputs = self.make(), self.inputs()
        _settle(module, inputs)
        return module.eval(), inputs


def _settle(module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
    """Gives norms the statistics of the inputs, as training would have.

    With those of a new module each layer makes its input smaller: MobileNetV2's results were the last bias, whatever the image (4e-9 apart), and what
    was compared with them was nothing.
    """
    norms = [one for one in module.modules() if isinstance(one, nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = None
    if norms:
        with torch.no_grad():
            module.train()(*inputs)


def _image() -> tuple[Tensor, ...]:
    return (torch.randn(1, 3, 224, 224),)


MODELS = {
    "mlp": PeerModel(perceptron, lambda: (torch.randn(1, 1024),)),
    "mnv2": PeerModel(MobileNetV2, _image),
    "resnet18": PeerModel(ResNet18, _image),
    "vit": PeerModel(VisionTransformer, _image),
    "bert": PeerModel(Encoder, lambda: (torch.randint(0, 8192, (1, 128)),)),
    "llama": PeerModel(Decoder, lambda: (torch.randint(0, 32000, (1, 1)), torch.tensor([7]))),
    "mnv2_int8": PeerModel(MobileNetV2, _image, int8=True),
    "resnet18_int8": PeerModel(ResNet18, _image, int8=True),
}
