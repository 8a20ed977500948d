"""Two networks in floating point and in int8 on XNNPACK: accuracy, errors of the layers, sizes, times.

./bazelw run //examples/quantize -- --out quantized
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from executorch.devtools.quantization import table as layer_table
from executorch.examples.quantize.flow import CALIBRATION, Figures, compare
from executorch.examples.quantize.model import enlarged, train_mobilenet
from executorch.examples.quantize.report import line, plot, table
from executorch.examples.quickstart.output import output_directory
from executorch.examples.quickstart.train import load_data, train

#: How much accuracy int8 may cost.
ACCEPTED_LOSS = 0.005


def run(epochs: int, mobilenet_epochs: int, rounds: int, progress: bool) -> dict[str, Figures]:
    """Trains and compares both networks."""
    data = load_data()
    calibration = data.train_images[:CALIBRATION]
    digits = train(data, epochs=epochs, progress=progress)
    found = {"digits": compare(digits, calibration, data.test_images, data.test_labels, rounds)}
    mobilenet = train_mobilenet(data, epochs=mobilenet_epochs, progress=progress)
    found["MobileNetV2"] = compare(
        mobilenet, enlarged(calibration), enlarged(data.test_images), data.test_labels, rounds
    )
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="quantize", description="Compares fp32 and int8 on XNNPACK.")
    parser.add_argument("--out", metavar="DIR", help="keep quantize.png (SQNR by layer) here")
    parser.add_argument("--epochs", type=int, default=16, help="of the digit network (default: 16)")
    parser.add_argument("--mobilenet-epochs", type=int, default=6, help="of MobileNetV2 (default: 6)")
    parser.add_argument("--rounds", type=int, default=9, help="of measuring (default: 9)")
    parser.add_argument("--quiet", action="store_true", help="no progress bars, no table of layers")
    options = parser.parse_args(arguments)
    found = run(options.epochs, options.mobilenet_epochs, options.rounds, not options.quiet)
    if not options.quiet:
        for name, figures in found.items():
            print(f"{name}\n{layer_table(figures.layers)}\n")
    print(table(found))
    with output_directory(options.out) as directory:
        plot(found).save(directory / "quantize.png")
        if options.out:
            print(f"plot in {directory / 'quantize.png'}")
    print(line(found))
    lost = max(one.fp32_accuracy - one.int8_accuracy for one in found.values())
    return 0 if lost <= ACCEPTED_LOSS else 1


if __name__ == "__main__":
    sys.exit(main())
