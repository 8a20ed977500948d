"""Documented path of the named data store."""

from executorch.partitioner import NamedDataStore, NamedDataStoreOutput

__all__ = [
    "NamedDataStore",
    "NamedDataStoreOutput",
]
