"""Networks whose output is an image again: segmentation, super-resolution, generation; and a detector."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

from executorch.tests.zoo.blocks import ConvNormAct
from executorch.tests.zoo.specimen import ALL_FLOATS, Specimen, calibrated, image, of_images


def _twice(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(ConvNormAct(inputs, outputs), ConvNormAct(outputs, outputs))


class UNet(nn.Module):
    """Ronneberger et al. 2015: down by pooling, up by transposed convolutions, shortcuts across."""

    def __init__(self, widths: list[int], classes: int) -> None:
        super().__init__()
        pairs = list(itertools.pairwise(widths))
        self.first = _twice(3, widths[0])
        self.down = nn.ModuleList(_twice(narrow, wide) for narrow, wide in pairs)
        self.up = nn.ModuleList(nn.ConvTranspose2d(wide, narrow, 2, 2) for narrow, wide in reversed(pairs))
        self.merge = nn.ModuleList(_twice(2 * narrow, narrow) for narrow, _ in reversed(pairs))
        self.head = nn.Conv2d(widths[0], classes, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        shortcuts = []
        for down in self.down:
            shortcuts.append(x)
            x = down(F.max_pool2d(x, 2))
        for up, merge in zip(self.up, self.merge, strict=True):
            x = merge(torch.cat([shortcuts.pop(), up(x)], 1))
        return self.head(x)


def unet(full: bool) -> Specimen:
    """Four levels at 256 in full size."""
    if full:
        return of_images(UNet([32, 64, 128, 256, 512], 2), 256)
    return of_images(UNet([4, 8, 16], 2), 16)


def unet_dynamic(full: bool) -> Specimen:
    """Height and width are derived dimensions: multiples of what pooling divides by."""
    levels = [32, 64, 128, 256, 512] if full else [4, 8, 16]
    factor = 1 << (len(levels) - 1)
    height, width = Dim("height", min=2, max=16), Dim("width", min=2, max=16)
    shapes = ({2: factor * height, 3: factor * width},)
    others = tuple((torch.randn(1, 3, h * factor, w * factor),) for h, w in ((2, 6), (5, 3)))
    module = calibrated(UNet(levels, 2), image(8 * factor, batch=2))
    return Specimen(module, (torch.randn(1, 3, 4 * factor, 5 * factor),), shapes, others)


class DeepLab(nn.Module):
    """DeepLabV3 (Chen et al. 2017): dilated convolutions beside each other and pooled context, resized up."""

    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.backbone = nn.Sequential(
            ConvNormAct(3, width, stride=2),
            ConvNormAct(width, 2 * width, stride=2),
            ConvNormAct(2 * width, 4 * width, dilation=2),
        )
        self.rates = nn.ModuleList(ConvNormAct(4 * width, width, dilation=rate) for rate in (1, 2, 4))
        self.context = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(4 * width, width, 1), nn.ReLU())
        self.project = ConvNormAct(4 * width, width, 1)
        self.head = nn.Conv2d(width, classes, 1)

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        features = self.backbone(x)
        context = F.interpolate(self.context(features), features.shape[-2:], mode="bilinear")
        merged = self.project(torch.cat([*(branch(features) for branch in self.rates), context], 1))
        scores = F.interpolate(self.head(merged), x.shape[-2:], mode="bilinear", align_corners=False)
        return {"scores": scores, "labels": scores.argmax(1)}


def deeplab(full: bool) -> Specimen:
    """21 classes at 224 in full size."""
    return of_images(DeepLab(64, 21), 224) if full else of_images(DeepLab(4, 3), 20)


class Edsr(nn.Module):
    """Super-resolution by residual blocks without norms and pixel shuffle (Lim et al. 2017)."""

    def __init__(self, width: int, blocks: int, scale: int) -> None:
        super().__init__()
        self.scale = scale
        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(width, width, 3, padding=1), nn.ReLU(), nn.Conv2d(width, width, 3, padding=1)
            )
            for _ in range(blocks)
        )
        self.up = nn.Conv2d(width, 3 * scale * scale, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.first(x)
        for block in self.blocks:
            y = y + 0.1 * block(y)
        enlarged = F.interpolate(x, scale_factor=float(self.scale), mode="nearest")
        return torch.clamp(F.pixel_shuffle(self.up(y), self.scale) + enlarged, -1.0, 1.0)


def super_resolution(full: bool) -> Specimen:
    """EDSR with 64 channels and 16 blocks, 224 to 448, in full size."""
    return of_images(Edsr(64, 16, 2), 224) if full else of_images(Edsr(6, 2, 2), 12, ALL_FLOATS)


def dcgan(full: bool) -> Specimen:
    """The generator of DCGAN (Radford et al. 2015): noise to a 64 x 64 image in full size."""
    noise, width, steps = (100, 64, 4) if full else (8, 4, 2)
    layers: list[nn.Module] = []
    channels = noise
    for step in range(steps):
        outputs = width << (steps - 1 - step)
        stride, padding = (2, 1) if step else (1, 0)
        layers += [nn.ConvTranspose2d(channels, outputs, 4, stride, padding, bias=False)]
        layers += [nn.BatchNorm2d(outputs), nn.ReLU(True)]
        channels = outputs
    module = nn.Sequential(*layers, nn.ConvTranspose2d(channels, 3, 4, 2, 1, bias=False), nn.Tanh())
    return Specimen(calibrated(module, torch.randn(4, noise, 1, 1)), (torch.randn(2, noise, 1, 1),))


class Vae(nn.Module):
    """A variational autoencoder; its noise is an input, so that it has one answer."""

    def __init__(self, side: int, width: int, latent: int) -> None:
        super().__init__()
        self.side = side // 4
        self.width = width
        self.encoder = nn.Sequential(
            nn.Conv2d(1, width, 3, 2, 1),
            nn.LeakyReLU(0.2),
            nn.Conv2d(width, width, 3, 2, 1),
            nn.ELU(),
            nn.Flatten(),
        )
        self.moments = nn.Linear(width * self.side**2, 2 * latent)
        self.expand = nn.Linear(latent, width * self.side**2)
        self.decoder = nn.Sequential(
            nn.Upsample(scale_factor=2.0), nn.Conv2d(width, width, 3, padding=1), nn.Softplus(),
            nn.ConvTranspose2d(width, 1, 3, 2, 1, output_padding=1), nn.Sigmoid(),
        )  # fmt: skip

    def forward(self, x: torch.Tensor, noise: torch.Tensor) -> Any:
        mean, log_variance = self.moments(self.encoder(x)).chunk(2, -1)
        latent = mean + torch.exp(0.5 * log_variance) * noise
        image = self.decoder(self.expand(latent).view(-1, self.width, self.side, self.side))
        divergence = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp(), -1)
        return image, (mean, log_variance), divergence


def vae(full: bool) -> Specimen:
    """28 x 28 digits in full size."""
    side, width, latent = (28, 32, 20) if full else (8, 4, 3)
    return Specimen(Vae(side, width, latent).eval(), (image(side, 1, 2), torch.randn(2, latent)))


class DiffusionStep(nn.Module):
    """One denoising step of a diffusion model: group norms, attention, a sinusoidal embedding of the time."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.rates = width // 2
        self.time = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))
        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.norm1, self.conv1 = nn.GroupNorm(4, width), nn.Conv2d(width, width, 3, padding=1)
        self.norm2, self.conv2 = nn.GroupNorm(4, width), nn.Conv2d(width, width, 3, padding=1)
        self.attention_norm, self.qkv = nn.GroupNorm(4, width), nn.Conv2d(width, 3 * width, 1)
        self.head = nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, x: torch.Tensor, step: torch.Tensor) -> torch.Tensor:
        rates = torch.exp(torch.arange(self.rates, dtype=x.dtype) * (-9.2 / self.rates))
        angles = step[:, None].to(x.dtype) * rates[None]
        time = self.time(torch.cat([angles.sin(), angles.cos()], -1))
        y = self.first(x)
        z = self.conv1(F.silu(self.norm1(y))) + time[:, :, None, None]
        y = y + self.conv2(F.silu(self.norm2(z)))
        query, key, value = self.qkv(self.attention_norm(y)).flatten(2).transpose(1, 2).chunk(3, -1)
        attended = F.scaled_dot_product_attention(query, key, value)
        y = y + attended.transpose(1, 2).reshape(y.shape)
        return x - 0.1 * self.head(F.silu(y))


