"""What a model of the registry is: a class that makes the module and inputs of its example."""

from __future__ import annotations

import abc
from typing import Any

import torch


class EagerModelBase(abc.ABC):
    """A model by its published interface.

    Subclasses may also have ``get_example_kwarg_inputs()`` and ``get_dynamic_shapes()``.
    """

    @abc.abstractmethod
    def get_eager_model(self) -> torch.nn.Module:
        """The module.

        Raises:
            ImportError: the package that has the model is not installed.
        """

    @abc.abstractmethod
    def get_example_inputs(self) -> tuple[Any, ...]:
        """Positional inputs of one call."""

    def get_example_kwarg_inputs(self) -> dict[str, Any] | None:
        """Keyword inputs of one call."""
        return None

    def get_dynamic_shapes(self) -> Any:
        """As ``torch.export.export`` takes them."""
        return None
