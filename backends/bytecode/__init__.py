"""A demo backend: element-wise subgraphs compiled to a small bytecode. See README.md and docs/delegate-tutorial.md."""

from executorch.backends.bytecode.bytecode_partitioner import BytecodePartitioner
from executorch.backends.bytecode.bytecode_preprocess import BytecodeBackend

__all__ = ["BytecodeBackend", "BytecodePartitioner"]
