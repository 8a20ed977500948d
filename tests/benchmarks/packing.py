"""Loading what XNNPACK runs, beside copying its weights.

    ./bazelw run //tests/benchmarks:packing

XNNPACK packs weights into the order in which its microkernels read them when a method is loaded; a copy of the same
number of bytes is the least that this can cost. `again` loads while another method holds the packed weights.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import torch

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime
from executorch.tests.benchmarks.harness import Case, benchmark_main
from executorch.tests.benchmarks.peer_models import MODELS

_MODELS = ("mlp", "resnet18")


def cases(models: Sequence[str] = _MODELS) -> Sequence[Case]:
    """For each model: a copy of its weights, loading it, loading it again."""
    return [case for name in models for case in _cases_of(name)]


def _cases_of(name: str) -> list[Case]:
    module, inputs = MODELS[name].build()
    captured = torch.export.export(module, inputs)
    edge = to_edge_transform_and_lower(captured, partitioner=[XnnpackPartitioner()])
    program = Runtime.get().load_program(bytes(edge.to_executorch().buffer))
    size = sum(one.numel() * one.element_size() for one in module.parameters())
    weights = torch.ones(size, dtype=torch.uint8)
    target = torch.empty_like(weights)
    held: list[object] = []

    def load() -> None:
        held.clear()
        program.load_method("forward")

    def load_again() -> None:
        if not held:
            held.append(program.load_method("forward"))
        program.load_method("forward")

    return [
        Case(name, f"copy of {size:,} bytes", lambda: target.copy_(weights)),
        Case(name, "load", load),
        Case(name, "load again", load_again),
    ]


if __name__ == "__main__":
    torch.set_num_threads(1)
    sys.exit(benchmark_main("packing", cases))
