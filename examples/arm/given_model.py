"""Which model a command line names: one of the examples, or one of the caller's own in a file."""

from __future__ import annotations

import importlib.util
import pathlib
from typing import Any

import torch

from executorch.examples.models import MODEL_NAME_TO_MODEL
from executorch.examples.models.model_factory import EagerModelFactory

Inputs = tuple[Any, ...]


def model_and_inputs(name: str, input_file: str = "") -> tuple[torch.nn.Module, Inputs]:
    """The model, for inference, with example inputs.

    Args:
        name: of an example; a Python file with ``ModelUnderTest``, a module, and ``ModelInputs``, a tuple; or a file that
            ``torch.save`` wrote a module to (``.pt``, ``.pth``), which may run code of whoever wrote it.
        input_file: a tensor or a tuple of them, written by ``torch.save``, in place of the model's own inputs; or, of a model in a
            Python file, the name of a variable there.

    Raises:
        ValueError: there is no such model, or nothing says its inputs.
    """
    path = pathlib.Path(name)
    inputs: Inputs | None = None
    if name in MODEL_NAME_TO_MODEL:
        model, inputs, _, _ = EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL[name])
    elif path.suffix == ".py" and path.is_file():
        model, inputs = _from_python(path, input_file if input_file.isidentifier() else "ModelInputs")
    elif path.suffix in (".pt", ".pth") and path.is_file():
        model = torch.load(path, weights_only=False)
    else:
        raise ValueError(
            f"no model {name!r}; there are {', '.join(MODEL_NAME_TO_MODEL)}, and files: Python with ModelUnderTest and "
            "ModelInputs, or a module by torch.save (.pt, .pth)"
        )
    if not isinstance(model, torch.nn.Module):
        raise ValueError(f"{name} has a {type(model).__name__} as model; it must be a torch.nn.Module")
    if input_file and not (path.suffix == ".py" and input_file.isidentifier()):
        inputs = _as_tuple(torch.load(input_file))
    if inputs is None:
        raise ValueError(f"nothing says the inputs of {name}: add --model_input=FILE, written by torch.save")
    return model.eval(), inputs


def _as_tuple(value: Any) -> Inputs:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _from_python(path: pathlib.Path, variable: str) -> tuple[Any, Inputs | None]:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None, path
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, "ModelUnderTest"):
        raise ValueError(f"{path} has no ModelUnderTest, a torch.nn.Module")
    inputs = getattr(module, variable, None)
    if inputs is None and variable != "ModelInputs":
        raise ValueError(
            f"{path} has no {variable}; --model_input is a file, or a variable of the model's file"
        )
    return module.ModelUnderTest, None if inputs is None else _as_tuple(inputs)


__all__ = ["model_and_inputs"]
