"""MobileNetV2 in int8 for Ethos-U: how long lowering takes, and how near the program is to the quantized model; and why a model is only partly taken.

    ./bazelw run //examples/arm:ethosu_report [-- --target=ethos-u85-256 --images=20]
    ./bazelw run //examples/arm:ethosu_report -- --train

Seconds are of the processor, from the exported program to the bytes of the file, Vela's own apart. The network has random weights of the
published shapes, the images are waves in noise. Numbers are those of TOSA's reference model on the file that Vela is given: on how many
images its first class is one that the quantized model ranks first too, the largest difference of a score, and the noise, the energy of all
differences over that of the scores; beside them the same of the quantized model and the model in floating point.

``--train`` measures accuracy in their place: a MobileNetV2 of small width is trained on the digits of the quickstart, and the share of right
classes on those held out is printed for the model in floating point, the quantized model, and the program on the C++ delegate with the test
driver (`trained_mobilenet.py`). Ends with one line, ``RESULT {...}``.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from typing import Any

import torch

from executorch.backends.arm.ethosu import EthosUCompileSpec
from executorch.backends.arm.test.runner import run_program, with_reference_model
from executorch.backends.test.models_for_tests import FULL, keyword_net
from executorch.examples.arm.ethosu_lowering import lowered, quantized
from executorch.examples.arm.trained_mobilenet import trained_mobilenet
from executorch.exir.backend.utils import get_reasons, print_reasons

_CALIBRATION = 10


def gratings(count: int, side: int, seed: int) -> list[tuple[torch.Tensor]]:
    """Samples of ``[1, 3, side, side]``: waves of any direction and length for each channel, in noise."""
    drawn = torch.Generator().manual_seed(seed)
    turn = torch.rand(4, count, 3, 1, 1, generator=drawn) * 2 * math.pi
    length = 4 + turn[0] * side / 32
    place = torch.arange(side)
    along = turn[1].cos() * place + turn[1].sin() * place[:, None]
    waves = turn[2] / 4 * (along * 2 * math.pi / length + turn[3]).sin()
    noisy = waves + 0.3 * torch.randn(count, 3, side, side, generator=drawn)
    return [(one,) for one in noisy.split(1)]


def network(samples: Sequence[tuple[torch.Tensor]]) -> torch.nn.Module:
    """Random weights, with norms that know the samples and scores without what all samples have in common: else all images are one."""
    torch.manual_seed(0)
    model, _ = FULL["mobilenet_v2"]()
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            # The mean over all that is seen.
            module.momentum = None
    images = torch.cat([one for (one,) in samples])
    with torch.no_grad():
        model.train()(images)
        last = model.eval().classifier[-1]  # type: ignore[index]
        last.bias -= model(images).mean(0)
    return model


def _same_top_1(scores: torch.Tensor, wanted: torch.Tensor) -> float:
    """On what share of the images the first class is one that ``wanted`` ranks first."""
    first = wanted.gather(1, scores.argmax(1, keepdim=True)).squeeze(1)
    return float((first == wanted.amax(1)).float().mean())


def _noise(scores: torch.Tensor, wanted: torch.Tensor) -> float:
    return float((scores - wanted).square().sum() / wanted.square().sum())


def mobilenet(target: str, side: int, images: int) -> dict[str, Any]:
    """The row of MobileNetV2."""
    samples = gratings(_CALIBRATION, side, seed=1)
    model = network(samples)
    converted = quantized(model, samples, EthosUCompileSpec(target))
    made = lowered(converted, samples[0], target)
    program = made.edge.exported_program()
    mine, theirs, exact, calls = [], [], [], 0
    for image in gratings(images, side, seed=2):
        (scores,), calls = run_program(
            program, image, lambda _, tensors: with_reference_model(made.tosa[0], tensors)
        )
        mine.append(scores)
        theirs.append(converted(*image).detach())
        exact.append(model(*image).detach())
    ours, wanted, real = torch.cat(mine), torch.cat(theirs), torch.cat(exact)
    return {
        "model": "mobilenet_v2",
        "target": target,
        "delegates": calls,
        "operators_left": sorted({one.op for one in get_reasons(program.graph_module)}),
        "seconds_ours": round(made.seconds["ours"], 2),
        "seconds_vela": round(made.seconds["vela"], 2),
        "program_bytes": len(made.program),
        "images": images,
        "same_top_1": _same_top_1(ours, wanted),
        "same_top_1_of_quantized_and_float": _same_top_1(wanted, real),
        "classes_on_top": len(set(wanted.argmax(1).tolist())),
        "largest_difference": float((ours - wanted).abs().max()),
        "range_of_scores": float(wanted.max() - wanted.min()),
        "noise": _noise(ours, wanted),
        "noise_of_quantization": _noise(wanted, real),
    }


class Spotter(torch.nn.Module):
    """Words in order of their scores, and which are above a limit: the network is taken, what sorts and chooses is not."""

    def __init__(self) -> None:
        super().__init__()
        self.network = keyword_net()

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        chances = self.network(x).softmax(-1)
        best, which = chances.topk(3)
        return best, which, torch.where(chances > 0.1, chances, 0.0)


def partly_taken(target: str) -> dict[str, Any]:
    """The row of a model that is only partly taken; prints the reasons."""
    torch.manual_seed(0)
    model, inputs = Spotter().eval(), (torch.randn(1, 1, 49, 10),)
    made = lowered(quantized(model, [inputs], EthosUCompileSpec(target)), inputs, target)
    module = made.edge.exported_program().graph_module
    print_reasons(module)
    reasons = sorted({(one.op, one.reason) for one in get_reasons(module)})
    left = [{"operator": operator, "reason": reason} for operator, reason in reasons]
    return {"model": "spotter", "target": target, "delegates": len(made.tosa), "left": left}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the process's exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--target", default="ethos-u55-128")
    parser.add_argument("--side", type=int, default=224, help="of the images")
    parser.add_argument("--images", type=int, default=20, help="that the program is run with")
    parser.add_argument(
        "--train", action="store_true", help="accuracy of a trained MobileNetV2 in place of the other rows"
    )
    parser.add_argument("--epochs", type=int, default=12, help="of training")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    if options.train:
        rows = [trained_mobilenet(options.target, options.epochs)]
    else:
        rows = [mobilenet(options.target, options.side, options.images), partly_taken(options.target)]
    for row in rows:
        print(row)
    print("RESULT " + json.dumps({"rows": rows}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
