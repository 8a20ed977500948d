"""Transformers and mixers on images, alone and beside text.

Those named after a class of `transformers` are this class with a configuration of our own and random weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
import transformers
from torch import nn
from torch.nn import functional as F

from executorch.tests.zoo.blocks import ConvNormAct
from executorch.tests.zoo.language import FirstOutput, tokens
from executorch.tests.zoo.specimen import ALL_FLOATS, Specimen, calibrated, image, of_images


def vit(full: bool) -> Specimen:
    """ViT-Tiny/16 at 224 in full size."""
    width, layers, heads, side, patch = (192, 12, 3, 224, 16) if full else (16, 2, 2, 16, 4)
    config = transformers.ViTConfig(
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * width,
        image_size=side,
        patch_size=patch,
        num_labels=1000 if full else 5,
    )
    model = transformers.ViTForImageClassification(config).eval()
    return Specimen(FirstOutput(model, "pixel_values"), (image(side),), tolerance=ALL_FLOATS)


class WindowAttention(nn.Module):
    """Attention within windows, shifted by half a window in every second block, with a bias by relative position."""

    index: torch.Tensor
    mask: torch.Tensor

    def __init__(self, width: int, heads: int, side: int, window: int, shift: int) -> None:
        super().__init__()
        self.heads, self.window, self.shift = heads, window, shift
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.bias = nn.Parameter(torch.randn((2 * window - 1) ** 2, heads))
        place = torch.stack(
            torch.meshgrid(torch.arange(window), torch.arange(window), indexing="ij")
        ).flatten(1)
        row, column = place[:, :, None] - place[:, None] + window - 1
        self.register_buffer("index", row * (2 * window - 1) + column)
        regions = torch.zeros(1, side, side, 1)
        for number, start in enumerate((0, side - window, side - shift) if shift else (0,)):
            regions[:, start:] += number
            regions[:, :, start:] += 10 * number
        region = self._windows(regions).squeeze(-1)
        self.register_buffer("mask", (region[:, None] != region[:, :, None]).float().unsqueeze(1) * -100.0)

    def _windows(self, x: torch.Tensor) -> torch.Tensor:
        batch, height, width, channels = x.shape
        size = self.window
        x = x.view(batch, height // size, size, width // size, size, channels)
        return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, size * size, channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, height, width, channels = x.shape
        if self.shift:
            x = torch.roll(x, (-self.shift, -self.shift), (1, 2))
        windows = self._windows(x)
        count, size, _ = windows.shape
        qkv = self.qkv(windows).view(count, size, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        query, key, value = qkv.unbind(0)
        bias = self.bias[self.index.view(-1)].view(size, size, -1).permute(2, 0, 1)
        scores = (
            (query * query.shape[-1] ** -0.5) @ key.transpose(-2, -1)
            + bias
            + self.mask.repeat(batch, 1, 1, 1)
        )
        y = self.out((scores.softmax(-1) @ value).transpose(1, 2).reshape(count, size, channels))
        rows = height // self.window
        y = y.view(batch, rows, -1, self.window, self.window, channels).permute(0, 1, 3, 2, 4, 5)
        y = y.reshape(batch, height, width, channels)
        return torch.roll(y, (self.shift, self.shift), (1, 2)) if self.shift else y


class SwinBlock(nn.Module):
    """Window attention and a feed-forward, each after a norm and around a residual."""

    def __init__(self, width: int, heads: int, side: int, window: int, shift: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = WindowAttention(width, heads, side, window, shift)
        self.feed_forward = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.feed_forward(self.norm2(x))


class PatchMerging(nn.Module):
    """Halves height and width, doubles the channels."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.reduce = nn.LayerNorm(4 * width), nn.Linear(4 * width, 2 * width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        parts = [x[:, row::2, column::2] for column in (0, 1) for row in (0, 1)]
        return self.reduce(self.norm(torch.cat(parts, -1)))


