"""A MobileNetV2 for small images, and its training on the quickstart's digits."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from tqdm import tqdm

from executorch.examples.models.plain_mobilenet_v2 import MobileNetV2
from executorch.examples.quickstart.train import Digits, one_thread

#: Digits are scaled from 8 x 8 to this many pixels a side.
PIXELS = 32


def mobilenet(width: float = 0.35) -> MobileNetV2:
    """``[n, 1, size, size]`` to scores ``[n, 10]``; the first convolution keeps the size, as images are small.

    Args:
        width: factor of the numbers of channels.
    """
    return MobileNetV2(width, classes=10, channels=1, stride=1, head=640)


def enlarged(images: Tensor) -> Tensor:
    """Digits ``[n, 1, 8, 8]`` as ``[n, 1, PIXELS, PIXELS]``."""
    return nn.functional.interpolate(images, size=(PIXELS, PIXELS), mode="bilinear", align_corners=False)


@one_thread()
def train_mobilenet(data: Digits, epochs: int = 6, seed: int = 0, progress: bool = True) -> MobileNetV2:
    """A MobileNetV2 trained on enlarged digits; same seed and machine, same weights. Returned in eval mode."""
    torch.manual_seed(seed)
    model = mobilenet()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    shuffle = torch.Generator().manual_seed(seed)
    images = enlarged(data.train_images)
    for _ in tqdm(range(epochs), desc="training MobileNetV2", unit="epoch", disable=not progress):
        order = torch.randperm(len(data.train_labels), generator=shuffle)
        for chosen in order.split(48):
            loss = nn.functional.cross_entropy(model(images[chosen]), data.train_labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
    return model.eval()
