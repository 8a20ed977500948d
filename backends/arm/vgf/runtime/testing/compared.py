"""Models on VGF's delegate, held against TOSA's reference model."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence

import numpy as np
import torch
from torch.export import ExportedProgram
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.arm.quantizer import VgfQuantizer, get_symmetric_quantization_config
from executorch.backends.arm.test.runner import run_tosa
from executorch.backends.arm.vgf import VgfCompileSpec, VgfPartitioner
from executorch.backends.arm.vgf.runtime.testing.delegate import run
from executorch.backends.test.models_for_tests import SMALL, trained
from executorch.exir import EdgeProgramManager, to_edge_transform_and_lower

#: Models, beside those of `executorch.backends.test`.
NAMES = ("conv", "linear", "keyword_net", "encoder", "unet")


class _TwoInputs(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(3, 5)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return self.linear(x) + y


def _model(name: str) -> tuple[torch.nn.Module, tuple[torch.Tensor, ...]]:
    torch.manual_seed(0)
    if name == "conv":
        return torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU()), (
            torch.randn(1, 3, 8, 8),
        )
    if name == "linear":
        return _TwoInputs(), (torch.randn(2, 3), torch.randn(2, 5))
    return trained(SMALL[name])


def lowered(
    name: str, profile: str, folder: pathlib.Path
) -> tuple[ExportedProgram, tuple[torch.Tensor, ...]]:
    """One of :data:`NAMES`, quantized if ``profile`` is ``"INT"``, with its inputs; ``folder`` has ``out.tosa`` and ``out.vgf``."""
    edge, inputs = to_edge(name, profile, folder)
    return edge.exported_program(), inputs


def to_edge(
    name: str, profile: str, folder: pathlib.Path
) -> tuple[EdgeProgramManager, tuple[torch.Tensor, ...]]:
    """The same, before it is a program to run."""
    model, inputs = _model(name)
    spec = VgfCompileSpec(f"TOSA-1.0+{profile}")
    exported = torch.export.export(model.eval(), inputs)
    if profile == "INT":
        quantizer = VgfQuantizer(spec).set_global(get_symmetric_quantization_config())
        prepared = prepare_pt2e(exported.module(), quantizer)
        prepared(*inputs)
        exported = torch.export.export(convert_pt2e(prepared), inputs)
    spec.dump_intermediate_artifacts_to(str(folder))
    return to_edge_transform_and_lower(exported, partitioner=[VgfPartitioner(spec)]), inputs


class Compared:
    """Runs a delegate on the reference model and on ours.

    Attributes:
        outputs: numbers that were compared; of integers each is equal, of floats within 1e-4 of their size and 1e-5.
        largest: the largest difference.
    """

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.outputs, self.largest = 0, 0.0

    def __call__(self, vgf: bytes, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        arrays = [np.ascontiguousarray(one.detach().numpy()) for one in inputs]
        wanted = run_tosa((self.folder / "out.tosa").read_bytes(), arrays)
        for got, want in zip(run(vgf, arrays, wanted, self.folder), wanted, strict=True):
            if want.dtype == np.float32:
                np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
            else:
                np.testing.assert_array_equal(got, want)
            self.outputs += want.size
            self.largest = max(self.largest, float(np.abs(got.astype(float) - want.astype(float)).max()))
        return [torch.from_numpy(one) for one in wanted]
