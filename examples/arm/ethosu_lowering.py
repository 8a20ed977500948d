"""Models in int8 for Ethos-U: quantized, lowered, and what Vela was given on the way."""

from __future__ import annotations

import dataclasses
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.arm.ethosu import EthosUCompileSpec, EthosUPartitioner, backend
from executorch.backends.arm.quantizer import EthosUQuantizer, get_symmetric_quantization_config
from executorch.exir import EdgeProgramManager, ExecutorchBackendConfig, to_edge_transform_and_lower


def quantized(
    model: torch.nn.Module, samples: Sequence[tuple[torch.Tensor, ...]], spec: EthosUCompileSpec
) -> torch.nn.Module:
    """The model in int8, calibrated with the samples."""
    quantizer = EthosUQuantizer(spec).set_global(get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(model, samples[0]).module(), quantizer)
    with torch.no_grad():
        for one in samples:
            prepared(*one)
    converted: torch.nn.Module = convert_pt2e(prepared)
    return converted


@contextmanager
def _clock() -> Iterator[dict[str, float]]:
    """Seconds of Vela within; of all that happens within, less Vela's, at its end."""
    found = {"vela": 0.0}
    compiler = backend.vela_compile

    def timed(*given: Any) -> Any:
        start = time.process_time()
        made = compiler(*given)
        found["vela"] += time.process_time() - start
        return made

    start = time.process_time()
    with mock.patch.object(backend, "vela_compile", timed):
        yield found
    found["ours"] = time.process_time() - start - found["vela"]


@dataclasses.dataclass
class Lowered:
    """A model for Ethos-U.

    Attributes:
        edge: its program with delegates.
        tosa: the files that Vela was given, in the order of the delegates.
        program: the file.
        seconds: of the processor: ``ours`` and ``vela``.
    """

    edge: EdgeProgramManager
    tosa: list[bytes]
    program: bytes
    seconds: dict[str, float]


def lowered(model: torch.nn.Module, inputs: tuple[torch.Tensor, ...], target: str) -> Lowered:
    """The quantized model as a program; exporting is PyTorch's, and not counted."""
    exported = torch.export.export(model, inputs)
    with tempfile.TemporaryDirectory() as folder, _clock() as seconds:
        spec = EthosUCompileSpec(target).dump_intermediate_artifacts_to(folder)
        edge = to_edge_transform_and_lower(exported, partitioner=[EthosUPartitioner(spec)])
        program = edge.to_executorch(ExecutorchBackendConfig(extract_delegate_segments=False))
        tosa = [one.read_bytes() for one in sorted(Path(folder).glob("output_*.tosa"))]
    return Lowered(edge, tosa, program.buffer, seconds)
