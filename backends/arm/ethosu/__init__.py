"""Ethos-U: compile spec, partitioner, backend."""

from executorch.backends.arm.ethosu.backend import EthosUBackend
from executorch.backends.arm.ethosu.compile_spec import EthosUCompileSpec, VelaExternalBlockPlacements
from executorch.backends.arm.ethosu.partitioner import EthosUPartitioner

__all__ = ["EthosUBackend", "EthosUCompileSpec", "EthosUPartitioner", "VelaExternalBlockPlacements"]
