"""Small programs that these tests share."""

from collections.abc import Callable
from typing import Any

import torch
from torch.export import ExportedProgram


class _Wrapper(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def forward(self, *args: Any) -> Any:
        return self._function(*args)


class Counter(torch.nn.Module):
    """Writes a buffer; its input has the name of a built-in."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(2))
        self.weight = torch.nn.Parameter(torch.ones(2))

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        self.count.add_(1)
        return input * self.weight + self.count


def functional(model: Any, *args: Any) -> ExportedProgram:
    """A module or function, exported, in functional form."""
    module = model if isinstance(model, torch.nn.Module) else _Wrapper(model)
    return torch.export.export(module, args).run_decompositions({})
