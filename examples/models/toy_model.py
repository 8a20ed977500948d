"""Models of one or two operators, each a module and its own example."""

from __future__ import annotations

from typing import Any

import torch

from executorch.examples.models.model_base import EagerModelBase


class _Toy(torch.nn.Module, EagerModelBase):
    """Is its own eager model."""

    def get_eager_model(self) -> torch.nn.Module:
        return self


class MulModule(_Toy):
    """``x @ y``."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.mm(x, y)

    def get_example_inputs(self) -> tuple[Any, ...]:
        return torch.ones(3, 2), torch.ones(2, 3)


class LinearModule(_Toy):
    """A linear layer, 3 to 3."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x)

    def get_example_inputs(self) -> tuple[Any, ...]:
        return (torch.ones(3, 3),)


class AddModule(_Toy):
    """Four additions, each on the sum before."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        z = x + y
        z = z + x
        z = z + x
        return z + z

    def get_example_inputs(self) -> tuple[Any, ...]:
        return torch.ones(1), torch.ones(1)


class AddMulModule(_Toy):
    """``a @ x + b``."""

    def forward(self, a: torch.Tensor, x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.mm(a, x) + b

    def get_example_inputs(self) -> tuple[Any, ...]:
        return torch.ones(2, 2), 2 * torch.ones(2, 2), 3 * torch.ones(2, 2)


class SoftmaxModule(_Toy):
    """Softmax over rows."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, dim=1)

    def get_example_inputs(self) -> tuple[Any, ...]:
        return (torch.ones(2, 2),)


class Conv1dModule(_Toy):
    """A convolution over one dimension, 3 channels to 16."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1d = torch.nn.Conv1d(3, 16, kernel_size=3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv1d(x)

    def get_example_inputs(self) -> tuple[Any, ...]:
        return (torch.randn(1, 3, 10),)


class SdpaModule(_Toy):
    """Scaled dot product attention of 8 heads, in bfloat16."""

    def forward(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(query, key, value)

    def get_example_inputs(self) -> tuple[Any, ...]:
        return tuple(torch.randn(2, 8, 128, 64, dtype=torch.bfloat16) for _ in range(3))
