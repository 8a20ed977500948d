"""From a row of the registry to a module with inputs."""

from __future__ import annotations

import importlib
from typing import Any

import torch

from executorch.examples.models.model_base import EagerModelBase


class EagerModelFactory:
    """Makes models by the names of their module and class."""

    @staticmethod
    def create_model(
        module_name: str, model_class_name: str, **kwargs: Any
    ) -> tuple[torch.nn.Module, tuple[Any, ...], dict[str, Any] | None, Any]:
        """The module, its positional and keyword inputs and its dynamic shapes.

        Args:
            module_name: a module below ``executorch.examples.models``.
            model_class_name: a class in it, see :class:`EagerModelBase`.
            kwargs: for the class.

        Raises:
            ValueError: there is no such module or class.
            ImportError: the package that has the model is not installed.
        """
        path = f"executorch.examples.models.{module_name}"
        try:
            module = importlib.import_module(path)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{path}.".startswith(f"{error.name}."):
                raise
            raise ValueError(f"there is no module {path}{_where_it_is(module_name)}") from error
        if not hasattr(module, model_class_name):
            raise ValueError(f"module {path} has no model {model_class_name!r}")
        model: EagerModelBase = getattr(module, model_class_name)(**kwargs)
        return (
            model.get_eager_model(),
            model.get_example_inputs(),
            model.get_example_kwarg_inputs(),
            model.get_dynamic_shapes(),
        )


def _where_it_is(module_name: str) -> str:
    is_language = module_name.partition(".")[0] == "llama"
    return ": language models are in executorch_examples_models_llama" if is_language else ""
