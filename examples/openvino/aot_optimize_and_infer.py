"""Exports a model of torchvision, timm or Hugging Face to a ``.pte`` file for OpenVINO, and runs it.

    python -m executorch.examples.openvino.aot_optimize_and_infer \\
        --export --suite torchvision --model resnet50 --input_shape "(1, 3, 256, 256)" --device CPU

writes ``resnet50.pte``.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from executorch.backends.openvino import OpenvinoPartitioner
from executorch.dialects.errors import ExportError
from executorch.exir import to_edge_transform_and_lower
from executorch.extension.export_util.utils import save_pte_program
from executorch.partitioner import CompileSpec
from executorch.runtime import Runtime


def _torchvision(package: Any, name: str) -> torch.nn.Module:
    made: torch.nn.Module = package.models.get_model(name, weights="DEFAULT")
    return made


def _timm(package: Any, name: str) -> torch.nn.Module:
    made: torch.nn.Module = package.create_model(name, pretrained=True)
    return made


def _huggingface(package: Any, name: str) -> torch.nn.Module:
    made: torch.nn.Module = package.AutoModel.from_pretrained(name, return_dict=False)
    return made


#: Suite -> the package that has its models, how one is made, and the type of what it reads.
SUITES: dict[str, tuple[str, Callable[[Any, str], torch.nn.Module], torch.dtype]] = {
    "torchvision": ("torchvision", _torchvision, torch.float32),
    "timm": ("timm", _timm, torch.float32),
    "huggingface": ("transformers", _huggingface, torch.int64),
}


def load_model(suite: str, name: str) -> torch.nn.Module:
    """The model with its published weights, in eval mode.

    Raises:
        ImportError: the suite's package is not installed.
        ValueError: it has no such model.
    """
    package, make, _ = SUITES[suite]
    try:
        module = importlib.import_module(package)
    except ImportError as error:
        raise ImportError(
            f"suite {suite} is the package {package}, which cannot be imported ({error}). Way out: install it"
        ) from error
    try:
        return make(module, name).eval()
    except (RuntimeError, OSError) as error:
        raise ValueError(f"suite {suite} gives no model {name!r}: {error}") from error


def _sizes(text: str) -> tuple[int, ...]:
    try:
        found = ast.literal_eval(text)
        sizes = tuple(int(one) for one in found)
    except (SyntaxError, TypeError, ValueError):
        raise argparse.ArgumentTypeError(f"{text!r} are no sizes. Way out: '(1, 3, 224, 224)'") from None
    if not sizes or min(sizes) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: sizes are positive")
    return sizes


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m executorch.examples.openvino.aot_optimize_and_infer",
        description=(__doc__ or "").partition("\n")[0],
    )
    parser.add_argument("--export", action="store_true", help="write MODEL.pte")
    parser.add_argument("--infer", action="store_true", help="run MODEL.pte, and say how long a call takes")
    parser.add_argument("--suite", choices=SUITES, default="torchvision", help="where the model comes from")
    parser.add_argument("--model", required=True, metavar="NAME", help="the suite's name of it")
    parser.add_argument("--input_shape", type=_sizes, default=(1, 3, 224, 224), help="as '(1, 3, 224, 224)'")
    parser.add_argument("--device", default="CPU", help="CPU, GPU or NPU")
    parser.add_argument("--num_iter", type=int, default=10, help="calls that are measured")
    parser.add_argument("--warmup_iter", type=int, default=1, help="calls before them")
    return parser


def example_input(suite: str, sizes: Sequence[int]) -> torch.Tensor:
    """Random numbers, the same each time: pixels, or tokens."""
    generator = torch.Generator().manual_seed(0)
    if SUITES[suite][2].is_floating_point:
        return torch.randn(*sizes, generator=generator)
    return torch.randint(0, 100, tuple(sizes), generator=generator)


def _file(name: str) -> Path:
    return Path(f"{name.rpartition('/')[2]}.pte")


def export(options: argparse.Namespace) -> str:
    """Writes the program; where it lies."""
    inputs = (example_input(options.suite, options.input_shape),)
    program = torch.export.export(load_model(options.suite, options.model), inputs)
    specs = [CompileSpec("device", options.device.encode())]
    edge = to_edge_transform_and_lower(program, partitioner=[OpenvinoPartitioner(specs)])
    return save_pte_program(edge.to_executorch(), _file(options.model).stem)


def infer(options: argparse.Namespace) -> float:
    """Runs the program; the median of its calls in milliseconds.

    Raises:
        ValueError: there is no such file, or no call to measure.
    """
    path = _file(options.model)
    if not path.exists():
        raise ValueError(f"there is no {path}. Way out: --export makes it")
    if options.num_iter < 1:
        raise ValueError(f"--num_iter is {options.num_iter}. Way out: 1 or more")
    method = Runtime.get().load_program(path).load_method("forward")
    inputs = [example_input(options.suite, options.input_shape)]
    times = []
    for number in range(options.warmup_iter + options.num_iter):
        before = time.perf_counter()
        method.execute(inputs)
        if number >= options.warmup_iter:
            times.append(1e3 * (time.perf_counter() - before))
    return statistics.median(times)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the process's exit status."""
    parser = _arguments()
    options = parser.parse_args(arguments)
    if not options.export and not options.infer:
        parser.error("nothing to do. Way out: --export, --infer or both")
    try:
        if options.export:
            print(f"wrote {export(options)}")
        if options.infer:
            print(f"a call takes {infer(options):.3f} ms (median of {options.num_iter})")
    except (ImportError, ExportError, ValueError, RuntimeError) as error:
        print(f"cannot do this with model {options.model}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
