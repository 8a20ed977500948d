"""Visual wake words."""

from __future__ import annotations

from torch import nn

from executorch.examples.models.mlperf_tiny.layers import TinyModel, relu, separable


class MobileNetV1025(nn.Sequential):
    """``[1, 3, 96, 96]`` to scores of person and none: MobileNetV1, a quarter as wide; ``batch_norm`` as of DSCNNKWS."""

    #: Outputs of the pointwise convolution and stride of the depthwise one before it.
    BLOCKS = ((16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), *((128, 1),) * 5, (256, 2), (256, 1))

    def __init__(self, batch_norm: bool = True) -> None:
        layers: list[nn.Module] = [relu(nn.Conv2d(3, 8, 3, 2, 1), 8, batch_norm)]
        width = 8
        for outputs, stride in self.BLOCKS:
            layers += separable(width, outputs, batch_norm, stride)
            width = outputs
        super().__init__(*layers, nn.AvgPool2d(3), nn.Flatten(), nn.Linear(width, 2))


class MobileNetV1025Model(TinyModel):
    network, shape = MobileNetV1025, (1, 3, 96, 96)
