"""Documented paths of :mod:`executorch.partitioner`."""

from executorch.exir._submodules import submodule_getter
from executorch.partitioner import to_backend

__getattr__ = submodule_getter(
    __name__,
    "backend_api backend_details canonical_partitioners compile_spec_schema operator_support"
    " partitioner test utils",
)

__all__ = [
    "to_backend",
]
