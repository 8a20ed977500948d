"""Writes the programs that the Java tests run into a directory."""

import pathlib
import sys

import torch

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.extension.llm.runner import models_for_tests
from executorch.extension.training.examples.XOR import export_model
from executorch.extension.training.examples.XOR.model import Net

_NUMBERS = {
    "uint8": torch.uint8,
    "int8": torch.int8,
    "int16": torch.int16,
    "int32": torch.int32,
    "int64": torch.int64,
    "half": torch.float16,
    "float": torch.float32,
    "double": torch.float64,
    "bfloat16": torch.bfloat16,
}


class Add(torch.nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a + b


class Not(torch.nn.Module):
    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return torch.logical_not(a)


class Doubled(torch.nn.Module):
    """Twice the input, and how many rows it has."""

    def forward(self, a: torch.Tensor) -> tuple[torch.Tensor, int]:
        return a + a, a.shape[0]


def _linear() -> torch.nn.Module:
    layer = torch.nn.Linear(4, 2)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0]]))
        layer.bias.copy_(torch.tensor([0.5, -0.5]))
    return layer.eval()


def _train(net: torch.nn.Module) -> list[float]:
    """The losses of 200 steps, as PyTorch takes them."""
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for step in range(200):
        first, second = step & 1, step >> 1 & 1
        optimizer.zero_grad()
        scores = net(torch.tensor([[float(first), float(second)]]))
        loss = torch.nn.functional.cross_entropy(scores, torch.tensor([first ^ second]))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def _write_training(out: pathlib.Path) -> None:
    torch.manual_seed(0)
    (out / "xor.pte").write_bytes(export_model._export_model().buffer)
    torch.manual_seed(0)
    (out / "xor_losses.txt").write_text("".join(f"{loss}\n" for loss in _train(Net())))


def main(out: pathlib.Path) -> None:
    _write_training(out)
    # Two tensors: the same one twice is exported as one input.
    ones, others = torch.ones(2, 3), torch.ones(2, 3)
    types = {
        name: torch.export.export(Add(), (ones.to(dtype), others.to(dtype)), strict=False)
        for name, dtype in _NUMBERS.items()
    }
    types["bool"] = torch.export.export(Not(), (ones.bool(),), strict=False)
    rows = {0: torch.export.Dim("rows", min=1, max=8)}
    programs = {
        "add": to_edge_transform_and_lower(torch.export.export(Add(), (ones, others), strict=False)),
        "types": to_edge_transform_and_lower(types),
        "dynamic": to_edge_transform_and_lower(
            torch.export.export(Doubled(), (torch.ones(4, 3),), dynamic_shapes=(rows,), strict=False)
        ),
        "linear_xnnpack": to_edge_transform_and_lower(
            torch.export.export(_linear(), (torch.ones(1, 4),), strict=False),
            partitioner=[XnnpackPartitioner()],
        ),
    }
    programs["successor"] = to_edge_transform_and_lower(
        models_for_tests.exported_successor(), constant_methods=models_for_tests.CONSTANTS
    )
    programs["multimodal"] = to_edge_transform_and_lower(
        models_for_tests.exported_multimodal(), constant_methods=models_for_tests.CACHE_CONSTANTS
    )
    programs["listener"] = to_edge_transform_and_lower(
        models_for_tests.exported_listener(), constant_methods=models_for_tests.LISTENER_CONSTANTS
    )
    for name, program in programs.items():
        (out / f"{name}.pte").write_bytes(program.to_executorch().buffer)
    (out / "tokenizer.json").write_text(models_for_tests.tokenizer_json())


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
