"""One option for a backend: a key and bytes that only the backend understands.

The class is the one of the file format, so what a partitioner writes is what the run-time ``init`` reads.
"""

from executorch.schema.program import CompileSpec

__all__ = ["CompileSpec"]
