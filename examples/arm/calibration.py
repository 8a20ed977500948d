"""Which samples set the scales of a quantized model: what a file or a folder of files holds."""

from __future__ import annotations

import itertools
import pathlib
from collections.abc import Iterator
from typing import Any

import torch

_ENDINGS = (".pt", ".pth")
#: Of a folder.
_MOST = 1000

Inputs = tuple[Any, ...]


def samples(place: str, inputs: Inputs) -> Iterator[Inputs]:
    """The samples, each as a tuple of the model's inputs; a thousand of a folder at most.

    Args:
        place: a file by ``torch.save``, which holds a tensor or a tuple of inputs; or a folder of such files, whose folders count.
        inputs: of the model, as an example.

    Raises:
        ValueError: there is no such file, or none in the folder, or it does not fit the model.
    """
    root = pathlib.Path(place)
    files = [root] if root.is_file() else sorted(root.rglob("*"))
    fitting = [one for one in files if one.suffix.lower() in _ENDINGS and one.is_file()]
    if not fitting:
        raise ValueError(
            f"nothing to calibrate with at {place!r}; samples are files by torch.save that end with {' or '.join(_ENDINGS)}"
        )
    wanted = [_kind(one) for one in inputs]
    for file in itertools.islice(fitting, _MOST):
        found = torch.load(file)
        made = tuple(found) if isinstance(found, list | tuple) else (found,)
        kinds = [_kind(one) for one in made]
        if kinds != wanted:
            raise ValueError(f"{file} has {kinds}; the model takes {wanted}")
        yield made


def _kind(value: Any) -> Any:
    return (list(value.shape), value.dtype) if isinstance(value, torch.Tensor) else type(value)
