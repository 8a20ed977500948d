"""One option for a backend: a key and bytes that only the backend understands.

The class is the one of the file format, so what a partitioner writes is what the run-time ``init`` reads.
"""

from executorch.schema.program import CompileSpec

__all__ = ["CompileSpec", "PreprocessOnlySpec"]


class PreprocessOnlySpec(CompileSpec):
    """An option for ``preprocess`` alone: where files are kept, what is told on the way.

    The delegate and the program do not have it, so the same model makes the same bytes whatever it says.
    """
