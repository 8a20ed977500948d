"""Writes small models of many kinds, with inputs and what PyTorch makes of them, as JSON."""

from __future__ import annotations

import base64
import json
import pathlib
import sys

import torch
from torch import nn

from executorch.exir import to_edge_transform_and_lower


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


def _row(model: nn.Module, inputs: tuple[torch.Tensor, ...]) -> dict[str, object]:
    model = model.eval()
    program = to_edge_transform_and_lower(torch.export.export(model, inputs, strict=False)).to_executorch()
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
    }


def main(out: pathlib.Path) -> None:
    torch.manual_seed(0)
    rows = {
        "attention": _row(Attention(), (torch.randint(0, 16, (2, 7)),)),
        "elementwise": _row(Elementwise(), (torch.randn(5, 33), torch.randn(5, 33))),
        "image": _row(Image(), (torch.randn(1, 3, 16, 16),)),
        "recurrent": _row(nn.GRU(6, 9, num_layers=2), (torch.randn(4, 1, 6),)),
    }
    out.write_text(json.dumps(rows))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
