"""Calls of what works on images and volumes, in floating point: functions, and what they are called with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

Case = tuple[Callable[..., Any], tuple[Any, ...]]


def _conv(*args: Any, shape: tuple[int, ...], kind: Any = torch.nn.Conv2d, **options: Any) -> Case:
    return kind(*args, **options).eval(), (torch.randn(*shape),)


SPATIAL: dict[str, list[Case]] = {
    "aten.max_pool2d_with_indices.default": [
        (lambda x: F.max_pool2d(x, 2), (torch.randn(1, 3, 8, 9),)),
        (lambda x: F.max_pool2d(x, 3, 2, 1), (torch.randn(2, 3, 8, 7),)),
        (lambda x: F.max_pool2d(x, 3, 2, ceil_mode=True), (torch.randn(1, 2, 8, 8),)),
        (lambda x: F.max_pool2d(x, 2, 1, dilation=2), (torch.randn(1, 3, 8, 9),)),
        (lambda x: F.max_pool2d(x, (3, 2), (2, 3), (1, 0), dilation=(2, 3)), (torch.randn(2, 2, 9, 11),)),
    ],
    "aten.max_pool3d_with_indices.default": [
        (lambda x: F.max_pool3d(x, 2), (torch.randn(1, 3, 4, 8, 9),)),
        (lambda x: F.max_pool3d(x, (3, 2, 3), (2, 1, 2), (1, 0, 1)), (torch.randn(2, 2, 5, 4, 7),)),
        (lambda x: F.max_pool3d(x, 2, 1, dilation=(2, 1, 3)), (torch.randn(1, 2, 6, 4, 7),)),
        (lambda x: F.max_pool3d(x, 3, 2, ceil_mode=True), (torch.randn(1, 2, 6, 8, 8),)),
    ],
    "aten.avg_pool3d.default": [
        (lambda x: F.avg_pool3d(x, (2, 3, 2)), (torch.randn(1, 3, 4, 6, 9),)),
        (lambda x: F.avg_pool3d(x, 3, 2, 1), (torch.randn(2, 2, 5, 6, 7),)),
        (lambda x: F.avg_pool3d(x, 3, 2, 1, count_include_pad=False), (torch.randn(1, 2, 5, 7, 6),)),
        (lambda x: F.avg_pool3d(x, 3, 2, 1, ceil_mode=True), (torch.randn(1, 2, 6, 8, 7),)),
        (lambda x: F.local_response_norm(x, 3, 0.5), (torch.randn(2, 5, 3, 4),)),
    ],
    "aten._adaptive_avg_pool3d.default": [
        (lambda x: F.adaptive_avg_pool3d(x, (2, 3, 4)), (torch.randn(1, 2, 5, 8, 9),)),
    ],
    "aten.avg_pool2d.default": [
        (lambda x: F.avg_pool2d(x, 2), (torch.randn(1, 3, 8, 9),)),
        (lambda x: F.avg_pool2d(x, 3, 2, 1), (torch.randn(2, 3, 8, 8),)),
        (lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), (torch.randn(1, 2, 7, 7),)),
        (lambda x: F.avg_pool2d(x, 3, 2, ceil_mode=True), (torch.randn(1, 2, 8, 8),)),
        (lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True), (torch.randn(1, 2, 8, 7),)),
    ],
    "aten._adaptive_avg_pool2d.default": [
        (lambda x, size=size: F.adaptive_avg_pool2d(x, size), (torch.randn(1, 2, 8, 9),))
        for size in ((2, 3), (3, 4), (7, 7), (5, None), (11, 13))
    ],
    "aten.convolution.default": [
        _conv(3, 8, 3, shape=(1, 3, 8, 8)),
        _conv(3, 8, 3, stride=2, padding=1, shape=(2, 3, 8, 9)),
        _conv(4, 6, (3, 2), stride=(2, 3), padding=(1, 0), dilation=(1, 2), bias=False, shape=(1, 4, 10, 11)),
        _conv(4, 8, 3, groups=4, padding=1, shape=(1, 4, 6, 6)),
        _conv(4, 4, 3, groups=4, stride=2, padding=1, shape=(1, 4, 7, 8)),
        _conv(4, 6, 3, groups=2, shape=(1, 4, 6, 6)),
        _conv(3, 4, 3, padding=1, stride=2, kind=torch.nn.Conv1d, shape=(2, 3, 9)),
        _conv(2, 4, 3, padding=1, stride=2, kind=torch.nn.Conv3d, shape=(1, 2, 4, 5, 6)),
        _conv(
            3, 4, 3, stride=2, padding=1, output_padding=1, kind=torch.nn.ConvTranspose2d, shape=(1, 3, 5, 6)
        ),
        _conv(4, 6, 2, stride=2, groups=2, kind=torch.nn.ConvTranspose2d, shape=(1, 4, 5, 6)),
        _conv(4, 6, 3, padding=2, kind=torch.nn.ConvTranspose2d, shape=(1, 4, 7, 6)),
        _conv(3, 4, 3, stride=2, kind=torch.nn.ConvTranspose1d, shape=(1, 3, 6)),
    ],
    "aten.grid_sampler_2d.default": [
        (
            lambda x, g: F.grid_sample(x, g, align_corners=False),
            (torch.randn(2, 3, 5, 4), torch.randn(2, 6, 3, 2)),
        ),
        (
            lambda x, g: F.grid_sample(x, g, padding_mode="border", align_corners=True),
            (torch.randn(1, 2, 5, 4), torch.randn(1, 3, 3, 2)),
        ),
    ],
    "aten.upsample_nearest2d.vec": [
        (lambda x: F.interpolate(x, scale_factor=2), (torch.randn(1, 2, 3, 4),)),
        (lambda x: F.interpolate(x, size=(5, 7)), (torch.randn(1, 2, 3, 4),)),
        (lambda x: F.interpolate(x, scale_factor=0.3), (torch.randn(1, 2, 21, 37),)),
        (lambda x: F.interpolate(x, size=(4, 3)), (torch.randn(1, 2, 9, 8),)),
    ],
    "aten.upsample_bilinear2d.vec": [
        (lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear"), (torch.randn(1, 2, 3, 4),)),
        (
            lambda x: F.interpolate(x, size=(5, 7), mode="bilinear", align_corners=True),
            (torch.randn(1, 2, 3, 4),),
        ),
        (lambda x: F.interpolate(x, scale_factor=1 / 16, mode="bilinear"), (torch.randn(1, 2, 64, 32),)),
        (
            lambda x: F.interpolate(x, size=(1, 2), mode="bilinear", align_corners=True),
            (torch.randn(2, 3, 70, 90),),
        ),
        (lambda x: F.interpolate(x, scale_factor=(1.3, 0.7), mode="bilinear"), (torch.randn(1, 2, 9, 14),)),
        (lambda x: F.interpolate(x, size=(4, 5), mode="bilinear"), (torch.randn(1, 2, 9, 8),)),
    ],
}