def diffusion(full: bool) -> Specimen:
    """32 x 32 images in full size."""
    side, width = (32, 128) if full else (8, 8)
    return Specimen(DiffusionStep(width).eval(), (image(side, batch=2), torch.tensor([3, 700])))


class Detector(nn.Module):
    """A one-stage detector in the style of YOLO: two scales, boxes decoded in the graph, the best kept."""

    def __init__(self, width: int, classes: int, kept: int) -> None:
        super().__init__()
        self.kept = kept
        self.stem = nn.Sequential(
            ConvNormAct(3, width, stride=2, act=nn.Mish), ConvNormAct(width, width, stride=2)
        )
        self.deeper = ConvNormAct(width, 2 * width, stride=2, act=nn.SiLU)
        self.lateral = ConvNormAct(2 * width, width, 1, act=nn.SiLU)
        self.near, self.far = nn.Conv2d(2 * width, 5 + classes, 1), nn.Conv2d(2 * width, 5 + classes, 1)

    def _boxes(self, scores: torch.Tensor, stride: int) -> torch.Tensor:
        _, channels, height, width = scores.shape
        rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        grid = torch.stack([columns, rows], -1).reshape(-1, 2)
        scores = scores.permute(0, 2, 3, 1).reshape(scores.shape[0], -1, channels)
        centre = (scores[..., :2].sigmoid() * 2 - 0.5 + grid) * stride
        extent = (scores[..., 2:4].sigmoid() * 2) ** 2 * stride
        return torch.cat([centre - extent / 2, centre + extent / 2, scores[..., 4:].sigmoid()], -1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        fine = self.stem(x)
        coarse = self.deeper(fine)
        merged = torch.cat([fine, F.interpolate(self.lateral(coarse), scale_factor=2.0)], 1)
        boxes = torch.cat([self._boxes(self.near(merged), 4), self._boxes(self.far(coarse), 8)], 1)
        confidence, index = torch.topk(boxes[..., 4], self.kept, dim=1)
        best = torch.gather(boxes, 1, index.unsqueeze(-1).expand(-1, -1, boxes.shape[-1]))
        return best, confidence


def yolo(full: bool) -> Specimen:
    """80 classes at 320 in full size."""
    return of_images(Detector(64, 80, 100), 320) if full else of_images(Detector(6, 3, 5), 32)


FACTORIES: Mapping[str, Callable[[bool], Specimen]] = {
    factory.__name__: factory
    for factory in (unet, unet_dynamic, deeplab, super_resolution, dcgan, vae, diffusion, yolo)
}
