"""Exports the network with its backward pass: ``python -m executorch.extension.training.examples.XOR.export_model``."""

from __future__ import annotations

import argparse
import pathlib

import torch
from torch.export import export
from torch.export.experimental import _export_forward_backward

from executorch.exir import ExecutorchBackendConfig, ExecutorchProgramManager, to_edge
from executorch.extension.training.examples.XOR.model import Net, TrainingNet


def _export_model(external_mutable_weights: bool = False) -> ExecutorchProgramManager:
    """The program of a fresh network.

    Args:
        external_mutable_weights: Whether the initial weights go into a `.ptd` file.
    """
    net = TrainingNet(Net())
    captured = export(net, (torch.randn(1, 2), torch.ones(1, dtype=torch.int64)), strict=True)
    edge = to_edge(_export_forward_backward(captured))
    return edge.to_executorch(
        ExecutorchBackendConfig(
            external_mutable_weights=external_mutable_weights, emit_mutable_buffer_names=True
        )
    )


def main() -> None:
    """Writes ``xor.pte``, and ``xor.ptd`` if asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--outdir", type=pathlib.Path, default=pathlib.Path(), help="where the files go")
    parser.add_argument("--external", action="store_true", help="put the weights into xor.ptd")
    arguments = parser.parse_args()
    program = _export_model(arguments.external)
    arguments.outdir.mkdir(parents=True, exist_ok=True)
    program.save(str(arguments.outdir / "xor.pte"))
    if arguments.external:
        program.write_tensor_data_to_file(str(arguments.outdir))


if __name__ == "__main__":
    main()
