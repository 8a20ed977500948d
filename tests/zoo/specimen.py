"""What the zoo keeps of an architecture: the module, inputs to try it with, and how exact its program has to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree

#: Largest error allowed, as a share of the largest magnitude in an output. A dtype that is absent is not tried.
FLOAT32: Mapping[torch.dtype, float] = {torch.float32: 1e-5}
#: For models that are also tried in the 16-bit types, whose machine epsilons are 1e-3 and 8e-3.
ALL_FLOATS: Mapping[torch.dtype, float] = {torch.float32: 1e-5, torch.float16: 1e-2, torch.bfloat16: 5e-2}


@dataclass(frozen=True)
class Specimen:
    """One architecture with random weights.

    Attributes:
        module: in eval mode.
        inputs: positional example inputs.
        dynamic_shapes: as for ``torch.export.export``.
        others: further inputs; of other sizes if shapes are dynamic, later steps if the module keeps a state.
        tolerance: dtype to the largest error against eager, as a share of the largest magnitude in the output.
    """

    module: nn.Module
    inputs: tuple[Any, ...]
    dynamic_shapes: Any = None
    others: tuple[tuple[Any, ...], ...] = ()
    tolerance: Mapping[torch.dtype, float] = field(default_factory=lambda: FLOAT32)

    def cast(self, dtype: torch.dtype) -> Specimen:
        """The same in ``dtype``: weights, buffers and inputs of floating point."""

        def to_dtype(value: Any) -> Any:
            is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
            return value.to(dtype) if is_float else value

        return replace(
            self,
            module=self.module.to(dtype),
            inputs=pytree.tree_map(to_dtype, self.inputs),
            others=pytree.tree_map(to_dtype, self.others),
        )


def calibrated(module: nn.Module, *inputs: Any) -> nn.Module:
    """``module`` in eval mode with batch norms that hold the statistics of ``inputs``.

    Fresh statistics let the activations of a deep random network fade to a constant, on which any program is right.
    """
    norms = [part for part in module.modules() if isinstance(part, nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        norm.momentum = 1.0
    if norms:
        with torch.no_grad():
            module.train()(*inputs)
    return module.eval()


def image(side: int, channels: int = 3, batch: int = 1) -> torch.Tensor:
    """A random image, (batch, channels, side, side)."""
    return torch.randn(batch, channels, side, side)


def of_images(module: nn.Module, side: int, tolerance: Mapping[torch.dtype, float] = FLOAT32) -> Specimen:
    """A specimen that takes one image; its batch norms are calibrated on two others."""
    return Specimen(calibrated(module, image(side, batch=2)), (image(side),), tolerance=tolerance)
