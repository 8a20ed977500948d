"""VGF: compile spec, partitioner, backend."""

from executorch.backends.arm.vgf.backend import VgfBackend
from executorch.backends.arm.vgf.compile_spec import VgfCompileSpec
from executorch.backends.arm.vgf.partitioner import VgfPartitioner

__all__ = ["VgfBackend", "VgfCompileSpec", "VgfPartitioner"]
