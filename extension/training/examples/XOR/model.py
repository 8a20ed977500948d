"""A network with one hidden layer, and the same with its loss."""

from __future__ import annotations

import torch
from torch.nn import functional


class Net(torch.nn.Module):
    """Two numbers to two scores: of equal inputs and of different ones."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(2, 10)
        self.linear2 = torch.nn.Linear(10, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear2(torch.relu(self.linear(x)))


class TrainingNet(torch.nn.Module):
    """A network with its loss, which a joint graph has to return first."""

    def __init__(self, net: torch.nn.Module) -> None:
        super().__init__()
        self.net = net
        self.loss = torch.nn.CrossEntropyLoss()

    def forward(self, input: torch.Tensor, label: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The loss (a scalar) and the class that was predicted for each row."""
        scores = self.net(input)
        return self.loss(scores, label), functional.softmax(scores, dim=1).detach().argmax(dim=1)
