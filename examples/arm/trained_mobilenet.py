"""How many digits a trained MobileNetV2 knows: in floating point, quantized in PyTorch, and on Ethos-U's delegate.

The network is that of `examples/quantize`, all 17 blocks at a width of 0.35, on images of 32 x 32. Its program runs in ``ethosu_run``: the C++
delegate, in the NPU's place the test driver on the TOSA graph that Vela compiled.
"""

from __future__ import annotations

import os
import struct
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from executorch.backends.arm.ethosu import EthosUCompileSpec
from executorch.backends.arm.ethosu.vela import unpack
from executorch.examples.arm.ethosu_lowering import Lowered, lowered, quantized
from executorch.examples.arm.firmware.embed import fnv1a, io_rows
from executorch.examples.quantize.model import enlarged, train_mobilenet
from executorch.examples.quickstart.train import accuracy, load_data
from executorch.exir.backend.utils import get_reasons
from executorch.partitioner import get_lowered_submodules

_CALIBRATION = 64


def on_test_driver(made: Lowered, images: torch.Tensor) -> torch.Tensor:
    """The scores of the program's delegate on the C++ runtime, image by image.

    Raises:
        RuntimeError: ``ETHOSU_RUN`` names no program, or it fails.
    """
    runner = os.environ.get("ETHOSU_RUN")
    if runner is None:
        raise RuntimeError(
            "ETHOSU_RUN does not say where the program is that runs Ethos-U's delegate: "
            "start this by ./bazelw run //examples/arm:ethosu_report -- --train, which builds it"
        )
    ((_, delegate, _),) = get_lowered_submodules(made.edge.exported_program().graph_module)
    blob = unpack(delegate.processed_bytes)
    head = struct.pack("<QII", fnv1a(blob.commands), len(blob.inputs), len(blob.outputs))
    given = {
        "program.pte": made.program,
        "commands": head + io_rows(blob.inputs) + io_rows(blob.outputs),
        "graph.tosa": made.tosa[0],
        "images": images.contiguous().numpy().tobytes(),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, data in given.items():
            (Path(folder) / name).write_bytes(data)
        ran = subprocess.run(
            [Path(runner).resolve(), *given, "scores"], cwd=folder, capture_output=True, text=True
        )
        if ran.returncode != 0:
            raise RuntimeError(f"{runner} ends with {ran.returncode}: {ran.stderr[-1000:]}")
        scores = np.fromfile(Path(folder) / "scores", np.float32)
    return torch.from_numpy(scores).view(len(images), -1)


def trained_mobilenet(target: str, epochs: int) -> dict[str, Any]:
    """The row of the report; prints the three shares side by side."""
    data = load_data()
    start = time.process_time()
    model = train_mobilenet(data, epochs, progress=False)
    seconds = time.process_time() - start
    samples = [(one,) for one in enlarged(data.train_images[:_CALIBRATION]).split(1)]
    converted = quantized(model, samples, EthosUCompileSpec(target))
    made = lowered(converted, samples[0], target)
    images = enlarged(data.test_images)
    with torch.no_grad():
        exact = model(images)
        wanted = torch.cat([converted(one) for one in images.split(1)])
    scores = on_test_driver(made, images)
    right = {
        name: round(100 * accuracy(one, data.test_labels), 2)
        for name, one in (("float", exact), ("quantized", wanted), ("ethosu", scores))
    }
    print(f"top-1 of {len(images)} images that training has not seen, percent:")
    for name, share in right.items():
        print(f"  {name:9} {share:6.2f}")
    return {
        "model": "mobilenet_v2 0.35, digits of 32 x 32",
        "target": target,
        "epochs": epochs,
        "seconds_training": round(seconds, 1),
        "operators_left": sorted({one.op for one in get_reasons(made.edge.exported_program().graph_module)}),
        "program_bytes": len(made.program),
        "images": len(images),
        **{f"top_1_{name}": share for name, share in right.items()},
        "points_from_quantized": round(abs(right["ethosu"] - right["quantized"]), 2),
        "same_first_class": float((scores.argmax(1) == wanted.argmax(1)).float().mean()),
        "largest_difference": float((scores - wanted).abs().max()),
        "range_of_scores": float(wanted.max() - wanted.min()),
    }
