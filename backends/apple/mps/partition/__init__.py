"""Which nodes the MPS delegate takes, and why not the others."""

from executorch.backends.apple.mps.partition.mps_partitioner import MPSPartitioner

__all__ = ["MPSPartitioner"]
