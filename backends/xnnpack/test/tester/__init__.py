"""The tester of :mod:`executorch.backends.test.harness` with XNNPACK's stages."""

from executorch.backends.xnnpack.test.tester.tester import (
    Export,
    Partition,
    Quantize,
    RunPasses,
    Serialize,
    Tester,
    ToEdge,
    ToEdgeTransformAndLower,
    ToExecutorch,
)

__all__ = [
    "Export",
    "Partition",
    "Quantize",
    "RunPasses",
    "Serialize",
    "Tester",
    "ToEdge",
    "ToEdgeTransformAndLower",
    "ToExecutorch",
]
