"""The suite's catalogue: public architectures by name, and how to make one with random weights."""

from __future__ import annotations

import importlib

import torch
from torch import nn

from executorch.tests.zoo.architectures.torchvision_standin import ensure_torchvision
from executorch.tests.zoo.specimen import Specimen, calibrated

#: Library that publishes the architectures to the module here that makes them.
LIBRARIES = {"transformers": "transformer", "timm": "vision"}


def names() -> list[tuple[str, str]]:
    """(library, name) of all architectures, sorted within a library."""
    return [(library, name) for library in LIBRARIES for name in sorted(_module(library).MODELS)]


def load() -> None:
    """Imports the libraries."""
    importlib.import_module("transformers")
    # It remembers the answer: asked after the stand-in is there, it would import what a stand-in does not have.
    importlib.import_module("transformers.utils").is_torchvision_available()
    ensure_torchvision()
    importlib.import_module("timm")


def make(library: str, name: str) -> Specimen:
    """An architecture in eval mode with random weights, which are the same each time, and a batch of two."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        specimen: Specimen = _module(library).make(name)
        enliven(specimen.module)
        calibrated(specimen.module, *map(_more, specimen.inputs))
    return specimen


def _more(batch: torch.Tensor) -> torch.Tensor:
    """Eight rows in place of two: of two a channel may be as good as constant, and its norm would blow it up."""
    return (
        torch.cat([batch, *(torch.randn_like(batch) for _ in range(3))])
        if batch.is_floating_point()
        else batch
    )


def enliven(module: nn.Module) -> None:
    """Gives parameters that were filled with one number values of their own, and tiny ones weight.

    Fresh models hide most of themselves: scales of residual branches begin at zero or a millionth, position embeddings at
    zero; a program that loses such a branch would be right.
    """
    with torch.no_grad():
        for parameter in module.parameters():
            if not parameter.is_floating_point() or parameter.numel() == 0:
                continue
            value, largest = parameter.flatten()[0].item(), parameter.abs().max().item()
            if bool((parameter == value).all()):
                around = value if abs(value) > 0.01 else 0.1
                parameter.copy_(around * (1 + 0.3 * torch.randn_like(parameter)))
            elif largest < 1e-3:
                parameter.mul_(0.1 / largest)  # a head that is scaled down: only its bias would count


def _module(library: str) -> object:
    return importlib.import_module(f"executorch.tests.zoo.architectures.{LIBRARIES[library]}")
