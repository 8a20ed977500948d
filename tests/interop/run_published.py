"""Runs in the published package's process: executes programs and stores their outputs.

Usage: run_published.py DIRECTORY NAME ...; reads NAME.pte, NAME.ptd (if there) and NAME.calls, writes NAME.outputs: a
list of flat outputs per call, or the text of the error.
"""

import importlib
import pathlib
import sys
import traceback

import torch

from executorch.extension.pybindings.portable_lib import _load_for_executorch


def run(directory: pathlib.Path, name: str) -> object:
    data = directory / f"{name}.ptd"
    module = _load_for_executorch(str(directory / f"{name}.pte"), str(data) if data.exists() else None)
    calls = torch.load(directory / f"{name}.calls", weights_only=False)
    # Outputs lie in memory of the method, which the next call overwrites.
    return [
        [
            item.clone() if isinstance(item, torch.Tensor) else item
            for item in module.run_method(method, inputs)
        ]
        for method, inputs in calls
    ]


def main() -> None:
    # Registers the quantized kernels; needs the bindings to be loaded first.
    importlib.import_module("executorch.kernels.quantized")
    directory = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:]:
        try:
            result = run(directory, name)
        except Exception:
            result = traceback.format_exc()
        torch.save(result, directory / f"{name}.outputs")


if __name__ == "__main__":
    main()
