"""Keyword spotting."""

from __future__ import annotations

from torch import nn

from executorch.examples.models.mlperf_tiny.layers import TinyModel, relu, separable


class DSCNNKWS(nn.Sequential):
    """``[1, 1, 49, 10]``, coefficients of a second of speech, to scores of 12 words: DS-CNN.

    Args:
        batch_norm: False: normalizations are part of the convolutions before them, as in the published int8 files.
    """

    def __init__(self, batch_norm: bool = True) -> None:
        layers = [layer for _ in range(4) for layer in separable(64, 64, batch_norm)]
        super().__init__(
            # What "same" comes to: 25 x 5 windows, one row more below than above.
            nn.ZeroPad2d((1, 1, 4, 5)),
            relu(nn.Conv2d(1, 64, (10, 4), 2), 64, batch_norm),
            *layers,
            nn.AvgPool2d((25, 5)),
            nn.Flatten(),
            nn.Linear(64, 12),
        )


class DSCNNKWSModel(TinyModel):
    network, shape = DSCNNKWS, (1, 1, 49, 10)
