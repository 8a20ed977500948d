"""Writes the corpus of the fuzz targets: small programs that between them use most of the file format.

    corpus.py DIRECTORY

``DIRECTORY/program`` gets ``.pte`` files that run with the portable kernels, ``DIRECTORY/flat_tensor`` ``.ptd`` files.
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Callable

import torch
from torch import nn
from torch.export import Dim, export

from executorch.emitter import FlatTensorSerializer
from executorch.emitter.named_data import DataEntry, DataPayload
from executorch.exir import ExecutorchProgramManager, to_edge
from executorch.schema.flat_tensor import TensorLayout
from executorch.schema.scalar_type import ScalarType


class Add(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x + y


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.layers(x), -1)


class Convolution(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(1, 2, 3, padding=1)
        self.norm = nn.BatchNorm2d(2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.max_pool2d(self.norm(self.convolution(x)), 2).flatten(1)


class Branch(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 3, lambda a: a * 2, lambda a: a - 1, (x,))


class Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.total.add_(x)
        return self.total * 1.0


class Shapes(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        parts = torch.split(x.transpose(0, 1), 2)
        return torch.cat(parts[::-1]), x.to(torch.int64).argmax(1), x.mean((0, 1), keepdim=True)


class Lookup(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(5, 3)

    def forward(self, indices: torch.Tensor) -> torch.Tensor:
        return torch.where(self.table(indices) > 0, 1.0, 0.0).sum(-1)


def lower(
    module: nn.Module, *inputs: torch.Tensor, dynamic_shapes: object = None
) -> ExecutorchProgramManager:
    return to_edge(export(module.eval(), inputs, dynamic_shapes=dynamic_shapes)).to_executorch()


def two_methods() -> ExecutorchProgramManager:
    x = torch.ones(2, 3)
    methods = {"forward": export(Add(), (x, x)), "classify": export(Mlp().eval(), (torch.ones(1, 6),))}
    return to_edge(methods, constant_methods={"version": 3}).to_executorch()


#: Name of the file to the program in it.
PROGRAMS: dict[str, Callable[[], ExecutorchProgramManager]] = {
    "add": lambda: lower(Add(), torch.ones(2, 3), torch.ones(2, 3)),
    "mlp": lambda: lower(Mlp(), torch.ones(2, 6)),
    "convolution": lambda: lower(Convolution(), torch.ones(1, 1, 6, 6)),
    "branch": lambda: lower(Branch(), torch.ones(2, 2)),
    "counter": lambda: lower(Counter(), torch.ones(4)),
    "shapes": lambda: lower(Shapes(), torch.ones(3, 4)),
    "lookup": lambda: lower(Lookup(), torch.tensor([[1, 2], [0, 2]])),
    "dynamic": lambda: lower(Mlp(), torch.ones(2, 6), dynamic_shapes={"x": {0: Dim("rows", min=1, max=8)}}),
    "two_methods": two_methods,
}


def tables() -> dict[str, DataPayload]:
    """Name of the file to its content: nothing, one tensor, and tensors that share data next to an opaque blob."""
    matrix = TensorLayout(ScalarType.FLOAT, [2, 3], [0, 1])
    cube = TensorLayout(ScalarType.BFLOAT16, [2, 2, 2], [0, 2, 1])
    empty = TensorLayout(ScalarType.FLOAT, [0], [0])
    return {
        "nothing": DataPayload(),
        "one": DataPayload([bytes(range(24))], {"weight": DataEntry(0, 16, matrix)}),
        "several": DataPayload(
            [bytes(range(24)), b"blob", b"\x80\x3f" * 8, b""],
            {
                "a": DataEntry(0, 16, matrix),
                "alias.of.a": DataEntry(0, 64, matrix),
                "opaque": DataEntry(1, 1),
                "cube": DataEntry(2, 16, cube),
                "empty": DataEntry(3, 1, empty),
            },
        ),
    }


def main() -> None:
    torch.manual_seed(0)
    root = pathlib.Path(sys.argv[1])
    for kind in ("program", "flat_tensor"):
        (root / kind).mkdir(parents=True, exist_ok=True)
    for name, build in PROGRAMS.items():
        (root / "program" / f"{name}.pte").write_bytes(build().buffer)
    for name, payload in tables().items():
        (root / "flat_tensor" / f"{name}.ptd").write_bytes(bytes(FlatTensorSerializer().serialize(payload)))


if __name__ == "__main__":
    main()
