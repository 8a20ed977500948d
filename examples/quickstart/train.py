"""A small convolutional network for handwritten digits, and its training in seconds."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from sklearn.datasets import load_digits
from tqdm import tqdm

#: Grey levels of the data set: 0 is paper, 16 is ink.
INK = 16.0


@dataclass(frozen=True)
class Digits:
    """Real handwritten digits, 8 x 8 pixels, split into what is learnt from and what is held out.

    Attributes:
        train_images, test_images: float32 ``[n, 1, 8, 8]`` from 0 (paper) to 1 (ink).
        train_labels, test_labels: int64 ``[n]`` from 0 to 9.
    """

    train_images: torch.Tensor
    train_labels: torch.Tensor
    test_images: torch.Tensor
    test_labels: torch.Tensor


def load_data(held_out: int = 360, seed: int = 0) -> Digits:
    """The 1,797 images that come with scikit-learn, shuffled by ``seed``; the last ``held_out`` are for testing."""
    bunch = load_digits()
    images = torch.tensor(bunch.images, dtype=torch.float32).unsqueeze(1) / INK
    labels = torch.tensor(bunch.target, dtype=torch.int64)
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(seed))
    train, test = order[:-held_out], order[-held_out:]
    return Digits(images[train], labels[train], images[test], labels[test])


class DigitNet(torch.nn.Module):
    """Two convolutions with pooling, then two fully connected layers: ``[n, 1, 8, 8]`` to scores ``[n, 10]``."""

    def __init__(self) -> None:
        super().__init__()
        self.features = torch.nn.Sequential(
            torch.nn.Conv2d(1, 16, kernel_size=3, padding=1),
            torch.nn.ReLU(),
            torch.nn.MaxPool2d(2),
            torch.nn.Conv2d(16, 32, kernel_size=3, padding=1),
            torch.nn.ReLU(),
            torch.nn.MaxPool2d(2),
        )
        self.classifier = torch.nn.Sequential(
            torch.nn.Linear(32 * 2 * 2, 48), torch.nn.ReLU(), torch.nn.Linear(48, 10)
        )

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.features(image).flatten(1))


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Inside, PyTorch computes with one thread.

    For a network this small more threads are no gain, and on a busy machine they mostly wait for each other;
    besides, the order of additions and with it the trained weights no longer depend on the number of cores.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@one_thread()
def train(data: Digits, epochs: int = 16, batch: int = 48, seed: int = 0, progress: bool = True) -> DigitNet:
    """A network trained on ``data``; same seed and machine, same weights. Returned in eval mode."""
    torch.manual_seed(seed)
    model = DigitNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    shuffle = torch.Generator().manual_seed(seed)
    bar = tqdm(range(epochs), desc="training", unit="epoch", disable=not progress)
    for _ in bar:
        order = torch.randperm(len(data.train_labels), generator=shuffle)
        for chosen in order.split(batch):
            loss = torch.nn.functional.cross_entropy(
                model(data.train_images[chosen]), data.train_labels[chosen]
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
        bar.set_postfix(loss=f"{loss.item():.3f}")
    return model.eval()


def accuracy(scores: torch.Tensor, labels: torch.Tensor) -> float:
    """Share of rows of ``scores`` ``[n, 10]`` whose largest entry is at the label."""
    return (scores.argmax(dim=1) == labels).float().mean().item()
