"""Which nodes Core ML takes, and why not the others."""

from executorch.backends.apple.coreml.partition.coreml_partitioner import CoreMLPartitioner

__all__ = ["CoreMLPartitioner"]
