"""The vertical slice: compiling, loading and running the quickstart's network, beside eager PyTorch.

./bazelw run //tests/benchmarks:slice_benchmark
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import torch

from executorch.examples.quickstart.train import DigitNet
from executorch.exir import to_edge
from executorch.runtime import Runtime
from executorch.tests.benchmarks.harness import Case, benchmark_main


def cases() -> Sequence[Case]:
    """Jobs: the three steps of compiling, loading, and one inference (one thread on either side)."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = DigitNet().eval()
    image = torch.rand(1, 1, 8, 8)
    captured = torch.export.export(model, (image,))
    pte = bytes(to_edge(captured).to_executorch().buffer)
    runtime = Runtime.get()
    program = runtime.load_program(pte)
    method = program.load_method("forward")
    assert method is not None
    with torch.inference_mode():
        torch.testing.assert_close(method.execute([image])[0], model(image), rtol=1e-4, atol=1e-5)

    def eager() -> object:
        with torch.inference_mode():
            return model(image)

    return [
        Case("compile", "torch.export", lambda: torch.export.export(model, (image,))),
        Case("compile", "to_edge", lambda: to_edge(captured)),
        Case("compile", "to_edge, to_executorch", lambda: to_edge(captured).to_executorch()),
        Case("load", "program and method", lambda: runtime.load_program(pte).load_method("forward")),
        Case("one image", "eager", eager),
        Case("one image", "executorch.runtime", lambda: method.execute([image])),
    ]


if __name__ == "__main__":
    sys.exit(benchmark_main("slice_benchmark", cases))
