"""A recurrent network of PyTorch's own layer."""

from __future__ import annotations

from typing import Any

import torch

from executorch.examples.models.model_base import EagerModelBase


class LSTMModel(EagerModelBase):
    """Two layers of LSTM, 10 features to 20, over 5 steps of a batch of 3."""

    def get_eager_model(self) -> torch.nn.Module:
        return torch.nn.LSTM(10, 20, 2).eval()

    def get_example_inputs(self) -> tuple[Any, ...]:
        return torch.randn(5, 3, 10), (torch.randn(2, 3, 20), torch.randn(2, 3, 20))