class Swin(nn.Module):
    """Liu et al. 2021."""

    def __init__(
        self, side: int, width: int, depths: list[int], heads: list[int], window: int, classes: int
    ) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, 4, 4)
        layers: list[nn.Module] = []
        side //= 4
        for stage, (depth, count) in enumerate(zip(depths, heads, strict=True)):
            if stage:
                layers.append(PatchMerging(width))
                side, width = side // 2, 2 * width
            layers += [SwinBlock(width, count, side, window, (i % 2) * (window // 2)) for i in range(depth)]
        self.layers, self.norm, self.head = (
            nn.Sequential(*layers),
            nn.LayerNorm(width),
            nn.Linear(width, classes),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.layers(self.patches(x).permute(0, 2, 3, 1))
        return self.head(self.norm(x).mean((1, 2)))


def swin(full: bool) -> Specimen:
    """Swin-T at 224 in full size (window 7)."""
    if full:
        return of_images(Swin(224, 96, [2, 2, 6, 2], [3, 6, 12, 24], 7, 1000), 224)
    return of_images(Swin(32, 8, [2, 1], [2, 2], 4, 5), 32)


class MixerBlock(nn.Module):
    """One perceptron across patches, one across channels."""

    def __init__(self, patches: int, width: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.across = nn.Sequential(nn.Linear(patches, 2 * width), nn.GELU(), nn.Linear(2 * width, patches))
        self.within = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU("tanh"), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.across(self.norm1(x).mT).mT
        return x + self.within(self.norm2(x))


class MlpMixer(nn.Module):
    """Tolstikhin et al. 2021."""

    def __init__(self, side: int, patch: int, width: int, blocks: int, classes: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.blocks = nn.Sequential(*(MixerBlock((side // patch) ** 2, width) for _ in range(blocks)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.blocks(self.patches(x).flatten(2).mT)
        return self.head(self.norm(x).mean(1))


def mlp_mixer(full: bool) -> Specimen:
    """Eight blocks of 256 on patches of 16 at 224 in full size."""
    if full:
        return of_images(MlpMixer(224, 16, 256, 8, 1000), 224)
    return of_images(MlpMixer(16, 4, 12, 2, 5), 16)


def clip(full: bool) -> Specimen:
    """Both towers of CLIP ViT-B/32's shape, at a quarter of its width, in full size."""
    width, layers, heads, side, patch, length, words = (
        (128, 6, 4, 224, 32, 77, 49408) if full else (16, 2, 2, 16, 8, 6, 40)
    )
    shared = {
        "hidden_size": width,
        "intermediate_size": 4 * width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
    }
    text = {"vocab_size": words, "max_position_embeddings": length, "eos_token_id": words - 1, **shared}
    config = transformers.CLIPConfig(
        text_config=text,
        vision_config={"image_size": side, "patch_size": patch, **shared},
        projection_dim=width,
    )
    ids = tokens(words - 1, 2, length)
    ids[:, -1] = words - 1
    module = FirstOutput(
        transformers.CLIPModel(config).eval(), "input_ids", "pixel_values", return_dict=False
    )
    return Specimen(module, (ids, image(side)))


class Detr(nn.Module):
    """Carion et al. 2020: a convolutional backbone, a transformer, learned queries, classes and boxes."""

    def __init__(self, width: int, heads: int, layers: int, queries: int, cells: int, classes: int) -> None:
        super().__init__()
        self.backbone = nn.Sequential(
            ConvNormAct(3, width // 2, stride=2), ConvNormAct(width // 2, width, stride=2), nn.MaxPool2d(2)
        )
        self.transformer = nn.Transformer(width, heads, layers, layers, 4 * width, 0.0, batch_first=True)
        self.positions = nn.Parameter(torch.rand(1, cells, width))
        self.queries = nn.Parameter(torch.rand(1, queries, width))
        self.classes = nn.Linear(width, classes + 1)
        self.boxes = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 4))

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        features = self.backbone(x).flatten(2).permute(0, 2, 1) + self.positions
        decoded = self.transformer(features, self.queries.expand(x.shape[0], -1, -1))
        return {"logits": self.classes(decoded), "boxes": self.boxes(decoded).sigmoid()}


def detr(full: bool) -> Specimen:
    """Three layers of 256 and 100 queries at 160 in full size."""
    width, heads, layers, queries, side, classes = (256, 8, 3, 100, 160, 91) if full else (8, 2, 1, 3, 16, 4)
    return of_images(Detr(width, heads, layers, queries, (side // 8) ** 2, classes), side)


class MobileVit(nn.Module):
    """After MobileViT (Mehta and Rastegari 2022): convolutions, attention over unfolded patches, convolutions."""

    def __init__(self, width: int, heads: int, classes: int) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            ConvNormAct(3, width, stride=2, act=nn.SiLU), ConvNormAct(width, width, act=nn.SiLU)
        )
        self.block = nn.TransformerEncoderLayer(
            width, heads, 2 * width, 0.0, "gelu", batch_first=True, norm_first=True
        )
        self.fuse, self.head = ConvNormAct(2 * width, width, act=nn.SiLU), nn.Linear(width, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stem(x)
        batch, channels, height, width = x.shape
        patches = x.unfold(2, 2, 2).unfold(3, 2, 2).flatten(4).permute(0, 4, 2, 3, 1)
        y = self.block(patches.reshape(batch * 4, -1, channels))
        y = y.view(batch, 2, 2, height // 2, width // 2, channels).permute(0, 5, 3, 1, 4, 2)
        x = self.fuse(torch.cat([x, y.reshape(batch, channels, height, width)], 1))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


def mobilevit(full: bool) -> Specimen:
    """One block of 96 channels at 128 in full size."""
    return of_images(MobileVit(96, 4, 1000), 128) if full else of_images(MobileVit(8, 2, 5), 16)


class Sam(nn.Module):
    """A promptable segmenter: point prompts become Fourier features, and attend to the image both ways."""

    frequencies: torch.Tensor

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(ConvNormAct(3, width, stride=2), nn.Conv2d(width, width, 3, 2, 1))
        self.register_buffer("frequencies", torch.randn(2, width // 2))
        self.kinds = nn.Embedding(2, width)
        self.to_image = nn.MultiheadAttention(width, heads, batch_first=True)
        self.to_points = nn.MultiheadAttention(width, heads, batch_first=True)
        self.up = nn.ConvTranspose2d(width, width, 2, 2)

    def forward(self, x: torch.Tensor, points: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
        encoded = self.encoder(x)
        cells = encoded.flatten(2).transpose(1, 2)
        angles = (2 * points - 1) @ self.frequencies * 6.2831853
        prompt = torch.cat([angles.sin(), angles.cos()], -1) + self.kinds(kinds)
        prompt = prompt + self.to_image(prompt, cells, cells, need_weights=False)[0]
        cells = cells + self.to_points(cells, prompt, prompt)[0]
        masks = self.up(cells.transpose(1, 2).reshape(encoded.shape))
        return torch.einsum("bpc,bchw->bphw", prompt, masks) > 0


def sam(full: bool) -> Specimen:
    """64 channels at 128 in full size; gives masks of bool."""
    width, side = (64, 128) if full else (8, 16)
    module = calibrated(
        Sam(width, 2), image(side, batch=2), torch.rand(2, 3, 2), torch.ones(2, 3, dtype=torch.int64)
    )
    return Specimen(module, (image(side), torch.rand(1, 3, 2), torch.tensor([[0, 1, 1]])))


FACTORIES: Mapping[str, Callable[[bool], Specimen]] = {
    factory.__name__: factory for factory in (vit, swin, mlp_mixer, clip, detr, mobilevit, sam)
}
