"""The main job, end to end: train, export, run twice, compare.

./bazelw run //examples/quickstart -- --out digits
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile
from collections.abc import Sequence

import torch

from executorch.examples.quickstart.export import export
from executorch.examples.quickstart.output import output_directory
from executorch.examples.quickstart.report import Result, contact_sheet, table
from executorch.examples.quickstart.run import Run, find_runner, run_bindings, run_eager, run_runner
from executorch.examples.quickstart.train import Digits, accuracy, load_data, train

# Not resolved: under Bazel this is the tree of runfiles, where the runner lies.
_ROOT = pathlib.Path(__file__).absolute().parents[2]


def compare(data: Digits, eager: Run, others: Sequence[Run]) -> tuple[bool, float]:
    """Whether all say the same digit for every image, and the largest difference of a score from eager's."""
    said = eager.scores.argmax(dim=1)
    equal = all(torch.equal(run.scores.argmax(dim=1), said) for run in others)
    return equal, max((run.scores - eager.scores).abs().max().item() for run in others)


def quickstart(
    directory: pathlib.Path, runner: pathlib.Path, progress: bool = True, epochs: int = 16
) -> Result:
    """Does the job, prints the table and leaves ``digits.pte`` and ``digits.png`` in ``directory``."""
    data = load_data()
    model = train(data, epochs=epochs, progress=progress)
    exported = export(model, data.test_images[:1])
    path = directory / "digits.pte"
    path.write_bytes(exported.pte)
    eager = run_eager(model, data.test_images, progress)
    bindings = run_bindings(path, data.test_images, progress)
    with tempfile.TemporaryDirectory() as scratch:
        native = run_runner(runner, path, data.test_images, pathlib.Path(scratch))
    equal, difference = compare(data, eager, [bindings, native])
    result = Result(
        eager_accuracy=accuracy(eager.scores, data.test_labels),
        runtime_accuracy=accuracy(bindings.scores, data.test_labels),
        predictions_equal=equal,
        max_abs_diff=difference,
        pte_bytes=len(exported.pte),
        planned_bytes=exported.planned_bytes,
        lower_bound_bytes=exported.lower_bound_bytes,
        load_ms=bindings.load_ms,
        us_per_image=bindings.us_per_image,
    )
    said = bindings.scores.argmax(dim=1)
    contact_sheet(data.test_images, data.test_labels, said).save(directory / "digits.png")
    print(table(result, len(said), eager.us_per_image, native.us_per_image, native.load_ms))
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="quickstart", description="Trains, exports and runs a digit recogniser."
    )
    parser.add_argument(
        "--out", metavar="DIR", help="keep digits.pte and digits.png (the contact sheet) here"
    )
    parser.add_argument(
        "--runner", type=pathlib.Path, help="the executor_runner program (default: the one Bazel built)"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bars")
    options = parser.parse_args(arguments)
    runner = options.runner or find_runner(_ROOT)
    with output_directory(options.out) as directory:
        result = quickstart(directory, runner, progress=not options.quiet)
        if options.out:
            print(f"files in {directory}: digits.pte, digits.png")
    print(result.line())
    return 0 if result.predictions_equal else 1


if __name__ == "__main__":
    sys.exit(main())
