"""Writes small models of many kinds, with inputs and what PyTorch makes of them, as JSON."""

from __future__ import annotations

import base64
import json
import pathlib
import sys

import torch
from torch import nn
from torchao.quantization.granularity import PerGroup
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.quant_api import Int8DynamicActivationIntxWeightConfig, quantize_

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import to_edge_transform_and_lower

_XNNPACK = "XnnpackBackend"


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(16, 32)
        self.project = nn.Linear(32, 96)
        self.norm = nn.LayerNorm(32)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        q, k, v = self.project(self.norm(self.embed(tokens))).chunk(3, dim=-1)
        return torch.softmax(q @ k.transpose(-1, -2) / 32**0.5, dim=-1) @ v


class Image(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1),
            nn.BatchNorm2d(8),
            nn.Hardswish(),
            nn.Conv2d(8, 8, 3, padding=1, groups=8),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(2),
            nn.Flatten(),
            nn.Linear(32, 5),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


class Elementwise(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        mixed = torch.where(a > b, torch.exp(a), torch.sin(b))
        return (
            mixed,
            mixed.sum(dim=0),
            mixed.argmax(dim=1),
            torch.cat([a, b], dim=1),
            a.sigmoid() * torch.erf(b),
        )


def _int8(model: nn.Module, inputs: tuple[torch.Tensor, ...]) -> nn.Module:
    """Convolutions and linear layers in eight bits, calibrated with the inputs."""
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(torch.export.export(model.eval(), inputs, strict=True).module(), quantizer)
    prepared(*inputs)
    return convert_pt2e(prepared)


def _four_bits(model: nn.Module) -> nn.Module:
    """Weights of linear layers in groups of four bits; what they multiply is quantized as it comes."""
    config = Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(32))
    quantize_(model.eval(), config)
    return model


def _row(
    model: nn.Module, inputs: tuple[torch.Tensor, ...], backend: str = "", tolerance: float = 1e-4
) -> dict[str, object]:
    """A program, its inputs, and what PyTorch makes of them.

    Args:
        model: what is exported; if quantized, PyTorch computes with the same numbers.
        inputs: example inputs, which it is run with.
        backend: what it is to be delegated to.
        tolerance: how much of a number, or of 1, may differ: in sums another order, in what is quantized a step.
    """
    if not isinstance(model, torch.fx.GraphModule):
        model = model.eval()
    program = to_edge_transform_and_lower(
        torch.export.export(model, inputs, strict=False),
        partitioner=[XnnpackPartitioner()] if backend else [],
    ).to_executorch()
    with torch.no_grad():
        outputs = model(*inputs)
    listed = outputs if isinstance(outputs, tuple) else (outputs,)

    def plain(tensor: torch.Tensor) -> dict[str, object]:
        return {
            "sizes": list(tensor.shape),
            "long": tensor.dtype == torch.int64,
            "values": tensor.flatten().tolist(),
        }

    return {
        "program": base64.b64encode(program.buffer).decode(),
        "inputs": [plain(tensor) for tensor in inputs],
        "outputs": [plain(tensor) for tensor in listed],
        "backends": [backend] if backend else [],
        "tolerance": tolerance,
    }


def main(out: pathlib.Path) -> None:
    torch.manual_seed(0)
    picture = (torch.randn(1, 3, 16, 16),)
    vectors = (torch.randn(3, 64),)
    layers = nn.Sequential(nn.Linear(64, 96), nn.GELU(), nn.Linear(96, 32))
    rows = {
        "attention": _row(Attention(), (torch.randint(0, 16, (2, 7)),)),
        "attention, XNNPACK": _row(Attention(), (torch.randint(0, 16, (2, 7)),), _XNNPACK),
        "elementwise": _row(Elementwise(), (torch.randn(5, 33), torch.randn(5, 33))),
        "four bits, XNNPACK": _row(_four_bits(layers), vectors, _XNNPACK, tolerance=0.02),
        "image": _row(Image(), picture),
        "image, XNNPACK": _row(Image(), picture, _XNNPACK),
        "int8, XNNPACK": _row(_int8(Image(), picture), picture, _XNNPACK, tolerance=0.02),
        "recurrent": _row(nn.GRU(6, 9, num_layers=2), (torch.randn(4, 1, 6),)),
    }
    out.write_text(json.dumps(rows))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
