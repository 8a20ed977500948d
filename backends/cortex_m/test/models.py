"""Small models with all operators, and how they become programs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import nn
from torch.export import ExportedProgram
from torch.nn import functional
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.cortex_m.passes.cortex_m_pass_manager import CortexMPassManager
from executorch.backends.cortex_m.passes.quantized_values import name_of
from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer
from executorch.exir import EdgeProgramManager, to_edge

Inputs = tuple[torch.Tensor, ...]


class Images(nn.Module):
    """Every operator on images, a residual sum, a classifier with probabilities.

    Args:
        moves: with a slice and a concatenation, which kernels of other libraries do.
    """

    def __init__(self, moves: bool = True) -> None:
        super().__init__()
        self.moves = moves
        self.first = nn.Conv2d(3, 6, 3, stride=2, padding=1)
        self.depthwise = nn.Conv2d(6, 12, 3, padding=1, groups=6, bias=False)
        self.same = nn.Conv2d(12, 12, (3, 2), padding=(1, 1), groups=12)
        self.pointwise = nn.Conv2d(12, 5, 1)
        self.up = nn.ConvTranspose2d(5, 5, 3, stride=2, padding=1, output_padding=1)
        self.classes = nn.Linear(10 if moves else 5, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.relu6(self.first(x))
        x = self.same(self.depthwise(x))
        x = self.pointwise(functional.hardswish(x[:, :, :, 1:] if self.moves else x))
        up = self.up(x)
        most, mean = functional.max_pool2d(up, 2), x + functional.avg_pool2d(up, 2)
        x = torch.cat([most, mean], 1) if self.moves else torch.maximum(most, mean) * mean
        return self.classes(x.mean((2, 3))).softmax(-1)


class Elements(nn.Module):
    """Operators on any tensors, with broadcasting and several outputs."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> Inputs:
        scores = torch.bmm(x, y.transpose(1, 2)).softmax(-1)
        gate = functional.silu(x * y + x[:, :1])
        return scores, torch.maximum(x, y) - gate, functional.pad(torch.minimum(x, y), (1, 2)), 2.0 - gate


class Layers(nn.Module):
    """Linear layers behind flattened images: numbers have PyTorch's order there."""

    def __init__(self) -> None:
        super().__init__()
        self.images = nn.Conv2d(2, 3, 3, padding=1)
        self.first, self.second = nn.Linear(48, 37), nn.Linear(37, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(functional.relu(self.first(self.images(x).flatten(1))))


def inputs(*shapes: tuple[int, ...], seed: int = 0) -> Inputs:
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(shape, generator=generator) for shape in shapes)


def small_models() -> dict[str, tuple[nn.Module, Inputs]]:
    torch.manual_seed(0)
    return {
        "images": (Images(), inputs((1, 3, 12, 10))),
        "elements": (Elements(), inputs((2, 3, 9), (2, 3, 9))),
        "layers": (Layers(), inputs((1, 2, 4, 4))),
    }


def quantized(
    model: nn.Module,
    example: Inputs,
    quantizer: CortexMQuantizer | None = None,
    dynamic_shapes: Any = None,
    samples: Iterable[Inputs] | None = None,
) -> ExportedProgram:
    exported = torch.export.export(model.eval(), example, dynamic_shapes=dynamic_shapes)
    prepared = prepare_pt2e(exported.module(), quantizer or CortexMQuantizer())
    if samples is None:
        samples = (inputs(*(tuple(one.shape) for one in example), seed=seed) for seed in range(4))
    for sample in samples:
        prepared(*sample)
    return torch.export.export(convert_pt2e(prepared), example, dynamic_shapes=dynamic_shapes)


def lowered(program: ExportedProgram, **options: bool) -> EdgeProgramManager:
    return to_edge(program).transform([CortexMPassManager(**options)])


def operators(program: ExportedProgram) -> list[str]:
    """``namespace::operator`` of every call."""
    return [name_of(node) for node in program.graph.nodes if name_of(node)]


def steps_apart(found: Any, wanted: Any, program: ExportedProgram) -> float:
    """How many steps of its scale an output is off at most."""
    scales = [node.args[1] for node in program.graph.output_node().args[0]]
    found, wanted = ((one,) if isinstance(one, torch.Tensor) else one for one in (found, wanted))
    assert len(scales) == len(found)
    return max(
        float((one - other).abs().max()) / scale
        for one, other, scale in zip(found, wanted, scales, strict=True)
    )


__all__ = [
    "Images",
    "Inputs",
    "Layers",
    "inputs",
    "lowered",
    "operators",
    "quantized",
    "small_models",
    "steps_apart",
]
