"""One network in floating point and in int8: quantize, lower to XNNPACK, run, compare."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.devtools.quantization import LayerError, layer_errors, signal_to_noise
from executorch.dialects.edge_ops import aten_op
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.lowered_backend_module import get_lowered_submodules
from executorch.runtime import Runtime
from executorch.tests.benchmarks.harness import Case, measure

#: Images that scales are chosen from, and that errors of layers are measured on.
CALIBRATION = 64


@dataclass(frozen=True)
class Figures:
    """What one network gave.

    Attributes:
        fp32_accuracy, int8_accuracy: share of held-out images recognised by the program.
        sqnr_db: signal to noise of the int8 program's scores, against the fp32 program's.
        fp32_bytes, int8_bytes: sizes of the programs.
        fp32_us, int8_us: one image, median.
        delegates: delegates of the int8 program.
        undelegated: its operators outside of them.
        layers: errors of the layers.
    """

    fp32_accuracy: float
    int8_accuracy: float
    sqnr_db: float
    fp32_bytes: int
    int8_bytes: int
    fp32_us: float
    int8_us: float
    delegates: int
    undelegated: int
    layers: list[LayerError]


@dataclass(frozen=True)
class Lowered:
    """A program and how much of it is delegated."""

    pte: bytes
    delegates: int
    undelegated: int


def lower(model: torch.nn.Module, image: torch.Tensor) -> Lowered:
    """Compiles a module, quantized or not, with everything on XNNPACK that it takes."""
    edge = to_edge_transform_and_lower(
        torch.export.export(model, (image,)), partitioner=[XnnpackPartitioner()]
    )
    module = edge.exported_program().graph_module
    left = [node for node in module.graph.nodes if aten_op(node.target) is not None]
    return Lowered(bytes(edge.to_executorch().buffer), len(get_lowered_submodules(module)), len(left))


def quantize(model: torch.nn.Module, calibration: torch.Tensor) -> tuple[torch.nn.Module, list[LayerError]]:
    """The model in int8, with a scale for each output of a weight, and the errors of its layers.

    Args:
        model: takes images ``[1, ...]``.
        calibration: images to choose the scales of activations from.
    """
    images = [(image,) for image in calibration.split(1)]
    config = get_symmetric_quantization_config(is_per_channel=True)
    captured = torch.export.export(model, images[0]).module()
    prepared = prepare_pt2e(captured, XNNPACKQuantizer().set_global(config))
    with torch.no_grad():
        for image in images:
            prepared(*image)
    reference = copy.deepcopy(prepared)
    quantized = convert_pt2e(prepared)
    return quantized, layer_errors(reference, quantized, images)


def scores_of(pte: bytes, images: torch.Tensor) -> torch.Tensor:
    """What a program says of each image."""
    method = Runtime.get().load_program(pte).load_method("forward")
    return torch.cat([method.execute([image])[0].clone() for image in images.split(1)])


def microseconds(programs: dict[str, bytes], image: torch.Tensor, rounds: int) -> dict[str, float]:
    """The median time of one image, programs taking turns."""
    methods = {name: Runtime.get().load_program(pte).load_method("forward") for name, pte in programs.items()}
    cases = [
        Case("image", name, lambda method=method: method.execute([image]))  # type: ignore[misc]
        for name, method in methods.items()
    ]
    return {one.name: one.median_us for one in measure(cases, rounds=rounds, batch_seconds=0.02)}


def compare(
    model: torch.nn.Module, calibration: torch.Tensor, images: torch.Tensor, labels: torch.Tensor, rounds: int
) -> Figures:
    """Everything about one network.

    Args:
        model: trained, in eval mode.
        calibration: images of the training set.
        images, labels: held out.
        rounds: of measuring.
    """
    quantized, layers = quantize(model, calibration)
    fp32, int8 = lower(model, images[:1]), lower(quantized, images[:1])
    wanted, got = scores_of(fp32.pte, images), scores_of(int8.pte, images)
    times = microseconds({"fp32": fp32.pte, "int8": int8.pte}, images[:1], rounds)
    right = [(scores.argmax(dim=1) == labels).float().mean().item() for scores in (wanted, got)]
    return Figures(
        fp32_accuracy=right[0],
        int8_accuracy=right[1],
        sqnr_db=signal_to_noise(wanted, got),
        fp32_bytes=len(fp32.pte),
        int8_bytes=len(int8.pte),
        fp32_us=times["fp32"],
        int8_us=times["int8"],
        delegates=int8.delegates,
        undelegated=int8.undelegated,
        layers=layers,
    )
