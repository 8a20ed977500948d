"""Anomaly detection."""

from __future__ import annotations

from torch import nn

from executorch.examples.models.mlperf_tiny.layers import TinyModel, relu


class DeepAutoEncoder(nn.Sequential):
    """``[1, 640]``, five frames of a spectrogram, to the same again; ``batch_norm`` as of DSCNNKWS."""

    WIDTHS = (640, 128, 128, 128, 128, 8, 128, 128, 128, 128)

    def __init__(self, batch_norm: bool = True) -> None:
        pairs = zip(self.WIDTHS, self.WIDTHS[1:], strict=False)
        super().__init__(
            *(relu(nn.Linear(*pair), pair[1], batch_norm) for pair in pairs), nn.Linear(128, 640)
        )


class DeepAutoEncoderModel(TinyModel):
    network, shape = DeepAutoEncoder, (1, 640)
